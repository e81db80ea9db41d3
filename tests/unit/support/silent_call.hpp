// A call of which nothing is to be heard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plugin/call.hpp"

namespace mcph::test {

class SilentCall final : public Call {
 public:
  SilentCall() : Call(PluginMethod::tools_call, "{}") {}
  void progress(double, double, std::string_view) override {}
  void complete(Outcome, std::string_view) override {}
  void log(std::int32_t, std::string_view) override {}
  std::string context() const override { return "{}"; }
};

}  // namespace mcph::test
