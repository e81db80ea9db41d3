// What a server over stdio answers by itself: calls its tool echo with so many requests open at any time, and says how
// many results came a second, once it has been busy for a second. An answer that is none ends it. usage:
// bench_stdio_load SECONDS OPEN PROGRAM [ARGUMENT]...
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds warm_up{1};

[[noreturn]] void fail(const char* why) {
  std::perror(why);
  std::exit(1);
}

int number_of(std::string_view text) {
  int number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) fail("no number");
  return number;
}

struct Server {
  pid_t process;
  int input;
  int output;
};

Server start(char** command) {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (::pipe(input.data()) != 0 || ::pipe(output.data()) != 0) fail("pipe");
  const auto process = ::fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    for (const int each : {input[0], input[1], output[0], output[1]})
      ::close(each);
    ::execvp(command[0], command);
    fail(command[0]);
  }
  ::close(input[0]);
  ::close(output[1]);
  return {process, input[1], output[0]};
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(descriptor, text.data(), text.size());
    if (count <= 0) fail("write");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string call(std::uint64_t id) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})"
         "\n";
}

void check(const std::string& answer) {
  if (answer.find(R"("result":)") != answer.npos && answer.find(R"("isError":true)") == answer.npos) return;
  std::fprintf(stderr, "an answer that is no result: %s\n", answer.c_str());
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return std::fprintf(stderr, "usage: %s SECONDS OPEN PROGRAM [ARGUMENT]...\n", arguments[0]), 2;
  const std::chrono::seconds time(number_of(arguments[1]));
  const auto open = static_cast<std::uint64_t>(number_of(arguments[2]));
  const auto server = start(arguments + 3);
  std::uint64_t asked = 0;
  std::string next;
  while (asked < open)
    next += call(++asked);
  write_all(server.input, next);
  std::uint64_t answers = 0;
  std::array<char, 65536> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): read writes it
  auto begin = Clock::now();
  std::string line;  // which has not come to its end
  for (bool is_warm = false;;) {
    const auto read = ::read(server.output, bytes.data(), bytes.size());
    if (read <= 0) fail("the server has ended");
    next.clear();
    for (std::string_view rest(bytes.data(), static_cast<std::size_t>(read)); !rest.empty();) {
      const auto end = rest.find('\n');
      line += rest.substr(0, end);
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
      check(line);
      line.clear();
      ++answers;
      next += call(++asked);
    }
    const auto now = Clock::now();
    // The first answers come when it has begun, and a runtime that compiles what is hot has done so.
    if (!is_warm && answers > 10 * open && now - begin >= warm_up) {
      is_warm = true;
      answers = 0;
      begin = now;
    }
    if (is_warm && now - begin >= time) {
      std::printf("%.0f\n", static_cast<double>(answers) / std::chrono::duration<double>(now - begin).count());
      break;
    }
    write_all(server.input, next);
  }
  ::kill(server.process, SIGKILL);
  ::waitpid(server.process, nullptr, 0);
  return 0;
}
