// A plugin with a dozen mistakes that end its process, each in a function of its own, in a line that says so.
#undef NDEBUG
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mcp/plugin.hpp>

// Left as it is written, also by sanitizers.
#define AUTHORS_FUNCTION [[gnu::noinline, gnu::no_sanitize("undefined", "address")]]

namespace {

// Compilers know most of these for mistakes, and would make something else of them if they knew the values.
volatile int sink = 0;
volatile int zero = 0;
int* volatile nowhere = nullptr;
const std::vector<int>* volatile no_numbers = nullptr;
void* volatile memory = nullptr;

AUTHORS_FUNCTION void write_null() {
  *nowhere = 1;  // crash: write_null
}

AUTHORS_FUNCTION void read_null() {
  sink = *nowhere;  // crash: read_null
}

// Nothing is mapped there, nor by a sanitizer for itself.
AUTHORS_FUNCTION void use_wild_address() {
  nowhere = reinterpret_cast<int*>(std::uintptr_t{0x456789123000});
  sink = *nowhere;  // crash: use_wild_address
}

// NOLINTNEXTLINE(misc-no-recursion): that is the point
AUTHORS_FUNCTION int overflow_stack(int depth) {  // begins: overflow_stack
  volatile char frame[4096];
  frame[static_cast<std::size_t>(depth) % sizeof frame] = 'x';
  return overflow_stack(depth + 1) + frame[0];  // crash: overflow_stack
}

AUTHORS_FUNCTION void divide_by_zero() {
  sink = 7 / zero;  // crash: divide_by_zero
}

AUTHORS_FUNCTION void call_abort() {
  std::abort();  // crash: call_abort
}

AUTHORS_FUNCTION void throw_uncaught() {
  throw std::runtime_error("of a thread");  // crash: throw_uncaught
}

AUTHORS_FUNCTION void throw_in_noexcept() noexcept {  // begins: throw_in_noexcept
  sink = std::stoi("a number that is none");          // crash: throw_in_noexcept
}

AUTHORS_FUNCTION void free_twice() {
  memory = std::malloc(40);
  std::free(memory);
  std::free(memory);  // crash: free_twice
  sink = 1;           // or it would not return here
}

AUTHORS_FUNCTION void trap() {
  sink = 1;
  __builtin_trap();  // crash: trap
}

AUTHORS_FUNCTION void terminate() {
  std::terminate();  // crash: terminate
}

AUTHORS_FUNCTION void fail_assertion() {
  assert(zero == 1);  // crash: fail_assertion
}

// Inlined into its caller where code is optimised.
inline int first_of(const std::vector<int>* numbers) {
  return numbers->front();  // inlined: first_of
}

AUTHORS_FUNCTION void use_inlined() {
  sink = first_of(no_numbers);  // crash: use_inlined
}

const std::map<std::string, std::function<void()>>& mistakes() {
  static const std::map<std::string, std::function<void()>> all{
      {"write_null", write_null},
      {"read_null", read_null},
      {"use_wild_address", use_wild_address},
      {"overflow_stack", [] { sink = overflow_stack(0); }},
      {"divide_by_zero", divide_by_zero},
      {"call_abort", call_abort},
      {"throw_uncaught", [] { std::thread(throw_uncaught).join(); }},
      {"throw_in_noexcept", throw_in_noexcept},
      {"free_twice", free_twice},
      {"trap", trap},
      {"terminate", [] { std::thread(terminate).join(); }},
      {"fail_assertion", fail_assertion},
      {"use_inlined", use_inlined},
      {"leave", [] { std::_Exit(7); }},  // which is no crash
  };
  return all;
}

std::string crash(const std::string& how) {
  mistakes().at(how)();
  return "alive";
}

void setup(mcp::Plugin& plugin) {
  if (const auto how = plugin.config().value("crash", ""); !how.empty()) crash(how);
  plugin.tool("crash", "Crashes.", crash, mcp::arg("how", "The mistake"));
}

}  // namespace

MCP_PLUGIN("crashing", "1.0.0", setup)
