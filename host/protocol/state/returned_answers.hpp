// A client that comes back: the inputResponses and the requestState with which it sends a request again
// (2026-07-28, basic/patterns/mrtr). Free functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "protocol/caller.hpp"
#include "protocol/calls/plugin_call.hpp"
#include "protocol/message.hpp"
#include "protocol/state/request_state.hpp"

namespace mcph {

struct ReturnedAnswers {
  Json responses = nullptr;
  Json state = nullptr;
  bool are_too_many = false;  // and so not there

  bool any() const { return are_too_many || !responses.is_null() || !state.is_null(); }
};

// In a request's params.
ReturnedAnswers returned_answers_in(JsonValue params);

// All that a state is for: with another principal or another request it is worth nothing. `params` is what the plugin
// is given, without answers.
std::string purpose_of(PluginMethod method, std::string_view params, const Caller& caller);

// Those of the offered answers that answer what is asked now, if they are all that it takes.
std::optional<Json> accept_offered(const EarlierRounds& rounds, const OrderedJson& input_requests);

// What a state holds for the next round.
Json content_of(const EarlierRounds& rounds, const OrderedJson& input_requests);

// The answers of all rounds, without those that nobody asked for. Without a state nobody knows what was asked: then
// they are on offer until the plugin asks. An error says what is wrong with the params.
Result<EarlierRounds> read_returned_answers(const ReturnedAnswers& returned, const RequestState& state,
                                            std::string_view purpose);

}  // namespace mcph
