#include "cli/given_answers.hpp"

#include <optional>

#include "base/json_text.hpp"
#include "plugin/method.hpp"
#include "protocol/calls/input_requests.hpp"

namespace mcph {
namespace {

// The only field of a form that has no other.
std::optional<std::string> single_field_of(const OrderedJson& request) {
  const OrderedJson::json_pointer at("/params/requestedSchema/properties");
  if (!request.contains(at)) return std::nullopt;
  const auto& fields = request.at(at);
  return fields.is_object() && fields.size() == 1 ? std::optional(fields.begin().key()) : std::nullopt;
}

// What is given is mostly less than a whole result.
Json whole_answer(const OrderedJson& request, Json given) {
  const auto method = find_method(request.value("method", ""));
  if (method == Method::elicitation_create && !(given.is_object() && given.contains("action"))) {
    const auto field = given.is_object() ? std::nullopt : single_field_of(request);
    return {{"action", "accept"}, {"content", field ? Json{{*field, std::move(given)}} : std::move(given)}};
  }
  if (method == Method::sampling_create_message && given.is_string()) {
    return {{"role", "assistant"},
            {"content", {{"type", "text"}, {"text", std::move(given)}}},
            {"model", "the command line"}};
  }
  if (method == Method::roots_list && given.is_array()) return {{"roots", std::move(given)}};
  return given;
}

std::string words_for(const OrderedJson& request) {
  const auto method = request.value("method", "");
  const OrderedJson::json_pointer at("/params/message");
  const bool has_words = request.contains(at) && request.at(at).is_string();
  const auto words = has_words ? request.at(at).get<std::string>() : std::string();
  return method + (words.empty() ? "" : ": " + words);
}

}  // namespace

Result<GivenAnswers> GivenAnswers::read(const std::vector<std::string>& texts) {
  GivenAnswers answers;
  for (const auto& text : texts) {
    auto json = parse_json(text);
    // Words need no quotes.
    if (json.has_error() && text.find_first_of("{[\"") == 0)
      return fail("the answer " + text + " is " + json.error().message);
    answers.left_.push_back(json.has_error() ? Json(text) : *std::move(json));
  }
  return answers;
}

Json GivenAnswers::client_capabilities() const {
  if (!any()) return Json::object();
  return {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
          {"sampling", {{"tools", Json::object()}}},
          {"roots", Json::object()}};
}

Result<Json> GivenAnswers::give(const OrderedJson& requests) {
  auto answers = Json::object();
  for (const auto& [name, request] : requests.items()) {
    if (next_ == left_.size())
      return fail("the client is asked " + words_for(request) + "; answer it with --answer JSON: " + dump(request));
    auto answer = whole_answer(request, std::move(left_[next_++]));
    if (const auto mistake = mistake_in_answer(request, answer))
      return fail("answer " + std::to_string(next_) + " does not fit " + words_for(request) + ": " + *mistake);
    given_[name] = answers[name] = std::move(answer);
  }
  return answers;
}

}  // namespace mcph
