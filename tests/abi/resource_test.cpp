// Resources and resource templates: what they describe, what reading them gives, how they fail.
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

namespace {

using mcp::Json;
using mcp::testing::Harness;

struct Version {
  int major = 1;
  int minor = 2;
  static constexpr auto fields() {
    return std::tuple{mcp::field("major", &Version::major), mcp::field("minor", &Version::minor)};
  }
};

TEST(Resource, DescribesAllThatMcpLetsItCarry) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("notes://a", "a", "A note", [] { return "x"; })
        .title("A")
        .mime_type("text/plain")
        .size(1)
        .annotations({.audience = {mcp::Role::Assistant}, .priority = 1})
        .icon("https://example.org/a.png")
        .meta({{"k", 1}});
    plugin.resource_template("notes://{name}", "note", "One note", [] { return "x"; }).mime_type("text/plain");
  });
  EXPECT_EQ(harness.describe().dump(),
            R"({"resources":[{"uri":"notes://a","name":"a","title":"A","description":"A note",)"
            R"("mimeType":"text/plain","size":1,"annotations":{"audience":["assistant"],"priority":1},)"
            R"("icons":[{"src":"https://example.org/a.png"}],"_meta":{"k":1}}],)"
            R"("resourceTemplates":[{"uriTemplate":"notes://{name}","name":"note","description":"One note",)"
            R"("mimeType":"text/plain"}]})");
}

TEST(Resource, ContentsByType) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://text", "text", "", [] { return std::string("t"); }).mime_type("text/x");
    plugin.resource("r://bytes", "bytes", "", [] { return std::vector<unsigned char>{1, 2, 3}; });
    plugin.resource("r://stdbytes", "stdbytes", "", [] { return std::vector<std::byte>{std::byte{255}}; });
    plugin.resource("r://json", "json", "", [] { return Json{{"a", 1}}; });
    plugin.resource("r://struct", "struct", "", [] { return Version{}; });
    plugin.resource("r://own", "own", "",
                    [] {
                      return mcp::text_resource("t", "text/y").meta({{"k", 1}});
                    })
        .mime_type("text/x");
    plugin.resource("r://several", "several", "", [] {
      return mcp::ResourceContents{mcp::text_resource("a").uri("r://several/a"),
                                   mcp::blob_resource(std::string("b"), "image/png")};
    });
  });
  const auto contents = [&](const char* uri) { return harness.read(uri).json["contents"].dump(); };
  EXPECT_EQ(contents("r://text"), R"([{"mimeType":"text/x","text":"t","uri":"r://text"}])");
  EXPECT_EQ(contents("r://bytes"), R"([{"blob":"AQID","uri":"r://bytes"}])");
  EXPECT_EQ(contents("r://stdbytes"), R"([{"blob":"/w==","uri":"r://stdbytes"}])");
  EXPECT_EQ(contents("r://json"), R"([{"mimeType":"application/json","text":"{\"a\":1}","uri":"r://json"}])");
  EXPECT_EQ(contents("r://struct"),
            R"([{"mimeType":"application/json","text":"{\"major\":1,\"minor\":2}","uri":"r://struct"}])");
  EXPECT_EQ(contents("r://own"), R"([{"_meta":{"k":1},"mimeType":"text/y","text":"t","uri":"r://own"}])");
  EXPECT_EQ(contents("r://several"),
            R"([{"text":"a","uri":"r://several/a"},{"blob":"Yg==","mimeType":"image/png","uri":"r://several"}])");
}

TEST(Resource, OwnMimeTypeIsThatOfTheJsonThatAHandlerReturns) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://schema", "schema", "",
                    [] {
                      return Json{{"type", "object"}};
                    })
        .mime_type("application/schema+json");
    plugin.resource_template("r://version/{name}", "version", "", [] { return Version{}; }).mime_type("text/x");
  });
  EXPECT_EQ(harness.read("r://schema").json["contents"].dump(),
            R"([{"mimeType":"application/schema+json","text":"{\"type\":\"object\"}","uri":"r://schema"}])");
  EXPECT_EQ(harness.read("r://version/a").json["contents"].dump(),
            R"([{"mimeType":"text/x","text":"{\"major\":1,\"minor\":2}","uri":"r://version/a"}])");
}

TEST(Resource, CacheHintIsPartOfTheResult) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://a", "a", "", [] { return "a"; }).cache(std::chrono::seconds(2));
    plugin.resource("r://b", "b", "", [] { return "b"; }).cache(std::chrono::milliseconds(1), mcp::CacheScope::Public);
  });
  EXPECT_EQ(harness.read("r://a").json.dump(),
            R"({"cacheScope":"private","contents":[{"text":"a","uri":"r://a"}],"ttlMs":2000})");
  EXPECT_EQ(harness.read("r://b").json.dump(),
            R"({"cacheScope":"public","contents":[{"text":"b","uri":"r://b"}],"ttlMs":1})");
}

TEST(Resource, HandlersTakeWhatTheyNeed) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("r://uri", "uri", "", [](const mcp::Uri& uri) { return uri.text(); });
    plugin.resource("r://context", "context", "", [](mcp::Context& context) {
      context.info("read");
      return "c";
    });
    plugin.resource("r://both", "both", "", [](const mcp::Uri& uri, mcp::Context& context) {
      context.progress(1);
      return uri.text();
    });
  });
  EXPECT_EQ(harness.read("r://uri").text(), "r://uri");
  EXPECT_EQ(harness.read("r://context").text(), "c");
  EXPECT_EQ(harness.read("r://both").text(), "r://both");
  EXPECT_EQ(harness.logs().size(), 1U);
  EXPECT_EQ(harness.progress().size(), 1U);
}

