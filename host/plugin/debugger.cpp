#include "plugin/debugger.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace mcph {
namespace {

// 0 where there is no such process, or its /proc cannot be read.
int number_in_status(int process, std::string_view field) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string name; status >> name; std::getline(status, name)) {
    int number = 0;
    if (name == field) return status >> number ? number : 0;
  }
  return 0;
}

}  // namespace

int tracer_of(int process) {
  const int thread = number_in_status(process, "TracerPid:");
  if (thread == 0) return 0;
  const int tracer = number_in_status(thread, "Tgid:");
  return tracer != 0 ? tracer : thread;
}

}  // namespace mcph
