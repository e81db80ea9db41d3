// The command that makes a log readable which was written where a plugin's debug data was not: symbolize.
#include <algorithm>
#include <array>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hexadecimal.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "cli/commands.hpp"
#include "cli/complain.hpp"
#include "plugin/isolated/stack_trace.hpp"
#include "plugin/isolated/symbolizer.hpp"

namespace mcph {
namespace {

// That are looked up at once, because each start of the symbolizer reads the debug data anew.
constexpr std::size_t max_places = 64;

// Where a line names a place: "weather.so+0x1a2b", and the function, if that follows.
struct Mention {
  std::size_t begin;
  std::size_t end;
  std::string offset;
};

// A function follows where the text is a field's or a line's own, up to the end of that.
std::size_t end_of_mention(std::string_view line, std::size_t begin, std::size_t end) {
  if (end >= line.size() || line[end] != ' ') return end;
  if (begin == 0) return line.size();
  return line[begin - 1] == '"' ? std::min(line.find('"', end), line.size()) : end;
}

std::optional<Mention> find_mention(std::string_view line, const std::string& name, std::size_t from) {
  const auto prefix = name + "+";
  for (auto begin = line.find(prefix + "0x", from); begin != std::string_view::npos;
       begin = line.find(prefix + "0x", begin + 1)) {
    const auto place = begin + prefix.size();
    const auto end = std::min(line.find_first_not_of(hexadecimal_digits, place + 2), line.size());
    const bool is_part = begin > 0 && std::string_view(" \"=/").find(line[begin - 1]) == std::string_view::npos;
    if (end == place + 2 || is_part) continue;
    return Mention{begin, end_of_mention(line, begin, end), std::string(line.substr(place, end - place))};
  }
  return std::nullopt;
}

std::string words_for(const std::vector<SourceFrame>& frames) {
  std::string words;
  for (const auto& frame : frames)
    words += (words.empty() ? "" : ", inlined into ") + words_for(frame);
  return words;
}

bool has_line(const std::vector<SourceFrame>& frames) {
  return std::ranges::any_of(frames, [](const auto& frame) { return frame.line > 0; });
}

class LogReader {
 public:
  LogReader(const SymbolizeCommand& command, const FileDescriptor& library)
      : name_(command.file.filename().string()), library_(library) {}

  Result<> read(std::istream& log) {
    for (std::string line; std::getline(log, line);) {
      const auto before = places_.size();
      for (auto found = find_mention(line, name_, 0); found; found = find_mention(line, name_, found->end))
        places_.push_back(found->offset);
      has_found_places_ = has_found_places_ || !places_.empty();
      remember_build(line);
      lines_.push_back(std::move(line));
      // A backtrace is as many lines in a row.
      const bool is_over = places_.size() == before || places_.size() >= max_places;
      if (!is_over) continue;
      if (auto printed = print(); printed.has_error()) return printed;
    }
    return print();
  }

  // The builds that the log says have crashed, if that is not this one.
  std::string other_builds() const {
    std::string builds;
    for (const auto& each : builds_) {
      if (each != build_id_) builds += (builds.empty() ? "" : ", ") + each;
    }
    return builds;
  }
  const std::string& build_id() const { return build_id_; }
  bool has_found_places() const { return has_found_places_; }
  bool has_found_lines() const { return has_found_lines_; }

 private:
  // Of an event that names the file.
  void remember_build(std::string_view line) {
    constexpr std::string_view field = "build_id";
    if (line.find("/" + name_) == std::string_view::npos) return;
    const auto found = line.find(field);
    if (found == std::string_view::npos) return;
    const auto begin = line.find_first_not_of("\":=", found + field.size());
    if (begin == std::string_view::npos) return;
    const auto id = line.substr(begin, line.find_first_not_of(hexadecimal_digits, begin) - begin);
    constexpr std::size_t shortest = 8;
    if (id.size() >= shortest) builds_.emplace(id);
  }

