#include "plugin/isolated/stack_trace.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/utf8.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_function_bytes = 300;
constexpr std::size_t max_place_bytes = 200;

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(utf8_prefix(text, most)) + "...";
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// A line of a trace, which refers to its text.
struct TracedFrame {
  bool is_own = false;        // the plugin's code
  std::string_view file;      // empty: it is in none
  std::string_view offset;    // of the line that has no file: all of it
  std::string_view function;  // as the linker has it
};

TracedFrame frame_in(std::string_view line, const TracedLibrary& library) {
  const auto space = line.find(' ');
  const auto address = line.substr(0, space);
  const auto plus = address.rfind("+0x");
  // A path may have spaces.
  if (line.starts_with(library.path + "+0x")) {
    const auto rest = line.substr(library.path.size() + 1);
    const auto end = std::min(rest.find(' '), rest.size());
    return {true, library.name, rest.substr(0, end), rest.substr(std::min(end + 1, rest.size()))};
  }
  if (plus == std::string_view::npos) return {false, {}, line, {}};
  return {false, last_part(address.substr(0, plus)), address.substr(plus + 1),
          space == std::string_view::npos ? std::string_view() : line.substr(space + 1)};
}

// What a frame is asked for; empty: nothing.
std::string_view place_of(const TracedFrame& frame) {
  return frame.is_own ? frame.offset : frame.function;
}

// As addr2line takes it, and the function.
std::string words_for(const TracedFrame& frame, std::string_view function) {
  if (frame.file.empty()) return std::string(frame.offset);
  auto words = std::string(frame.file) + "+" + std::string(frame.offset);
  return function.empty() ? words : words + " " + shortened(function, max_function_bytes);
}

// What plugins in a language are made with: a part of its files' paths, and how its functions' names begin.
struct LanguageLibrary {
  std::string_view in_file;
  std::string_view function;
};
constexpr std::array language_libraries{
    LanguageLibrary{"/include/mcp/", ""},               // C++; its standard library is below /usr
    LanguageLibrary{"/rustc/", ""},                     // Rust, as it is shipped
    LanguageLibrary{"/rustlib/src/rust/library/", ""},  // and with its source
    LanguageLibrary{"/.cargo/", ""},
    LanguageLibrary{"/bindings/rust/mcp-plugin", ""},
    LanguageLibrary{".go", "runtime."},
    LanguageLibrary{".s", "runtime."},
    LanguageLibrary{".go", "mcp-plugin-host/mcp."},
    LanguageLibrary{"/lib/std/", ""},  // Zig
    LanguageLibrary{"/lib/zig/std/", ""},
    LanguageLibrary{"/bindings/zig/src/", ""},
};

// Whether a function is of the libraries that every plugin is made with, which are seldom to blame.
bool is_borrowed(const SourceFrame& frame) {
  // Of a template the type of its result stands before it.
  constexpr std::string_view result = "decltype(auto) ";
  std::string_view name = frame.function;
  if (name.starts_with(result)) name.remove_prefix(result.size());
  name = name.substr(0, name.find_first_of("<("));
  name = name.substr(name.rfind(' ') + 1);
  if (name.starts_with("mcp::")) return true;
  if (frame.file.empty()) return name.starts_with("std::") || name.starts_with("__gnu_cxx::");
  if (frame.file.starts_with("/usr/")) return true;
  return std::ranges::any_of(language_libraries, [&](const LanguageLibrary& library) {
    return frame.file.find(library.in_file) != std::string::npos && name.starts_with(library.function);
  });
}

std::string short_place(const SourceFrame& frame) {
  return std::string(last_part(frame.file)) + ":" + std::to_string(frame.line) + " in " +
         shortened(frame.function.empty() ? "?" : frame.function, max_place_bytes);
}

// Behind what is a part of the function in the next line.
constexpr std::string_view inlined_into = ", inlined into";

std::string_view without_inlining(std::string_view words) {
  if (words.ends_with(inlined_into)) words.remove_suffix(inlined_into.size());
  return words;
}

// A compiler inlines some calls of a recursion, and others not.
bool are_same_calls(std::span<const std::string> some, std::span<const std::string> others) {
  return std::ranges::equal(some, others, {}, without_inlining, without_inlining);
}

// How often the first `size` calls follow each other.
std::size_t times_of_first(std::size_t size, std::span<const std::string> calls) {
  std::size_t count = 1;
  while ((count + 1) * size <= calls.size() && are_same_calls(calls.first(size), calls.subspan(count * size, size))) {
    ++count;
  }
  return count;
}

// How many calls the first circle has: the shortest of those that go furthest. 0: there is none.
std::size_t size_of_circle(std::span<const std::string> calls) {
  constexpr std::size_t most = 64;
  constexpr std::size_t least = 3;  // times
  std::size_t best = 0;
  std::size_t furthest = 0;
  for (std::size_t size = 1; size <= most && size * least <= calls.size(); ++size) {
    const auto count = times_of_first(size, calls);
    if (count < least || count * size <= furthest) continue;
    best = size;
    furthest = count * size;
  }
  return best;
}

