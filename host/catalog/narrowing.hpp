// What a client wants to see of what it may see, or what there is at the path where it asks: less, never more.
// Immutable; any thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "catalog/rights.hpp"

namespace mcph {

class Narrowing final : public Rights {
 public:
  struct Wishes {
    // Only what this upstream has; empty: of all.
    std::string upstream = {};
    // The tools of these plugins, and these tools; neither: all.
    std::set<std::string, std::less<>> plugins = {};
    std::set<std::string, std::less<>> tools = {};
    // But not these.
    std::set<std::string, std::less<>> excluded = {};
    bool read_only = false;  // only those that say of themselves that they change nothing

    bool narrow() const {
      return !upstream.empty() || !plugins.empty() || !tools.empty() || !excluded.empty() || read_only;
    }
    friend bool operator==(const Wishes&, const Wishes&) = default;
    friend bool operator<(const Wishes& a, const Wishes& b) {
      const auto parts = [](const Wishes& of) {
        return std::tie(of.upstream, of.plugins, of.tools, of.excluded, of.read_only);
      };
      return parts(a) < parts(b);
    }
  };

  explicit Narrowing(Wishes wishes) : wishes_(std::move(wishes)) {}

  const Wishes& wishes() const { return wishes_; }

  bool shows(const PluginIdentity& plugin) const override;
  Access to(const Tool& tool, std::string_view plugin) const override;
  Access to(const Prompt& prompt) const override;
  Access to(const Resource& resource) const override;
  Access to(const ResourceTemplate& resource_template) const override;
  bool may_read(std::string_view uri) const override;
  bool may_call(std::string_view tool) const override;

 private:
  const Wishes wishes_;
};

// That at whose path the principal asks; empty: at that of all.
std::string_view upstream_for(const Principal& principal);

}  // namespace mcph
