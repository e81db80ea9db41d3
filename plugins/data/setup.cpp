#include "data/setup.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

#include "data/chart_svg.hpp"
#include "data/csv_reader.hpp"
#include "data/json_format.hpp"
#include "data/number_text.hpp"
#include "data/query.hpp"
#include "data/settings.hpp"
#include "data/table_store.hpp"
#include "data/temporary_files.hpp"
#include "shared/folder_database.hpp"
#include "shared/rooted_directory.hpp"

namespace plugins::data {
namespace {

constexpr int chart_bars = 12;

struct LoadOrder {
  std::string file_path;
  std::optional<std::string> delimiter;
  int preview_rows = 5;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("file_path", &LoadOrder::file_path, "In the folder of this server: \"2026/sales.csv\"")
            .min_length(1),
        mcp::field(
            "delimiter", &LoadOrder::delimiter,
            "One character between the fields. Left out: what the first line has most of , ; | and the tabulator")
            .min_length(1)
            .max_length(1),
        mcp::field("preview_rows", &LoadOrder::preview_rows, "How many rows to show").min(0).max(100).default_value(5)};
  }
};

struct SqlQuery {
  std::string sql;
  int max_rows = 100;
  static constexpr auto fields() {
    return std::tuple{mcp::field("sql", &SqlQuery::sql, "One SELECT in SQLite's SQL").min_length(1).max_length(100'000),
                      mcp::field("max_rows", &SqlQuery::max_rows, "At most so many rows; the operator may allow fewer")
                          .min(1)
                          .max(100'000)
                          .default_value(100)};
  }
};

struct JsonOrder {
  std::string json_string;
  int indent = 2;
  bool sort_keys = false;
  static constexpr auto fields() {
    return std::tuple{
        mcp::field("json_string", &JsonOrder::json_string, "The JSON").max_length(4'194'304),
        mcp::field("indent", &JsonOrder::indent, "Spaces a level; 0: all in one line").min(0).max(8).default_value(2),
        mcp::field("sort_keys", &JsonOrder::sort_keys, "Names in the order of the alphabet").default_value(false)};
  }
};

constexpr auto table_schema = R"({"type":"object","required":["table","file","rows","columns"],"properties":{
  "table":{"type":"string"},"file":{"type":"string"},"rows":{"type":"integer"},"columns":{"type":"array"},
  "preview":{"type":"array"},"was_loaded_before":{"type":"boolean"}}})";
constexpr auto tables_schema =
    R"({"type":"object","required":["tables"],"properties":{"tables":{"type":"array","items":{"type":"object"}}}})";
constexpr auto rows_schema = R"({"type":"object","required":["columns","rows","truncated"],"properties":{
  "columns":{"type":"array","items":{"type":"string"}},"rows":{"type":"array","items":{"type":"array"}},
  "truncated":{"type":"boolean"}}})";
constexpr auto column_schema = R"({"type":"object","required":["table","column","bars"],"properties":{
  "table":{"type":"string"},"column":{"type":"object"},"bars":{"type":"array","items":{"type":"object"}}}})";

mcp::ToolResult json_result(const mcp::Json& json) {
  const auto text = mcp::dump_json(json);
  return mcp::ToolResult().text(text).structured_text(text);
}

std::string exact_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.17g", value))};
}

mcp::Json json_of(const Table& table) {
  return {{"table", table.name}, {"file", table.file}, {"rows", table.rows}, {"columns", table.columns}};
}

// What is there between start and stop.
class Service {
 public:
  Service(const Settings& settings, const std::string& data)
      : settings_(settings),
        directory_(settings.folder),
        store_(database_of_folder(data, "tables", settings.folder), {settings.max_tables, settings.max_store_bytes}),
        temporary_files_(settings.max_temporary_bytes) {
    remove_other_databases(data, "tables", store_.file());
    // One bound for all that SQLite does in this process: it has none for a connection.
    sqlite3_hard_heap_limit64(settings.max_memory_bytes);
  }

  const RootedDirectory& directory() const { return directory_; }

