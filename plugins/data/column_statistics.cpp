#include "data/column_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace plugins::data {
namespace {

constexpr std::size_t max_exact = 1000;
constexpr unsigned register_bits = 12;
constexpr std::size_t register_count = std::size_t{1} << register_bits;
constexpr std::size_t max_text_bytes = 200;

// What splitmix64 does, because all bits of a hash matter here.
std::uint64_t stirred(std::uint64_t hash) {
  hash += 0x9E3779B97F4A7C15U;
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31U);
}

double as_double(const Number& number) {
  const auto* const integer = std::get_if<std::int64_t>(&number);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number);
}

// The same of 1, 1.0 and 1e0.
std::uint64_t hash_of(const Number& number) {
  constexpr double limit = 9223372036854775808.0;  // of std::int64_t
  if (const auto* const integer = std::get_if<std::int64_t>(&number))
    return stirred(std::bit_cast<std::uint64_t>(*integer));
  const double real = std::get<double>(number);
  const bool is_whole = real >= -limit && real < limit && real == std::trunc(real);
  return stirred(is_whole ? std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(real))
                          : std::bit_cast<std::uint64_t>(real));
}

bool is_less(const Number& a, const Number& b) {
  const auto* const left = std::get_if<std::int64_t>(&a);
  const auto* const right = std::get_if<std::int64_t>(&b);
  return left != nullptr && right != nullptr ? *left < *right : as_double(a) < as_double(b);
}

std::string cut(std::string_view text) {
  if (text.size() <= max_text_bytes) return std::string(text);
  std::size_t end = max_text_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80)
    --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

std::string_view name_of(ColumnType type) {
  switch (type) {
    case ColumnType::integer:
      return "integer";
    case ColumnType::real:
      return "real";
    case ColumnType::text:
      return "text";
    default:
      return "empty";
  }
}

void DistinctCount::add(std::uint64_t hash) {
  if (!is_exact()) return add_to_registers(hash);
  const auto place = std::lower_bound(seen_.begin(), seen_.end(), hash);
  if (place != seen_.end() && *place == hash) return;
  seen_.insert(place, hash);
  if (seen_.size() <= max_exact) return;
  registers_.assign(register_count, 0);
  for (const auto each : seen_)
    add_to_registers(each);
  seen_ = std::vector<std::uint64_t>();
}

void DistinctCount::add_to_registers(std::uint64_t hash) {
  auto& reg = registers_[hash >> (64 - register_bits)];
  const auto zeros = std::countl_zero(hash << register_bits | (register_count - 1));
  reg = std::max(reg, static_cast<std::uint8_t>(zeros + 1));
}

std::int64_t DistinctCount::value() const {
  if (is_exact()) return static_cast<std::int64_t>(seen_.size());
  constexpr double m = register_count;
  double sum = 0;
  int zeros = 0;
  for (const auto each : registers_) {
    sum += std::ldexp(1.0, -each);
    zeros += each == 0 ? 1 : 0;
  }
  const double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
  const bool is_small = estimate <= 2.5 * m && zeros > 0;
  return std::llround(is_small ? m * std::log(m / zeros) : estimate);
}

void Sample::add(double value) {
  ++count_;
  is_sorted_ = false;
  if (values_.size() < size_) return values_.push_back(value);
  const auto place = std::uniform_int_distribution<std::uint64_t>(0, count_ - 1)(random_);
  if (place < size_) values_[place] = value;
}

double Sample::quantile(double fraction) {
  if (!is_sorted_) std::sort(values_.begin(), values_.end());
  is_sorted_ = true;
  const double place = fraction * static_cast<double>(values_.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values_.size() - 1);
  return values_[below] + (place - static_cast<double>(below)) * (values_[above] - values_[below]);
}

void ColumnStatistics::add(std::string_view text) {
  if (text.empty()) {
    ++missing_;
    return;
  }
  ++count_;
  distinct_texts_.add(stirred(std::hash<std::string_view>()(text)));
  const auto number = number_of(text);
  if (number.index() != 0) {
    add_number(number);
  } else {
    ++texts_;
  }
  add_text(text);
}

// Welford's way, which loses no digits to large sums.
void ColumnStatistics::add_number(const Number& number) {
  if (texts_ > 0) return;  // nobody will ask
  distinct_numbers_.add(hash_of(number));
  const double value = as_double(number);
  if (std::holds_alternative<double>(number)) ++reals_;
  if (smallest_.index() == 0 || is_less(number, smallest_)) smallest_ = number;
  if (largest_.index() == 0 || is_less(largest_, number)) largest_ = number;
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (value - mean_);
  sample_.add(value);
}

void ColumnStatistics::add_text(std::string_view text) {
  if (count_ == 1 || text < first_text_) first_text_ = cut(text);
  if (count_ == 1 || text > last_text_) last_text_ = cut(text);
}

ColumnType ColumnStatistics::type() const {
  if (count_ == 0) return ColumnType::empty;
  if (texts_ > 0) return ColumnType::text;
  return reals_ > 0 ? ColumnType::real : ColumnType::integer;
}

double ColumnStatistics::standard_deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

}  // namespace plugins::data
