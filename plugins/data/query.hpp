// SQL of somebody who is not trusted, over the tables: one SELECT that can read them and nothing else, for a limited
// time, with a limited result and temporary files that are limited together with those of all other queries. Any
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::data {

class TemporaryFiles;

struct QueryLimits {
  std::chrono::milliseconds time{};
  int rows = 0;
  std::int64_t bytes = 0;  // of the values in the result
};

struct QueryResult {
  std::vector<std::string> columns;
  mcp::Json rows = mcp::Json::array();  // arrays of values
  bool is_truncated = false;
};

// Why there is no result: for the model to read.
class QueryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `file` is that of a TableStore, which must be there. Throws QueryError; `is_cancelled` is asked now and then.
QueryResult run_query(const std::string& file, const std::string& sql, const QueryLimits& limits,
                      TemporaryFiles& temporary_files, const std::function<bool()>& is_cancelled);

}  // namespace plugins::data
