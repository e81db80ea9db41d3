#include "plugin/isolated/stack_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const TracedLibrary library{"/tmp/private copies/notes.1.so", "notes.so"};
const std::string own = library.path + "+";

StackTrace trace(std::vector<std::string> lines) {
  return {"backtrace:", std::move(lines)};
}

TEST(StackTraceTest, TellsFunctionFileAndLineOfThePluginsFramesAndNothingBelowThem) {
  const std::vector traces{trace({"/lib/libc.so.6+0x10 abort", own + "0x20", own + "0x30",
                                  "/bin/mcp-plugin-worker+0x40", "/lib/libc.so.6+0x50 clone"})};
  EXPECT_THAT(places_in(traces, library), ElementsAre("abort", "0x20", "0x30"));
  const Symbols symbols{{{{"abort", "", 0}},
                         {{"std::front()", "/usr/include/vector", 7}, {"title(Note)", "/src/notes.cpp", 97}},
                         {{"add_note()", "/src/notes.cpp", 182}}},
                        "1234"};
  const auto stacks = readable(traces, library, symbols);
  EXPECT_EQ(stacks.place, "notes.cpp:97 in title(Note)");
  EXPECT_TRUE(stacks.has_line);
  EXPECT_EQ(stacks.build_id, "1234");
  EXPECT_THAT(stacks.lines,
              ElementsAre("backtrace:", "libc.so.6+0x10 abort", "std::front() at /usr/include/vector:7, inlined into",
                          "title(Note) at /src/notes.cpp:97", "add_note() at /src/notes.cpp:182"));
}

TEST(StackTraceTest, LeavesOutWhatCallsTheAuthorsCode) {
  const std::vector traces{trace({own + "0x1", own + "0x2", own + "0x3", own + "0x4"})};
  const Symbols symbols{{{{"add_note()", "/src/notes.cpp", 1}},
                         {{"R std::invoke<int>()", "/usr/include/invoke.h", 2}},
                         {{"decltype(auto) mcp::detail::call<int>(int)", "/opt/mcp/src/call.cpp", 3}},
                         {{"mcp::detail::dispatch()", "", 0}}},
                        {}};
  EXPECT_THAT(readable(traces, library, symbols).lines, ElementsAre("backtrace:", "add_note() at /src/notes.cpp:1"));
}

TEST(StackTraceTest, TellsOffsetsWhereNothingIsKnown) {
  const std::vector traces{trace({own + "0x20 add_note", "0x7f00", own + "0x30"})};
  const auto stacks = readable(traces, library, {});
  EXPECT_EQ(stacks.place, "notes.so+0x20 add_note");
  EXPECT_FALSE(stacks.has_line);
  EXPECT_THAT(stacks.lines, ElementsAre("backtrace:", "notes.so+0x20 add_note"));
}

TEST(StackTraceTest, TellsWhatRepeatsItselfOnce) {
  std::vector<std::string> lines{own + "0x9"};
  std::vector<std::vector<SourceFrame>> places{{{"leaf", "a.cpp", 9}}};
  for (int i = 0; i < 20; ++i) {
    lines.insert(lines.end(), {own + "0x1", own + "0x2"});
    places.insert(places.end(), {{{"even", "a.cpp", 1}}, {{"odd", "a.cpp", 2}}});
  }
  const std::vector traces{trace(lines)};
  EXPECT_THAT(
      readable(traces, library, {places, {}}).lines,
      ElementsAre("backtrace:", "leaf at a.cpp:9", "even at a.cpp:1", "odd at a.cpp:2", "... these 2, 19 more times"));
}

TEST(StackTraceTest, NamesNoPlaceOfSeveralThreads) {
  const std::vector traces{trace({own + "0x1"}), trace({own + "0x2"})};
  const auto stacks = readable(traces, library, {{{{"a", "a.cpp", 1}}, {{"b", "b.cpp", 2}}}, {}});
  EXPECT_THAT(stacks.place, IsEmpty());
  EXPECT_THAT(stacks.lines, ElementsAre("backtrace:", "a at a.cpp:1", "backtrace:", "b at b.cpp:2"));
}

// A plugin can write whatever it likes where its worker tells of a crash.
TEST(StackTraceTest, BearsLinesThatAreNone) {
  const std::vector traces{trace({"", "+0x", " ", own, own + " ", "+0x1 +0x2", library.path})};
  EXPECT_EQ(readable(traces, library, {}).lines.size(), traces.front().lines.size() + 1);
  EXPECT_THAT(readable({}, library, {{{}, {}}, {}}).lines, IsEmpty());
}

TEST(StackTraceTest, CutsLongNamesShort) {
  const std::vector traces{trace({own + "0x1"})};
  const auto stacks = readable(traces, library, {{{{std::string(5000, 'f'), "a.cpp", 1}}}, {}});
  EXPECT_LT(stacks.place.size(), 300);
  EXPECT_LT(stacks.lines.back().size(), 400);
}

}  // namespace
}  // namespace mcph
