#include "clock/zone_data.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plugins::clock {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Every later time would overflow the arithmetic around it. The database uses the smallest for "since ever".
constexpr std::int64_t largest_time = std::int64_t{1} << 59;

// Reads numbers, most significant byte first.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::string_view bytes(std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("the file ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  // Of 1, 4 or 8 bytes.
  std::uint64_t unsigned_number(std::size_t size) {
    std::uint64_t number = 0;
    for (const char byte : bytes(size))
      number = number << 8U | static_cast<unsigned char>(byte);
    return number;
  }

  std::int64_t signed_number(std::size_t size) {
    const std::uint64_t number = unsigned_number(size);
    return size == 4 ? static_cast<std::int32_t>(number) : static_cast<std::int64_t>(number);
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

struct Header {
  int version = 1;
  std::size_t ut_flags = 0;
  std::size_t standard_flags = 0;
  std::size_t leap_seconds = 0;
  std::size_t transitions = 0;
  std::size_t types = 0;
  std::size_t characters = 0;

  std::size_t body_size(std::size_t time_size) const {
    return transitions * (time_size + 1) + types * 6 + characters + leap_seconds * (time_size + 4) + standard_flags +
           ut_flags;
  }
};

Header read_header(Reader& reader) {
  if (reader.bytes(4) != "TZif") throw std::runtime_error("it is no file of the time zone database");
  Header header;
  const char version = reader.bytes(1)[0];
  if (version != '\0') header.version = version - '0';
  reader.bytes(15);
  for (std::size_t* count : {&header.ut_flags, &header.standard_flags, &header.leap_seconds, &header.transitions,
                             &header.types, &header.characters}) {
    *count = static_cast<std::size_t>(reader.unsigned_number(4));
  }
  return header;
}

std::string abbreviation_at(std::string_view characters, std::size_t index) {
  const std::size_t end = characters.find('\0', index);
  if (index >= characters.size() || end == std::string_view::npos) {
    throw std::runtime_error("an abbreviation lies outside of the file's table");
  }
  return std::string(characters.substr(index, end - index));
}

void read_transitions(Reader& reader, const Header& header, std::size_t time_size, ZoneData& data) {
  Reader times(reader.bytes(header.transitions * time_size));
  for (const char index : reader.bytes(header.transitions)) {
    const auto offset = static_cast<std::size_t>(static_cast<unsigned char>(index));
    if (offset >= header.types) throw std::runtime_error("a transition leads to an offset that is not there");
    const std::int64_t time = std::max(times.signed_number(time_size), -largest_time);
    const bool is_ordered = data.transitions.empty() || sys_seconds(seconds(time)) > data.transitions.back().at;
    if (time > largest_time || !is_ordered) throw std::runtime_error("its transitions are not in the order of time");
    data.transitions.push_back({sys_seconds(seconds(time)), offset});
  }
}

void read_offsets(Reader& reader, const Header& header, ZoneData& data) {
  Reader types(reader.bytes(header.types * 6));
  const std::string_view characters = reader.bytes(header.characters);
  for (std::size_t i = 0; i < header.types; ++i) {
    const seconds from_utc(types.signed_number(4));
    const bool is_daylight_saving = types.unsigned_number(1) != 0;
    const auto abbreviation = static_cast<std::size_t>(types.unsigned_number(1));
    if (from_utc <= -std::chrono::hours(26) || from_utc >= std::chrono::hours(26)) {
      throw std::runtime_error("an offset is a day or more");
    }
    data.offsets.push_back({from_utc, is_daylight_saving, abbreviation_at(characters, abbreviation)});
  }
}

// "\nCET-1CEST,M3.5.0,M10.5.0/3\n"
std::optional<PosixRule> read_footer(std::string_view footer) {
  if (!footer.starts_with('\n')) throw std::runtime_error("its last line is missing");
  const std::size_t end = footer.find('\n', 1);
  if (end == std::string_view::npos) throw std::runtime_error("its last line is cut off");
  const std::string_view text = footer.substr(1, end - 1);
  if (text.empty()) return std::nullopt;
  auto rule = PosixRule::parse(text);
  if (!rule) throw std::runtime_error("its rule \"" + std::string(text) + "\" is not understood");
  return rule;
}

}  // namespace

ZoneData parse_zone_data(std::string_view file) {
  Reader reader(file);
  Header header = read_header(reader);
  std::size_t time_size = 4;
  if (header.version >= 2) {
    // The first part is for programs that know times of 32 bits only. Everything follows once more.
    reader.bytes(header.body_size(time_size));
    header = read_header(reader);
    time_size = 8;
  }
  if (header.leap_seconds > 0) throw std::runtime_error("it counts leap seconds, which clocks do not");
  if (header.types == 0) throw std::runtime_error("it has no offset");

  Reader body(reader.bytes(header.body_size(time_size)));
  ZoneData data;
  read_transitions(body, header, time_size, data);
  read_offsets(body, header, data);
  if (time_size == 8) data.rule = read_footer(reader.rest());
  return data;
}

}  // namespace plugins::clock
