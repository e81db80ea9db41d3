#include "plugin/debugger.hpp"

#include <fstream>
#include <string>

namespace mcph {

int tracer_of(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string name; status >> name; std::getline(status, name)) {
    int tracer = 0;
    if (name == "TracerPid:") return status >> tracer ? tracer : 0;
  }
  return 0;
}

}  // namespace mcph
