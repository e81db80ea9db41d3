#include "plugin/plugin_metrics.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::HasSubstr;
using Operation = PluginMetrics::Operation;

std::string refusal_of(MetricDefinition definition) {
  const auto right = checked(std::move(definition));
  return right.has_value() ? "taken as " + right->name : right.error().message;
}

std::string outcome(const Result<>& recorded) {
  return recorded.has_value() ? "recorded" : recorded.error().message;
}

const PluginMetrics::Series& series_of(const std::vector<PluginMetrics::Metric>& metrics, std::size_t metric,
                                       const PluginMetrics::Labels& labels = {}) {
  return metrics.at(metric).series.at(labels);
}

TEST(PluginMetricsTest, TakeOnlyWhatCanBeShown) {
  EXPECT_EQ(refusal_of({MetricKind::counter, "requests", "Help."}), "taken as requests_total");
  EXPECT_EQ(refusal_of({MetricKind::counter, "requests_total", "Help."}), "taken as requests_total");
  EXPECT_EQ(refusal_of({MetricKind::gauge, "open_files", "Help."}), "taken as open_files");
  const std::string long_name(65, 'a');
  for (const auto& name : std::vector<std::string>{"", "Requests", "1st", "a-b", "a b", "a\"} 1\n", long_name})
    EXPECT_THAT(refusal_of({MetricKind::gauge, name, "Help."}), HasSubstr("is not 1 to 64 characters")) << name;
  EXPECT_THAT(refusal_of({MetricKind::gauge, "a_total", "Help."}), HasSubstr("ends with _total, and is no counter"));
  EXPECT_THAT(refusal_of({MetricKind::histogram, "a_bucket", "Help."}), HasSubstr("ends with _bucket"));
  EXPECT_THAT(refusal_of({MetricKind::gauge, "a", ""}), HasSubstr("needs a help"));
  EXPECT_THAT(refusal_of({MetricKind::gauge, "a", "two\nlines"}), HasSubstr("needs a help"));
  EXPECT_THAT(refusal_of({static_cast<MetricKind>(3), "a", "Help."}), HasSubstr("of a kind that there is not"));
  EXPECT_THAT(refusal_of({MetricKind::histogram, "a", "Help.", {1, 1}}), HasSubstr("do not grow"));
  EXPECT_THAT(refusal_of({MetricKind::histogram, "a", "Help.", std::vector<double>(33)}), HasSubstr("more than 32"));
}

TEST(PluginMetricsTest, AreTakenFromAPluginAsFarAsTheyAreLookedAt) {
  const std::string text(1000, 'a');
  const auto declared = declared_metric(1, text, text, std::vector<double>(100));
  EXPECT_EQ(declared.kind, MetricKind::gauge);
  EXPECT_EQ(declared.name, text.substr(0, PluginMetrics::max_name + 1));
  EXPECT_EQ(declared.help, text.substr(0, PluginMetrics::max_help));
  EXPECT_EQ(declared.bounds.size(), PluginMetrics::max_bounds + 1);
}

TEST(PluginMetricsTest, AddUpByLabelsInAnyOrder) {
  PluginMetrics metrics;
  const auto counter = *metrics.declare({MetricKind::counter, "requests", "Help."});
  EXPECT_EQ(*metrics.declare({MetricKind::counter, "requests", "Help."}), counter);
  EXPECT_TRUE(metrics.record(counter, Operation::add, {{"a", "1"}, {"b", "2"}}, 1));
  EXPECT_TRUE(metrics.record(counter, Operation::add, {{"b", "2"}, {"a", "1"}, {"c", ""}}, 2));
  EXPECT_EQ(series_of(metrics.all(), 0, {{"a", "1"}, {"b", "2"}}).value, 3);
  const auto gauge = *metrics.declare({MetricKind::gauge, "open", "Help."});
  EXPECT_TRUE(metrics.record(gauge, Operation::set, {}, 5));
  EXPECT_TRUE(metrics.record(gauge, Operation::add, {}, -2));
  EXPECT_EQ(series_of(metrics.all(), 1).value, 3);
  const auto histogram = *metrics.declare({MetricKind::histogram, "sizes", "Help.", {1, 2}});
  for (const double value : {0.5, 1.0, 1.5, 9.0})
    EXPECT_TRUE(metrics.record(histogram, Operation::observe, {}, value));
  EXPECT_EQ(series_of(metrics.all(), 2).counts, (std::vector<std::uint64_t>{2, 1, 1}));
  EXPECT_EQ(series_of(metrics.all(), 2).value, 12);
}

