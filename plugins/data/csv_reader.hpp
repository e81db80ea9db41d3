// CsvReader: the records of a CSV file (RFC 4180), one after the other, without having more of it in memory than one
// record and a buffer. Lines may end with CR LF, LF or CR, and the file may begin with a byte order mark of UTF-8. A
// quote inside a field that has none around it is a character like any other. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "shared/descriptor.hpp"

namespace plugins::data {

// What is wrong with a file; what() begins with the line.
class CsvError : public std::runtime_error {
 public:
  CsvError(std::int64_t line, const std::string& what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what) {}
};

class CsvReader {
 public:
  static constexpr std::size_t max_record_bytes = 4'194'304;
  static constexpr std::size_t max_fields = 1000;

  // Reads from where the file is, which outlives this object.
  CsvReader(const Descriptor& file, char delimiter);

  // False at the end. Throws CsvError, and FileError.
  bool next();

  // Of the last record, until the next call.
  const std::vector<std::string_view>& fields() const { return fields_; }
  // All of its fields, one behind the other.
  std::string_view record() const { return record_; }
  // An empty line, which in a table of several columns is no record.
  bool is_blank() const { return fields_.size() == 1 && record_.empty() && !has_quotes_; }
  // At which it began, from 1.
  std::int64_t line() const { return line_; }
  std::uint64_t bytes_read() const { return bytes_read_ - (size_ - at_); }

 private:
  bool fill();
  // False at the end of the file.
  bool has_more() { return at_ < size_ || fill(); }
  void skip_mark();
  void take_plain();
  void take_quoted();
  // What follows a field: true if there is another one in this record.
  bool take_separator();
  void append(std::string_view text);

  const Descriptor& file_;
  const char delimiter_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::string record_;
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> fields_;
  bool has_quotes_ = false;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
};

}  // namespace plugins::data
