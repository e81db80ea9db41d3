// The official JSON Schema test suite: every required case of both dialects, and figures for the optional ones.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/schema.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const fs::path suite = fs::path(MCP_TEST_CORPORA) / "json-schema-test-suite";

struct Dialect {
  std::string_view folder;
  std::string_view schema_uri;
  std::size_t optional;  // cases that are passed today, but for those that expect formats to be checked
};
void PrintTo(const Dialect& dialect, std::ostream* out) {
  *out << dialect.folder;
}

constexpr Dialect draft_07{"draft7", "http://json-schema.org/draft-07/schema#", 112};
constexpr Dialect draft_2020_12{"draft2020-12", "https://json-schema.org/draft/2020-12/schema", 158};

struct Figures {
  std::size_t passed = 0;
  std::size_t all = 0;
};

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Everything in `remotes`, by the URI that the suite's cases know it by.
std::map<std::string, ordered_json> read_remotes() {
  std::map<std::string, ordered_json> remotes;
  const auto root = suite / "remotes";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const auto uri = "http://localhost:1234/" + fs::relative(entry.path(), root).generic_string();
    remotes.emplace(uri, ordered_json::parse(read(entry.path())));
  }
  return remotes;
}

class JsonSchemaSuite : public ::testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    if (!fs::is_directory(suite)) GTEST_SKIP() << "the JSON Schema test suite is not at " << suite;
    remotes_ = read_remotes();
    for (const auto& [uri, json] : remotes_) {
      documents_.push_back({uri, json});
    }
  }

  fs::path folder() const { return suite / "tests" / GetParam().folder; }

  // What fails goes to `failures`, one line each.
  Figures run(const fs::path& file, std::vector<std::string>& failures) const {
    Figures figures;
    for (const auto& group : ordered_json::parse(read(file))) {
      auto schema = group["schema"];
      // The folder says which dialect a schema is of that does not say it.
      if (schema.is_object() && !schema.contains("$schema")) schema["$schema"] = GetParam().schema_uri;
      const auto compiled = Schema::compile(schema, {documents_});
      const auto name = file.filename().string() + ": " + group["description"].get<std::string>();
      for (const auto& test : group["tests"]) {
        ++figures.all;
        if (!compiled) {
          failures.push_back(name + ": " + compiled.error().message);
          continue;
        }
        const auto violation = compiled->validate(nlohmann::json::parse(test["data"].dump()));
        if (violation.has_value() != test["valid"].get<bool>()) {
          ++figures.passed;
        } else {
          failures.push_back(name + ": " + test["description"].get<std::string>() +
                             (violation ? ": " + violation->message : ": accepted"));
        }
      }
    }
    return figures;
  }

 private:
  std::map<std::string, ordered_json> remotes_;
  std::vector<SchemaDocument> documents_;
};

std::set<fs::path> cases_in(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  return files;
}

void add(Figures& sum, const Figures& more) {
  sum.passed += more.passed;
  sum.all += more.all;
}

TEST_P(JsonSchemaSuite, PassesEveryRequiredCase) {
  Figures figures;
  std::vector<std::string> failures;
  for (const auto& file : cases_in(folder())) {
    add(figures, run(file, failures));
  }
  for (const auto& failure : failures) {
    ADD_FAILURE() << failure;
  }
  EXPECT_GE(figures.all, 900U);
  std::cout << GetParam().folder << ": " << figures.passed << " of " << figures.all << " required cases\n";
}

// Those that are not are told, by file.
TEST_P(JsonSchemaSuite, PassesAsManyOptionalCasesAsBefore) {
  Figures sum;
  std::vector<std::string> failures;
  for (const auto& file : cases_in(folder() / "optional")) {
    const auto figures = run(file, failures);
    add(sum, figures);
    if (figures.passed == figures.all) continue;
    std::cout << "  " << file.filename().string() << ": " << figures.passed << " of " << figures.all << '\n';
  }
  std::cout << GetParam().folder << ": " << sum.passed << " of " << sum.all << " optional cases\n";
  EXPECT_GE(sum.passed, GetParam().optional);
}

INSTANTIATE_TEST_SUITE_P(Draft, JsonSchemaSuite, ::testing::Values(draft_07, draft_2020_12), [](const auto& draft) {
  std::string name(draft.param.folder);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace mcph
