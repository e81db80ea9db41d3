// Input requests to the client: what Context::elicit, sample, roots and ask send, and what comes back. Values; the
// functions of this header may be called from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mcp/plugin/detail/decode.hpp>
#include <mcp/plugin/detail/form.hpp>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/json.hpp>
#include <mcp/plugin/message.hpp>

namespace mcp {

/// One request to the client: JSON text with the members "method" and "params".
class InputRequest {
 public:
  explicit InputRequest(std::string json) : json_(std::move(json)) {}
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// A form that the user fills in, with a field for each of T's, or with one if T is a value: a number, a bool, a
/// std::string, an enum, a vector of an enum (several may be chosen), a date or a time. The members of a struct are
/// such values, or std::optional of those.
template <class T>
InputRequest form(std::string_view message) {
  return detail::form_request(message, detail::form_schema<T>().text());
}

/// A page that the user opens in a browser, for what must not pass through the client: secrets, payments, sign-in.
InputRequest web_page(std::string_view message, std::string_view url);

/// The folders that the client works in.
InputRequest root_list();

/// What a resource contains, for Context::ask. The host answers it and not the client.
InputRequest resource(std::string_view uri);

/// A message that the client's model writes. Begin with what it is told, then the message of the user:
/// `mcp::Sampling(200).system_prompt("You are terse.").user("Sum this up: ...")`.
class Sampling {
 public:
  explicit Sampling(int max_tokens);

  Sampling& user(std::string_view text) { return message(mcp::user(text)); }
  Sampling& assistant(std::string_view text) { return message(mcp::assistant(text)); }
  Sampling& message(const Message& message);
  /// A message as MCP has it, such as the use of a tool and its result.
  Sampling& message(const Json& message);

  Sampling& system_prompt(std::string_view prompt);
  Sampling& temperature(double temperature);
  Sampling& stop_sequences(const std::vector<std::string>& sequences);
  /// A model, or a family of them, that would do well; the client decides. The first is preferred.
  Sampling& model_hint(std::string_view name);
  /// A tool that the model may ask for; Sampled::tool_uses tells if it did. `input_schema` is a JSON Schema.
  Sampling& tool(std::string_view name, std::string_view description, const Json& input_schema);
  /// "auto", "required" or "none".
  Sampling& tool_choice(std::string_view mode);
  /// Any other member of the request's params.
  Sampling& param(std::string_view name, const Json& value);

  operator InputRequest() const;

 private:
  std::map<std::string, std::string, std::less<>> params_;  // JSON text
  detail::ArrayText messages_;
  detail::ArrayText hints_;
  detail::ArrayText tools_;
};

enum class ElicitAction {
  Accept,
  Decline,  ///< the user said no
  Cancel,   ///< the user said nothing, and closed the question
};

/// What the user did with a form. Like a std::optional: it has a value if the form was accepted.
template <class T>
class Elicited {
 public:
  Elicited(ElicitAction action, std::optional<T> value) : action_(action), value_(std::move(value)) {}

  ElicitAction action() const { return action_; }
  bool accepted() const { return value_.has_value(); }
  explicit operator bool() const { return accepted(); }

  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  /// Throws a ToolError if the user did not accept.
  const T& value() const {
    if (!value_) throw ToolError(detail::refusal_text(action_ == ElicitAction::Decline));
    return *value_;
  }

 private:
  ElicitAction action_;
  std::optional<T> value_;
};

struct ToolUse {
  std::string id;
  std::string name;
  std::shared_ptr<const Json> input;
};

/// The message that the client's model wrote.
class Sampled {
 public:
  explicit Sampled(std::shared_ptr<const Json> answer) : answer_(std::move(answer)) {}

  /// Every text in it, one a line.
  std::string text() const;
  std::string model() const;
  /// "endTurn", "stopSequence", "maxTokens", "toolUse" or what else the client says; empty if it says nothing.
  std::string stop_reason() const;
  std::vector<ToolUse> tool_uses() const;
  /// The whole answer, a CreateMessageResult.
  const Json& json() const { return *answer_; }

 private:
  std::shared_ptr<const Json> answer_;
};

struct Root {
  std::string uri;   ///< file://...
  std::string name;  ///< may be empty
};

/// A part of what a resource contains.
struct ReadContent {
  std::string uri;
  std::string mime_type;         ///< may be empty
  std::string text;              ///< empty where it is bytes
  std::vector<std::byte> bytes;  ///< empty where it is text
};

using InputRequests = std::map<std::string, InputRequest>;

/// What the client answered to several input requests, by their names.
class Answers {
 public:
  Answers(std::shared_ptr<const Json> answers, InputRequests requests)
      : answers_(std::move(answers)), requests_(std::move(requests)) {}

  template <class T>
  Elicited<T> form(std::string_view name) const;
  ElicitAction web_page(std::string_view name) const { return detail::action_of(json(name)); }
  Sampled sampled(std::string_view name) const;
  std::vector<Root> roots(std::string_view name) const;
  /// Throws what Context::read_resource throws.
  std::vector<ReadContent> resource(std::string_view name) const;
  /// As the client sent it. Throws std::out_of_range for a name that was not asked.
  const Json& json(std::string_view name) const;

 private:
  std::shared_ptr<const Json> answers_;
  InputRequests requests_;
};

namespace detail {

/// The answer to a form, once it is there.
template <class T>
Elicited<T> elicited(const Json& answer) {
  const ElicitAction action = action_of(answer);
  if (action != ElicitAction::Accept) return {action, std::nullopt};
  const Json& content = form_content(answer);
  if constexpr (is_form_value<T>) {
    const Json* value = find_member(content, single_field);
    if (value == nullptr) refuse(Place{nullptr, single_field}, "is missing");
    return {action, decode<T>(*value, Place{nullptr, single_field})};
  } else {
    return {action, decode<T>(content, Place{})};
  }
}

}  // namespace detail

template <class T>
Elicited<T> Answers::form(std::string_view name) const {
  return detail::elicited<T>(json(name));
}

}  // namespace mcp
