#include "protocol/state/returned_answers.hpp"

#include <utility>

#include "base/json_text.hpp"
#include "protocol/calls/input_requests.hpp"

namespace mcph {
namespace {

Json member_of(JsonValue params, const char* name) {
  const auto found = params.find(name);
  // Null is as wrong there as a number.
  return found.is_null() ? Json(false) : found.json();
}

Result<EarlierRounds> rounds_of_state(const Json& content, const Json& responses) {
  EarlierRounds rounds{.answers = content["answers"],
                       .state = content.value("state", std::string()),
                       .count = content["round"].get<unsigned>(),
                       .client_was_asked = true};
  for (const auto& [name, request] : content["asked"].items()) {
    const auto response = responses.find(name);
    if (response == responses.end()) continue;
    if (const auto mistake = mistake_in_answer(request, *response)) {
      return fail("params.inputResponses." + name + ": " + *mistake);
    }
    rounds.answers[name] = *response;
  }
  return rounds;
}

}  // namespace

ReturnedAnswers returned_answers_in(JsonValue params) {
  if (params.find("inputResponses").values() > max_answer_values) return {.are_too_many = true};
  return {member_of(params, "inputResponses"), member_of(params, "requestState")};
}

std::string purpose_of(PluginMethod method, std::string_view params, const Caller& caller) {
  // A client may write the same differently when it comes again.
  return dump(Json::array({caller.principal.key(), name_of(method), dump(read_json(params))}));
}

std::optional<Json> accept_offered(const EarlierRounds& rounds, const OrderedJson& input_requests) {
  if (!rounds.offered.is_object()) return std::nullopt;
  auto accepted = Json::object();
  for (const auto& [name, request] : input_requests.items()) {
    const auto offered = rounds.offered.find(name);
    if (offered == rounds.offered.end() || mistake_in_answer(request, *offered)) return std::nullopt;
    accepted[name] = *offered;
  }
  return accepted;
}

Json content_of(const EarlierRounds& rounds, const OrderedJson& input_requests) {
  Json content{{"round", rounds.count},
               {"answers", rounds.answers.is_null() ? Json::object() : rounds.answers},
               {"asked", essence_of(input_requests)}};
  if (!rounds.state.empty()) content["state"] = rounds.state;
  return content;
}

Result<EarlierRounds> read_returned_answers(const ReturnedAnswers& returned, const RequestState& state,
                                            std::string_view purpose) {
  if (returned.are_too_many) return fail(words_for_many_answers());
  const auto& responses = returned.responses.is_null() ? Json::object() : returned.responses;
  if (!responses.is_object()) return fail("params.inputResponses must be an object");
  if (!returned.state.is_null()) {
    if (!returned.state.is_string()) return fail("params.requestState must be a string");
    const auto content = state.open(returned.state.get_ref<const std::string&>(), purpose);
    if (content.has_error()) return fail("params.requestState: " + content.error().message);
    return rounds_of_state(*content, responses);
  }
  for (const auto& [name, response] : responses.items()) {
    if (!response.is_object()) return fail("params.inputResponses." + name + ": it is not an object");
  }
  return EarlierRounds{.offered = responses};
}

}  // namespace mcph
