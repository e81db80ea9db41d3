#include "plugin/isolated/stack_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TracedLibrary traced_library{"/tmp/private copies/notes.1.so", "notes.so"};
const std::string own_place = traced_library.path + "+";

StackTrace trace(std::vector<std::string> lines) {
  return {"backtrace:", std::move(lines)};
}

TEST(StackTraceTest, TellsFunctionFileAndLineOfThePluginsFramesAndNothingBelowThem) {
  const std::vector traces{trace({"/lib/libc.so.6+0x10 abort", own_place + "0x20", own_place + "0x30",
                                  "/bin/mcp-plugin-worker+0x40", "/lib/libc.so.6+0x50 clone"})};
  EXPECT_THAT(places_in(traces, traced_library), ElementsAre("abort", "0x20", "0x30"));
  const Symbols symbols{{{{"abort", "", 0}},
                         {{"std::front()", "/usr/include/vector", 7}, {"title(Note)", "/src/notes.cpp", 97}},
                         {{"add_note()", "/src/notes.cpp", 182}}},
                        "1234"};
  const auto stacks = readable(traces, traced_library, symbols);
  EXPECT_EQ(stacks.place, "notes.cpp:97 in title(Note)");
  EXPECT_TRUE(stacks.has_line);
  EXPECT_EQ(stacks.build_id, "1234");
  EXPECT_THAT(stacks.lines,
              ElementsAre("backtrace:", "libc.so.6+0x10 abort", "std::front() at /usr/include/vector:7, inlined into",
                          "title(Note) at /src/notes.cpp:97", "add_note() at /src/notes.cpp:182"));
}

TEST(StackTraceTest, LeavesOutWhatCallsTheAuthorsCode) {
  const std::vector traces{trace({own_place + "0x1", own_place + "0x2", own_place + "0x3", own_place + "0x4"})};
  const Symbols symbols{{{{"add_note()", "/src/notes.cpp", 1}},
                         {{"R std::invoke<int>()", "/usr/include/invoke.h", 2}},
                         {{"decltype(auto) mcp::detail::call<int>(int)", "/opt/mcp/src/call.cpp", 3}},
                         {{"mcp::detail::dispatch()", "", 0}}},
                        {}};
  EXPECT_THAT(readable(traces, traced_library, symbols).lines,
              ElementsAre("backtrace:", "add_note() at /src/notes.cpp:1"));
  // Also what it was inlined into.
  const Symbols inlined{
      {{{"add_note()", "/src/notes.cpp", 1}, {"R std::invoke<int>()", "/usr/include/invoke.h", 2}}, {}, {}, {}}, {}};
  EXPECT_THAT(readable(traces, traced_library, inlined).lines,
              ElementsAre("backtrace:", "add_note() at /src/notes.cpp:1"));
}

TEST(StackTraceTest, TellsOffsetsWhereNothingIsKnown) {
  const std::vector traces{trace({own_place + "0x20 add_note", "0x7f00", own_place + "0x30"})};
  const auto stacks = readable(traces, traced_library, {});
  EXPECT_EQ(stacks.place, "notes.so+0x20 add_note");
  EXPECT_FALSE(stacks.has_line);
  EXPECT_THAT(stacks.lines, ElementsAre("backtrace:", "notes.so+0x20 add_note"));
}

TEST(StackTraceTest, TellsWhatRepeatsItselfOnce) {
  std::vector<std::string> lines{own_place + "0x9"};
  std::vector<std::vector<SourceFrame>> places{{{"leaf", "a.cpp", 9}}};
  for (int i = 0; i < 20; ++i) {
    lines.insert(lines.end(), {own_place + "0x1", own_place + "0x2"});
    places.insert(places.end(), {{{"even", "a.cpp", 1}}, {{"odd", "a.cpp", 2}}});
  }
  const std::vector traces{trace(lines)};
  EXPECT_THAT(readable(traces, traced_library, {places, {}}).lines,
              ElementsAre("backtrace:", "leaf at a.cpp:9", "even at a.cpp:1", "odd at a.cpp:2",
                          "... these 2, at least 19 more times"));
}

// With the frames of a recursion, 20 times, and then another one.
std::vector<std::string> lines_of_recursion(const std::vector<std::vector<SourceFrame>>& frames,
                                            const std::vector<SourceFrame>& caller) {
  std::vector<std::vector<SourceFrame>> places;
  for (int i = 0; i < 20; ++i)
    places.insert(places.end(), frames.begin(), frames.end());
  places.push_back(caller);
  const std::vector traces{trace(std::vector<std::string>(places.size(), own_place + "0x1"))};
  return readable(traces, traced_library, {places, {}}).lines;
}

TEST(StackTraceTest, TellsARecursionOnceThatIsInlinedIntoItself) {
  const SourceFrame parse{"parse", "a.cpp", 14};
  EXPECT_THAT(lines_of_recursion({{parse, parse, parse}}, {parse}),
              ElementsAre("backtrace:", "parse at a.cpp:14", "... at least 60 more times"));
  EXPECT_THAT(lines_of_recursion({{parse, parse, parse}}, {parse, {"setup", "a.cpp", 20}}),
              ElementsAre("backtrace:", "parse at a.cpp:14, inlined into", "... 60 more times", "setup at a.cpp:20"));
}

