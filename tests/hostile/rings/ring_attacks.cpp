// Workers that attack the memory which they share with their host, one a seed, beside one that is honest: each has an
// end, of which the host is told once, and the honest one answers. Usage: ring_attacks ATTACKER [--seeds N] [--from N]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/isolated/worker_channel.hpp"
#include "runtime/event_loops.hpp"

using namespace mcph;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 120s;  // for what takes milliseconds

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "ring_attacks: " << why << std::endl;
  std::_Exit(EXIT_FAILURE);
}

class Listener final : public WorkerListener {
 public:
  void message_came(const to_host::Message& message) override {
    const MutexLock lock(mutex_);
    ++messages_;
    if (ends_ > 0) give_up("a message came after the end");
    if (const auto* completed = std::get_if<to_host::Completed>(&message)) answers_[completed->call] = completed->text;
    changed_.notify_all();
  }
  bool long_message_came(const to_host::LongMessage& message) override { return message.bytes % 2 == 0; }
  void line_printed(std::string_view /*line*/) override {}
  void left_processes(const ProcessMark::Ended& /*ended*/) override {}
  bool expects_messages() override {
    const MutexLock lock(mutex_);
    return ends_ == 0;
  }
  void process_ended(const WorkerEnd& end) override {
    const MutexLock lock(mutex_);
    ++ends_;
    how_ = end.how;
    changed_.notify_all();
  }

  std::string wait_for_end(const std::string& name) {
    const auto until = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (ends_ == 0 && changed_.wait_until(lock, until)) {
    }
    if (ends_ != 1) give_up("the end of " + name + " was told " + std::to_string(ends_) + " times");
    return how_;
  }
  std::string wait_for_answer(CallId call) {
    const auto until = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (!answers_.contains(call) && changed_.wait_until(lock, until)) {
    }
    if (!answers_.contains(call)) give_up("the honest worker did not answer");
    return answers_.extract(call).mapped();
  }
  std::size_t messages() {
    const MutexLock lock(mutex_);
    return messages_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::size_t messages_ GUARDED_BY(mutex_) = 0;
  int ends_ GUARDED_BY(mutex_) = 0;
  std::string how_ GUARDED_BY(mutex_);
  std::map<CallId, std::string> answers_ GUARDED_BY(mutex_);
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class Attacks {
 public:
  explicit Attacks(std::filesystem::path attacker) : attacker_(std::move(attacker)) {
    honest_channel_ = open("honest", honest_);
  }
  ~Attacks() {
    honest_channel_->process().kill("is not needed any more");
    honest_.wait_for_end("the honest one");
    threads_.stop();
    if (!threads_.join(patience)) give_up("a thread does not end");
  }
  Attacks(const Attacks&) = delete;
  Attacks& operator=(const Attacks&) = delete;

  void run(unsigned seed) {
    Listener listener;
    {
      const auto channel = open(std::to_string(seed), listener);
      for (CallId call = 1; call <= 20 + seed % 60; ++call) {
        channel->send(to_worker::Invoke{call, PluginMethod{}, std::string(call * seed % 3000, 'x'), {}});
        if (call % 3 == 0) channel->look_for_messages();
      }
      const auto how = listener.wait_for_end("seed " + std::to_string(seed));
      ++ends_[how.substr(0, how.find(" ("))];
      channel->forget();
    }
    messages_ += listener.messages();
    if (seed % 20 == 0) ask_honest();
  }

  void ask_honest() {
    const auto call = ++last_call_;
    const std::string text(call * 997 % 50'000 * 2, 'x');  // as the listener takes long ones
    honest_channel_->send(to_worker::Invoke{call, PluginMethod{}, text, {}});
    honest_channel_->look_for_messages();
    if (honest_.wait_for_answer(call) != text) give_up("the honest worker's answer is wrong");
  }

  void report() const {
    if (messages_ == 0 || ends_.size() < 2) give_up("nobody has attacked");
    std::cout << messages_ << " messages were read; how they ended:\n";
    for (const auto& [how, count] : ends_)
      std::cout << "  " << count << " " << how << "\n";
  }

 private:
  std::shared_ptr<WorkerChannel> open(const std::string& name, Listener& listener) {
    auto opened = WorkerChannel::open({attacker_, name, true, nullptr}, threads_.next_context(), threads_, listener);
    if (opened.has_error()) give_up(opened.error().message);
    (*opened)->begin();
    return *std::move(opened);
  }

  const std::filesystem::path attacker_;
  EventLoops threads_{2, 4};
  Listener honest_;
  std::shared_ptr<WorkerChannel> honest_channel_;
  CallId last_call_ = 0;
  std::size_t messages_ = 0;
  std::map<std::string, std::size_t> ends_;
};

}  // namespace

int main(int argc, char** argv) {
  unsigned seeds = 300;
  unsigned from = 1;
  if (argc < 2) give_up("usage: ring_attacks ATTACKER [--seeds N] [--from N]");
  for (int i = 2; i + 1 < argc; i += 2)
    (std::string_view(argv[i]) == "--from" ? from : seeds) =
        static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
  std::size_t before = 0;
  {
    Attacks attacks(argv[1]);
    for (unsigned seed = from; seed < from + seeds; ++seed) {
      attacks.run(seed);
      // By then whatever is made once has been.
      if (seed == from + 20) before = open_descriptors();
    }
    attacks.ask_honest();
    attacks.report();
    // Those of the last ones are closed by the event loops.
    const auto until = std::chrono::steady_clock::now() + patience;
    while (open_descriptors() > before + 8 && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    if (open_descriptors() > before + 8) give_up("descriptors are left open");
  }
  std::cout << seeds << " attacks: no harm\n";
}