TEST(PluginMetricsTest, LeaveOutWhatIsWrong) {
  PluginMetrics metrics;
  const auto counter = *metrics.declare({MetricKind::counter, "a", "Help."});
  EXPECT_EQ(outcome(metrics.record(7, Operation::add, {}, 1)), "there is no metric 7");
  EXPECT_EQ(outcome(metrics.record(0, Operation::add, {}, 1)), "there is no metric 0");
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {}, -1)), HasSubstr("does not go down"));
  EXPECT_THAT(outcome(metrics.record(counter, Operation::set, {}, 1)), HasSubstr("of another kind"));
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {}, std::numeric_limits<double>::infinity())),
              HasSubstr("is no number"));
  for (const auto* const name : {"plugin", "le", "Upper", "a\"b", ""})
    EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {{name, "v"}}, 1)), HasSubstr("the label")) << name;
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {{"a", "\xFF"}}, 1)), HasSubstr("not UTF-8"));
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {{"a", "1"}, {"a", "2"}}, 1)), HasSubstr("twice"));
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, PluginMetrics::Labels(9), 1)), HasSubstr("more than 8"));
  EXPECT_TRUE(metrics.declare({MetricKind::gauge, "a_open", "Help."}));
  EXPECT_TRUE(metrics.declare({MetricKind::histogram, "a_open", "Help."}).has_error());
  EXPECT_TRUE(metrics.all().at(0).series.empty());
}

TEST(PluginMetricsTest, KeepNoMoreThanTheyMay) {
  PluginMetrics metrics;
  const auto counter = *metrics.declare({MetricKind::counter, "a", "Help."});
  for (int i = 0; i < 3000; ++i)
    static_cast<void>(metrics.record(counter, Operation::add, {{"user", std::to_string(i)}}, 1));
  EXPECT_EQ(metrics.all().at(0).series.size(), PluginMetrics::max_series);
  EXPECT_THAT(outcome(metrics.record(counter, Operation::add, {{"user", "new"}}, 1)), HasSubstr("one more series"));
  EXPECT_TRUE(metrics.record(counter, Operation::add, {{"user", "1"}}, 1));
  std::size_t declared = 1;
  while (metrics.declare({MetricKind::gauge, "g" + std::to_string(declared), "Help."}))
    ++declared;
  EXPECT_EQ(declared, PluginMetrics::max_metrics);
}

TEST(PluginMetricsTest, OfAWorkerArriveInItsHostAsTheyWere) {
  int calls = 0;
  PluginMetrics worker([&calls] { ++calls; });
  PluginMetrics host;
  const auto pass_on = [&] {
    for (const auto& changes : worker.take_changes())
      EXPECT_TRUE(host.add_changes(changes)) << changes;
  };
  const auto counter = *worker.declare({MetricKind::counter, "requests", "Help \"me\"."});
  const auto gauge = *worker.declare({MetricKind::gauge, "open", "Help."});
  const auto histogram = *worker.declare({MetricKind::histogram, "sizes", "Help.", {1, 2}});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i)
      EXPECT_TRUE(worker.record(counter, Operation::add, {{"kind", "a\n"}}, 1));
    EXPECT_TRUE(worker.record(gauge, Operation::add, {}, 1));
    EXPECT_TRUE(worker.record(histogram, Operation::observe, {}, 1.5));
    EXPECT_EQ(calls, round + 1) << "once until it is taken";
    pass_on();
  }
  EXPECT_TRUE(worker.take_changes().empty());
  EXPECT_EQ(series_of(host.all(), 0, {{"kind", "a\n"}}).value, 3000);
  EXPECT_EQ(series_of(host.all(), 1).value, 3);
  EXPECT_EQ(series_of(host.all(), 2).counts, (std::vector<std::uint64_t>{0, 3, 0}));
  EXPECT_EQ(host.all().at(0).definition, worker.all().at(0).definition);
  host.forget_gauges();
  EXPECT_TRUE(host.all().at(1).series.empty());
  EXPECT_FALSE(host.all().at(0).series.empty());
}

