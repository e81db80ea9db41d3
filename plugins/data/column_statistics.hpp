// ColumnStatistics: what is known of a column after its values have been seen once, in memory that does not grow with
// their number: the distinct values are counted with HyperLogLog (P. Flajolet et al., 2007) once there are many, and
// quartiles are those of a random sample. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/number.hpp"

namespace plugins::data {

enum class ColumnType { empty, integer, real, text };

std::string_view name_of(ColumnType type);

// How many different values there are.
class DistinctCount {
 public:
  void add(std::uint64_t hash);
  std::int64_t value() const;
  // Else it is 2 % off or so.
  bool is_exact() const { return registers_.empty(); }

 private:
  void add_to_registers(std::uint64_t hash);

  std::vector<std::uint64_t> seen_;  // in their order
  std::vector<std::uint8_t> registers_;
};

// A random sample of numbers, each as likely as the others.
class Sample {
 public:
  explicit Sample(std::size_t size) : size_(size) {}

  void add(double value);
  // Of at least one number; `fraction` is 0 to 1.
  double quantile(double fraction);
  bool is_exact() const { return count_ <= size_; }

 private:
  std::size_t size_;
  std::uint64_t count_ = 0;
  std::minstd_rand random_;
  std::vector<double> values_;
  bool is_sorted_ = false;
};

class ColumnStatistics {
 public:
  // `sample` is how many numbers are kept for the quartiles.
  explicit ColumnStatistics(std::size_t sample) : sample_(sample) {}

  void add(std::string_view text);

  ColumnType type() const;
  std::int64_t count() const { return count_; }  // of values that are not missing
  std::int64_t missing() const { return missing_; }
  // In a column of numbers 1.5 and 1.50 are the same.
  const DistinctCount& distinct() const { return texts_ > 0 ? distinct_texts_ : distinct_numbers_; }

  // Of a column of numbers.
  Number smallest() const { return smallest_; }
  Number largest() const { return largest_; }
  double mean() const { return mean_; }
  // Of a sample of the population; 0 of one value.
  double standard_deviation() const;
  Sample& sample() { return sample_; }

  // Of a column of texts, the first and the last in the order of their bytes; long ones are cut off.
  const std::string& first_text() const { return first_text_; }
  const std::string& last_text() const { return last_text_; }

 private:
  void add_number(const Number& number);
  void add_text(std::string_view text);

  std::int64_t count_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t reals_ = 0;
  std::int64_t texts_ = 0;
  DistinctCount distinct_texts_;
  DistinctCount distinct_numbers_;  // as long as there are no texts
  Number smallest_;
  Number largest_;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
  Sample sample_;
  std::string first_text_;
  std::string last_text_;
};

}  // namespace plugins::data
