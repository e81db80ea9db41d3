#include "cli/own_output.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <streambuf>
#include <unistd.h>

#include "base/regular_file.hpp"

namespace mcph {
namespace {

// Writes at once: a plugin may end the process.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

 private:
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char one = traits_type::to_char_type(character);
    return xsputn(&one, 1) == 1 ? character : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::streamsize done = 0;
    while (done < size) {
      const auto count =
          uninterrupted([&] { return ::write(descriptor_, text + done, static_cast<std::size_t>(size - done)); });
      if (count <= 0) break;
      done += count;
    }
    return done;
  }

  const int descriptor_;
};

std::ostream* output_without_plugins = nullptr;
int output_descriptor = STDOUT_FILENO;

}  // namespace

std::ostream& own_output() {
  return output_without_plugins != nullptr ? *output_without_plugins : std::cout;
}

int own_output_descriptor() {
  return output_descriptor;
}

int write_printed() {
  auto& output = own_output();
  if (output.flush()) return 0;
  output.clear();
  // It may have failed long ago; what fails again says why.
  return ::write(output_descriptor, "\n", 1) == 1 ? EIO : errno;
}

void keep_output_from_plugins() {
  std::cout.flush();
  std::fflush(stdout);
  const int descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (descriptor < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return;  // one of them is closed
  static DescriptorBuffer buffer(descriptor);
  static std::ostream output(&buffer);
  output_without_plugins = &output;
  output_descriptor = descriptor;
}

}  // namespace mcph
