// What `mcp-plugin-host check` finds: each of the faults that faulty.cpp and careless.cpp can have, by the check that
// is for it, and nothing in a plugin that is sound. Each test runs the program on a copy of the plugin with the fault's
// name.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome run_once(const std::string& arguments) {
  const auto command = std::string(CHECK_PROGRAM) + " check " + arguments + " 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  std::array<char, 4096> piece{};
  for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    outcome.output.append(piece.data(), size);
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

// Some checks compare times, and are left out where the machine has become busy meanwhile. They must not be left out
// again and again.
Outcome run(const std::string& arguments) {
  auto outcome = run_once(arguments);
  for (int more = 2; more > 0 && outcome.output.find("take much longer than before") != std::string::npos; --more)
    outcome = run_once(arguments);
  return outcome;
}

// A copy of a plugin in a folder of its own, with a configuration.
class PlacedPlugin {
 public:
  PlacedPlugin(const std::string& library, const std::string& fault, json configuration = json::object()) {
    auto name = (fs::temp_directory_path() / "check-test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    fs::copy_file(fs::path(CHECK_PLUGINS) / (library + ".so"), file());
    configuration["fault"] = fault;
    std::ofstream(folder_ / "faulty.json") << configuration;
  }
  ~PlacedPlugin() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  PlacedPlugin(const PlacedPlugin&) = delete;
  PlacedPlugin& operator=(const PlacedPlugin&) = delete;

  fs::path file() const { return folder_ / "faulty.so"; }

 private:
  fs::path folder_;
};

struct Fault {
  std::string name;   // as faulty.cpp has it
  std::string check;  // that finds it
  std::string words;  // of what it finds
  std::string library = "faulty";
  bool is_warning = false;
  std::string options = "--timeout 1";
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

std::string test_name(const testing::TestParamInfo<Fault>& info) {
  std::string name;
  bool upper = true;
  for (const char c : info.param.name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) name += upper ? static_cast<char>(std::toupper(byte)) : c;
    upper = std::isalnum(byte) == 0;
  }
  return name;
}

class CheckFinds : public testing::TestWithParam<Fault> {};

TEST_P(CheckFinds, Fault) {
  const auto& fault = GetParam();
  const PlacedPlugin plugin(fault.library, fault.name);
  const auto [status, output] = run("--json " + fault.options + " " + plugin.file().string());
  const auto report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(status, fault.is_warning ? 0 : 1) << output;
  std::string found;
  for (const auto& check : report["checks"]) {
    if (check["name"] != fault.check) continue;
    EXPECT_EQ(check["status"], fault.is_warning ? "warning" : "failed");
    for (const auto& finding : check["findings"])
      found += finding["text"].get<std::string>() + "\n";
  }
  EXPECT_NE(found.find(fault.words), std::string::npos) << output;
}

// clang-format off
const std::array faults{
    Fault{"throws in describe", "load", "describe let an exception escape: no words"},
    Fault{"aborts in describe", "load", "SIGABRT"},
    Fault{"starts slowly", "load", "its start took", "faulty", true},
    Fault{"describes something else each time", "describe", "first at /tools/0/description"},
    Fault{"no description", "descriptions", "tool \"measure\" has no description", "faulty", true},
    Fault{"requires what it does not describe", "schemas", "requires \"unit\", which is not among its properties"},
    Fault{"default that does not fit", "schemas", "/properties/times has the default 0"},
    Fault{"example that does not fit", "schemas", "/properties/text has the example 7"},
    Fault{"minimum above the maximum", "schemas", "minimum above its maximum"},
    Fault{"never completes", "tools", "not completed within 1 s, and not after its cancellation either"},
    Fault{"ignores its cancellation", "tools", "not after its cancellation either"},
    Fault{"takes longer than it says", "tools", "only when it was cancelled, after the 300 ms of its own timeoutMs"},
    Fault{"exits", "tools", "exited with status 0 while it served measure"},
    Fault{"throws in invoke", "tools", "let an exception escape"},
    Fault{"unknown outcome", "tools", "unknown outcome 7"},
    Fault{"result of another type", "tools", "it lacks the array \"content\""},
    Fault{"result that is no JSON", "tools", "not valid JSON"},
    Fault{"result that is no UTF-8", "tools", "UTF-8"},
    Fault{"unknown kind of content", "tools", "content[0] has the unknown type \"smell\""},
    Fault{"output that does not fit", "tools", "structuredContent/size does not fit the tool's outputSchema"},
    Fault{"error without a code", "tools", "lacks the whole number \"code\""},
    Fault{"does not know its own tool", "tools", "the error -32601"},
    Fault{"asks for an object", "tools", "forms have no other fields"},
    Fault{"asks without end", "tools", "asked its client more than 32 times"},
    Fault{"resource that cannot be read", "resources", "describe only what can be had"},
    Fault{"resource without contents", "resources", "neither a \"text\" nor a \"blob\""},
    Fault{"template that fails", "resource-templates", "the error -32603"},
    Fault{"prompt with an unknown role", "prompts", "neither \"user\" nor \"assistant\""},
    Fault{"crashes on an empty text", "border-arguments", "\"text\" empty"},
    Fault{"crashes on a foreign text", "border-arguments", "SIGSEGV"},
    Fault{"crashes on a long text", "border-arguments", "\"text\" long"},
    Fault{"hangs on its maximum", "border-arguments", "\"times\" at its maximum"},
    Fault{"crashes on its maximum", "border-arguments", "\"times\" at its maximum"},
    Fault{"crashes on what the host refuses", "invalid-arguments", "SIGSEGV", "faulty", true},
    Fault{"crashes on an unknown name", "unknown-names", "SIGSEGV"},
    Fault{"completion that fails", "completion", "it answered with an error; where nothing is known"},
    Fault{"completion of another type", "completion", "something invalid"},
    Fault{"crashes when it is declined", "questions", "SIGSEGV"},
    Fault{"crashes when it is dismissed", "questions", "SIGSEGV"},
    Fault{"forgets a call that is cancelled", "cancel", "not completed within 2 s of its cancellation", "faulty", false, "--only cancel"},
    Fault{"deadlocks when called at once", "parallel", "not completed within 1 s"},
    Fault{"progress that goes backwards", "progress", "went from 2.0 to 1.0"},
    Fault{"crashes in stop", "stop", "SIGSEGV"},
    Fault{"blocks in stop", "stop", "did not stop within 1 s"},
    Fault{"can only start once", "describe", "it has been started before"},
    Fault{"forgets its calls when the host ends", "stop-with-calls", "heed MCP_CANCEL_SHUTDOWN", "faulty", false, "--only stop-with-calls"},
    Fault{"can only be there once", "replace", "somebody has the lock"},
    Fault{"leaks threads", "threads", "more each time"},
    Fault{"leaks descriptors", "descriptors", "more each time"},
    Fault{"leaks memory", "memory", "more each time"},
    Fault{"exports too much", "symbols", "symbols beside its entry function", "faulty_exporting", true},
    Fault{"leaves a thread after its end", "after-stop", "threads run after stop has returned"},
    Fault{"calls the host after its end", "after-stop", "it called the host after stop"},
    Fault{"leaves a descriptor after its end", "after-stop", "1 descriptors open after stop"},
    Fault{"cannot be unloaded", "unload", "-z nodelete", "faulty_staying", true},
    Fault{"completes twice", "contract", "unknown or completed already"},
    Fault{"answers with bytes", "contract", "tool \"answer_bytes\" answers with the character U+FFFD", "careless", true},
    Fault{"throws a number", "contract", "tool \"throw_number\" threw something that is not a std::exception", "careless", true},
    Fault{"throws in cancel", "contract", "cancel let an exception escape", "faulty", false, "--only cancel --only contract"},
};
// clang-format on
INSTANTIATE_TEST_SUITE_P(A, CheckFinds, testing::ValuesIn(faults), test_name);

// The name that each line of the list begins with.
std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  std::istringstream lines(run("--list").output);
  for (std::string line; std::getline(lines, line);)
    names.push_back(line.substr(0, line.find(':')));
  return names;
}

