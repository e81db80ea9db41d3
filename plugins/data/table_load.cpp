// How the rows of a file become a table: in parts, each of which is written before the next is read, to a table that
// nobody sees until it is complete.
#include <chrono>
#include <optional>
#include <thread>
#include <unistd.h>

#include "data/csv_reader.hpp"
#include "data/table_store.hpp"

namespace plugins::data {
namespace {

constexpr int rows_of_a_part = 50'000;
constexpr std::size_t bytes_of_a_part = 16'777'216;
constexpr std::int64_t page_bytes = 4096;

FileLock only_load(const std::string& file, const std::function<void()>& wait) {
  for (;;) {
    auto lock = FileLock::try_take(file + ".loading");
    if (lock) return *std::move(lock);
    wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Columns have no type of their own, so that each value stays what it is bound as.
std::string create_sql(const Survey& survey) {
  std::string sql = "DROP TABLE IF EXISTS _loading; CREATE TABLE _loading(";
  for (std::size_t i = 0; i < survey.names.size(); ++i)
    sql += (i > 0 ? ", " : "") + sqlite::quoted_name(survey.names[i]);
  return sql + ')';
}

std::string insert_sql(std::size_t columns) {
  std::string sql = "INSERT INTO _loading VALUES(?";
  for (std::size_t i = 1; i < columns; ++i)
    sql += ", ?";
  return sql + ')';
}

void bind(sqlite::Statement& statement, int index, std::string_view text, ColumnType type) {
  if (text.empty()) return statement.bind(index, nullptr);
  const auto number = type == ColumnType::text ? Number() : number_of(text);
  if (number.index() == 0) return statement.bind_view(index, text);
  const auto* const integer = std::get_if<std::int64_t>(&number);
  // SQL divides integers without a remainder. So 3 is one only where no value of its column has a fraction.
  if (integer != nullptr && type == ColumnType::integer) return statement.bind(index, *integer);
  statement.bind(index, integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number));
}

void insert_rows(const sqlite::Database& database, const Descriptor& file, const Survey& survey,
                 const BytesRead& bytes_read) {
  ::lseek(file.get(), 0, SEEK_SET);
  CsvReader reader(file, survey.delimiter);
  auto insert = database.prepare(insert_sql(survey.names.size()));
  reader.next();  // the names
  std::optional<sqlite::Transaction> part;
  int rows = 0;
  std::size_t bytes = 0;
  auto next_report = bytes_between_reports;
  while (reader.next()) {
    if (reader.bytes_read() >= next_report) {
      bytes_read(reader.bytes_read());
      next_report = reader.bytes_read() + bytes_between_reports;
    }
    if (reader.is_blank() && survey.names.size() > 1) continue;
    if (reader.fields().size() != survey.names.size())
      throw CsvError(reader.line(), "the file changes while it is read");
    if (!part) part.emplace(database);
    for (std::size_t i = 0; i < survey.names.size(); ++i)
      bind(insert, static_cast<int>(i + 1), reader.fields()[i], survey.types[i]);
    insert.run();
    bytes += reader.record().size();
    if (++rows < rows_of_a_part && bytes < bytes_of_a_part) continue;
    part->commit();
    part.reset();
    rows = 0;
    bytes = 0;
  }
  if (part) part->commit();
}

}  // namespace

Table TableStore::load(const Descriptor& file, const Source& source, const Survey& survey, const BytesRead& bytes_read,
                       const std::function<void()>& wait) {
  const auto lock = only_load(file_, wait);
  const sqlite::Database database(file_);
  database.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192; PRAGMA wal_autocheckpoint = 4096; "
      "PRAGMA max_page_count = " +
      std::to_string(limits_.bytes / page_bytes));
  try {
    static_cast<void>(free_name(database, source.path));
    database.execute(create_sql(survey));
    insert_rows(database, file, survey, bytes_read);
    sqlite::Transaction transaction(database);
    auto table = publish(database, source, survey);
    transaction.commit();
    return table;
  } catch (const std::exception& failure) {
    // Throws nothing: what is left is dropped with the next load.
    sqlite3_exec(database.handle(), "DROP TABLE IF EXISTS _loading", nullptr, nullptr, nullptr);
    const auto* const error = dynamic_cast<const sqlite::Error*>(&failure);
    if (error == nullptr || !error->is_full()) throw;
    throw StoreFull("The tables would take more than maxStoreBytes, " + std::to_string(limits_.bytes) +
                    ", or the disk is full. Drop some that are needed no more");
  }
}

}  // namespace plugins::data
