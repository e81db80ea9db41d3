#include "data/csv_survey.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <unistd.h>
#include <utility>

#include "data/csv_reader.hpp"
#include "shared/file_error.hpp"
#include "shared/text.hpp"

namespace plugins::data {
namespace {

constexpr std::size_t max_name_bytes = 128;
// For the samples of all columns together; fewer columns have larger ones.
constexpr std::size_t sample_bytes = 8'388'608;
constexpr std::size_t min_sample = 1000;
constexpr std::size_t max_sample = 100'000;

// Most texts are ASCII, for which a look at each byte is enough.
bool is_unicode(const CsvReader& reader) {
  unsigned char all = 0;
  bool has_nul = false;
  for (const char c : reader.record()) {
    all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
    has_nul = has_nul || c == '\0';
  }
  // The fields lie behind each other without what delimits them: parts of two would make a character.
  return (all < 0x80 && !has_nul) || std::all_of(reader.fields().begin(), reader.fields().end(), is_text);
}

// What may delimit fields unless somebody says so.
constexpr std::string_view delimiters = ",;\t|";

// A field is in quotes if it begins with one, whichever the delimiter is; "" is a quote inside of it.
std::string first_line_outside_of_quotes(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string outside;
  bool begins_field = true;
  bool in_quotes = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_quotes) {
      if (c != '"') continue;
      const bool is_doubled = at + 1 < text.size() && text[at + 1] == '"';
      in_quotes = is_doubled;
      at += is_doubled ? 1 : 0;
      continue;
    }
    if (c == '\n' || c == '\r') break;
    in_quotes = c == '"' && begins_field;
    begins_field = delimiters.find(c) != std::string_view::npos;
    outside += c;
  }
  return outside;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// Names of columns are the same in upper and lower case.
std::vector<std::string> names_of(const CsvReader& header) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto field : header.fields()) {
    auto name = trimmed(field);
    if (name.size() > max_name_bytes) {
      throw CsvError(header.line(), "the name of column " + std::to_string(names.size() + 1) + " has more than " +
                                        std::to_string(max_name_bytes) + " bytes; the first line has the names");
    }
    if (name.empty()) name = "column_" + std::to_string(names.size() + 1);
    auto unique = name;
    for (int i = 2; !taken.insert(lower_case(unique)).second; ++i)
      unique = name + '_' + std::to_string(i);
    names.push_back(std::move(unique));
  }
  return names;
}

mcp::Json json_of(const Number& number) {
  if (const auto* const integer = std::get_if<std::int64_t>(&number)) return *integer;
  return std::get<double>(number);
}

mcp::Json described(const std::string& name, ColumnStatistics& column) {
  mcp::Json json{{"name", name},
                 {"type", name_of(column.type())},
                 {"count", column.count()},
                 {"missing", column.missing()},
                 {"distinct", column.distinct().value()},
                 {"distinct_is_approximate", !column.distinct().is_exact()}};
  if (column.type() == ColumnType::text) {
    json["min"] = column.first_text();
    json["max"] = column.last_text();
  } else if (column.type() != ColumnType::empty) {
    json["min"] = json_of(column.smallest());
    json["max"] = json_of(column.largest());
    json["mean"] = column.mean();
    json["stddev"] = column.standard_deviation();
    json["q1"] = column.sample().quantile(0.25);
    json["median"] = column.sample().quantile(0.5);
    json["q3"] = column.sample().quantile(0.75);
    json["quartiles_are_approximate"] = !column.sample().is_exact();
  }
  return json;
}

}  // namespace

char guessed_delimiter(const Descriptor& file) {
  std::array<char, 65536> begin{};
  const auto size = ::pread(file.get(), begin.data(), begin.size(), 0);
  if (size < 0) throw FileError(errno);
  const std::string_view line(begin.data(), static_cast<std::size_t>(size));
  const auto outside = first_line_outside_of_quotes(line);
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char c : delimiters) {
    const auto count = std::count(outside.begin(), outside.end(), c);
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

Survey survey_csv(const Descriptor& file, char delimiter, const BytesRead& bytes_read) {
  ::lseek(file.get(), 0, SEEK_SET);
  CsvReader reader(file, delimiter);
  const auto require_text = [&reader] {
    if (!is_unicode(reader)) throw CsvError(reader.line(), "this is not UTF-8 text");
  };
  if (!reader.next()) throw CsvError(1, "the file is empty; the first line has the names of the columns");
  require_text();
  Survey survey;
  survey.delimiter = delimiter;
  survey.names = names_of(reader);
  const auto sample = std::clamp(sample_bytes / sizeof(double) / survey.names.size(), min_sample, max_sample);
  std::vector<ColumnStatistics> columns(survey.names.size(), ColumnStatistics(sample));
  auto next_report = bytes_between_reports;
  while (reader.next()) {
    // Of blank lines, too: there may be nothing else for long.
    if (reader.bytes_read() >= next_report) {
      bytes_read(reader.bytes_read());
      next_report = reader.bytes_read() + bytes_between_reports;
    }
    if (reader.is_blank() && columns.size() > 1) continue;
    require_text();
    if (reader.fields().size() != columns.size()) {
      throw CsvError(reader.line(), "there are " + std::to_string(reader.fields().size()) + " fields for " +
                                        std::to_string(columns.size()) + " columns");
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].add(reader.fields()[i]);
    ++survey.rows;
  }
  survey.columns = mcp::Json::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    survey.types.push_back(columns[i].type());
    survey.columns.push_back(described(survey.names[i], columns[i]));
  }
  return survey;
}

}  // namespace plugins::data