TEST(PluginMetricsTest, ComeInTextsThatFitAMessage) {
  PluginMetrics metrics([] {});
  const auto counter = *metrics.declare({MetricKind::counter, "a", "Help."});
  for (std::size_t i = 0; i < PluginMetrics::max_series; ++i) {
    PluginMetrics::Labels labels{{"number", std::to_string(i)}};
    for (char name = 'a'; name < 'h'; ++name)
      labels.emplace_back(std::string(64, name), std::string(128, '\x01'));
    EXPECT_TRUE(metrics.record(counter, Operation::add, labels, 0.1));
  }
  const auto texts = metrics.take_changes();
  EXPECT_GT(texts.size(), 10U);
  PluginMetrics host;
  for (const auto& text : texts) {
    EXPECT_LT(text.size(), std::size_t{60} << 10);
    EXPECT_TRUE(host.add_changes(text));
  }
  EXPECT_EQ(host.all().at(0).series.size(), PluginMetrics::max_series);
}

TEST(PluginMetricsTest, OfAWorkerThatIsNotToBeTrustedAreChecked) {
  PluginMetrics host;
  const std::string head = R"({"kind":0,"name":"a_total","help":"Help.","bounds":[],"series":)";
  for (const std::string& wrong :
       {std::string("nothing"), std::string("[]"), std::string("{}"), head + "7}", head + "[7]}", head + "[[[],1]]}",
        head + "[[[],-1,[]]]}", head + "[[[],1,[1]]]}", head + R"([[[["a\"b","1"]],1,[]]]})",
        head + R"([[[],"1",[]]]})", head + R"([[[],1e999,[]]]})",
        std::string(R"({"kind":9,"name":"a","help":"Help.","bounds":[],"series":[]})"),
        std::string(R"({"kind":1,"name":"A","help":"Help.","bounds":[],"series":[]})")}) {
    EXPECT_TRUE(host.add_changes(wrong).has_error()) << wrong;
  }
  for (int i = 0; i < 3000; ++i)
    EXPECT_TRUE(host.add_changes(head + R"([[[["n",")" + std::to_string(i) + R"("]],1,[]]]})"));
  EXPECT_EQ(host.all().at(0).series.size(), PluginMetrics::max_series);
}

TEST(PluginMetricsTest, OfAWorkerAreLeftOutBeyondABoundAndThatIsSaid) {
  PluginMetrics host;
  const std::string head = R"({"kind":0,"name":"a_total","help":"Help.","bounds":[],"series":)";
  for (std::size_t i = 0; i < PluginMetrics::max_series; ++i)
    EXPECT_EQ(*host.add_changes(head + R"([[[["n",")" + std::to_string(i) + R"("]],1,[]]]})"), "");
  EXPECT_EQ(
      *host.add_changes(head + R"([[[["n","-"]],1,[]],[[["n","7"]],1,[]]]})"),
      "the metric \"a_total\": it would have one more series than the 1000 of all metrics that a plugin may have; "
      "give labels fewer values");
  EXPECT_EQ(series_of(host.all(), 0, {{"n", "7"}}).value, 2) << "what comes after it is not left out";
  EXPECT_EQ(*host.add_changes(R"({"kind":1,"name":"b","help":"Help.","bounds":[],"series":[]})"), "");
  EXPECT_EQ(*host.add_changes(R"({"kind":2,"name":"b","help":"Help.","bounds":[],"series":[]})"),
            "the metric \"b\" has been declared with another kind or other bounds");
}

}  // namespace
}  // namespace mcph