TEST(Resource, TakesIconsAsAWhole) {
  const Harness harness([](mcp::Plugin& plugin) {
    plugin.resource("a://b", "b", "", [] { return ""; })
        .icon({.source = "https://a/b.png", .mime_type = "image/png", .sizes = {"48x48"}, .theme = mcp::Theme::Dark})
        .icon({.source = "https://a/c.png", .theme = mcp::Theme::Light});
  });
  EXPECT_EQ(harness.describe()["resources"][0]["icons"].dump(),
            R"([{"src":"https://a/b.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"},)"
            R"({"src":"https://a/c.png","theme":"light"}])");
}

TEST(Content, OfALinkCarriesWhatAResourceDoes) {
  const auto link = mcp::resource_link("a://b", "b").title("B").size(3).icons({{.source = "https://a/b.png"}});
  EXPECT_EQ(
      link.json(),
      R"({"type":"resource_link","uri":"a://b","name":"b","title":"B","size":3,"icons":[{"src":"https://a/b.png"}]})");
}

TEST(Content, EmbedsATextOrBytes) {
  EXPECT_EQ(mcp::embedded("a://b", "text/plain", "\"x\"").json(),
            R"({"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","text":"\"x\""}})");
  EXPECT_EQ(mcp::embedded("a://b", "", "").json(), R"({"type":"resource","resource":{"uri":"a://b","text":""}})");
  EXPECT_EQ(mcp::embedded_blob("a://b", "image/png", std::string("b")).json(),
            R"({"type":"resource","resource":{"uri":"a://b","mimeType":"image/png","blob":"Yg=="}})");
}

TEST(Content, EmbedsAResourceWithItsMeta) {
  EXPECT_EQ(mcp::embedded(mcp::text_resource("x", "text/plain").uri("a://b").meta({{"m", 1}})).json(),
            R"({"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","_meta":{"m":1},"text":"x"}})");
  EXPECT_THROW(mcp::embedded(mcp::text_resource("x")), std::invalid_argument);
}

TEST(ResourceTemplate, VariablesAreGivenDecoded) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("notes://{name}", "note", "", [](const mcp::Uri& uri) {
      return uri["name"] + '|' + uri.text() + '|' + uri.value_or("page", "1") + '|' + (uri.has("page") ? "y" : "n");
    });
    plugin.resource_template("docs://*", "docs", "", [](const mcp::Uri& uri) { return uri["*"]; });
    plugin.resource_template("bad://{x}/{z}", "bad", "", [](const mcp::Uri& uri) { return uri["y"]; });
  });
  EXPECT_EQ(harness.read_template("notes://{name}", {{"name", "a b"}}).text(), "a b|notes://a b|1|n");
  EXPECT_EQ(harness.read_template("docs://*", {{"*", "guide/start.md"}}).text(), "guide/start.md");
  const auto bad = harness.read_template("bad://{x}/{z}", {{"x", "1"}, {"z", "2"}});
  EXPECT_EQ(bad.error_code(), mcp::internal_error);
  EXPECT_EQ(bad.text(), R"(the URI has no variable "y", only "x", "z")");
}

enum class Kind { note, list };

TEST(ResourceTemplate, VariablesAreTakenByTheirTypes) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("users://{id}/{kind}", "user", "",
                             [](std::int64_t id, Kind kind, mcp::Context&) -> std::optional<std::string> {
                               if (id > 100) return std::nullopt;
                               return std::to_string(id) + (kind == Kind::note ? " note" : " list");
                             });
    plugin.resource_template("days://{day}", "day", "",
                             [](std::chrono::year_month_day day) { return std::to_string(unsigned(day.month())); });
    plugin.resource_template("docs://*", "docs", "", [](std::string_view path) { return std::string(path); });
  });
  const auto user = [&](const char* id, const char* kind) {
    return harness.read_template("users://{id}/{kind}", {{"id", id}, {"kind", kind}}).text();
  };
  EXPECT_EQ(user("-7", "note"), "-7 note");
  EXPECT_EQ(user("7", "list"), "7 list");
  const auto not_found = [](const std::string& uri) { return "Resource not found: " + uri; };
  EXPECT_EQ(user("101", "list"), not_found("users://101/list"));
  EXPECT_EQ(user("seven", "note"), not_found("users://seven/note"));
  EXPECT_EQ(user("7.5", "note"), not_found("users://7.5/note"));
  for (const auto* const other_spelling : {"07", "+7", "-0", "7e0", "7.0", " 7", "7\n"})
    EXPECT_EQ(harness.read_template("users://{id}/{kind}", {{"id", other_spelling}, {"kind", "note"}}).error_code(),
              mcp::resource_not_found)
        << other_spelling;
  EXPECT_EQ(user("99999999999999999999", "note"), not_found("users://99999999999999999999/note"));
  EXPECT_EQ(user("7", "picture"), not_found("users://7/picture"));
  EXPECT_EQ(harness.read_template("days://{day}", {{"day", "2026-11-24"}}).text(), "11");
  EXPECT_EQ(harness.read_template("days://{day}", {{"day", "today"}}).error_code(), mcp::resource_not_found);
  EXPECT_EQ(harness.read_template("docs://*", {{"*", "guide/1"}}).text(), "guide/1");
}

