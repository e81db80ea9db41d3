#include "schema/evaluation.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "schema/resources.hpp"
#include "schema/value.hpp"

namespace mcph::schema {
namespace {

std::vector<const InstancePath*> from_root(const InstancePath& at) {
  std::vector<const InstancePath*> links;
  for (const auto* link = &at; link->parent != nullptr; link = link->parent) {
    links.push_back(link);
  }
  return {links.rbegin(), links.rend()};
}

// Of a reason, as much as is ever shown.
std::string beginning_of(std::string reason) {
  constexpr std::size_t enough = 600;
  return reason.size() <= enough ? std::move(reason) : std::string(utf8_prefix(reason, enough)) + "...";
}

// RFC 6901.
std::string json_pointer(const InstancePath& at) {
  std::string pointer;
  for (const auto* link : from_root(at)) {
    pointer = std::move(pointer) / (link->key ? std::string(*link->key) : std::to_string(link->index));
  }
  return pointer;
}

}  // namespace

std::string name_of(const InstancePath& at) {
  if (at.parent == nullptr) return "the value";
  std::string name;
  for (const auto* link : from_root(at)) {
    // Keys may be as long as the request, and there may be a name for each step of the check.
    if (name.size() > max_shown_text) break;
    if (!link->key) {
      name += "[" + std::to_string(link->index) + "]";
      continue;
    }
    if (!name.empty()) name += '.';
    name += link->key->substr(0, max_shown_text + 1);
  }
  return in_quotes(name);
}

bool Evaluation::check_instance(JsonValue instance) {
  return check(root_node, instance, InstancePath{});
}

bool Evaluation::check(NodeIndex node, JsonValue value, const InstancePath& at) {
  if (!spend(1, at)) return false;
  if (depth_ == Schema::max_depth) return too_deep(at);
  ++depth_;
  const auto& compiled = program_.nodes[node];
  const bool valid =
      program_.needs_context ? check_in_context(compiled, value, at) : check_keywords(compiled, value, at);
  --depth_;
  return valid;
}

bool Evaluation::check_keywords(const Node& node, JsonValue value, const InstancePath& at) {
  for (const auto& keyword : node.keywords) {
    if (!keyword->check(value, at, *this)) return false;
  }
  return true;
}

bool Evaluation::check_in_context(const Node& node, JsonValue value, const InstancePath& at) {
  const bool enters = resources_.empty() || resources_.back() != node.resource;
  if (enters) resources_.push_back(node.resource);
  Children own;
  auto* const outer = looked_at_;
  if (node.has_unevaluated) looked_at_ = &own;
  const auto before = looked_at_ == nullptr ? 0 : looked_at_->size();

  const bool valid = check_keywords(node, value, at);

  // What did not hold has looked at nothing.
  if (!valid && looked_at_ != nullptr) looked_at_->resize(before);
  looked_at_ = outer;
  // Where each level has one, they are copied from level to level.
  constexpr std::size_t copied_a_step = 4;
  if (valid && node.has_unevaluated && outer != nullptr && spend(own.size() / copied_a_step, at))
    outer->insert(outer->end(), own.begin(), own.end());
  if (enters) resources_.pop_back();
  return valid;
}

bool Evaluation::check_child(NodeIndex node, JsonValue child, const InstancePath& at) {
  auto* const outer = std::exchange(looked_at_, nullptr);
  const bool valid = check(node, child, at);
  looked_at_ = outer;
  if (valid) note_child(child);
  return valid;
}

bool Evaluation::check_reference(std::size_t slot, JsonValue value, const InstancePath& at) {
  const auto& target = program_.reference_targets[slot];
  if (target.dynamic == nullptr) return check(target.node, value, at);
  return spend(resources_.size(), at) && check(find_dynamically(target), value, at);
}

// 2020-12 core, section 8.2.3.2: the outermost resource on the way here that has the anchor.
NodeIndex Evaluation::find_dynamically(const ReferenceTarget& target) const {
  for (const auto resource : resources_) {
    const auto answer = target.dynamic->find(resource);
    if (answer != target.dynamic->end()) return answer->second;
  }
  return target.node;
}

bool Evaluation::check_alternative(NodeIndex node, JsonValue value, const InstancePath& at) {
  const auto outer = std::exchange(mode_, Mode::decide);
  const bool valid = check(node, value, at);
  mode_ = outer;
  return valid;
}

bool Evaluation::check_alternative_apart(NodeIndex node, JsonValue other, const InstancePath& at) {
  auto* const outer = std::exchange(looked_at_, nullptr);
  const bool valid = check_alternative(node, other, at);
  looked_at_ = outer;
  return valid;
}

std::string Evaluation::reason_against(NodeIndex node, JsonValue value, const InstancePath& at) {
  auto* const outer = std::exchange(looked_at_, nullptr);
  ++alternatives_;
  check(node, value, at);
  --alternatives_;
  looked_at_ = outer;
  // There is none where a limit has ended the check.
  const auto found = std::exchange(violation_, std::nullopt);
  return found ? beginning_of(found->message) : std::string();
}

std::vector<JsonValue> Evaluation::children_looked_at() const {
  if (looked_at_ == nullptr) return {};
  auto children = *looked_at_;
  std::sort(children.begin(), children.end());
  children.erase(std::unique(children.begin(), children.end()), children.end());
  return children;
}

bool Evaluation::matches(const Pattern& pattern, std::string_view text, const InstancePath& at) {
  if (!spend(1, at)) return false;
  if (!search_) search_.emplace();
  const auto outcome = search_->run(pattern, text, Schema::max_steps - steps_);
  if (outcome == PatternSearch::Outcome::too_much_work) {
    stop(at, "pattern", "takes too much work to match with the schema's pattern");
  }
  if (outcome == PatternSearch::Outcome::not_utf8) stop(at, "pattern", "is not valid UTF-8");
  return spend(search_->steps(), at) && outcome == PatternSearch::Outcome::found;
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
  // Of an alternative only the message counts.
  violation_ =
      Violation{alternatives_ > 0 ? std::string() : json_pointer(at), std::string(keyword), std::move(message)};
}

void Evaluation::stop(const InstancePath& at, std::string_view keyword, std::string_view reason) {
  limit_ = Violation{json_pointer(at), std::string(keyword), name_of(at) + " " + std::string(reason)};
}

}  // namespace mcph::schema
