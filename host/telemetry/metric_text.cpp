#include "telemetry/metric_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.hpp"
#include "telemetry/histogram.hpp"

namespace mcph {

void MetricLabels::add(std::string_view name, std::string_view value) {
  if (value.empty()) return;
  text_.append(text_.empty() ? "" : ",").append(name).append("=\"");
  while (!value.empty()) {
    const auto size = utf8_sequence_size(value);
    const auto character = size == 0 ? std::string_view("?") : value.substr(0, size);
    value.remove_prefix(std::max<std::size_t>(size, 1));
    if (character == "\"" || character == "\\") text_ += '\\';
    text_.append(character == "\n" ? "\\n" : character);
  }
  text_ += '"';
}

void MetricText::begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void MetricText::sample(const MetricLabels& labels, std::uint64_t value) {
  begin_line({}, labels);
  end_line(value);
}

void MetricText::sample(const MetricLabels& labels, double value) {
  begin_line({}, labels);
  end_line(value);
}

void MetricText::sample(const MetricLabels& labels, const Histogram& histogram) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
    count += histogram.counts()[i];
    begin_line("_bucket", labels, Histogram::bound_names[i]);
    end_line(count);
  }
  begin_line("_sum", labels);
  end_line(std::chrono::duration<double>(histogram.sum()).count());
  begin_line("_count", labels);
  end_line(count);
}

void MetricText::sample(const MetricLabels& labels, const std::vector<double>& bounds,
                        const std::vector<std::uint64_t>& counts, double sum) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    count += i < counts.size() ? counts[i] : 0;
    std::array<char, 32> digits{};
    auto* const end = i < bounds.size() ? std::to_chars(digits.begin(), digits.end(), bounds[i]).ptr : digits.begin();
    begin_line("_bucket", labels, i < bounds.size() ? std::string_view(digits.begin(), end) : "+Inf");
    end_line(count);
  }
  begin_line("_sum", labels);
  end_line(sum);
  begin_line("_count", labels);
  end_line(count);
}

void MetricText::begin_line(std::string_view suffix, const MetricLabels& labels, std::string_view bound) {
  text_.append(name_).append(suffix);
  const auto& text = labels.text();
  if (!text.empty() || !bound.empty()) text_.append("{").append(text);
  if (!bound.empty()) text_.append(text.empty() ? "" : ",").append("le=\"").append(bound).append("\"");
  if (!text.empty() || !bound.empty()) text_.append("}");
}

void MetricText::end_line(std::uint64_t value) {
  std::array<char, 24> digits{};
  auto* const end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  text_.append(" ").append(digits.begin(), end).append("\n");
}

void MetricText::end_line(double value) {
  std::array<char, 32> digits{};
  auto* const end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  text_.append(" ").append(digits.begin(), end).append("\n");
}

}  // namespace mcph
