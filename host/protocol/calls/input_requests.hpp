// What a plugin asks before it can go on: the host, what a resource contains (resources/read), and the client, who
// answers it: elicitation/create, sampling/createMessage and roots/list, by names that the plugin chose (2026-07-28,
// basic/patterns/mrtr). The same shapes in both eras; how they travel is the eras' business. Free functions; any
// thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "protocol/message.hpp"

namespace mcph {

// The "inputRequests" of what a plugin gave with MCP_OUTCOME_INPUT_REQUIRED, checked: {name: {"method", "params"}}, at
// least one, in the order in which the author wrote them and a form's fields. An error says what is wrong with it.
Result<OrderedJson> read_input_requests(std::string_view json);

// What is wrong with the client's answer to a request; nothing if it is what the request asked for. A form that was
// accepted must be what its schema says.
std::optional<std::string> mistake_in_answer(const OrderedJson& request, const Json& answer);

// In all that a client answers at once. It is kept as a tree for as long as the call, in which small values take a
// hundred times their text.
inline constexpr std::size_t max_answer_values = 20'000;
// Of params that have more.
std::string words_for_many_answers();

// Of a client that did not answer these requests, {name: {"method", "params"}}, in time.
std::string words_for_no_answer(const OrderedJson& requests, std::chrono::milliseconds patience);

// The "inputState" beside them, which the plugin wants to have handed back with the answers; empty: none.
std::string read_input_state(std::string_view json);

// The params of a call with the answers that there are, by the names of the requests, and with the plugin's own state;
// null: none. `params` is the text of an object that is not empty.
std::string with_answers(std::string params, const Json& answers, std::string_view state);

// What must be kept of the requests to check the answers later.
Json essence_of(const OrderedJson& input_requests);

}  // namespace mcph
