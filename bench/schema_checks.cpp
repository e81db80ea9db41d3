// Checking a tool's arguments: our compiled schemas beside valijson's, on the same draft-07 schemas and instances. Ends
// with the ratio of the medians, and with a failure where ours is not at least twice as fast.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "schema/schema.hpp"
#include "schema_cases.hpp"

namespace {

constexpr double goal = 2.0;
constexpr int repetitions = 9;

struct Case {
  std::string name;
  mcph::Schema ours;
  std::shared_ptr<valijson::Schema> theirs;
  nlohmann::json instance;
  std::shared_ptr<const mcph::JsonDocument> document;  // the same
  bool is_valid;
};

std::shared_ptr<valijson::Schema> compile_theirs(std::string_view text) {
  const auto json = nlohmann::json::parse(text);
  auto schema = std::make_shared<valijson::Schema>();
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json), *schema);
  return schema;
}

// Both say what is wrong with an instance that does not fit, as a host needs it.
bool fits_theirs(const Case& subject) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter instance(subject.instance);
  return validator.validate(*subject.theirs, instance, subject.is_valid ? nullptr : &results);
}

bool fits_ours(const Case& subject) {
  return !subject.ours.validate(subject.document->root());
}

std::vector<Case> make_cases() {
  std::vector<Case> cases;
  for (const auto& [name, schema, instance, is_valid] : bench::schema_cases) {
    auto ours = mcph::Schema::compile(nlohmann::ordered_json::parse(schema));
    if (!ours) throw std::invalid_argument(std::string(name) + ": " + ours.error().message);
    auto tree = nlohmann::json::parse(instance);
    auto document = std::make_shared<const mcph::JsonDocument>(mcph::JsonDocument::of(tree));
    cases.push_back({std::string(name), *ours, compile_theirs(schema), std::move(tree), std::move(document), is_valid});
    if (fits_ours(cases.back()) != is_valid || fits_theirs(cases.back()) != is_valid) {
      throw std::logic_error(cases.back().name + ": the two do not agree with what is expected");
    }
  }
  return cases;
}

void measure(benchmark::State& state, const Case& subject, bool (*fits)(const Case&)) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(fits(subject));
  }
}

void add_benchmark(const std::string& whose, const Case& subject, bool (*fits)(const Case&)) {
  benchmark::RegisterBenchmark((whose + subject.name).c_str(), measure, subject, fits)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly();
}

// Prints the table, and keeps the medians.
class Medians : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.aggregate_name == "median") medians_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    }
    ConsoleReporter::ReportRuns(runs);
  }
  double of(const std::string& name) const { return medians_.at(name); }

 private:
  std::map<std::string, double> medians_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto cases = make_cases();
  benchmark::Initialize(&argc, argv);
  for (const auto& subject : cases) {
    add_benchmark("ours/", subject, fits_ours);
    add_benchmark("valijson/", subject, fits_theirs);
  }
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);

  double worst = 0;
  for (const auto& subject : cases) {
    const double ratio = medians.of("valijson/" + subject.name) / medians.of("ours/" + subject.name);
    worst = &subject == &cases.front() ? ratio : std::min(worst, ratio);
    std::cout << subject.name << ": " << ratio << " times as fast as valijson\n";
  }
  std::cout << "the least: " << worst << (worst >= goal ? "" : ", below the goal of 2") << '\n';
  return worst >= goal ? 0 : 1;
}
