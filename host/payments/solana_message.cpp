#include "payments/solana_message.hpp"

#include <cstddef>

namespace mcph {
namespace {

constexpr std::size_t solana_signature_size = 64;
constexpr std::size_t solana_account_size = 32;
constexpr std::size_t solana_blockhash_size = 32;
constexpr std::size_t solana_header_size = 3;
// From here on a first byte is that of a version, or of a length that has several.
constexpr unsigned versions_begin = 0x80;

// Takes the parts of a transaction, one after the other. Behind one that is not as it must be, there is nothing left.
class SolanaParts {
 public:
  explicit SolanaParts(std::string_view rest) : rest_(rest) {}

  std::string_view rest() const { return rest_; }
  // All were as they must be, and nothing follows them.
  bool are_all() const { return is_right_ && rest_.empty(); }

  // 0: there is none.
  unsigned next() const { return rest_.empty() ? 0 : static_cast<unsigned char>(rest_.front()); }
  unsigned take() {
    const auto taken = next();
    skip(1);
    return taken;
  }
  void skip(std::size_t size) {
    if (size > rest_.size()) return give_up();
    rest_.remove_prefix(size);
  }
  // As many as the length before them says.
  void skip_array(std::size_t element_size) { skip(length() * element_size); }

  // In compact-u16: seven bits of it in each byte, the lowest first, and one that says whether another byte follows.
  std::size_t length() {
    constexpr std::size_t max_length = 0xFFFF;
    std::size_t read = 0;
    for (unsigned bits = 0; bits < 21; bits += 7) {
      const auto byte = take();
      read |= std::size_t{byte & 0x7FU} << bits;
      if (byte >= 0x80) continue;
      const bool is_shortest = byte > 0 || bits == 0;
      if (is_shortest && read <= max_length) return read;
      break;
    }
    give_up();
    return 0;
  }

 private:
  void give_up() {
    is_right_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool is_right_ = true;
};

}  // namespace

std::string_view solana_message_in(std::string_view transaction) {
  SolanaParts parts(transaction);
  // More signatures do not fit into a transaction.
  if (parts.next() >= versions_begin) return {};
  parts.skip_array(solana_signature_size);
  const auto message = parts.rest();
  const bool is_legacy = parts.next() < versions_begin;
  if (!is_legacy && parts.take() != versions_begin) return {};
  parts.skip(solana_header_size);
  parts.skip_array(solana_account_size);
  parts.skip(solana_blockhash_size);
  for (auto instructions = parts.length(); instructions > 0; --instructions) {
    parts.skip(1);        // its program
    parts.skip_array(1);  // its accounts
    parts.skip_array(1);  // its data
  }
  // The tables in which a message of version 0 looks up accounts.
  for (auto tables = is_legacy ? 0 : parts.length(); tables > 0; --tables) {
    parts.skip(solana_account_size);
    parts.skip_array(1);  // places of those that are written
    parts.skip_array(1);  // and only read
  }
  return parts.are_all() ? message : std::string_view();
}

}  // namespace mcph