  mcp::ToolResult load(const LoadOrder& order, mcp::Context& context) {
    try {
      const auto path = RelativePath::parse(order.file_path);
      if (!path || path->is_empty()) throw mcp::ToolError('"' + order.file_path + "\" leads out of the folder");
      const auto file = directory_.open_file(*path);
      const auto source = source_of(file, *path, order.delimiter);
      auto table = store_.find(source);
      const bool was_loaded = table.has_value();
      if (!table) table = load(file, source, context);
      auto json = json_of(*table);
      json["was_loaded_before"] = was_loaded;
      json["preview"] = preview(*table, order.preview_rows, context);
      return json_result(json);
    } catch (const FileError& error) {
      throw mcp::ToolError('"' + order.file_path + "\" " + error.what());
    } catch (const CsvError& error) {
      throw mcp::ToolError('"' + order.file_path + "\", " + error.what());
    } catch (const StoreFull& error) {
      throw mcp::ToolError(error.what());
    }
  }

  mcp::ToolResult describe(const std::optional<std::string>& name) {
    auto tables = mcp::Json::array();
    if (name) {
      tables.push_back(json_of(table(*name)));
    } else {
      for (const auto& each : store_.tables())
        tables.push_back(json_of(each));
    }
    return json_result({{"tables", tables}});
  }

  mcp::ToolResult query(const SqlQuery& query, mcp::Context& context) {
    const auto result = run(query.sql, std::min(query.max_rows, settings_.max_result_rows), context);
    if (result.is_truncated && result.rows.empty()) {
      throw mcp::ToolError("The first row is larger than a result may be, " +
                           std::to_string(settings_.max_result_bytes) +
                           " bytes (maxResultBytes). Select fewer columns, or parts of long texts with substr");
    }
    return json_result({{"columns", result.columns}, {"rows", result.rows}, {"truncated", result.is_truncated}});
  }

  mcp::ToolResult analyze(const std::string& name, const std::string& column_name, mcp::Context& context) {
    const auto found = table(name);
    const auto column = std::find_if(found.columns.begin(), found.columns.end(),
                                     [&](const mcp::Json& each) { return each["name"] == column_name; });
    if (column == found.columns.end()) {
      throw mcp::ToolError("The table " + found.name + " has no column \"" + column_name + "\"; describe tells them");
    }
    const auto bars =
        column->contains("mean") ? histogram(found, *column, context) : by_frequency(found, *column, context);
    mcp::Json structured{{"table", found.name}, {"column", *column}, {"bars", mcp::Json::array()}};
    for (const auto& bar : bars)
      structured["bars"].push_back({{"label", bar.label}, {"count", bar.value}});
    const auto title = column_name + " of " + found.name;
    return mcp::ToolResult()
        .text(in_words(found, *column))
        .content(mcp::image(chart_svg(title, bars), "image/svg+xml"))
        .structured(structured);
  }

  std::string drop(const std::string& name) {
    if (!store_.drop(name)) throw no_table(name);
    return "Dropped the table " + name;
  }

