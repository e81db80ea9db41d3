// Metrics as Prometheus reads them: the text exposition format, version 0.0.4. Written here and not by prometheus-cpp,
// whose serializer takes twelve times as long for the histograms of 10,000 tools, and whose package brings a web server
// and curl. A value; used by one thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcph {

// The inside of the braces: name="value",name="value". Labels without a value are left out, which means the same. What
// is not valid UTF-8 becomes a question mark.
class MetricLabels {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  MetricLabels() = default;
  MetricLabels(std::initializer_list<Label> labels) {
    for (const auto& [name, value] : labels)
      add(name, value);
  }
  void add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Histogram;

class MetricText {
 public:
  // Begins a metric, to which the samples that follow belong. `type` is "counter", "gauge" or "histogram"; a counter's
  // name ends with _total, and a name with the unit, if there is one.
  void begin(std::string_view name, std::string_view type, std::string_view help);
  void sample(const MetricLabels& labels, std::uint64_t value);
  void sample(const MetricLabels& labels, double value);
  void sample(const MetricLabels& labels, const Histogram& histogram);
  // A histogram with bounds of its own: what was counted for each of them, and, last, above.
  void sample(const MetricLabels& labels, const std::vector<double>& bounds, const std::vector<std::uint64_t>& counts,
              double sum);

  // A metric with one sample.
  template <class Number>
  void one(std::string_view name, std::string_view type, std::string_view help, Number value) {
    begin(name, type, help);
    sample({}, value);
  }

  std::string text() && { return std::move(text_); }

 private:
  void begin_line(std::string_view suffix, const MetricLabels& labels, std::string_view bound = {});
  void end_line(std::uint64_t value);
  void end_line(double value);

  std::string name_;  // of the metric that has begun
  std::string text_;
};

}  // namespace mcph
