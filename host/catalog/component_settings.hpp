// What an operator says of a plugin's components in NAME.json: other names for them, and what calls of its tools cost.
// An alias is a component of its own: it is listed, permitted, disabled and called by its name, and knows whose other
// name it is. Immutable once made; shared by the versions that are described with it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace mcph {

struct Components;

// What one call of a tool costs, as x402 writes it (version 2, section 5.1).
struct Price {
  std::string facilitator;  // the URL of who checks payments and takes the money
  std::string accepts;      // JSON, an array of PaymentRequirements: each a way to pay
};

struct ComponentSettings {
  struct Alias {
    std::string of;            // a tool or a prompt by its name, or a resource by its URI
    bool replaces_it = false;  // what it is an alias of is not served
  };
  std::map<std::string, Alias, std::less<>> aliases;                        // by the other name
  std::map<std::string, std::shared_ptr<const Price>, std::less<>> prices;  // by the tool's own name

  bool empty() const { return aliases.empty() && prices.empty(); }

  // The aliases of a resource.
  std::vector<std::string> other_uris(std::string_view uri) const;
};

// Whether the settings fit what a plugin has described. The error names the member of NAME.json. The answer is what is
// worth a remark: a resource that is not listed, which may come.
Result<std::vector<std::string>> check_settings(const ComponentSettings& settings, const Components& components);

// The components with what the settings say of them; what is not there is left out, and nothing takes the name of a
// component that is.
Components with_settings(Components components, const std::shared_ptr<const ComponentSettings>& settings);

// What a plugin calls the components that have another name, by that.
std::map<std::string, std::string> aliases_in(const Components& components);

// Members of _meta: the payment of a call, which is for no plugin to see, and of its result.
inline constexpr auto payment_key = "x402/payment";
inline constexpr auto payment_response_key = "x402/payment-response";

}  // namespace mcph
