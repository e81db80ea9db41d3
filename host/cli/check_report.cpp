#include "cli/check_report.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "cli/terminal_text.hpp"

namespace mcph {
namespace {

std::size_t count_of(const std::vector<CheckResult>& results, CheckStatus status) {
  return static_cast<std::size_t>(std::ranges::count(results, status, &CheckResult::status));
}

std::string seconds_text(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << std::chrono::duration<double>(time).count();
  return text.str();
}

// What XML 1.0 can have; a control character is left out, and what is no UTF-8 is replaced.
std::string xml_text(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto size = utf8_sequence_size(text);
    const auto character = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(character.size());
    switch (const char c = character.front()) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (size == 0) {
          escaped += "\xEF\xBF\xBD";
        } else if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t') {
          escaped += character;
        }
    }
  }
  return escaped;
}

// Nothing could be looked at after the first, for one reason.
bool has_only_first(const std::vector<CheckResult>& results) {
  return results.size() > 2 && std::all_of(results.begin() + 1, results.end(), [&results](const CheckResult& each) {
           return each.status == CheckStatus::skipped && each.note == results[1].note;
         });
}

std::string texts_of(const CheckResult& result) {
  std::string all;
  for (const auto& finding : result.findings)
    all += (all.empty() ? "" : "\n") + finding.text;
  return all;
}

void print_case(std::ostream& out, const CheckedFile& checked, const CheckResult& result) {
  out << "    <testcase classname=\"" << xml_text(checked.file.filename().string()) << "\" name=\"" << result.name
      << "\" time=\"" << seconds_text(result.time) << "\"";
  const auto texts = xml_text(texts_of(result));
  switch (result.status) {
    case CheckStatus::passed:
      out << "/>\n";
      return;
    case CheckStatus::skipped:
      out << "><skipped message=\"" << xml_text(result.note) << "\"/></testcase>\n";
      return;
    case CheckStatus::warning:
      out << "><system-out>warning: " << texts << "</system-out></testcase>\n";
      return;
    case CheckStatus::failed:
      out << "><failure message=\"" << xml_text(result.findings.front().text) << "\">" << texts
          << "</failure></testcase>\n";
      return;
  }
}

}  // namespace

void print_text(std::ostream& out, const CheckedFile& checked) {
  constexpr int width = 20;
  const bool ends_with_first = has_only_first(checked.results);
  out << printable(checked.file.string()) << "\n";
  for (const auto& result : checked.results) {
    out << "  " << std::left << std::setw(8) << name_of(result.status) << " " << std::setw(width) << result.name;
    if (result.status != CheckStatus::skipped) out << " " << result.time.count() << " ms";
    if (!result.note.empty()) out << "  (" << printable(result.note) << ")";
    out << "\n";
    for (const auto& finding : result.findings)
      out << "    " << (finding.is_warning ? "warning: " : "failed: ") << printable(finding.text) << "\n";
    if (ends_with_first) break;
  }
  if (ends_with_first) out << "  skipped  all others (" << printable(checked.results.back().note) << ")\n";
  out << "  " << count_of(checked.results, CheckStatus::passed) << " passed, "
      << count_of(checked.results, CheckStatus::failed) << " failed, "
      << count_of(checked.results, CheckStatus::warning) << " with warnings, "
      << count_of(checked.results, CheckStatus::skipped) << " skipped\n";
}

void print_json(std::ostream& out, const CheckedFile& checked) {
  OrderedJson object{
      {"file", checked.file.string()}, {"passed", !has_failed(checked)}, {"checks", OrderedJson::array()}};
  for (const auto& result : checked.results) {
    OrderedJson check{{"name", result.name}, {"status", name_of(result.status)}, {"ms", result.time.count()}};
    if (!result.note.empty()) check["note"] = result.note;
    auto& findings = check["findings"] = OrderedJson::array();
    for (const auto& finding : result.findings)
      findings.push_back({{"level", finding.is_warning ? "warning" : "error"}, {"text", finding.text}});
    object["checks"].push_back(std::move(check));
  }
  out << dump(object) << "\n";
}

void print_junit(std::ostream& out, const std::vector<CheckedFile>& all) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& checked : all) {
    std::chrono::milliseconds time{0};
    for (const auto& result : checked.results)
      time += result.time;
    out << "  <testsuite name=\"" << xml_text(checked.file.string()) << "\" tests=\"" << checked.results.size()
        << "\" failures=\"" << count_of(checked.results, CheckStatus::failed) << "\" skipped=\""
        << count_of(checked.results, CheckStatus::skipped) << "\" time=\"" << seconds_text(time) << "\">\n";
    for (const auto& result : checked.results)
      print_case(out, checked, result);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

bool has_failed(const CheckedFile& checked) {
  return count_of(checked.results, CheckStatus::failed) > 0;
}

}  // namespace mcph
