// What the builders of tools, resources and prompts have in common. A builder is a handle to a component that has been
// registered: modifiers change it until it is published, which happens at the end of setup and at every
// Plugin::components_changed. Copies are handles to the same component; any thread may use them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <mcp/plugin/json.hpp>
#include <mcp/plugin/metadata.hpp>

namespace mcp {

namespace detail {
class Registry;
struct Metadata;

void set_title(Registry& registry, Metadata& metadata, std::string_view title);
void add_icon(Registry& registry, Metadata& metadata, const Icon& icon);
void set_meta(Registry& registry, Metadata& metadata, const Json& meta);
void add_tag(Registry& registry, Metadata& metadata, std::string_view tag);
}  // namespace detail

template <class Self>
class Component {
 public:
  /// A name for people, where the name itself is for programs.
  Self& title(std::string_view title) {
    detail::set_title(*registry_, *metadata_, title);
    return self();
  }
  /// May be called several times.
  Self& icon(const Icon& icon) {
    detail::add_icon(*registry_, *metadata_, icon);
    return self();
  }
  /// `source` is an https: or data: URI; `sizes` such as "48x48" or "any".
  Self& icon(std::string_view source, std::string_view mime_type = {},
             std::initializer_list<std::string_view> sizes = {}) {
    return icon({std::string(source), std::string(mime_type), {sizes.begin(), sizes.end()}});
  }
  /// Words by which operators and clients choose among tools: 1 to 128 characters of A-Za-z0-9_.- each, or
  /// std::invalid_argument. May be called several times.
  Self& tags(std::initializer_list<std::string_view> tags) {
    for (const auto tag : tags)
      detail::add_tag(*registry_, *metadata_, tag);
    return self();
  }
  /// The component's _meta.
  Self& meta(const Json& meta) {
    detail::set_meta(*registry_, *metadata_, meta);
    return self();
  }

 protected:
  Component(std::shared_ptr<detail::Registry> registry, std::shared_ptr<detail::Metadata> metadata)
      : registry_(std::move(registry)), metadata_(std::move(metadata)) {}

  detail::Registry& registry() const { return *registry_; }
  detail::Metadata& metadata() const { return *metadata_; }

 private:
  Self& self() { return static_cast<Self&>(*this); }

  std::shared_ptr<detail::Registry> registry_;
  std::shared_ptr<detail::Metadata> metadata_;
};

}  // namespace mcp
