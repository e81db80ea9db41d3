// What is signed of a transaction of Solana, legacy or of version 0 (solana.com/docs/core/transactions). A plain
// function; any thread.
#pragma once

#include <string_view>

namespace mcph {

// Its message: all but the signatures, whose number comes first and whose places others may fill in. It is one form of
// what has been signed: empty for what is cut short, for one with bytes behind its end, which nobody has signed, and
// where a length has more bytes than it needs.
std::string_view solana_message_in(std::string_view transaction);

}  // namespace mcph
