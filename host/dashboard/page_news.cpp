#include "dashboard/page_news.hpp"

#include <chrono>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "telemetry/log_text.hpp"

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
  if (call.params_bytes > 0) text += ",\"paramsBytes\":" + std::to_string(call.params_bytes);
  if (call.answer_bytes > 0) text += ",\"answerBytes\":" + std::to_string(call.answer_bytes);
  text += '}';
  return text;
}

// A further member of an object that is not complete; JSON.
void add_member(std::string& object, std::string_view name, std::string_view text) {
  object.append(object.size() > 1 ? ",\"" : "\"").append(name).append("\":").append(text);
}

// Which are JSON, and how many of them there are no more.
void add_list(std::string& object, std::string_view name, const std::vector<std::string>& texts,
              std::uint64_t left_out) {
  if (texts.empty() && left_out == 0) return;
  std::string list = "[";
  for (const auto& text : texts)
    list.append(list.size() > 1 ? "," : "").append(text);
  add_member(object, name, list += ']');
  if (left_out > 0) add_member(object, std::string(name) + "LeftOut", std::to_string(left_out));
}

}  // namespace

PageNews::PageNews(const Sources& sources, const OrderedJson& login, bool may_operate)
    : sources_(sources), login_(dump(login)), may_operate_(may_operate) {}

std::string PageNews::next() {
  std::string news = "{";
  add_status(news);
  add_figures(news);
  add_calls(news);
  add_log_lines(news);
  if (!std::exchange(has_begun_, true)) {
    add_member(news, "reset", "true");
    add_member(news, "login", login_);
  }
  return news.size() == 1 ? std::string() : news + "}";
}

void PageNews::add_status(std::string& news) {
  auto status = sources_.status.get();
  if (status == told_) return;
  add_plugins(*status, news);
  // The page counts the time on by itself.
  if (told_ == nullptr || told_->lasting != status->lasting) add_member(news, "status", status->rest);
  told_ = std::move(status);
}

void PageNews::add_plugins(const StatusTexts& status, std::string& news) const {
  std::map<std::string_view, std::string_view> told;
  if (told_ != nullptr) {
    for (const auto& [key, row] : told_->plugins)
      told.emplace(key, row);
  }
  std::string rows = "{";
  for (const auto& [key, row] : status.plugins) {
    if (const auto before = told.find(key); before != told.end() && before->second == row) continue;
    rows += rows.size() > 1 ? "," : "";
    append_json_string(rows, key);
    rows.append(":").append(row);
  }
  if (rows.size() > 1) add_member(news, "rows", rows += '}');
  if (told_ == nullptr || told_->order != status.order) add_member(news, "order", status.order);
}

void PageNews::add_figures(std::string& news) {
  const auto now = std::chrono::steady_clock::now();
  if (now < figures_due_) return;
  figures_due_ = now + between_figures;
  add_member(news, "figures", dump(sources_.figures()));
}

void PageNews::add_calls(std::string& news) {
  const auto [recent, last, left_out] = sources_.calls.since(seen_calls_, has_begun_ ? max_calls : first_calls);
  seen_calls_ = last;
  std::vector<std::string> texts;
  texts.reserve(recent.size());
  for (const auto& call : recent)
    texts.push_back(call_text(call));
  add_list(news, "calls", texts, has_begun_ ? left_out : 0);
}

void PageNews::add_log_lines(std::string& news) {
  auto [lines, last, left_out] = sources_.log.since(seen_lines_, has_begun_ ? max_lines : WatchedLog::max_kept_lines);
  seen_lines_ = last;
  if (!may_operate_) std::erase_if(lines, [](const std::string& line) { return level_of(line) == Log::Level::trace; });
  add_list(news, "log", lines, has_begun_ ? left_out : 0);
}

}  // namespace mcph
