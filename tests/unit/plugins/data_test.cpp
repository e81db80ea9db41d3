#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "data/chart_svg.hpp"
#include "data/column_statistics.hpp"
#include "data/csv_reader.hpp"
#include "data/csv_survey.hpp"
#include "data/json_format.hpp"
#include "data/number_text.hpp"
#include "data/query.hpp"
#include "data/setup.hpp"
#include "data/table_store.hpp"
#include "data/temporary_files.hpp"
#include "shared/folder_database.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DataNumber, IsWhatJsonHasAsOneAndKeepsAllItsDigits) {
  EXPECT_EQ(number_of("0"), Number(std::int64_t{0}));
  EXPECT_EQ(number_of("-12"), Number(std::int64_t{-12}));
  EXPECT_EQ(number_of("9223372036854775807"), Number(std::int64_t{9223372036854775807}));
  EXPECT_EQ(number_of("1.50"), Number(1.5));
  EXPECT_EQ(number_of("1e3"), Number(1000.0));
  for (const auto* const text : {"", "007", "+1", "1.", ".5", "1e", "0x1F", "inf", "nan", "1 ", " 1", "--1", "1,5",
                                 "9223372036854775808", "1e999", "-"}) {
    EXPECT_EQ(number_of(text), Number()) << text;
  }
}

class Csv : public testing::Test {
 protected:
  Descriptor file(const std::string& content) {
    const auto path = folder_.write("x.csv", content);
    return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  std::vector<std::vector<std::string>> records(const std::string& content, char delimiter = ',') {
    const auto source = file(content);
    CsvReader reader(source, delimiter);
    std::vector<std::vector<std::string>> all;
    while (reader.next())
      all.emplace_back(reader.fields().begin(), reader.fields().end());
    return all;
  }
  std::string failure(const std::string& content) {
    try {
      survey_csv(file(content), ',', [](std::uint64_t) {});
    } catch (const CsvError& error) {
      return error.what();
    }
    return "none";
  }

  mcph::test::TemporaryFolder folder_;
};

TEST_F(Csv, IsReadAsTheRfcSays) {
  EXPECT_THAT(records("a,b\r\n1,\"x, \"\"y\"\"\r\nz\"\r\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "x, \"y\"\r\nz")));
  EXPECT_THAT(records("a;\"\"\n;", ';'), ElementsAre(ElementsAre("a", ""), ElementsAre("", "")));
  EXPECT_THAT(records("a\rb\r\nc"), ElementsAre(ElementsAre("a"), ElementsAre("b"), ElementsAre("c")));
  EXPECT_THAT(records("a\n\n"), ElementsAre(ElementsAre("a"), ElementsAre("")));
  EXPECT_THAT(records("5\" pipe,x\n"), ElementsAre(ElementsAre("5\" pipe", "x")));
  EXPECT_TRUE(records("").empty());
}

// Wherever the buffer ends.
TEST_F(Csv, IsTheSameWhereverItsPartsEnd) {
  for (std::size_t padding = 262'130; padding < 262'150; ++padding) {
    const std::string first(padding, 'x');
    EXPECT_THAT(records(first + ",\"a\"\"b\"\r\n1,\"2\r\n\"\r\n"),
                ElementsAre(ElementsAre(first, "a\"b"), ElementsAre("1", "2\r\n")));
  }
}

TEST_F(Csv, MistakesAreToldWithTheirLines) {
  EXPECT_EQ(failure("a,b\n\"x\ny\",2\n3\n"), "line 4: there are 1 fields for 2 columns");
  EXPECT_EQ(failure("a\n\"x\n"), "line 2: a field in quotes has no end");
  EXPECT_THAT(failure("a\n\"" + std::string(5'000'000, 'x')),
              HasSubstr("line 2: the record is longer than 4194304 bytes"));
  EXPECT_EQ(failure("a\nx\n" + std::string("\0", 1) + "\n"), "line 3: this is not UTF-8 text");
  // Both halves of a character, but in two fields.
  EXPECT_EQ(failure("a,b\n1,2\nx\xC3,\xA9y\n"), "line 3: this is not UTF-8 text");
  EXPECT_EQ(failure("a\xC3,\xA9\n"), "line 1: this is not UTF-8 text");
  EXPECT_EQ(failure("ä,b\né,\n"), "none");
  EXPECT_THAT(failure(std::string(200, 'x') + "\n1\n"), HasSubstr("the name of column 1 has more than 128 bytes"));
}