std::vector<std::string> names_in(const json& report) {
  std::vector<std::string> names;
  for (const auto& check : report["checks"])
    names.push_back(check["name"]);
  return names;
}

// Also where the machine is so busy that it takes long to load.
bool has_passed(const json& check) {
  if (check["status"] == "passed") return true;
  return check["name"] == "load" && check["status"] == "warning" && check.dump().find(" took ") != std::string::npos;
}

// Nothing is found where nothing is wrong, and all that there is to check is checked.
TEST(Check, FindsNothingInASoundPlugin) {
  const PlacedPlugin plugin("faulty", "none");
  const auto [status, output] = run("--json " + plugin.file().string());
  EXPECT_EQ(status, 0);
  const auto report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(names_in(report), listed_names());
  for (const auto& check : report["checks"])
    EXPECT_TRUE(has_passed(check)) << check;
}

// What the check of that name says, and its status.
json result_of(const std::string& name, const std::string& arguments) {
  const auto [status, output] = run("--json --only " + name + " " + arguments);
  const auto report = json::parse(output, nullptr, false);
  if (!report.is_object() || report["checks"].size() != 2) return output;
  return report["checks"][1];
}

TEST(Check, TellsWhereItCrashed) {
  const PlacedPlugin plugin("faulty", "crashes on a foreign text");
  const auto result = result_of("border-arguments", plugin.file().string());
  // The line is known where there is a symbolizer and debug data.
  EXPECT_TRUE(std::regex_search(result.dump(), std::regex(R"(SIGSEGV[^;]*; it was at faulty\.(cpp:|so\+0x))")))
      << result;
}

