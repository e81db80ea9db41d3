#include "catalog/schema_evaluation.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "catalog/schema_value.hpp"

namespace mcph::schema {
namespace {

std::vector<const InstancePath*> from_root(const InstancePath& at) {
  std::vector<const InstancePath*> links;
  for (const auto* link = &at; link->parent != nullptr; link = link->parent) {
    links.push_back(link);
  }
  return {links.rbegin(), links.rend()};
}

// RFC 6901.
std::string json_pointer(const InstancePath& at) {
  nlohmann::json::json_pointer pointer;
  for (const auto* link : from_root(at)) {
    if (link->key != nullptr) {
      pointer /= *link->key;
    } else {
      pointer /= link->index;
    }
  }
  return pointer.to_string();
}

}  // namespace

std::string name_of(const InstancePath& at) {
  if (at.parent == nullptr) return "the value";
  std::string name;
  for (const auto* link : from_root(at)) {
    if (link->key == nullptr) {
      name += "[" + std::to_string(link->index) + "]";
      continue;
    }
    if (!name.empty()) name += ".";
    name += *link->key;
  }
  return in_quotes(name);
}

bool Evaluation::check_instance(const nlohmann::json& instance) {
  return check(root_node, instance, InstancePath{});
}

bool Evaluation::check(NodeIndex node, const nlohmann::json& value, const InstancePath& at) {
  if (!spend(1, at)) return false;
  if (depth_ == Schema::max_depth) return too_deep(at);
  ++depth_;
  bool valid = true;
  for (const auto& keyword : program_.nodes[node].keywords) {
    valid = keyword->check(value, at, *this);
    if (!valid) break;
  }
  --depth_;
  return valid;
}

bool Evaluation::check_reference(std::size_t slot, const nlohmann::json& value, const InstancePath& at) {
  return check(program_.reference_targets[slot], value, at);
}

bool Evaluation::check_alternative(NodeIndex node, const nlohmann::json& value, const InstancePath& at,
                                   std::vector<std::string>& reasons) {
  const bool valid = check(node, value, at);
  if (violation_) {
    reasons.push_back(std::move(violation_->message));
    violation_.reset();
  }
  return valid;
}

bool Evaluation::spend(std::size_t steps, const InstancePath& at) {
  // After a limit was reached, every further check fails at once, so that the recursion comes to its end.
  if (limit_) return false;
  steps_ += steps;
  if (steps_ > Schema::max_steps) {
    stop(at, "", "takes more than " + std::to_string(Schema::max_steps) + " steps to check");
  }
  return !limit_;
}

bool Evaluation::too_deep(const InstancePath& at) {
  stop(at, "",
       "is nested too deep to check, or its schema refers to itself without end: the limit is " +
           std::to_string(Schema::max_depth) + " levels");
  return false;
}

void Evaluation::report(const InstancePath& at, std::string_view keyword, std::string message) {
  violation_ = Violation{json_pointer(at), std::string(keyword), std::move(message)};
}

void Evaluation::stop(const InstancePath& at, std::string_view keyword, std::string_view reason) {
  limit_ = Violation{json_pointer(at), std::string(keyword), name_of(at) + " " + std::string(reason)};
}

}  // namespace mcph::schema