TEST_F(Csv, TheDelimiterIsFound) {
  EXPECT_EQ(guessed_delimiter(file("a;b;c,d\n1,2,3,4\n")), ';');
  EXPECT_EQ(guessed_delimiter(file("a\tb")), '\t');
  EXPECT_EQ(guessed_delimiter(file("a|b")), '|');
  EXPECT_EQ(guessed_delimiter(file("a")), ',');
  EXPECT_EQ(guessed_delimiter(file("\"last, first, middle\";b\n")), ';');
  EXPECT_EQ(guessed_delimiter(file("\xEF\xBB\xBF\"a,\"\",,\";b\n")), ';');
  EXPECT_EQ(guessed_delimiter(file("\"a,\n,,\"|b\r1;2;3;4")), '|');
  EXPECT_EQ(guessed_delimiter(file("5\" pipe;6\" pipe,x;y")), ';');
}

TEST(ColumnStatistics, ManyValuesAreCountedAndSampledInLittleMemory) {
  ColumnStatistics column(10'000);
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i)
    column.add(std::to_string(i));
  EXPECT_EQ(column.type(), ColumnType::integer);
  EXPECT_EQ(column.largest(), Number(std::int64_t{count - 1}));
  EXPECT_DOUBLE_EQ(column.mean(), (count - 1) / 2.0);
  EXPECT_NEAR(column.standard_deviation(), 57735.2, 0.1);
  EXPECT_FALSE(column.distinct().is_exact());
  EXPECT_NEAR(static_cast<double>(column.distinct().value()), count, count * 0.08);
  EXPECT_FALSE(column.sample().is_exact());
  EXPECT_NEAR(column.sample().quantile(0.25), count * 0.25, count * 0.02);
  EXPECT_NEAR(column.sample().quantile(0.5), count * 0.5, count * 0.02);
}

TEST(ColumnStatistics, OneTextMakesAColumnOfTexts) {
  ColumnStatistics column(10);
  for (const auto* const value : {"2", "", "x", "1.5"})
    column.add(value);
  EXPECT_EQ(column.type(), ColumnType::text);
  EXPECT_EQ(column.count(), 3);
  EXPECT_EQ(column.missing(), 1);
  EXPECT_EQ(column.first_text(), "1.5");
  EXPECT_EQ(column.last_text(), "x");
  EXPECT_EQ(ColumnStatistics(1).type(), ColumnType::empty);
}

TEST(ColumnStatistics, NumbersAreTheSameHoweverTheyAreWrittenAndTextsAreNot) {
  const auto distinct = [](const std::vector<std::string>& values) {
    ColumnStatistics column(10);
    for (const auto& value : values)
      column.add(value);
    return column.distinct().value();
  };
  EXPECT_EQ(distinct({"1.5", "1.50", "15e-1", "1", "1.0", "-0.0", "0", "1e300", "1.0e300"}), 4);
  EXPECT_EQ(distinct({"9007199254740993", "9007199254740992"}), 2);
  EXPECT_EQ(distinct({"1.5", "1.50", "x", "1.5"}), 3);
}