TEST(Check, TellsWhereItHangs) {
  const PlacedPlugin plugin("faulty", "ignores its cancellation");
  for (const std::string check : {"tools", "cancel", "stop-with-calls"}) {
    const auto result = result_of(check, "--timeout 1 " + plugin.file().string());
    EXPECT_TRUE(std::regex_search(result.dump(), std::regex(R"(; it was at faulty\.(cpp:|so\+0x))"))) << result;
  }
}

TEST(Check, FindsProgressWhereNothingElseIsChecked) {
  const PlacedPlugin plugin("faulty", "progress that goes backwards");
  EXPECT_EQ(result_of("progress", plugin.file().string())["status"], "failed");
}

TEST(Check, CallsNoUnknownToolWhereSomeDoNotOnlyRead) {
  const PlacedPlugin plugin("faulty", "crashes on an unknown name");
  EXPECT_EQ(result_of("unknown-names", "--only-read-only " + plugin.file().string())["status"], "passed");
}

TEST(Check, GivesASharedProcessWhatHostsOffer) {
  const PlacedPlugin plugin("faulty", "needs what hosts offer");
  for (const auto* const name : {"after-stop", "unload"}) {
    const auto result = result_of(name, plugin.file().string());
    EXPECT_EQ(result["status"], "passed") << result;
  }
}

// There the plugin would run without them.
TEST(Check, LeavesOutASharedProcessWhereThePluginHasBounds) {
  const std::array<json, 2> bounds{json{{"limits", {{"openFiles", 100}}}},
                                   json{{"sandbox", {{"profile", "permissive"}}}}};
  for (const auto& configuration : bounds) {
    const PlacedPlugin plugin("faulty", "leaves a thread after its end", configuration);
    for (const auto* const name : {"after-stop", "unload"}) {
      const auto result = result_of(name, plugin.file().string());
      EXPECT_EQ(result["status"], "skipped") << result;
      EXPECT_NE(result.dump().find("its configuration has "), std::string::npos) << result;
    }
  }
}

TEST(Check, LeavesThreadsToWhatIsNeverUnloaded) {
  const PlacedPlugin plugin("faulty_resident", "leaves a thread after its end");
  EXPECT_EQ(result_of("after-stop", plugin.file().string())["status"], "passed");
  const auto result = result_of("unload", plugin.file().string());
  EXPECT_NE(result.dump().find("MCP_PLUGIN_NEVER_UNLOAD"), std::string::npos) << result;
}

// Though it is checked in a worker.
TEST(Check, RefusesForTheHostsOwnProcessWhatItsHostRefuses) {
  const json in_process{{"isolation", "in-process"}};
  const PlacedPlugin staying("faulty_staying", "none", in_process);
  const auto [status, output] = run("--json --only load " + staying.file().string());
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("it is refused: it is to run in the host's own process, and it was linked with -z nodelete"),
            std::string::npos)
      << output;

  // What its table says is known when it has been loaded.
  const PlacedPlugin resident("faulty_resident", "none", in_process);
  const auto result = result_of("unload", resident.file().string());
  EXPECT_EQ(result["status"], "failed") << result;
  EXPECT_NE(result.dump().find("it is refused: it is to run in the host's own process, and it says MCP_PLUGIN_NEVER"),
            std::string::npos)
      << result;

  const PlacedPlugin allowed("faulty_staying", "none", {{"isolation", "in-process-resident"}});
  EXPECT_EQ(run("--only load " + allowed.file().string()).status, 0);
}

class CheckPasses : public testing::TestWithParam<std::string> {};

TEST_P(CheckPasses, AShippedPlugin) {
  const auto [status, output] = run("--json " + (fs::path(CHECK_COMPONENTS) / GetParam()).string());
  EXPECT_EQ(status, 0) << output;
  const auto report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(names_in(report), listed_names());
  for (const auto& check : report["checks"])
    EXPECT_TRUE(has_passed(check) || check["status"] == "skipped") << check;
}

