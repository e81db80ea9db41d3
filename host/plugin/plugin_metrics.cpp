#include "plugin/plugin_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include "base/json_text.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

// Those that client libraries of Prometheus have for times.
constexpr std::array seconds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
constexpr std::string_view total = "_total";
constexpr std::size_t max_changes_text = std::size_t{32} << 10;  // before one more series

bool is_name(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= PluginMetrics::max_name && is_lower(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool are_bounds(const std::vector<double>& bounds) {
  return bounds.size() <= PluginMetrics::max_bounds &&
         std::ranges::all_of(bounds, [](double bound) { return std::isfinite(bound); }) &&
         std::ranges::adjacent_find(bounds, std::greater_equal()) == bounds.end();
}

// Sorted, cut to what counts, without those that have no value.
Result<PluginMetrics::Labels> checked_labels(PluginMetrics::Labels labels) {
  if (labels.size() > PluginMetrics::max_labels)
    return fail("it has more than " + std::to_string(PluginMetrics::max_labels) + " labels");
  std::erase_if(labels, [](const auto& label) { return label.second.empty(); });
  std::ranges::sort(labels);
  for (auto& [name, value] : labels) {
    if (!is_name(name) || name == "plugin" || name == "le") {
      return fail("the label " + dump(Json(name)) +
                  " is not 1 to 64 characters of a-z0-9_ that begin with a letter, or is \"plugin\" or \"le\"");
    }
    if (!is_utf8(value)) return fail("the label \"" + name + "\" has a value that is not UTF-8");
    value = utf8_prefix(value, PluginMetrics::max_value);
  }
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::ranges::adjacent_find(labels, same_name) != labels.end()) return fail("it has a label twice");
  return labels;
}

Result<> check_value(const MetricDefinition& metric, PluginMetrics::Operation operation, double value) {
  using Operation = PluginMetrics::Operation;
  const bool fits = metric.kind == MetricKind::counter ? operation == Operation::add
                    : metric.kind == MetricKind::gauge ? operation != Operation::observe
                                                       : operation == Operation::observe;
  if (!fits) return fail("it is of another kind");
  if (!std::isfinite(value)) return fail("its value is no number");
  if (metric.kind == MetricKind::counter && value < 0) return fail("a counter does not go down");
  return {};
}

Error words_for_many_series(const MetricDefinition& metric) {
  return fail("the metric \"" + metric.name + "\": it would have one more series than the " +
              std::to_string(PluginMetrics::max_series) +
              " of all metrics that a plugin may have; give labels fewer values");
}

void add(double& sum, double value) {
  if (std::isfinite(sum + value)) sum += value;
}

void observe(PluginMetrics::Series& series, const std::vector<double>& bounds, double value) {
  series.counts.resize(bounds.size() + 1);
  const auto bound = std::ranges::lower_bound(bounds, value);
  ++series.counts[static_cast<std::size_t>(bound - bounds.begin())];
  add(series.value, value);
}

}  // namespace

MetricDefinition declared_metric(std::int32_t kind, std::string_view name, std::string_view help,
                                 std::span<const double> bounds) {
  // Of more than there may be, one is enough to be refused.
  bounds = bounds.first(std::min(bounds.size(), PluginMetrics::max_bounds + 1));
  return {static_cast<MetricKind>(kind), std::string(name.substr(0, PluginMetrics::max_name + 1)),
          std::string(utf8_prefix(help, PluginMetrics::max_help)), std::vector<double>(bounds.begin(), bounds.end())};
}

Result<MetricDefinition> checked(MetricDefinition definition) {
  auto& [kind, name, help, bounds] = definition;
  const auto refuse = [&](std::string_view why) {
    return fail("the metric " + dump(Json(definition.name)) + " " + std::string(why));
  };
  if (kind < MetricKind::counter || kind > MetricKind::histogram) return refuse("is of a kind that there is not");
  if (kind == MetricKind::counter && is_name(name) && !name.ends_with(total)) name += total;
  if (!is_name(name)) return refuse("is not 1 to 64 characters of a-z0-9_ that begin with a letter");
  if (kind != MetricKind::counter && name.ends_with(total)) return refuse("ends with _total, and is no counter");
  for (const std::string_view end : {"_bucket", "_count", "_sum", "_info"}) {
    if (name.ends_with(end)) return refuse("ends with " + std::string(end) + ", which is for parts of other metrics");
  }
  if (help.empty() || !is_utf8(help) || help.find_first_of("\r\n\\") != std::string::npos)
    return refuse("needs a help, one line of text without a backslash");
  help = utf8_prefix(help, PluginMetrics::max_help);
  if (kind != MetricKind::histogram) {
    bounds.clear();
  } else if (bounds.empty()) {
    bounds.assign(seconds.begin(), seconds.end());
  }
  if (!are_bounds(bounds)) return refuse("has bounds that are more than 32, not finite, or do not grow");
  return definition;
}

Result<std::uint32_t> PluginMetrics::declare(MetricDefinition definition) {
  auto right = checked(std::move(definition));
  if (right.has_error()) return right.error();
  const MutexLock lock(mutex_);
  return declare_checked(*std::move(right));
}

