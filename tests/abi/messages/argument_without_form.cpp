// expect: this type has no JSON form: use numbers, bool, std::string, enums
#include <mcp/plugin/typed.hpp>

class Money {
 public:
  explicit Money(int cents) : cents_(cents) {}
  int cents() const { return cents_; }

 private:
  int cents_;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "pay", "Pays.", [](const Money& money) { return money.cents(); }, mcp::arg("money"));
}