  Result<> print() {
    Symbols symbols;
    if (!places_.empty()) {
      auto found = symbolizer_.find(library_, places_);
      if (found.has_error()) return found.error();
      symbols = *std::move(found);
      build_id_ = symbols.build_id;
      has_found_lines_ = has_found_lines_ || std::ranges::any_of(symbols.places, has_line);
    }
    std::size_t place = 0;
    for (const auto& line : lines_)
      std::cout << readable(line, symbols, place) << "\n";
    std::cout.flush();
    places_.clear();
    lines_.clear();
    return {};
  }

  std::string readable(const std::string& line, const Symbols& symbols, std::size_t& place) const {
    std::string text;
    std::size_t from = 0;
    for (auto found = find_mention(line, name_, 0); found; found = find_mention(line, name_, found->end)) {
      const auto& frames = symbols.places[place++];
      text += line.substr(from, found->begin - from);
      text += readable(line, *found, frames);
      from = found->end;
    }
    return text + line.substr(from);
  }

  // Where no line is known, as the host tells it: the place, and the function.
  std::string readable(const std::string& line, const Mention& mention, const std::vector<SourceFrame>& frames) const {
    if (has_line(frames)) return replacement(line, mention, words_for(frames));
    const bool has_function = !frames.empty() && !frames.back().function.empty();
    const auto words = name_ + "+" + mention.offset + (has_function ? " " + words_for(frames.back()) : "");
    const bool says_so = line.compare(mention.begin, words.size(), words) == 0;
    return says_so ? line.substr(mention.begin, mention.end - mention.begin) : replacement(line, mention, words);
  }

  // As the line's format has texts.
  static std::string replacement(const std::string& line, const Mention& mention, const std::string& words) {
    const char before = mention.begin == 0 ? ' ' : line[mention.begin - 1];
    if (before != '"' && before != '=') return words;
    std::string quoted;
    append_json_string(quoted, words);
    return before == '=' ? quoted : quoted.substr(1, quoted.size() - 2);
  }

  const std::string name_;
  const FileDescriptor& library_;
  const Symbolizer symbolizer_{Symbolizer::default_program()};
  std::vector<std::string> lines_;   // that have been read and not been printed
  std::vector<std::string> places_;  // that they mention
  std::set<std::string> builds_;     // that the log names
  std::string build_id_;             // of the library, once it has been looked into
  bool has_found_places_ = false;
  bool has_found_lines_ = false;
};

}  // namespace

int run(const SymbolizeCommand& command) {
  const auto library = open_to_read(command.file);
  if (!library) return complain(command.file.string() + " cannot be opened: " + last_error());
  if (!Symbolizer(Symbolizer::default_program()).is_there()) {
    return complain(Symbolizer::default_program().string() +
                    " is missing; install libdw-dev (elfutils) and build this program again");
  }
  LogReader reader(command, library);
  if (const auto read = reader.read(std::cin); read.has_error())
    return complain(command.file.string() + ": " + read.error().message);
  if (!reader.has_found_places()) {
    const auto place = command.file.filename().string() + "+0x1a2b";
    std::cerr << "mcp-plugin-host: the input names no place in this file, such as " << place
              << "; give it the log of the host that told the crash, and the file the name that it has there\n";
    return 1;
  }
  const auto others = reader.other_builds();
  if (others.empty() || reader.build_id().empty()) {
    if (reader.has_found_lines()) return 0;
    std::cerr << "mcp-plugin-host: " << command.file.string()
              << " has no debug data for the places that the input names; give it the file as it was before it was "
              << "stripped, or one of the same sources, compiled with -g\n";
    return 1;
  }
  std::cerr << "mcp-plugin-host: " << command.file.string()
            << " is not the build that crashed, so its lines may be others: "
            << "it has the build ID " << reader.build_id() << ", and the log names " << others << "\n";
  return 1;
}

}  // namespace mcph