// As where a call takes several lines.
TEST(StackTraceTest, TellsARecursionOnceWhoseInlinedCallsHaveOtherLines) {
  const SourceFrame first{"parse", "a.cpp", 14};
  const SourceFrame second{"parse", "a.cpp", 15};
  EXPECT_THAT(lines_of_recursion({{second, second, second, second, first, first, first}}, {{"setup", "a.cpp", 20}}),
              ElementsAre("backtrace:", "parse at a.cpp:15, inlined into", "parse at a.cpp:15, inlined into",
                          "parse at a.cpp:15, inlined into", "parse at a.cpp:15, inlined into",
                          "parse at a.cpp:14, inlined into", "parse at a.cpp:14, inlined into", "parse at a.cpp:14",
                          "... these 7, 19 more times", "setup at a.cpp:20"));
}

TEST(StackTraceTest, TellsARecursionOnceThatEndsInTheMidstOfItsCircle) {
  const SourceFrame even{"even", "a.cpp", 1};
  const SourceFrame odd{"odd", "a.cpp", 2};
  EXPECT_THAT(lines_of_recursion({{even}, {odd}}, {even}),
              ElementsAre("backtrace:", "even at a.cpp:1", "odd at a.cpp:2", "... these 2, at least 19 more times"));
}

TEST(StackTraceTest, NamesNoPlaceOfSeveralThreads) {
  const std::vector traces{trace({own_place + "0x1"}), trace({own_place + "0x2"})};
  const auto stacks = readable(traces, traced_library, {{{{"a", "a.cpp", 1}}, {{"b", "b.cpp", 2}}}, {}});
  EXPECT_THAT(stacks.place, IsEmpty());
  EXPECT_THAT(stacks.lines, ElementsAre("backtrace:", "a at a.cpp:1", "backtrace:", "b at b.cpp:2"));
}

TEST(StackTraceTest, PlacesACrashInTheAuthorsCodeAndNotInTheLibrariesOfItsLanguage) {
  const SourceFrame authors{"broken", "/home/ada/runtime/weather.cpp", 9};
  const std::vector traces{trace({own_place + "0x1", own_place + "0x2"})};
  const std::vector<SourceFrame> borrowed{
      {"write_volatile<u8>", "/rustc/5980/library/core/src/ptr/mod.rs", 2178},
      {"unwrap", "/home/ada/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/option.rs", 7},
      {"from_str", "/home/ada/.cargo/registry/src/index-1/serde_json-1.0/src/de.rs", 7},
      {"call", "/opt/share/mcp-plugin-host/bindings/rust/mcp-plugin/src/tool.rs", 7},
      {"runtime.sigfwd", "/home/ada/sdk/go1.22/src/runtime/sys_linux_amd64.s", 342},
      {"runtime.raise", "runtime/os_linux.go", 3},
      {"mcp-plugin-host/mcp.(*Plugin).serve", "/opt/bindings/go/dispatch.go", 3},
      {"process.abort", "/opt/zig-0.17/lib/std/process.zig", 860},
      {"process.abort", "/opt/lib/zig/std/process.zig", 860},
      {"component.call", "/opt/bindings/zig/src/component.zig", 260},
      {"std::terminate()", "/usr/include/c++/14/exception", 1},
      {"mcp::detail::call()", "/opt/include/mcp/call.hpp", 1},
  };
  for (const auto& frame : borrowed) {
    EXPECT_EQ(readable(traces, traced_library, {{{frame}, {authors}}, {}}).place, "weather.cpp:9 in broken")
        << frame.function;
    const auto alone = readable(traces, traced_library, {{{frame}, {}}, {}});
    EXPECT_THAT(alone.place, testing::EndsWith(" in " + frame.function)) << "better than nothing";
  }
  for (const SourceFrame& frame : {SourceFrame{"runtime.go", "/home/ada/runtime.zig", 1},
                                   {"main.main", "/go/main.go", 1},
                                   {"rustc::run()", "/home/ada/rustc.cpp", 1}}) {
    EXPECT_THAT(readable(traces, traced_library, {{{frame}, {authors}}, {}}).place,
                testing::EndsWith(" in " + frame.function));
  }
}

// As of calls that end the process, which compilers merge.
TEST(StackTraceTest, PrefersTheAuthorsFunctionWithoutALineToALineOfALibrary) {
  const std::vector traces{trace({own_place + "0x1", own_place + "0x2", own_place + "0x3"})};
  const SourceFrame library_frame{"process.abort", "/opt/lib/std/process.zig", 860};
  const SourceFrame without_line{"weather.hello", "/src/weather.zig", 0};
  const auto stacks = readable(traces, traced_library, {{{library_frame}, {without_line}, {}}, {}});
  EXPECT_EQ(stacks.place, "notes.so+0x2 weather.hello");
  EXPECT_FALSE(stacks.has_line);
  const SourceFrame call{"weather.main", "/src/weather.zig", 7};
  const auto with_call = readable(traces, traced_library, {{{library_frame}, {without_line, call}, {}}, {}});
  EXPECT_EQ(with_call.place, "weather.zig:7 in weather.main");
  EXPECT_TRUE(with_call.has_line);
}

// A plugin can write whatever it likes where its worker tells of a crash.
TEST(StackTraceTest, BearsLinesThatAreNone) {
  const std::vector traces{trace({"", "+0x", " ", own_place, own_place + " ", "+0x1 +0x2", traced_library.path})};
  EXPECT_EQ(readable(traces, traced_library, {}).lines.size(), traces.front().lines.size() + 1);
  EXPECT_THAT(readable({}, traced_library, {{{}, {}}, {}}).lines, IsEmpty());
}

TEST(StackTraceTest, CutsLongNamesShort) {
  const std::vector traces{trace({own_place + "0x1"})};
  const auto stacks = readable(traces, traced_library, {{{{std::string(5000, 'f'), "a.cpp", 1}}}, {}});
  EXPECT_LT(stacks.place.size(), 300);
  EXPECT_LT(stacks.lines.back().size(), 400);
}

}  // namespace
}  // namespace mcph
