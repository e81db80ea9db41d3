// What WorkerPlugin makes of what its worker says: answers to what it was asked, ends and news of calls, and words for
// the log. A worker runs the plugin's code, so nothing of it is trusted.
#include <algorithm>
#include <array>
#include <utility>

#include "plugin/description.hpp"
#include "plugin/isolated/worker_plugin.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "plugin/library/crash_report.hpp"
#include "plugin/refusal.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

using namespace std::string_literals;

// What the host's own code in a worker has to say; a worker that says something else is not to be trusted with the log.
constexpr std::array<std::string_view, 5> known_notes{"plugin says", "plugin misbehaved", "plugin is at a limit",
                                                      "host function failed", "data directory cannot be made"};

// Of what a worker gives as a reason, and of one note, in bytes.
constexpr std::size_t longest_reason = 4096;
constexpr std::size_t longest_note = 8192;
// Of a description with the identity that may come with it, in bytes.
constexpr std::size_t max_ready_bytes = max_description_bytes + (std::size_t{64} << 10);

// Of a backtrace.
bool is_frame(std::string_view line) {
  return line.starts_with("0x") || line.find("+0x") != std::string_view::npos;
}

}  // namespace

void WorkerPlugin::frame_came(const Frame& frame) {
  try {
    take(frame);
  } catch (const std::exception& error) {
    log_.error("host function failed", {{"plugin", identity_.name}, {"reason", error.what()}});
  }
}

bool WorkerPlugin::long_frame_came(const Frame& head, std::size_t size) {
  try {
    return wants_text(head, size);
  } catch (const std::exception& error) {
    log_.error("host function failed", {{"plugin", identity_.name}, {"reason", error.what()}});
    return false;
  }
}

// What has not been asked for is not read: the host would pay for what costs the plugin nothing.
bool WorkerPlugin::wants_text(const Frame& head, std::size_t size) {
  if (head.kind == Frame::Kind::completed) {
    if (calls_.find(head.id) == nullptr) return false;  // it has been answered in the plugin's stead
    if (size <= setup_.limits.result_bytes) return true;
    refuse_large_answer(head.id, size);
    return false;
  }
  const std::lock_guard lock(mutex_);
  if (hangs_ || process_ == nullptr) return false;  // it is about to be ended, or has been
  const bool describes = question_ ? question_->kind == Frame::Kind::describe : state_ == State::starting;
  if (head.kind == Frame::Kind::ready && describes && size <= max_ready_bytes) return true;
  process_->kill("was killed, because it sent a long text that nobody had asked for");
  return false;
}

void WorkerPlugin::take(const Frame& frame) {
  switch (frame.kind) {
    case Frame::Kind::ready:
      return became_ready(frame);
    case Frame::Kind::failed: {
      std::string why(frame.text.substr(0, longest_reason));
      return failed(frame.number != 0 ? fail_for_now(std::move(why)) : fail(std::move(why)));
    }
    case Frame::Kind::completed:
      return complete(frame);
    case Frame::Kind::progressed: {
      std::array<double, 2> numbers{};
      const auto call = calls_.find(frame.id);
      if (call != nullptr && read_bytes(frame.more, numbers)) call->progress(numbers[0], numbers[1], frame.text);
      return;
    }
    case Frame::Kind::said:
      if (const auto call = calls_.find(frame.id)) call->log(frame.number, frame.text);
      return;
    case Frame::Kind::noted:
      return note(frame);
    case Frame::Kind::components_changed:
      return changes_->changed();
    case Frame::Kind::resource_updated:
      if (setup_.events.resource_updated) setup_.events.resource_updated(std::string(frame.text));
      return;
    case Frame::Kind::asked_context:
      return tell_context(frame);
    case Frame::Kind::asked_server_info:
      if (const auto running = process(); running != nullptr && setup_.server_info) {
        running->send({.kind = Frame::Kind::answer, .id = frame.id, .text = setup_.server_info()});
      }
      return;
    default:
      if (const auto running = process()) running->kill("was killed, because it sent what only the host sends");
  }
}

void WorkerPlugin::became_ready(const Frame& frame) {
  std::deque<std::uint64_t> waiting;
  std::shared_ptr<WorkerProcess> process;
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    if (hangs_) return;
    if (!question_ && state_ == State::starting) {
      state_ = State::serving;
      keep_to_cpu_share();
      waiting.swap(waiting_);
      process = process_;
      changed = description_ != frame.text;
      stop_timer();
    }
  }
  if (process == nullptr) return answer_question(frame);
  log_.info("plugin restarted", {{"plugin", identity_.name}, {"version", identity_.version}, {"pid", process->id()}});
  for (const auto id : waiting) {
    if (const auto call = calls_.find(id)) give(*process, id, *call);
  }
  if (changed) changes_->changed();
}

void WorkerPlugin::answer_question(const Frame& frame) {
  {
    const std::lock_guard lock(mutex_);
    if (!question_) return;
    if (question_->kind == Frame::Kind::load) {
      auto identity = WorkerIdentity::read(frame.more);
      if (identity.has_value()) {
        identity_.name = std::move(identity->name);
        identity_.version = std::move(identity->version);
        sandbox_lacks_ = std::move(identity->sandbox_lacks);
      }
    }
  }
  // The name was checked in the worker already; one that comes without has been tampered with.
  if (identity_.name.empty()) return answered(fail("its process does not say who it is"));
  answered(std::string(frame.text));
}

