#include "app/process_figures.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace mcph {
namespace {

// "btime 1764000000" in /proc/stat.
double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double time = 0;
    if (word == "btime" && file >> time) return time;
  }
  return 0;
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The second field, a name in brackets, may have spaces and brackets itself (proc(5)).
  const auto name_end = line.rfind(')');
  if (name_end != std::string::npos) {
    constexpr int first_after_name = 3;
    std::istringstream fields(line.substr(name_end + 1));
    const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::string field;
    for (int number = first_after_name; fields >> field; ++number) {
      const auto value = std::strtoull(field.c_str(), nullptr, 10);
      if (number == 14 || number == 15) figures.cpu_seconds += static_cast<double>(value) / tick;
      if (number == 22) figures.start_seconds = boot_time() + static_cast<double>(value) / tick;
      if (number == 23) figures.virtual_bytes = value;
      if (number == 24) figures.resident_bytes = value * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    }
  }
  std::error_code unknown;
  for (std::filesystem::directory_iterator each("/proc/self/fd", unknown), end; !unknown && each != end;
       each.increment(unknown))
    ++figures.open_descriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_descriptors = limit.rlim_cur;
  return figures;
}

}  // namespace mcph