 private:
  Source source_of(const Descriptor& file, const RelativePath& path,
                   const std::optional<std::string>& delimiter) const {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) throw FileError(errno);
    if (status.st_size > settings_.max_file_bytes) {
      throw FileError(EFBIG, "has " + std::to_string(status.st_size) + " bytes; the limit is " +
                                 std::to_string(settings_.max_file_bytes));
    }
    if (delimiter &&
        (delimiter->size() != 1 || std::string_view("\"\r\n").find((*delimiter)[0]) != std::string::npos)) {
      throw mcp::ToolError("The delimiter is one ASCII character, and no quote or line break");
    }
    return {path.text(), status.st_size, std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
            delimiter ? (*delimiter)[0] : guessed_delimiter(file)};
  }

  // The two looks at the file are the two halves of the progress.
  Table load(const Descriptor& file, const Source& source, mcp::Context& context) {
    const auto half = [&](double done, const char* what) {
      return [&context, &source, done, what](std::uint64_t bytes) {
        context.throw_if_cancelled();
        const auto all = static_cast<double>(std::max<std::int64_t>(source.size, 1));
        context.progress(done + 0.5 * std::min(1.0, static_cast<double>(bytes) / all), what);
      };
    };
    const auto survey = survey_csv(file, source.delimiter, half(0, "checking the file"));
    return store_.load(file, source, survey, half(0.5, "loading the rows"),
                       [&context] { context.throw_if_cancelled(); });
  }

  QueryResult run(const std::string& sql, int rows, mcp::Context& context) {
    try {
      return run_query(store_.file(), sql, {settings_.query_time, rows, settings_.max_result_bytes}, temporary_files_,
                       [&context] { return context.cancelled(); });
    } catch (const QueryError& error) {
      context.throw_if_cancelled();
      throw mcp::ToolError(error.what());
    }
  }

  mcp::Json preview(const Table& table, int rows, mcp::Context& context) {
    return run("SELECT * FROM " + sqlite::quoted_name(table.name), rows, context).rows;
  }

  // Of a column of numbers: so many ranges of the same width, and how many values are in each.
  std::vector<Bar> histogram(const Table& table, const mcp::Json& column, mcp::Context& context) {
    if (!column["min"].is_number() || !column["max"].is_number()) return {};
    const double least = column["min"].get<double>();
    const double most = column["max"].get<double>();
    // A range beyond all numbers is halved with all that is in it.
    const double scale = std::isfinite(most - least) ? 1 : 0.5;
    const double width = (most * scale - least * scale) / chart_bars;
    if (!(width > 0)) return {{short_text(least), column["count"].get<double>()}};
    std::vector<double> borders(chart_bars + 1, most);
    for (std::size_t i = 0; i < chart_bars; ++i)
      borders[i] = (least * scale + static_cast<double>(i) * width) / scale;
    auto bars = bars_between(borders);
    const auto name = sqlite::quoted_name(column["name"].get<std::string>());
    const auto result = run("SELECT CAST((" + name + " * " + exact_text(scale) + " - (" + exact_text(least * scale) +
                                ")) / " + exact_text(width) + " AS INTEGER) AS bar, count(*) FROM " +
                                sqlite::quoted_name(table.name) + " WHERE " + name + " IS NOT NULL GROUP BY bar",
                            chart_bars + 2, context);
    for (const auto& row : result.rows) {
      const auto bar = std::clamp<std::int64_t>(row[0].get<std::int64_t>(), 0, chart_bars - 1);
      bars[static_cast<std::size_t>(bar)].value += row[1].get<double>();
    }
    return bars;
  }

  static std::vector<Bar> bars_between(const std::vector<double>& borders) {
    const int digits = digits_apart(borders);
    std::vector<Bar> bars;
    for (std::size_t i = 1; i < borders.size(); ++i)
      bars.push_back({short_text(borders[i - 1], digits) + " to " + short_text(borders[i], digits), 0});
    return bars;
  }

  std::vector<Bar> by_frequency(const Table& table, const mcp::Json& column, mcp::Context& context) {
    const auto name = sqlite::quoted_name(column["name"].get<std::string>());
    const auto result = run("SELECT " + name + ", count(*) FROM " + sqlite::quoted_name(table.name) + " WHERE " + name +
                                " IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT " + std::to_string(chart_bars),
                            chart_bars, context);
    std::vector<Bar> bars;
    for (const auto& row : result.rows)
      bars.push_back({row[0].get<std::string>(), row[1].get<double>()});
    return bars;
  }

  // By which the figures of a column of numbers read differently.
  static int figure_digits(const mcp::Json& column) {
    std::vector<double> figures;
    for (const char* const name : {"min", "q1", "median", "q3", "max"}) {
      if (column.contains(name) && column[name].is_number()) figures.push_back(column[name].get<double>());
    }
    return digits_apart(figures);
  }

  static std::string in_words(const Table& table, const mcp::Json& column) {
    const auto whole = [&column](const char* name) { return column[name].dump(); };
    // A figure that is larger than any number has none.
    const auto figure = [&column, digits = figure_digits(column)](const char* name) {
      return column[name].is_number() ? short_text(column[name].get<double>(), digits)
                                      : std::string("beyond all numbers");
    };
    std::string text = column["name"].get<std::string>() + " of " + table.name + ": " + whole("count") + " values, " +
                       whole("missing") + " missing, " +
                       (column["distinct_is_approximate"].get<bool>() ? "about " : "") + whole("distinct") +
                       " different.";
    if (column.contains("mean")) {
      text += " From " + figure("min") + " to " + figure("max") + ", mean " + figure("mean") + ", standard deviation " +
              figure("stddev") + ", quartiles " + figure("q1") + ", " + figure("median") + ", " + figure("q3") +
              (column["quartiles_are_approximate"].get<bool>() ? " (of a sample)." : ".");
    }
    return text;
  }

  Table table(const std::string& name) {
    auto found = store_.find(name);
    if (!found) throw no_table(name);
    return *std::move(found);
  }

  static mcp::ToolError no_table(const std::string& name) {
    return mcp::ToolError("There is no table \"" + name +
                          "\". load_csv makes one of a file, and describe tells which there are");
  }

  const Settings settings_;
  const RootedDirectory directory_;
  TableStore store_;
  TemporaryFiles temporary_files_;
};

