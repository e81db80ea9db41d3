// A call that takes long: it tells how far it is, ends soon when it is cancelled, and is a task for clients that know
// tasks.
#include <string>

#include <mcp/plugin.hpp>

static bool is_prime(int number) {
  for (int divisor = 2; divisor <= number / divisor; ++divisor)
    if (number % divisor == 0) return false;
  return true;
}

static int count_primes(int below, mcp::Context& context) {
  int count = 0;
  for (int number = 2; number < below; ++number) {
    if (number % 1000 == 0) {
      context.throw_if_cancelled();
      context.progress(number, below, std::to_string(count) + " found");
    }
    if (is_prime(number)) ++count;
  }
  return count;
}

static void setup(mcp::Plugin& plugin) {
  plugin
      .tool("count_primes", "Counts the prime numbers below a number, one by one.", count_primes,
            mcp::arg("below", "Below what").min(2).max(1'000'000'000))
      .read_only()
      .task_support(mcp::TaskSupport::Optional);
}

MCP_PLUGIN("primes", "1.0.0", setup)
