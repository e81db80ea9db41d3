#include "plugin/debugger.hpp"

#include <fstream>
#include <string>

namespace mcph {

bool is_traced(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string name; status >> name; std::getline(status, name)) {
    int tracer = 0;
    if (name == "TracerPid:") return status >> tracer && tracer != 0;
  }
  return false;
}

}  // namespace mcph