using SharedService = std::shared_ptr<std::optional<Service>>;

constexpr auto how_to_configure =
    "offers nothing, because no folder is configured. Write a file data.json beside the plugin, such as "
    R"({"folder": "/absolute/path/of/a/folder"})";

void register_loading(mcp::Plugin& plugin, const SharedService& service) {
  plugin
      .tool("load_csv",
            "Makes a table of a CSV file, to be described and queried. One that has not changed is there at once.",
            [service](const LoadOrder& order, mcp::Context& context) { return (*service)->load(order, context); })
      .title("Load a CSV file")
      .destructive(false)
      .idempotent()
      .open_world(false)
      .output_schema(table_schema);
  plugin
      .tool(
          "drop_table", "Forgets a table; its file stays.",
          [service](const std::string& table) { return (*service)->drop(table); },
          mcp::arg("table", "The name that load_csv told").min_length(1))
      .title("Drop a table")
      .idempotent()
      .open_world(false);
}

void register_reading(mcp::Plugin& plugin, const SharedService& service) {
  plugin
      .tool(
          "describe",
          "Statistics of each column of a table: type, count, missing and distinct values, least, largest, mean, "
          "standard "
          "deviation, quartiles. Without a table: of all.",
          [service](const std::optional<std::string>& table) { return (*service)->describe(table); },
          mcp::arg("table", "The name that load_csv told"))
      .title("Describe tables")
      .read_only()
      .idempotent()
      .open_world(false)
      .output_schema(tables_schema);
  plugin
      .tool("query", "Runs one SELECT over the tables, in SQLite's SQL.",
            [service](const SqlQuery& query, mcp::Context& context) { return (*service)->query(query, context); })
      .title("Query tables")
      .read_only()
      .idempotent()
      .open_world(false)
      .output_schema(rows_schema);
  plugin
      .tool(
          "analyze_data", "One column in words, in figures, and as a chart of how often its values are.",
          [service](const std::string& table, const std::string& column, mcp::Context& context) {
            return (*service)->analyze(table, column, context);
          },
          mcp::arg("table", "The name that load_csv told").min_length(1),
          mcp::arg("column", "One of its columns").min_length(1))
      .title("Analyze a column")
      .read_only()
      .idempotent()
      .open_world(false)
      .output_schema(column_schema);
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  const auto settings = settings_of(plugin);
  if (!settings) return plugin.info(how_to_configure);
  const auto service = std::make_shared<std::optional<Service>>();
  register_loading(plugin, service);
  register_reading(plugin, service);
  plugin
      .tool("format_json", "Formats JSON so that people can read it.",
            [](const JsonOrder& order) {
              try {
                return format_json(order.json_string, order.indent, order.sort_keys);
              } catch (const std::invalid_argument& error) {
                throw mcp::ToolError(error.what());
              }
            })
      .title("Format JSON")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin.instructions("Load a CSV file with load_csv before you describe or query it.");
  plugin.on_start([&plugin, settings, service] {
    service->emplace(*settings, plugin.data_directory());
    const auto error = (*service)->directory().why_unreadable();
    if (error) plugin.warn("the folder " + settings->folder + " " + error->what());
  });
  plugin.on_stop([service] { service->reset(); });
}

}  // namespace plugins::data
