#include "plugin/isolated/symbolizer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/hexadecimal.hpp"
#include "base/own_prefix.hpp"
#include "base/regular_file.hpp"
#include "base/spawn_settings.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_output_bytes = std::size_t{4} << 20;
constexpr std::size_t max_frames_of_place = 64;
constexpr std::size_t max_build_id_digits = 128;

// A program that has been started, which this ends.
class Started {
 public:
  explicit Started(pid_t process) : process_(process) {}
  ~Started() {
    if (waited_) return;  // and the number may be another's
    ::kill(-process_, SIGKILL);
    wait();
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  // Its status, once it has printed all.
  int wait() {
    if (!waited_) uninterrupted([&] { return ::waitpid(process_, &status_, 0); });
    waited_ = true;
    return status_;
  }

 private:
  pid_t process_;
  int status_ = 0;
  bool waited_ = false;
};

// Until its end; nothing where that does not come by then.
Result<std::string> read_output(const FileDescriptor& output, Clock::time_point deadline) {
  std::string text;
  std::array<char, 16384> block{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return fail("it took too long");
    pollfd readable{output.get(), POLLIN, 0};
    if (uninterrupted([&] { return ::poll(&readable, 1, static_cast<int>(left.count())); }) == 0) continue;
    const auto count = uninterrupted([&] { return ::read(output.get(), block.data(), block.size()); });
    if (count <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > max_output_bytes) return fail("it printed too much");
  }
}

// What stands before the separator, which is taken off with it.
std::string_view cut(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto first = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return first;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc{} && end == text.end();
}

std::string text_for_people(std::string_view bytes) {
  return is_utf8(bytes) ? std::string(bytes) : std::string();
}

// A line is what its program says it prints, or is passed over.
void read_line(std::string_view line, Symbols& symbols) {
  const auto first = cut(line, ' ');
  if (first == "build-id") {
    // It becomes part of a line of the log.
    const bool is_short = line.size() <= max_build_id_digits;
    if (is_short && line.find_first_not_of(hexadecimal_digits) == std::string_view::npos) symbols.build_id = line;
    return;
  }
  std::size_t place = 0;
  SourceFrame frame;
  if (!read_number(first, place) || place >= symbols.places.size()) return;
  if (!read_number(cut(line, '\t'), frame.line)) return;
  frame.file = text_for_people(cut(line, '\t'));
  frame.function = text_for_people(line);
  auto& frames = symbols.places[place];
  if (frames.size() < max_frames_of_place) frames.push_back(std::move(frame));
}

Result<pid_t> start(const std::filesystem::path& program, const std::vector<std::string>& places, int library,
                    int output) {
  SpawnSettings settings;
  settings.give(library, STDIN_FILENO);
  settings.give(output, STDOUT_FILENO);
  settings.give_none_from(STDERR_FILENO);
  settings.stand_alone();
  settings.forget_environment();
  std::vector<std::string> words{program.filename().string()};
  words.insert(words.end(), places.begin(), places.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  if (const int error = settings.spawn(process, program.c_str(), arguments.data()); error != 0)
    return fail_for_now("the program " + program.string() + " cannot be started: " + std::strerror(error));
  return process;
}

}  // namespace

std::filesystem::path Symbolizer::default_program() {
  return own_helper("mcp-plugin-symbolizer");
}

bool Symbolizer::is_there() const {
  return ::access(program_.c_str(), X_OK) == 0;
}

Result<Symbols> Symbolizer::find(const FileDescriptor& library, const std::vector<std::string>& places) const {
  const auto deadline = Clock::now() + patience;
  // A function that calls itself comes again and again, and to find a place takes long.
  auto different = places;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_for_now("no pipe can be made: " + last_error());
  const FileDescriptor output(ends[0]);
  FileDescriptor printing(ends[1]);
  const auto process = start(program_, different, library.get(), printing.get());
  if (process.has_error()) return process.error();
  Started started(*process);
  printing = {};
  auto text = read_output(output, deadline);
  if (text.has_error()) return fail(program_.filename().string() + " was ended: " + text.error().message);
  if (started.wait() != 0)
    return fail(program_.filename().string() + " could not read the library, or give up what it does not need");
  Symbols found;
  found.places.resize(different.size());
  for (std::string_view rest = *text; !rest.empty();)
    read_line(cut(rest, '\n'), found);
  Symbols symbols{.places = {}, .build_id = std::move(found.build_id)};
  for (const auto& place : places) {
    const auto at = std::ranges::lower_bound(different, place) - different.begin();
    symbols.places.push_back(found.places[static_cast<std::size_t>(at)]);
  }
  return symbols;
}

}  // namespace mcph