void WorkerPlugin::failed(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (hangs_) return;
    if (!question_ && process_ != nullptr) {
      const bool expected = state_ == State::starting;
      cannot_start_ = expected && error.may_pass;
      return process_->kill(expected ? "could not start the plugin: " + error.message
                                     : "was killed, because it answered what nobody had asked"s);
    }
  }
  answered(error);
}

void WorkerPlugin::refuse_large_answer(std::uint64_t id, std::size_t size) {
  const auto call = calls_.take_answered(id);
  if (call == nullptr) return;
  call->on_cancel({});
  refuse(*call, "plugin " + identity_.name + " " + words_for_large_answer(size, setup_.limits));
}

void WorkerPlugin::complete(const Frame& frame) {
  if (frame.text.size() > setup_.limits.result_bytes) return refuse_large_answer(frame.id, frame.text.size());
  const bool is_long = frame.text.size() > CallRunner::max_quick_bytes;
  const bool waits = changes_->has_to_wait();
  const auto call = is_long || waits ? calls_.hold_answered(frame.id) : calls_.take_answered(frame.id);
  if (call == nullptr) return;  // it has been answered in the plugin's stead
  call->on_cancel({});
  const bool is_own = frame.more.empty();
  if (!is_long && !waits) return pass_on(*call, frame.number, std::string(frame.text), is_own);

  const auto process = is_long ? this->process() : nullptr;
  auto answer = calls_.once_held(frame.id, call,
                                 [this, outcome = frame.number, is_own, json = std::string(frame.text),
                                  worked_on = process == nullptr ? nullptr : process->begin_long_frame()](
                                     Call& held) mutable { pass_on(held, outcome, std::move(json), is_own); });
  // A long answer takes its time to be checked, which this thread has not.
  if (is_long) {
    answer = [&runner = workers_.runner(), size = frame.text.size(), check = std::move(answer)]() mutable {
      runner.run_long(size, std::move(check));
    };
  }
  waits ? changes_->keep(std::move(answer)) : answer();
}

void WorkerPlugin::pass_on(Call& call, std::int32_t outcome, std::string json, bool is_own) const {
  if (outcome < 0 || outcome > static_cast<std::int32_t>(Outcome::input_required)) {
    return refuse(
        call, "plugin " + identity_.name + " completed the call with the unknown outcome " + std::to_string(outcome));
  }
  try {
    is_own ? call.complete(static_cast<Outcome>(outcome), std::move(json)) : call.refuse(std::move(json));
  } catch (const std::exception& error) {
    refuse(call, "the host could not handle what the plugin answered: "s + error.what());
  }
}

void WorkerPlugin::tell_context(const Frame& question) {
  std::uint64_t id = 0;
  const auto running = process();
  if (running == nullptr || !read_bytes(question.more, id)) return;
  wants_context_ = true;
  const auto call = calls_.find(id);
  const auto context = call == nullptr ? std::string() : call->context();
  running->send({.kind = Frame::Kind::answer, .id = question.id, .text = context});
}

void WorkerPlugin::note(const Frame& frame) {
  const auto* const known = std::find(known_notes.begin(), known_notes.end(), frame.more);
  if (known == known_notes.end()) return;
  const auto level = static_cast<Log::Level>(std::clamp(frame.number, static_cast<std::int32_t>(Log::Level::debug),
                                                        static_cast<std::int32_t>(Log::Level::error)));
  log_line(level, *known, known == known_notes.begin() ? "text" : "reason", frame.text.substr(0, longest_note));
}

void WorkerPlugin::line_printed(std::string_view line) {
  if (line.empty()) return;
  if (line == worker_lacks_memory && setup_.limits.memory_bytes > 0) {
    lacked_memory_ = true;
    return limit_log_.reached(Limit::memory, words_for_lack_of_memory(setup_.limits));
  }
  // From a crash on it says nothing else; a place ends with its last frame.
  is_crashing_ = is_crashing_ || line.starts_with(worker_crashes);
  tells_place_ = line == worker_place || (tells_place_ && is_frame(line));
  if (!is_crashing_ && !tells_place_) {
    last_lines_.add(line);
    return log_line(Log::Level::info, plugin_output, "text", line);
  }
  // The private copy is nobody's concern, and gone when somebody reads this.
  std::string text(line);
  const auto copy = library_->path().string();
  if (const auto found = text.find(copy); found != std::string::npos) {
    text.replace(found, copy.size(), setup_.file.filename().string());
  }
  log_line(Log::Level::error, "plugin backtrace", "text", text);
}

void WorkerPlugin::log_line(Log::Level level, std::string_view event, std::string_view name, std::string_view text) {
  if (event == "plugin misbehaved") {
    log_.write(level, event, {{"file", setup_.file.string()}, {name, text}});
  } else if (event == "plugin is at a limit" && !identity_.name.empty()) {
    log_.write(level, event, {{"file", setup_.file.string()}, {"plugin", identity_.name}, {name, text}});
  } else {
    log_.write(level, event, {who(), {name, text}});
  }
}

// The field "plugin" is always the name that the plugin gives itself. Until it has told that, there is its file.
Log::Field WorkerPlugin::who() const {
  if (identity_.name.empty()) return {"file", setup_.file.string()};
  return {"plugin", identity_.name};
}

}  // namespace mcph
