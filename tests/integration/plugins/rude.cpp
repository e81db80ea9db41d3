// What a careless plugin does: it prints to the host's standard output in every way, throws anything, answers nonsense.
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <mcp/plugin.hpp>

namespace {

std::string print_in_every_way() {
  std::printf("printf says {\"jsonrpc\":\"2.0\"}\n");
  std::fflush(stdout);
  std::cout << "cout says so too" << std::endl;
  constexpr std::string_view line = "write says it as well\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) throw std::runtime_error("cannot write");
  return "printed";
}

void setup(mcp::Plugin& plugin) {
  std::cout << "setup says hello" << std::endl;
  plugin.tool("print", "Prints to standard output.", print_in_every_way);
  plugin.tool("throw_exception", "Throws std::runtime_error.",
              []() -> std::string { throw std::runtime_error("the disk is full"); });
  plugin.tool("throw_number", "Throws an int.", []() -> std::string { throw 42; });
  plugin.tool("throw_protocol_error", "Throws mcp::ProtocolError.", []() -> std::string {
    throw mcp::ProtocolError(-32000, "try later", mcp::Json{{"seconds", 5}});
  });
  plugin.tool("answer_bad_utf8", "Returns bytes that are not UTF-8.", [] { return std::string("\xff\xfe"); });
  plugin.tool("read_input", "Returns what standard input holds.", [] {
    std::string line;
    std::getline(std::cin, line);
    return line.empty() ? std::string("nothing") : line;
  });
}

}  // namespace

MCP_PLUGIN("rude", "1.0.0", setup)
