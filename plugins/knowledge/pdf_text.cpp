#include "knowledge/pdf_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/close_range.h>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "shared/descriptor.hpp"
#include "shared/file_content.hpp"
#include "shared/file_error.hpp"

namespace plugins::knowledge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_for_stop{100};
// It ends as soon as its output has.
constexpr std::chrono::milliseconds look_for_end{1};

std::string words(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void fail(const std::string& what, int error) {
  throw FileError(error, what + " (" + words(error) + ")");
}

Descriptor memory_file(std::string_view content) {
  Descriptor file(::memfd_create("pdf", MFD_CLOEXEC));
  if (!file.is_open()) fail("is not read: no memory file can be made", errno);
  write_content(file, content);
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::pair<Descriptor, Descriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("is not read: no pipe can be made", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void limit(int resource, rlim_t value) {
  const ::rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

// Of the child, between fork and exec: nothing but system calls, because other threads may have held any lock.
[[noreturn]] void become(const char* program, const PdfLimits& limits, int input, int output, int failure) {
  const auto seconds = static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(limits.time).count());
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  std::array<const char*, 8> arguments{program, "-q", "-enc", "UTF-8", "-nopgbrk", "-", "-", nullptr};
  // None of the variables of the host, which may be secrets.
  std::array<char*, 1> environment{nullptr};
  ::execvpe(program, const_cast<char* const*>(arguments.data()), environment.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(failure, &error, sizeof error);
  ::_exit(1);
}

// For good, or only now.
[[noreturn]] void fail_to_start(const std::string& what, int error) {
  if (error == ENOENT || error == EACCES || error == EPERM || error == ENOSYS) {
    throw PdfReaderMissing(what + " (" + words(error) + ")");
  }
  fail("is not read: " + what, error);
}

// A running pdftotext, which ends with this object.
class Child {
 public:
  Child(const char* program, const PdfLimits& limits, const Descriptor& input) {
    auto [output, output_end] = make_pipe();
    auto [failure, failure_end] = make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) become(program, limits, input.get(), output_end.get(), failure_end.get());
    if (pid_ < 0) fail_to_start("no program can be started here", errno);
    output_ = std::move(output);
    failure_end = Descriptor();
    int error = 0;
    // Closed by exec.
    if (::read(failure.get(), &error, sizeof error) == sizeof error) {
      end();
      fail_to_start(std::string(program) + " cannot be started", error);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  int output() const { return output_.get(); }

  // As waitpid tells it; nothing if the time is over or it is stopped before.
  std::optional<int> wait(Clock::time_point end, const std::atomic<bool>& is_stopped) {
    int status = 0;
    while (::waitpid(pid_, &status, WNOHANG) == 0) {
      if (is_stopped || Clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(look_for_end);
    }
    pid_ = -1;
    return status;
  }

 private:
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  pid_t pid_ = -1;
  Descriptor output_;
};

bool has_output(int descriptor, std::chrono::milliseconds time) {
  ::pollfd source{descriptor, POLLIN, 0};
  return ::poll(&source, 1, static_cast<int>(time.count())) > 0;
}

// Until the end of the output or `max`; nothing if the time is over or it is stopped before.
std::optional<std::string> output_of(const Child& child, std::size_t max, Clock::time_point end,
                                     const std::atomic<bool>& is_stopped) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() < max) {
    if (is_stopped || Clock::now() >= end) return std::nullopt;
    if (!has_output(child.output(), look_for_stop)) continue;
    const auto size = ::read(child.output(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace

std::string text_of_pdf(std::string_view pdf, const PdfLimits& limits, const std::atomic<bool>& is_stopped,
                        const char* program) {
  Child child(program, limits, memory_file(pdf));
  const auto end = Clock::now() + limits.time;
  auto text = output_of(child, limits.text_bytes, end, is_stopped);
  if (text && text->size() >= limits.text_bytes) return *std::move(text);
  const auto status = text ? child.wait(end, is_stopped) : std::nullopt;
  if (!status) {
    throw std::runtime_error(
        is_stopped ? "was not read to its end"
                   : "takes longer than " +
                         std::to_string(std::chrono::ceil<std::chrono::seconds>(limits.time).count()) + " s to read");
  }
  if (WIFSIGNALED(*status)) throw std::runtime_error("breaks the program that reads PDFs");
  if (WEXITSTATUS(*status) != 0) throw std::runtime_error("is no PDF that can be read");
  return *std::move(text);
}

}  // namespace plugins::knowledge
