#include "protocol/calls/rejection_record.hpp"

#include <string_view>

#include "protocol/request_record.hpp"

namespace mcph {
namespace {

bool is_served(const Catalog& catalog, std::string_view component) {
  const auto name = component.substr(component.find(':') + 1);
  if (component.starts_with("tool:")) return catalog.find_tool(name) != nullptr;
  if (component.starts_with("prompt:")) return catalog.find_prompt(name) != nullptr;
  const std::string uri(name);
  return catalog.find_resource(uri) != nullptr || catalog.match_template(uri).has_value();
}

}  // namespace

void note_rejection(const Rejection& rejection, const PublishedCatalog& catalog, const Exchange& exchange) {
  const auto& record = exchange.record();
  if (record == nullptr) return;
  switch (rejection.reason) {
    case Rejection::Reason::not_permitted:
      return record->note({.outcome = "denied", .rule = rejection.rule.empty() ? "no rule allows it" : rejection.rule});
    case Rejection::Reason::unknown_tool:
    case Rejection::Reason::unknown_prompt:
    case Rejection::Reason::unknown_resource:
      if (is_served(*catalog.current(), record->component()))
        record->note({.outcome = "denied", .rule = "it is hidden from this principal"});
      return;
    case Rejection::Reason::limited:
      return record->note({.outcome = "limited"});
    case Rejection::Reason::malformed_arguments:
    case Rejection::Reason::invalid_arguments:
      return record->note({.outcome = "invalid arguments"});
    case Rejection::Reason::malformed:
    case Rejection::Reason::header_mismatch:
      return;
  }
}

}  // namespace mcph
