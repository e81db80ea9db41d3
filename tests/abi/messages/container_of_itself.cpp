// expect: this type has no JSON form: use numbers, bool, std::string, enums
#include <vector>

#include <mcp/plugin/typed.hpp>

class Tree {
 public:
  using value_type = Tree;
  void push_back(Tree child) { children_.push_back(std::move(child)); }

 private:
  std::vector<Tree> children_;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const Tree&) {}, mcp::arg("tree"));
}