TEST(ResourceTemplate, ParametersOfAQueryAreOptionalValues) {
  const auto* const text = "notes://{folder*}{?words,limit}";
  Harness harness([&](mcp::Plugin& plugin) {
    plugin.resource_template(
        text, "notes", "",
        [](const std::string& folder, const std::optional<std::string>& words, std::optional<int> limit) {
          return folder + '|' + words.value_or("-") + '|' + std::to_string(limit.value_or(10));
        });
  });
  EXPECT_EQ(harness.read_template(text, {{"folder", "a/b"}}).text(), "a/b|-|10");
  EXPECT_EQ(harness.read_template(text, {{"folder", "a"}, {"words", "x y"}, {"limit", "3"}}).text(), "a|x y|3");
  EXPECT_EQ(harness.read_template(text, {{"folder", "a/b"}, {"limit", "many"}}).text(),
            "Resource not found: notes://a/b?limit=many");
}

std::string refusal(const char* uri_template, auto handler) {
  try {
    const Harness harness([&](mcp::Plugin& plugin) { plugin.resource_template(uri_template, "note", "", handler); });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(ResourceTemplate, ItsHandlerTakesAsManyValuesAsThereAreVariables) {
  EXPECT_EQ(refusal("notes://{name}", [](int, int) { return ""; }),
            R"(setup failed: resource template "notes://{name}": its handler takes 2 values, but it has 1 variable)");
  EXPECT_EQ(refusal("notes://{name}", [](int) { return ""; }), "none");
}

TEST(ResourceTemplate, ABraceThatIsNotClosedIsNamed) {
  constexpr auto why = R"(setup failed: resource template "notes://{name" has a "{" without its "}")";
  EXPECT_EQ(refusal("notes://{name", [](int) { return ""; }), why);
  EXPECT_EQ(refusal("notes://{name", [](const mcp::Uri&) { return ""; }), why);
}

TEST(ResourceTemplate, ItsHandlerDoesNotDemandAParameterOfAQuery) {
  EXPECT_EQ(
      refusal("notes://{name}{?words,limit}", [](int, std::optional<int>, int) { return ""; }),
      R"(setup failed: resource template "notes://{name}{?words,limit}": a URI need not have the parameter "limit" )"
      "of its query, so its handler takes a std::optional there");
}

TEST(Resource, Failures) {
  Harness harness([](mcp::Plugin& plugin) {
    plugin.resource_template("r://{x}", "r", "", [](const mcp::Uri& uri) -> std::optional<std::string> {
      if (uri["x"] == "nothing") return std::nullopt;
      if (uri["x"] == "thrown") throw mcp::NotFound(uri.text());
      if (uri["x"] == "failed") throw std::runtime_error("disk is full");
      if (uri["x"] == "protocol") throw mcp::ProtocolError(-32000, "custom");
      throw 5;
    });
  });
  const auto error = [&](const char* x) { return harness.read_template("r://{x}", {{"x", x}}).json.dump(); };
  EXPECT_EQ(error("nothing"),
            R"({"code":-32002,"data":{"uri":"r://nothing"},"message":"Resource not found: r://nothing"})");
  EXPECT_EQ(error("thrown"),
            R"({"code":-32002,"data":{"uri":"r://thrown"},"message":"Resource not found: r://thrown"})");
  EXPECT_EQ(error("failed"), R"({"code":-32603,"message":"disk is full"})");
  EXPECT_EQ(error("protocol"), R"({"code":-32000,"message":"custom"})");
  EXPECT_TRUE(harness.logs().empty());
  EXPECT_EQ(error("unknown"), R"({"code":-32603,"message":"The resource failed for an unknown reason."})");
  EXPECT_EQ(harness.logs().size(), 1U);
  EXPECT_EQ(harness.invoke("resources/read", {{"uri", "r://none"}}).error_code(), mcp::resource_not_found);
}

TEST(Resource, AUriWithAPlaceholderIsRefusedInWords) {
  try {
    const Harness harness([](mcp::Plugin& plugin) { plugin.resource("docs://*", "docs", "", [] { return ""; }); });
    FAIL() << "was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "setup failed: resource \"docs://*\": a URI with * or {} stands for many resources: use "
                 "resource_template");
  }
}

}  // namespace
