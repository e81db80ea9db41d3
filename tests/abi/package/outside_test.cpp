// A unit test as an author writes it: the setup function, and no library.
#include <cstdio>

#include <mcp/plugin/testing.hpp>

#include "setup.hpp"

int main() {
  mcp::testing::Harness harness(setup);
  const std::string text = harness.call_tool("triple", {{"value", 14}}).text();
  if (text != "42") std::printf("expected 42, got %s\n", text.c_str());
  return text == "42" ? 0 : 1;
}