class Store : public testing::Test {
 protected:
  Table load(const std::string& name, const std::string& content) {
    const auto path = folder_.write(name, content);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const auto survey = survey_csv(file, ',', [](std::uint64_t) {});
    return store_.load(
        file, {name, 1, next_time_++, ','}, survey, [](std::uint64_t) {}, [] {});
  }
  std::string answer(const std::string& sql, int rows = 100) {
    return run_query(store_.file(), sql, {std::chrono::seconds(60), rows, 100'000}, temporary_files_,
                     [] { return false; })
        .rows.dump();
  }
  std::string failure(const std::string& sql, const QueryLimits& limits, bool is_cancelled = false) {
    try {
      run_query(store_.file(), sql, limits, temporary_files_, [is_cancelled] { return is_cancelled; });
    } catch (const QueryError& error) {
      return error.what();
    }
    return "none";
  }

  mcph::test::TemporaryFolder folder_;
  std::int64_t next_time_ = 1;
  TableStore store_{(folder_.path() / "tables.db").string(), {100, 100'000'000}};
  TemporaryFiles temporary_files_{50'000'000};
};

TEST_F(Store, AFailureLeavesTheTableThatWasThere) {
  load("a.csv", "x\n1\n");
  EXPECT_THROW(load("a.csv", "x,y\n1\n"), CsvError);
  EXPECT_EQ(answer("SELECT x FROM a"), "[[1]]");
  EXPECT_EQ(answer("SELECT name FROM sqlite_schema WHERE name LIKE '%loading%'"), "[]");
}

TEST_F(Store, WhatAnInterruptedLoadHasLeftIsRemovedByTheNext) {
  sqlite::Database(store_.file()).execute("CREATE TABLE _loading(x)");
  load("a.csv", "y\n1\n");
  EXPECT_EQ(answer("SELECT * FROM a"), "[[1]]");
}

// Of few records that are large, and of blank lines, which are none.
TEST_F(Store, ALoadTellsHowFarItIsAndEndsWhereThatThrows) {
  std::string large = "a,b\n";
  for (int i = 0; i < 5; ++i)
    large += std::string(1'100'000, 'x') + ",1\n";
  for (const auto& content : {large, "a,b\n" + std::string(5'000'000, '\n')}) {
    const auto path = folder_.write("x.csv", content);
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    int told = 0;
    const auto survey = survey_csv(file, ',', [&](std::uint64_t) { ++told; });
    EXPECT_GE(told, 4);
    told = 0;
    const auto cancelled = [&](std::uint64_t) {
      if (++told == 4) throw std::runtime_error("cancelled");
    };
    EXPECT_THROW(store_.load(file, {"x.csv", 1, next_time_++, ','}, survey, cancelled, [] {}), std::runtime_error);
    EXPECT_EQ(answer("SELECT name FROM sqlite_schema WHERE name LIKE '%loading%'"), "[]");
  }
}

TEST_F(Store, AQueryEndsWhenItsCallIsCancelled) {
  const auto forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  EXPECT_EQ(failure(forever, {std::chrono::hours(1), 1, 1}, true), "The query was cancelled");
}

TEST_F(Store, AQueryEndsInTimeWhateverItsFunctionsAreGiven) {
  const std::string stray = "CAST(x'80' AS TEXT)";  // continues no character
  const std::string forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
  for (const auto& slow : std::vector<std::string>{
           "sum(instr(printf('%.*c', 2000000, 'a'), printf('%.*c', 1000000, 'a') || 'b'))",
           "sum(length(trim(printf('%.*c', 2000000, 'a'), printf('%.*c', 300000, 'b') || 'a')))",
           "sum(length(rtrim(printf('%.*c', 2000000, 'a'), printf('%.*c', 300000, 'b') || 'a')))",
           "sum(length(rtrim(replace(printf('%.*c', 1000000, 'a'), 'a', " + stray + "), " + stray + ")))"})
    EXPECT_THAT(failure(forever + slow + " FROM n", {std::chrono::milliseconds(100), 1, 1}), HasSubstr("took longer"));
  EXPECT_THAT(failure("SELECT json_patch('{}', '{}')", {std::chrono::milliseconds(100), 1, 1}),
              HasSubstr("not authorized to use function: json_patch"));
}

TEST_F(Store, AQueryTakesJsonApartAndHasNoOtherTablesOfFunctions) {
  load("a.csv", "x\n\"[1,{\"\"b\"\":2}]\"\n");
  EXPECT_EQ(answer("SELECT key, type FROM a, json_each(a.x)"), R"([[0,"integer"],[1,"object"]])");
  EXPECT_EQ(answer("SELECT fullkey, atom FROM a, json_tree(a.x) WHERE atom > 1"), R"([["$[1].b",2]])");
  for (const auto* const table : {"pragma_database_list", "pragma_table_info('a')", "dbstat", "sqlite_stmt"})
    EXPECT_NE(failure(std::string("SELECT * FROM ") + table, {std::chrono::seconds(60), 1, 1000}), "none") << table;
}

TEST_F(Store, LikeAndGlobTakeNoLongerThanTheyMay) {
  const QueryLimits limits{std::chrono::minutes(1), 1, 1000};
  const std::string text = "printf('%.*c', 4000000, 'a') ";
  const std::string pattern = "printf('%.*c', 497, 'a') || 'b'";
  for (const auto& compared :
       {"LIKE '%' || " + pattern, "GLOB '*' || " + pattern, "LIKE '%' || " + pattern + " ESCAPE '!'"})
    EXPECT_THAT(failure("SELECT " + text + compared, limits),
                HasSubstr("with a text of 4000000 bytes and a pattern of 499"));
  EXPECT_THAT(failure("SELECT 'a' LIKE printf('%.*c', 501, 'a')", limits), HasSubstr("has at most 500 bytes"));
  EXPECT_EQ(answer("SELECT " + text + "LIKE '%aaab', " + text + "GLOB '*aaa'"), "[[0,1]]");
}

// In one row SQLite looks at no time between its expressions.
TEST_F(Store, AQueryOfOneRowThatComparesMuchEndsInTime) {
  load("text.csv", "x\n" + std::string(4'000'000, 'a') + "\n");
  std::string sql = "SELECT 0";
  for (int i = 0; i < 900; ++i)
    sql += ",x LIKE '%aaaaaaaaaaa" + std::to_string(i) + "'";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(sql + " FROM text", {std::chrono::milliseconds(100), 1, 1000}), HasSubstr("took longer"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(Store, ComparesAsSqliteDoes) {
  EXPECT_EQ(answer("SELECT 'Abc' LIKE 'a%C', 'Äb' LIKE 'ä_', 'abc' LIKE 'ab', '' LIKE '%', 'größe' LIKE 'gr__e', "
                   "NULL LIKE 'a', 'a' LIKE NULL, 12 LIKE '1_', x'61' LIKE 'a', 'a' NOT LIKE 'b'"),
            "[[1,0,0,1,1,null,null,1,0,1]]");
  EXPECT_EQ(answer("SELECT '50%' LIKE '50!%' ESCAPE '!', '500' LIKE '50!%' ESCAPE '!', 'a_b' LIKE 'aß_b' ESCAPE 'ß', "
                   "'axb' LIKE 'aß_b' ESCAPE 'ß', 'a' LIKE 'a' ESCAPE NULL"),
            "[[1,0,1,0,null]]");
  // The escape character is a wildcard no more.
  EXPECT_EQ(answer("SELECT 'a%b' LIKE 'a%%_' ESCAPE '%', 'axb' LIKE 'a%%b' ESCAPE '%', 'a_b' LIKE 'a__%' ESCAPE '_', "
                   "'axb' LIKE 'a__%' ESCAPE '_', 'a\\b' LIKE 'a\\%_' ESCAPE '%', 'a' LIKE 'a%' ESCAPE '%'"),
            "[[1,0,1,0,0,0]]");
  EXPECT_EQ(answer("SELECT 'abc' GLOB 'a*', 'Abc' GLOB 'a*', 'abc' GLOB '[a-b]?c', 'a*' GLOB 'a[*]', NULL GLOB 'a', "
                   "x'61' GLOB 'a'"),
            "[[1,0,1,1,null,0]]");
  EXPECT_THAT(failure("SELECT 'a' LIKE 'a' ESCAPE 'ab'", {std::chrono::minutes(1), 1, 1000}),
              HasSubstr("ESCAPE expression must be a single character"));
}

// So many rows of half a KiB.
std::string rows_sql(int count) {
  return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(count) +
         "), t AS (SELECT i, printf('%0512d', i) AS x FROM n) ";
}

TEST_F(Store, AResultOfNothingButNullsOrBlobsIsBounded) {
  for (const std::string value : {"NULL", "''", "x''", "1"}) {
    const auto result = run_query(store_.file(), rows_sql(1000) + "SELECT " + value + " FROM t",
                                  {std::chrono::minutes(1), 1000, 1024}, temporary_files_, [] { return false; });
    EXPECT_TRUE(result.is_truncated) << value;
    EXPECT_LE(result.rows.size(), 128U) << value;
  }
}

TEST_F(Store, TheTemporaryFilesOfQueriesAreBounded) {
  for (const auto* const select :
       {"SELECT i FROM t ORDER BY x DESC", "SELECT count(DISTINCT x) FROM t", "SELECT x, count(*) FROM t GROUP BY x",
        "SELECT x FROM t UNION SELECT x FROM t", "SELECT i, row_number() OVER (ORDER BY x DESC) FROM t"}) {
    EXPECT_THAT(failure(rows_sql(200'000) + select, {std::chrono::minutes(1), 1, 1000}),
                HasSubstr("those of all queries together may take 50000000 bytes (maxTemporaryBytes)"))
        << select;
    EXPECT_EQ(temporary_files_.bytes(), 0);
  }
}

TEST_F(Store, AQueryMaySortWhatMemoryDoesNotHold) {
  EXPECT_EQ(answer(rows_sql(30'000) + "SELECT i FROM t ORDER BY x DESC LIMIT 30000", 1), "[[30000]]");
  EXPECT_EQ(answer(rows_sql(15'000) + "SELECT count(DISTINCT x) FROM t"), "[[15000]]");
}

std::string columns_sql(int count, const std::string& column) {
  std::string sql = "SELECT " + column;
  for (int i = 1; i < count; ++i)
    sql += "," + column;
  return sql;
}

TEST_F(Store, AResultHasAsManyColumnsAsATableMayHaveAndNoMore) {
  std::string names = "c0";
  std::string values = "0";
  for (int i = 1; i < 1000; ++i) {
    names += ",c" + std::to_string(i);
    values += "," + std::to_string(i);
  }
  load("wide.csv", names + "\n" + values + "\n");
  EXPECT_EQ(answer("SELECT * FROM wide ORDER BY c999"), "[[" + values + "]]");
  EXPECT_THAT(failure(columns_sql(1001, "1"), {std::chrono::minutes(1), 1, 1000}), HasSubstr("too many columns"));
}

TEST_F(Store, QueriesTogetherTakeNoMoreMemoryThanTheyMay) {
  const auto before = sqlite3_hard_heap_limit64(64'000'000);
  const std::string value = "WITH t AS MATERIALIZED (SELECT hex(zeroblob(2000000)) v) ";
  const QueryLimits limits{std::chrono::minutes(1), 1, 1000};
  EXPECT_THAT(failure(value + columns_sql(40, "v") + " FROM t", limits),
              HasSubstr("which is 64000000 bytes (maxMemoryBytes)"));
  EXPECT_EQ(failure(value + "SELECT length(v) FROM t", limits), "none");
  sqlite3_hard_heap_limit64(before);
}

TEST_F(Store, FindsAndReplacesAsSqliteDoes) {
  EXPECT_EQ(answer("SELECT instr('größer', 'ß'), instr('a', ''), instr('a', 'b'), instr('', 'b'), instr(NULL, 'b')"),
            "[[4,1,0,0,null]]");
  EXPECT_EQ(answer("SELECT replace('1,234,567', ',', ''), replace('aaa', 'aa', 'b'), replace('a', '', 'x'), "
                   "replace('a', 'a', NULL), replace(121, 2, 3)"),
            R"([["1234567","ba","a",null,"131"]])");
}

TEST_F(Store, TrimsAsSqliteDoes) {
  EXPECT_EQ(answer("SELECT trim('xxyaxbxy', 'yx'), ltrim('xxyaxbxy', 'yx'), rtrim('xxyaxbxy', 'yx'), trim('a', '')"),
            R"([["axb","axbxy","xxyaxb","a"]])");
  EXPECT_EQ(answer("SELECT trim('öüaöü', 'üö'), trim('é', 'è'), trim('aaa', 'a'), trim('', 'a'), trim(NULL, 'a'), "
                   "trim('a', NULL), trim(1221, 1), trim('  a ')"),
            R"([["a","é","","",null,null,"22","a"]])");
  // What is no UTF-8.
  EXPECT_EQ(answer("SELECT hex(trim(CAST(x'80C3618080' AS TEXT), CAST(x'80' AS TEXT))), "
                   "hex(rtrim(CAST(x'61C3808080' AS TEXT), CAST(x'C3808080' AS TEXT)))"),
            R"([["C361","61"]])");
}

TEST_F(Store, AColumnWithAFractionIsDividedAsSuch) {
  load("prices.csv", "price,pieces\n3,3\n2.5,1\n1,\n");
  EXPECT_EQ(answer("SELECT price, price / 2, pieces / 2 FROM prices"), "[[3.0,1.5,1],[2.5,1.25,0],[1.0,0.5,null]]");
  EXPECT_EQ(answer("SELECT avg(price / 2) FROM prices"), "[[1.0833333333333333]]");
}

TEST_F(Store, AnIntegerBeyond64BitsKeepsItsDigitsAsAText) {
  load("ids.csv", "id\n12345678901234567890\n7\n");
  EXPECT_EQ(store_.find("ids")->columns[0]["type"], "text");
  EXPECT_EQ(answer("SELECT id FROM ids"), R"([["12345678901234567890"],["7"]])");
}

TEST_F(Store, WhatIsInDoubleQuotesIsAColumnOrAnError) {
  load("a.csv", "price\n3\n");
  EXPECT_EQ(answer("SELECT \"price\", 'prise' FROM a"), R"([[3,"prise"]])");
  EXPECT_THAT(failure("SELECT sum(\"prise\") FROM a", {std::chrono::minutes(1), 1, 1000}),
              HasSubstr("no such column: "));
}

TEST_F(Store, ATableIsFoundWhateverTheCaseOfItsName) {
  load("Sales 2026.csv", "x\n1\n");
  EXPECT_EQ(store_.find("SALES_2026")->rows, 1);
  EXPECT_EQ(answer("SELECT * FROM Sales_2026"), "[[1]]");
}

class Databases : public testing::Test {
 protected:
  std::string file(const std::string& folder) { return database_of_folder(data(), "tables", folder); }
  std::string data() const { return folder_.path().string(); }

  mcph::test::TemporaryFolder folder_;
};

TEST_F(Databases, AreThoseOfOneFolder) {
  EXPECT_EQ(file("/a"), file("/a"));
  EXPECT_NE(file("/a"), file("/b"));
}

TEST_F(Databases, ThoseOfOtherFoldersAreRemovedWhenNobodyUsesThem) {
  std::optional<TableStore> first(std::in_place, file("/a"), StoreLimits{100, 100'000'000});
  const TableStore second(file("/a"), {100, 100'000'000});
  const TableStore other(file("/b"), {100, 100'000'000});
  folder_.write("tables-notes.txt", "x");
  first.reset();
  remove_other_databases(data(), "tables", file("/b"));
  EXPECT_TRUE(std::filesystem::exists(file("/a")));
  { const TableStore third(file("/c"), {100, 100'000'000}); }
  remove_other_databases(data(), "tables", file("/b"));
  EXPECT_FALSE(std::filesystem::exists(file("/c")));
  EXPECT_TRUE(std::filesystem::exists(file("/b")));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "tables-notes.txt"));
}

TEST(DataChart, HasNothingInItThatIsNotText) {
  const auto svg = chart_svg("</svg><script>", {{"\"<b>&\n", 2}, {std::string(100, 'x'), 0}});
  EXPECT_THAT(svg, HasSubstr("&lt;/svg&gt;&lt;script&gt;"));
  EXPECT_THAT(svg, HasSubstr("&quot;&lt;b&gt;&amp; "));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(DataJson, NumbersAndNamesThatStandTwiceStayAsTheyAre) {
  EXPECT_EQ(format_json(R"([1.10, 1e2, -0, 0, -7, 12345678901234567890])", 0, false),
            "[1.10, 1e2, -0, 0, -7, 12345678901234567890]");
  EXPECT_EQ(format_json(R"({"b": 1, "a": 2, "a": 1})", 0, true), R"({"a": 2, "a": 1, "b": 1})");
  EXPECT_EQ(format_json(R"({"a b": 1, "a": 2, "aé\"": 3, "a\u0007": 4})", 0, true),
            R"({"a": 2, "a\u0007": 4, "a b": 1, "aé\"": 3})");
  EXPECT_EQ(format_json("{}", 2, false), "{}");
  EXPECT_EQ(format_json(R"("ü\u0007")", 2, false), R"("ü\u0007")");
  EXPECT_THROW(format_json("", 2, false), std::invalid_argument);
  EXPECT_THROW(format_json("[1] x", 2, false), std::invalid_argument);
  try {
    format_json("\u00e9", 2, false);
    ADD_FAILURE();
  } catch (const std::invalid_argument& refused) {
    EXPECT_THAT(refused.what(), testing::EndsWith("invalid literal"));
  }
}

TEST(DataJson, ANumberThatIsTooLargeIsNamed) {
  const auto failure = [](const std::string& json) -> std::string {
    try {
      return format_json(json, 0, false);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(failure("[1, -1e400]"), "The JSON has a number that is beyond 1.8e308: -1e400");
  EXPECT_EQ(failure(std::string(1000, '1')),
            "The JSON has a number that is beyond 1.8e308: " + std::string(40, '1') + "...");
  EXPECT_EQ(failure("[1e308, 1e-400]"), "[1e308, 1e-400]");
}

// Each of the ones has a line for itself, behind 1520 spaces.
TEST(DataJson, TheIndentMakesNoMoreThanItMay) {
  std::string ones = "1";
  for (int i = 1; i < 10'000; ++i)
    ones += ",1";
  const auto json = std::string(190, '[') + ones + std::string(190, ']');
  try {
    format_json(json, 8, false);
    FAIL() << "it made more";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("more than 8388608 bytes. Take a smaller indent; 0 writes it in one line"));
  }
  EXPECT_LT(format_json(json, 2, false).size(), 8'388'608U);
  EXPECT_LT(format_json(json, 0, false).size(), 2 * json.size());
}

TEST(DataJson, HasAsManyValuesAsItMayAndNoMore) {
  std::string ones = "1";
  for (int i = 1; i < 199'999; ++i)
    ones += ",1";
  EXPECT_EQ(format_json("[" + ones + "]", 0, false).size(), 3U * 199'999);
  try {
    format_json("[" + ones + ",1]", 0, false);
    FAIL() << "it took more";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "The JSON has more than 200000 values. Give it in parts");
  }
}

TEST(DataNumberText, IsWholeBeforeThePointAndHasTheDigitsThatItNeeds) {
  EXPECT_EQ(short_text(1700000000), "1700000000");
  EXPECT_EQ(short_text(1700000000.25), "1700000000");
  EXPECT_EQ(short_text(9007199254740992), "9007199254740992");
  EXPECT_EQ(short_text(-1.7e308), "-1.7e+308");
  EXPECT_EQ(short_text(9999999.99), "10000000");
  EXPECT_EQ(short_text(1.0 / 3), "0.333333");
  EXPECT_EQ(digits_apart({1, 2, 2}), 6);
  EXPECT_EQ(digits_apart({0.12345671, 0.12345672}), 8);
  EXPECT_EQ(digits_apart({1700000000, 1700000000.5}), 11);
}

class DataTools : public testing::Test {
 protected:
  std::string loaded(const std::string& name, const std::string& content) {
    folder_.write(name, content);
    return harness_.call_tool("load_csv", {{"file_path", name}}).text();
  }
  mcp::testing::Outcome analyzed(const std::string& table) {
    return harness_.call_tool("analyze_data", {{"table", table}, {"column", "x"}});
  }

  mcph::test::TemporaryFolder folder_;
  mcp::testing::Harness harness_{setup, {{"folder", folder_.path().string()}, {"maxResultBytes", 1024}}};
};

TEST_F(DataTools, AFirstRowThatIsTooLargeIsAnErrorAndStopsNoLoad) {
  EXPECT_THAT(loaded("a.csv", "x,y\n" + std::string(2000, 'a') + ",1\n"), HasSubstr("\"preview\":[]"));
  const auto outcome = harness_.call_tool("query", {{"sql", "SELECT * FROM a"}});
  EXPECT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.text(), HasSubstr("The first row is larger than a result may be, 1024 bytes (maxResultBytes)"));
  EXPECT_EQ(harness_.call_tool("query", {{"sql", "SELECT y FROM a"}}).structured()["rows"], mcp::Json({{1}}));
}

TEST_F(DataTools, ARangeBeyondAllNumbersHasBars) {
  loaded("wide.csv", "x\n-1.7e308\n1.7e308\n5\n1e308\n");
  const auto outcome = analyzed("wide");
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  const auto bars = outcome.structured()["bars"];
  ASSERT_EQ(bars.size(), 12U);
  for (const int bar : {0, 6, 9, 11})
    EXPECT_EQ(bars[static_cast<std::size_t>(bar)]["count"], 1) << bars.dump();
  EXPECT_EQ(bars[0]["label"], "-1.7e+308 to -1.41667e+308");
}

TEST_F(DataTools, TimestampsAreToldApart) {
  loaded("times.csv", "x\n1700000000\n1700000050\n1700000100\n");
  const auto outcome = analyzed("times");
  EXPECT_THAT(outcome.text(), HasSubstr("From 1700000000 to 1700000100, mean 1700000050, standard deviation 50,"));
  EXPECT_EQ(outcome.structured()["bars"][0]["label"], "1700000000 to 1700000008");
}

TEST(DataConfiguration, NothingIsThereWithoutAFolder) {
  EXPECT_TRUE(mcp::testing::Harness(setup).describe()["tools"].empty());
}

}  // namespace
}  // namespace plugins::data
