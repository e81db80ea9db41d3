// The tools without a host and without loading a library. Any framework does; this is none.
#include <iostream>

#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

void setup(mcp::Plugin& plugin);

static int failures = 0;

static void expect(bool holds, const char* what, const mcp::testing::Outcome& outcome) {
  if (holds) return;
  ++failures;
  std::cerr << what << ", but it answered " << outcome.json << "\n";
}

int main() {
  mcp::testing::Harness plugin(setup);

  const auto boiling = plugin.call_tool("convert_temperature", {{"degrees", 100}, {"to", "fahrenheit"}});
  expect(boiling.ok() && boiling.structured()["result"] == 212, "100 degrees Celsius are 212 Fahrenheit", boiling);

  const auto too_cold = plugin.call_tool("convert_temperature", {{"degrees", -300}, {"to", "fahrenheit"}});
  expect(!too_cold.ok() && too_cold.text() == "Nothing is colder than -273.15 degrees Celsius.", "-300 is an error",
         too_cold);

  // What the host would refuse, the harness refuses, too.
  const auto unknown = plugin.call_tool("convert_temperature", {{"degrees", 1}, {"to", "kelvin"}});
  expect(!unknown.ok(), "there is no such unit", unknown);
  return failures;
}