Result<std::uint32_t> PluginMetrics::declare_checked(MetricDefinition definition) {
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const auto& known = metrics_[i].metric.definition;
    if (known.name != definition.name) continue;
    if (known.kind == definition.kind && known.bounds == definition.bounds) return static_cast<std::uint32_t>(i + 1);
    return fail("the metric \"" + known.name + "\" has been declared with another kind or other bounds");
  }
  if (metrics_.size() >= max_metrics)
    return fail("the metric \"" + definition.name + "\" is one more than the " + std::to_string(max_metrics) +
                " that a plugin may have");
  metrics_.push_back({.metric = {std::move(definition)}});
  return static_cast<std::uint32_t>(metrics_.size());
}

PluginMetrics::Series* PluginMetrics::series_of(Kept& kept, const Labels& labels) {
  auto& series = kept.metric.series;
  if (const auto found = series.find(labels); found != series.end()) return &found->second;
  if (series_ >= max_series) return nullptr;
  ++series_;
  return &series[labels];
}

Result<> PluginMetrics::record(std::uint32_t metric, Operation operation, Labels labels, double value) {
  auto right = checked_labels(std::move(labels));
  MutexLock lock(mutex_);
  if (metric == 0 || metric > metrics_.size()) return fail("there is no metric " + std::to_string(metric));
  auto& kept = metrics_[metric - 1];
  const auto& definition = kept.metric.definition;
  const auto refuse = [&](const Error& why) { return fail("the metric \"" + definition.name + "\": " + why.message); };
  if (right.has_error()) return refuse(right.error());
  if (const auto fits = check_value(definition, operation, value); fits.has_error()) return refuse(fits.error());
  auto* const series = series_of(kept, *right);
  if (series == nullptr) return words_for_many_series(definition);
  const bool keeps_changes = changed_ != nullptr;
  if (operation == Operation::observe) {
    observe(*series, definition.bounds, value);
    if (keeps_changes) observe(kept.untaken[*right], definition.bounds, value);
  } else {
    operation == Operation::set ? static_cast<void>(series->value = value) : add(series->value, value);
    if (keeps_changes && definition.kind == MetricKind::gauge) kept.untaken[*right].value = series->value;
    if (keeps_changes && definition.kind == MetricKind::counter) add(kept.untaken[*right].value, value);
  }
  if (!keeps_changes || std::exchange(has_changed_, true)) return {};
  lock.unlock();
  changed_();
  return {};
}

std::vector<PluginMetrics::Metric> PluginMetrics::all() const {
  std::vector<Metric> metrics;
  const MutexLock lock(mutex_);
  for (const auto& kept : metrics_)
    metrics.push_back(kept.metric);
  return metrics;
}

Json PluginMetrics::json_of(const Labels& labels, const Series& series) {
  return Json::array({labels, series.value, series.counts});
}

std::vector<std::string> PluginMetrics::take_changes() {
  std::vector<std::string> texts;
  const MutexLock lock(mutex_);
  has_changed_ = false;
  for (auto& kept : metrics_) {
    const auto& [kind, name, help, bounds] = kept.metric.definition;
    const auto head = R"({"kind":)" + std::to_string(static_cast<std::int32_t>(kind)) + R"(,"name":)" +
                      dump(Json(name)) + R"(,"help":)" + dump(Json(help)) + R"(,"bounds":)" + dump(Json(bounds)) +
                      R"(,"series":[)";
    std::string text;
    for (const auto& [labels, series] : std::exchange(kept.untaken, {})) {
      text.append(text.empty() ? head : ",").append(dump(json_of(labels, series)));
      if (text.size() > max_changes_text) texts.push_back(std::exchange(text, {}) + "]}");
    }
    if (!text.empty()) texts.push_back(text + "]}");
  }
  return texts;
}

Result<std::string> PluginMetrics::add_changes(std::string_view changes) {
  const auto json = parse_json(changes);
  if (json.has_error()) return json.error();
  try {
    auto definition = mcph::checked(MetricDefinition{static_cast<MetricKind>(json->at("kind").get<std::int32_t>()),
                                                     json->at("name"), json->at("help"), json->at("bounds")});
    if (definition.has_error()) return definition.error();
    const MutexLock lock(mutex_);
    const auto metric = declare_checked(*std::move(definition));
    if (metric.has_error()) return metric.error().message;
    return add_series(metrics_[*metric - 1], json->at("series"));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

Result<std::string> PluginMetrics::add_series(Kept& kept, const Json& changes) {
  const auto& definition = kept.metric.definition;
  std::string left_out;
  for (const auto& each : changes) {
    const auto labels = checked_labels(each.at(0).get<Labels>());
    if (labels.has_error()) return labels.error();
    const auto value = each.at(1).get<double>();
    const auto counts = each.at(2).get<std::vector<std::uint64_t>>();
    const auto expected = definition.kind == MetricKind::histogram ? definition.bounds.size() + 1 : 0;
    if (!std::isfinite(value) || counts.size() != expected) return fail("it has no value that fits");
    if (definition.kind == MetricKind::counter && value < 0) return fail("a counter goes down");
    auto* const series = series_of(kept, *labels);
    if (series == nullptr) {
      left_out = words_for_many_series(definition).message;
      continue;
    }
    series->counts.resize(expected);
    for (std::size_t i = 0; i < expected; ++i)
      series->counts[i] += counts[i];
    definition.kind == MetricKind::gauge ? static_cast<void>(series->value = value) : add(series->value, value);
  }
  return left_out;
}

void PluginMetrics::forget_gauges() {
  const MutexLock lock(mutex_);
  for (auto& kept : metrics_) {
    if (kept.metric.definition.kind != MetricKind::gauge) continue;
    series_ -= kept.metric.series.size();
    kept.metric.series.clear();
  }
}

}  // namespace mcph