TEST(Check, FindsNothingInASoundBundle) {
  const auto [status, output] = run("--json --skip descriptions " CHECK_BUNDLE);
  EXPECT_EQ(status, 0) << output;
  const auto report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  for (const auto& check : report["checks"]) {
    const bool is_of_library = check["name"] == "after-stop" || check["name"] == "unload";
    EXPECT_TRUE(has_passed(check) || (check["status"] == "skipped" && !is_of_library)) << check;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CheckPasses,
                         testing::Values("tools/calculator.so", "tools/chart.so", "tools/clock.so", "resources/docs.so",
                                         "resources/files.so", "tools/mock.so", "resources/profile.so",
                                         "resources/server.so", "prompts/prompts.so"),
                         [](const auto& each) { return fs::path(each.param).stem().string(); });
#ifdef CHECK_SQLITE_PLUGINS
INSTANTIATE_TEST_SUITE_P(EachOnSqlite, CheckPasses,
                         testing::Values("tools/data.so", "tools/knowledge.so", "tools/memory.so"),
                         [](const auto& each) { return fs::path(each.param).stem().string(); });

// With what makes them offer something.
class CheckPassesConfigured : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(CheckPassesConfigured, AShippedPlugin) {
  const auto& [name, configuration] = GetParam();
  mcph::test::TemporaryFolder folder;
  folder.write("read/words.md", "# Words\n");
  auto text = std::string(configuration);
  if (const auto at = text.find("FOLDER"); at != std::string::npos)
    text.replace(at, 6, (folder.path() / "read").string());
  folder.write(std::string(name) + ".json", text);
  const auto library = folder.path() / (std::string(name) + ".so");
  fs::copy_file(fs::path(CHECK_COMPONENTS) / "tools" / library.filename(), library);
  const auto [status, output] = run("--json " + library.string());
  EXPECT_EQ(status, 0) << output;
  const auto report = json::parse(output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  for (const auto& check : report["checks"])
    EXPECT_TRUE(has_passed(check) || check["status"] == "skipped") << check;
}

INSTANTIATE_TEST_SUITE_P(Each, CheckPassesConfigured,
                         testing::Values(std::pair("data", R"({"folder": "FOLDER"})"),
                                         std::pair("knowledge", R"({"folder": "FOLDER"})"),
                                         std::pair("memory", R"({"enabled": true})")),
                         [](const auto& each) { return std::string(each.param.first); });
#endif

TEST(Check, SaysWhatItChecksWithoutAPlugin) {
  const auto [status, output] = run("--list");
  EXPECT_EQ(status, 0);
  for (const auto& fault : faults)
    EXPECT_NE(output.find(fault.check + ": "), std::string::npos) << fault.check;
  // Each has its line in the document, and is known by some fault.
  std::ifstream file(CHECK_DOCUMENT);
  const std::string document(std::istreambuf_iterator<char>(file), {});
  for (const auto& name : listed_names()) {
    EXPECT_NE(document.find("`" + name + "`"), std::string::npos) << name;
    EXPECT_TRUE(std::ranges::any_of(faults, [&](const Fault& fault) { return fault.check == name; })) << name;
  }
}

TEST(Check, IsNotCarriedOutWithWhatIsNotThere) {
  EXPECT_EQ(run("--only nothing " CHECK_PLUGINS "/faulty.so").status, 2);
  EXPECT_EQ(run("nowhere.so").status, 2);
  EXPECT_EQ(run("").status, 2);
}

TEST(Check, RunsOnlyWhatIsWanted) {
  const PlacedPlugin plugin("faulty", "never completes");
  const auto file = plugin.file().string();
  const auto report = json::parse(run("--json --only symbols --only schemas " + file).output, nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(names_in(report), (std::vector<std::string>{"load", "schemas", "symbols"}));
}

TEST(Check, CallsOnlyToolsThatReadWhereThatIsWanted) {
  const PlacedPlugin plugin("faulty", "none");
  const auto [status, output] = run("--only-read-only --only tools " + plugin.file().string());
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("tool \"ask\" is not called, because it does not say readOnlyHint"), std::string::npos)
      << output;
}

TEST(Check, WritesWhatBuildServersRead) {
  const PlacedPlugin plugin("faulty", "result of another type");
  const auto [status, output] = run("--junit --only tools " + plugin.file().string());
  EXPECT_EQ(status, 1);
  EXPECT_NE(output.find("<testcase classname=\"faulty.so\" name=\"tools\""), std::string::npos) << output;
  EXPECT_NE(output.find("<failure message=\"tool &quot;measure&quot;"), std::string::npos) << output;
}

TEST(Check, WritesXmlAlsoOfANameThatIsNoUtf8) {
  const PlacedPlugin plugin("faulty", "none");
  const auto file = plugin.file().parent_path() / "odd\xFF.so";
  fs::copy_file(plugin.file(), file);
  const auto output = run("--junit --only symbols " + file.string()).output;
  EXPECT_NE(output.find("classname=\"odd\xEF\xBF\xBD.so\""), std::string::npos) << output;
  EXPECT_EQ(output.find('\xFF'), std::string::npos) << output;
}

}  // namespace
