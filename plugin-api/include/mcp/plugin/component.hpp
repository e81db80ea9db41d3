// What the builders of tools, resources and prompts have in common. A builder is a handle to a component that has been
// registered: modifiers change it until it is published, which happens at the end of setup and at every
// Plugin::components_changed. Copies are handles to the same component; any thread may use them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>

#include <mcp/plugin/json.hpp>

namespace mcp {

namespace detail {
class Registry;
struct Metadata;

void set_title(Registry& registry, Metadata& metadata, std::string_view title);
void add_icon(Registry& registry, Metadata& metadata, std::string_view source, std::string_view mime_type,
              std::initializer_list<std::string_view> sizes);
void set_meta(Registry& registry, Metadata& metadata, const Json& meta);
}  // namespace detail

template <class Self>
class Component {
 public:
  /// A name for people, where the name itself is for programs.
  Self& title(std::string_view title) {
    detail::set_title(*registry_, *metadata_, title);
    return self();
  }
  /// `source` is an https: or data: URI; `sizes` such as "48x48" or "any". May be called several times.
  Self& icon(std::string_view source, std::string_view mime_type = {},
             std::initializer_list<std::string_view> sizes = {}) {
    detail::add_icon(*registry_, *metadata_, source, mime_type, sizes);
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
