// The first look at a CSV file: whether it is one, and what is in its columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

#include "data/column_statistics.hpp"
#include "shared/descriptor.hpp"

namespace plugins::data {

struct Survey {
  char delimiter = ',';
  std::vector<std::string> names;  // of the columns, each once, whatever the file says
  std::vector<ColumnType> types;
  std::int64_t rows = 0;
  mcp::Json columns;  // what describe tells of them
};

// Told how many bytes of the file have been read, once in so many of them; what it throws ends the work.
using BytesRead = std::function<void(std::uint64_t bytes)>;
constexpr std::uint64_t bytes_between_reports = 1'048'576;

// The one of , ; | and the tabulator that is most often in the first line, outside of quotes.
char guessed_delimiter(const Descriptor& file);

// Reads all of the file, from its beginning. Throws CsvError if a line does not fit.
Survey survey_csv(const Descriptor& file, char delimiter, const BytesRead& bytes_read);

}  // namespace plugins::data