// A stack that has overflowed is one function again and again, or a few that call each other.
void add_without_repeats(std::span<const std::string> calls, std::vector<std::string>& lines) {
  while (!calls.empty()) {
    const auto size = size_of_circle(calls);
    if (size == 0) {
      lines.push_back(calls.front());
      calls = calls.subspan(1);
      continue;
    }
    const auto count = times_of_first(size, calls);
    // The last of them, for what follows is what that one is inlined into.
    const auto circle = calls.subspan((count - 1) * size, size);
    lines.insert(lines.end(), circle.begin(), circle.end());
    calls = calls.subspan(count * size);
    // A trace has only so many frames: what it ends within may have gone on.
    const bool may_go_on = calls.size() < size && are_same_calls(calls, circle.first(calls.size()));
    if (may_go_on) calls = {};
    lines.push_back("... " + std::string(size > 1 ? "these " + std::to_string(size) + ", " : "") +
                    (may_go_on ? "at least " : "") + std::to_string(count - 1) + " more times");
  }
}

// The frames that are of interest: up to the outermost one of the plugin's own, or all where there is none.
std::vector<TracedFrame> frames_of(const StackTrace& trace, const TracedLibrary& library) {
  std::vector<TracedFrame> frames;
  frames.reserve(trace.lines.size());
  for (const auto& line : trace.lines)
    frames.push_back(frame_in(line, library));
  const auto own = std::find_if(frames.rbegin(), frames.rend(), [](const TracedFrame& frame) { return frame.is_own; });
  if (own != frames.rend()) frames.erase(own.base(), frames.end());
  return frames;
}

// Makes frames readable, and remembers the place that is to be told first.
class TraceReader {
 public:
  explicit TraceReader(const Symbols& symbols) : symbols_(symbols) {}

  // Of one trace. What has called the author's own code is left out: it is the same for every plugin.
  std::vector<std::string> words_for_all(const std::vector<TracedFrame>& frames) {
    words_.clear();
    last_own_ = 0;
    for (const auto& frame : frames)
      add(frame);
    if (last_own_ != 0) words_.resize(last_own_);
    // Into what has called the author's own.
    if (!words_.empty()) words_.back().resize(without_inlining(words_.back()).size());
    return words_;
  }
  bool has_line() const { return first_choice_ || (second_choice_ && !has_offset_of_author_); }
  std::string place() const {
    if (!has_line()) return offset_;
    return first_choice_ ? *first_choice_ : *second_choice_;
  }

 private:
  void add(const TracedFrame& frame) {
    const auto& found = next_found(frame);
    const bool has_lines = std::ranges::any_of(found, [](const auto& each) { return each.line > 0; });
    if (!frame.is_own || !has_lines) {
      const auto known = found.empty() ? SourceFrame{std::string(frame.function), {}, 0} : found.back();
      words_.push_back(words_for(frame, known.function));
      if (!frame.is_own) return;
      const bool is_authors = !known.function.empty() && !is_borrowed(known);
      if (is_authors) last_own_ = words_.size();
      if (offset_.empty() || (is_authors && !has_offset_of_author_)) offset_ = words_.back();
      has_offset_of_author_ = has_offset_of_author_ || is_authors;
      return;
    }
    for (const auto& each : found) {
      const bool is_last = &each == &found.back();
      words_.push_back(mcph::words_for(each) + (is_last ? "" : std::string(inlined_into)));
      const bool has_line = each.line > 0;  // a compiler has none for code that several lines share
      if (has_line && !second_choice_) second_choice_ = short_place(each);
      if (is_borrowed(each)) continue;
      last_own_ = words_.size();
      if (has_line && !first_choice_) first_choice_ = short_place(each);
    }
  }
  const std::vector<SourceFrame>& next_found(const TracedFrame& frame) {
    static const std::vector<SourceFrame> none;
    if (place_of(frame).empty() || next_ >= symbols_.places.size()) return none;
    return symbols_.places[next_++];
  }

  const Symbols& symbols_;
  std::size_t next_ = 0;
  std::vector<std::string> words_;
  std::size_t last_own_ = 0;                  // how many words there are with the author's outermost
  std::optional<std::string> first_choice_;   // the author's own code
  std::optional<std::string> second_choice_;  // any with a line
  std::string offset_;
  bool has_offset_of_author_ = false;
};

}  // namespace

std::vector<std::string> places_in(const std::vector<StackTrace>& traces, const TracedLibrary& library) {
  std::vector<std::string> places;
  for (const auto& trace : traces) {
    for (const auto& frame : frames_of(trace, library)) {
      if (const auto place = place_of(frame); !place.empty()) places.emplace_back(place);
    }
  }
  return places;
}

ReadableStacks readable(const std::vector<StackTrace>& traces, const TracedLibrary& library, const Symbols& symbols) {
  ReadableStacks stacks{{}, false, {}, symbols.build_id};
  TraceReader reader(symbols);
  for (const auto& trace : traces) {
    stacks.lines.push_back(trace.title);
    add_without_repeats(reader.words_for_all(frames_of(trace, library)), stacks.lines);
  }
  if (traces.size() == 1) {
    stacks.place = reader.place();
    stacks.has_line = reader.has_line();
  }
  return stacks;
}

std::string words_for(const SourceFrame& frame) {
  auto words = frame.function.empty() ? "?" : shortened(frame.function, max_function_bytes);
  if (frame.line == 0) return words;
  return words + " at " + frame.file + ":" + std::to_string(frame.line);
}

}  // namespace mcph
