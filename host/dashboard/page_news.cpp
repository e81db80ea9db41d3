#include "dashboard/page_news.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

std::string_view name_of(CallEnd::Outcome outcome) {
  switch (outcome) {
    case CallEnd::Outcome::result:
      return "result";
    case CallEnd::Outcome::tool_error:
      return "tool error";
    case CallEnd::Outcome::error:
      return "error";
    case CallEnd::Outcome::abandoned:
      return "abandoned";
  }
  return "unknown";
}

void append_member(std::string& text, std::string_view name, std::string_view value) {
  text.append(",\"").append(name).append("\":");
  append_json_string(text, value);
}

// As text at once, because a busy host has many of them.
std::string call_text(const RecentCall& call) {
  const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(call.at.time_since_epoch()).count();
  auto text = "{\"number\":" + std::to_string(call.number) + ",\"at\":" + std::to_string(at) +
              ",\"us\":" + std::to_string(call.took.count());
  append_member(text, "method", call.method);
  append_member(text, "component", call.component);
  append_member(text, "plugin", call.plugin);
  append_member(text, "who", call.who);
  append_member(text, "client", call.client);
  append_member(text, "revision", call.revision);
  append_member(text, "outcome", name_of(call.outcome));
  if (call.error_code != 0) text += ",\"code\":" + std::to_string(call.error_code);
  if (call.transport == NetworkTransport::pipe) text += ",\"pipe\":true";
  text += "}";
  return text;
}

// One row of the page. Of one file there may be a version that serves, and others that drain.
std::string key_of(const OrderedJson& plugin) {
  auto key = plugin.value("file", "");
  if (plugin.value("state", "") == "draining") key += "#" + plugin.value("digest", "");
  return key;
}

// Which array of JSON texts, and how many there are no more.
std::string members(std::string_view name, const std::vector<std::string>& texts, std::uint64_t left_out) {
  if (texts.empty() && left_out == 0) return {};
  auto text = "\"" + std::string(name) + "\":[";
  for (std::size_t i = 0; i < texts.size(); ++i)
    text.append(i == 0 ? "" : ",").append(texts[i]);
  text += "]";
  if (left_out > 0) text.append(",\"").append(name).append("LeftOut\":").append(std::to_string(left_out));
  return text;
}

// An object with further members.
std::string with_members(std::string object, const std::string& more) {
  if (more.empty()) return object;
  object.pop_back();
  object.append(object.size() > 1 ? "," : "").append(more).append("}");
  return object;
}

}  // namespace

PageNews::PageNews(const Sources& sources, const OrderedJson& login) : sources_(sources), login_(dump(login)) {}

std::string PageNews::next() {
  auto news = OrderedJson::object();
  add_status(news);
  add_figures(news);
  auto text = with_members(dump(news), calls());
  text = with_members(std::move(text), log_lines());
  if (!std::exchange(has_begun_, true)) text = with_members(std::move(text), R"("reset":true,"login":)" + login_);
  return text == "{}" ? std::string() : text;
}

void PageNews::add_status(OrderedJson& news) {
  auto status = sources_.status();
  add_plugins(status["plugins"], news);
  status.erase("plugins");
  // The page counts on by itself.
  auto lasting = status;
  lasting["host"].erase("upSeconds");
  if (auto text = dump(lasting); text != told_status_) {
    told_status_ = std::move(text);
    news["status"] = std::move(status);
  }
}

void PageNews::add_plugins(const OrderedJson& plugins, OrderedJson& news) {
  auto order = OrderedJson::array();
  auto rows = OrderedJson::object();
  std::map<std::string, std::string> told;
  for (const auto& plugin : plugins) {
    const auto key = key_of(plugin);
    auto text = dump(plugin);
    order.push_back(key);
    const auto before = told_plugins_.find(key);
    if (before == told_plugins_.end() || before->second != text) rows[key] = plugin;
    told.emplace(key, std::move(text));
  }
  told_plugins_ = std::move(told);
  if (!rows.empty()) news["rows"] = std::move(rows);
  if (auto text = dump(order); text != told_order_) {
    told_order_ = std::move(text);
    news["order"] = std::move(order);
  }
}

void PageNews::add_figures(OrderedJson& news) {
  const auto now = std::chrono::steady_clock::now();
  if (now < figures_due_) return;
  figures_due_ = now + between_figures;
  news["figures"] = sources_.figures();
}

std::string PageNews::calls() {
  auto [recent, last, left_out] = sources_.calls.since(seen_calls_, has_begun_ ? max_calls : std::size_t{1000});
  seen_calls_ = last;
  std::vector<std::string> texts;
  texts.reserve(recent.size());
  for (const auto& call : recent)
    texts.push_back(call_text(call));
  return members("calls", texts, has_begun_ ? left_out : 0);
}

std::string PageNews::log_lines() {
  auto [lines, last, left_out] = sources_.log.since(seen_lines_, has_begun_ ? max_lines : RecentLog::max_lines);
  seen_lines_ = last;
  return members("log", lines, has_begun_ ? left_out : 0);
}

}  // namespace mcph
