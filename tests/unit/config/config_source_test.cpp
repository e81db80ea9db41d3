#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.hpp"
#include "schema/schema.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

class ConfigSourceTest : public ::testing::Test {
 protected:
  Result<Config> load(const std::string& text, std::vector<Override> overrides = {}) {
    temporary_.write("host.toml", text);
    return ConfigSource({}, file_, std::move(overrides)).load();
  }
  // Without the file's name, which stands before each.
  std::string mistakes_in(const std::string& text, std::vector<Override> overrides = {}) {
    const auto config = load(text, std::move(overrides));
    if (config.has_value()) return "none";
    auto words = config.error().message;
    const auto name = file_.string() + ":";
    for (auto at = words.find(name); at != std::string::npos; at = words.find(name, at))
      words.erase(at, name.size());
    return words;
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path file_ = temporary_.path() / "host.toml";
};

TEST_F(ConfigSourceTest, IsTheDefaultsWithoutAFile) {
  const auto config = ConfigSource({}, {}, {}).load();
  ASSERT_TRUE(config);
  EXPECT_EQ(config_form().show(*config), config_form().show(Config()));
}

TEST_F(ConfigSourceTest, ReadsWhatAFileSays) {
  const auto config = load(R"(
[server]
name = "team"
[http]
listen = "[::1]:0"
allow_hosts = ["Tools.Example"]
idle_time_ms = 250
[log]
level = "debug"
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->host.identity.name, "team");
  EXPECT_EQ(config->http.listen.authority(), "[::1]:0");
  EXPECT_THAT(config->access.allowed_hosts, ElementsAre("tools.example"));
  EXPECT_TRUE(config->access.loopback_only);
  EXPECT_EQ(config->http.limits.idle_time.count(), 250);
  EXPECT_EQ(config->host.log_level, Log::Level::debug);
}

TEST_F(ConfigSourceTest, SaysOfEveryMistakeWhereItIs) {
  EXPECT_EQ(mistakes_in("[http]\nlisten = \"127.0.0.1:99999\"\nmax_sessions = 0\nallow_hosts = [\"a\", \"b:80\"]\n"
                        "[serving]\npage_size = \"ten\"\n"),
            "2:10: \"listen\" must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, or none, but is "
            "\"127.0.0.1:99999\"\n"
            "3:16: \"max_sessions\" must be at least 1, but is 0\n"
            "4:21: \"allow_hosts[1]\" must be a host name without a port, but is \"b:80\"\n"
            "6:13: \"page_size\" must be an integer, but is \"ten\"");
}

TEST_F(ConfigSourceTest, ReadsHowConnectionsAreMadeAndWhatTheyShow) {
  const auto config = load(R"(
[http]
listen = "none"
unix_socket = "host.sock"
[tls]
certificate = "server.pem"
key = "/etc/key.pem"
client_ca = "clients.pem"
client_certificates = "optional"
client_subject = "san_uri"
[proxy]
from = ["unix", "mtls#spiffe://x/front"]
user_header = "X-User"
trusted_addresses = ["10.0.0.0/8", "::1"]
[roles.user]
issuers = ["mtls", "proxy"]
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->http.listen.is_none());
  EXPECT_TRUE(config->access.loopback_only);
  EXPECT_EQ(config->http.unix_socket, temporary_.path() / "host.sock");
  EXPECT_EQ(config->tls.certificate, temporary_.path() / "server.pem");
  EXPECT_EQ(config->tls.key, "/etc/key.pem");
  EXPECT_TRUE(config->knows_credentials());
  EXPECT_EQ(config_form().show(*config)["proxy"]["trusted_addresses"], OrderedJson({"10.0.0.0/8", "::1"}));
}

TEST_F(ConfigSourceTest, HasTheOperatorsSocketWhereTheFileLies) {
  const auto control = [&](const std::string& written) {
    const auto config = load("[serving]\ncontrol = \"" + written + "\"\n");
    return config ? config->host.control : config.error().message;
  };
  EXPECT_EQ(control("run/host.sock"), temporary_.path() / "run/host.sock");
  EXPECT_EQ(control("/run/host.sock"), "/run/host.sock");
  EXPECT_EQ(control("none"), "none");
}

TEST_F(ConfigSourceTest, SaysWhichPrincipalIsNobodys) {
  const std::string tokens = "[tokens]\nfile = \"t\"\n[roles.user]\n";
  EXPECT_EQ(mistakes_in(tokens + "principals = [\"host#ada\", \"ada\", \"hst#ada\", \"host#\", \"mtls#ada\"]\n"),
            "4:27: \"principals[1]\" must be ISSUER#SUBJECT, such as host#ada, of an issuer that there is, but is "
            "\"ada\"\n"
            "4:34: \"principals[2]\" must be ISSUER#SUBJECT, such as host#ada, of an issuer that there is, but is "
            "\"hst#ada\"\n"
            "4:45: \"principals[3]\" must be ISSUER#SUBJECT, such as host#ada, of an issuer that there is, but is "
            "\"host#\"\n"
            "4:54: \"principals[4]\" must be ISSUER#SUBJECT, such as host#ada, of an issuer that there is, but is "
            "\"mtls#ada\"");
}

TEST_F(ConfigSourceTest, TakesAnIssuerOfAPrincipalByItsNameOrItsUrl) {
  const auto config = load(R"(
[server]
url = "https://mcp.example"
[issuers.company]
issuer = "https://issuer.example"
[roles.user]
principals = ["company#ada", "https://issuer.example#bob"]
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(settled_roles(*config).at("user").principals,
            (std::vector<std::string>{"https://issuer.example#ada", "https://issuer.example#bob"}));
}

TEST_F(ConfigSourceTest, HasNoIssuerWithANameThatThisHostHasForOthers) {
  for (const std::string name : {"host", "stdio", "operator", "mtls", "proxy"}) {
    EXPECT_EQ(mistakes_in("[server]\nurl = \"https://mcp.example\"\n[issuers." + name +
                          "]\nissuer = \"https://issuer.example\"\n[roles.user]\n"),
              "3:10: \"" + name + "\" is a name that roles have for others");
  }
}

TEST_F(ConfigSourceTest, SaysNothingOfATableThatTheFileDoesNotHave) {
  EXPECT_EQ(mistakes_in("[tokens]\nfile = \"t\"\n[roles.user]\nscopes = [\"a\"]\n"),
            "3:8: \"user\" has scopes or groups, which need [issuers.NAME], or for groups [proxy] groups_header");
}

TEST_F(ConfigSourceTest, RefusesAPathThatIsTooLongForASocket) {
  const auto path = "/" + std::string(107, 'x');
  for (const std::string setting : {"[http]\nunix_socket", "[serving]\ncontrol"}) {
    EXPECT_THAT(mistakes_in(setting + " = \"" + path + "\"\n"),
                EndsWith(" is too long a path for a socket; name a shorter one"));
  }
}

TEST_F(ConfigSourceTest, SaysWhatIsLikelyToBeWrongWhereTheTextIsNoToml) {
  EXPECT_EQ(mistakes_in("[http]\nlisten = \"127.0.0.1:9000\n"), "2:25: the string has no closing quote in its line");
  EXPECT_THAT(mistakes_in("[http]\nlisten = 127.0.0.1:9000\n"), EndsWith("; a text must be in quotes"));
  EXPECT_THAT(mistakes_in("[http]\nlisten = localhost\n"), EndsWith("; a text must be in quotes"));
}

TEST_F(ConfigSourceTest, HasTwoListenersAtTwoAddresses) {
  EXPECT_EQ(mistakes_in("[http]\nlisten = \"127.0.0.1:9000\"\n[admin]\nlisten = \"127.0.0.1:9000\"\n"),
            "4:10: \"listen\" must not be where [http] listens, 127.0.0.1:9000");
  EXPECT_EQ(mistakes_in("[http]\nlisten = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\n"), "none");
}

TEST_F(ConfigSourceTest, KnowsWhoseTheDashboardIs) {
  EXPECT_EQ(mistakes_in("[admin]\nlisten = \"127.0.0.1:9000\"\n[dashboard]\nlisten = \"127.0.0.1:9000\"\n"),
            "4:10: \"listen\" must not be where [admin] listens, 127.0.0.1:9000");
  EXPECT_EQ(
      mistakes_in(
          "[tokens]\nfile = \"t\"\n[roles.user]\n[dashboard]\nviewers = [\"user\"]\noperators = [\"user\", \"usr\"]\n"),
      "6:22: \"operators[1]\" must be a role that there is, as [roles.NAME], but is \"usr\"");
  EXPECT_EQ(mistakes_in("[dashboard]\nallow_remote = true\n"), "2:1: \"allow_remote\" needs listen");
  const auto config = load("[dashboard]\nlisten = \"none\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->dashboard.listen);
}

TEST_F(ConfigSourceTest, NeedsNoListenerThatAnOptionTakesAway) {
  for (const std::string table : {"admin", "dashboard"}) {
    const auto text = "[" + table + "]\nlisten = \"127.0.0.1:9000\"\nallow_remote = true\n";
    EXPECT_EQ(mistakes_in(text, {{table + ".listen", "none", "--listen"}}), "none");
    EXPECT_EQ(mistakes_in("[" + table + "]\nallow_remote = true\n"), "2:1: \"allow_remote\" needs listen");
  }
}

TEST_F(ConfigSourceTest, SaysWhatIsMissingForConnections) {
  EXPECT_EQ(mistakes_in("[tls]\ncertificate = \"a.pem\"\n"), "1:2: \"tls\" needs both a certificate and its key");
  EXPECT_EQ(mistakes_in("[tls]\nminimum_version = \"1.3\"\n"), "1:2: \"tls\" needs a certificate and its key");
  const std::string pair = "[tls]\ncertificate = \"a.pem\"\nkey = \"b.pem\"\n";
  EXPECT_EQ(mistakes_in(pair + "client_certificates = \"optional\"\n"),
            "4:1: \"client_certificates\" needs client_ca, whose they must be");
  EXPECT_EQ(mistakes_in(pair + "client_ca = \"c.pem\"\n"),
            "4:1: \"client_ca\" needs client_certificates, optional or required");
  EXPECT_EQ(mistakes_in(pair + "client_subject = \"san_dns\"\n[roles.user]\n"),
            "4:1: \"client_subject\" needs client_certificates, optional or required");
  EXPECT_EQ(mistakes_in("[proxy]\nuser_header = \"X-User\"\n[roles.user]\n"),
            "2:1: \"user_header\" needs from, whom to trust with it");
  EXPECT_EQ(mistakes_in("[proxy]\nfrom = [\"unix\"]\nuser_header = \"X-User\"\n"),
            "1:2: \"proxy\" need roles, which say what their owners may use: add one, such as [roles.user]");
  EXPECT_EQ(
      mistakes_in("[proxy]\nfrom = [\"127.0.0.1\", \"mtls#\"]\ntrusted_addresses = [\"10.0.0.1/8\"]\n"),
      "2:9: \"from[0]\" must be unix, or mtls#SUBJECT, but is \"127.0.0.1\"\n"
      "2:22: \"from[1]\" must be unix, or mtls#SUBJECT, but is \"mtls#\"\n"
      "3:22: \"trusted_addresses[0]\" must be an address or a network, such as 10.0.0.0/8, but is \"10.0.0.1/8\"");
  EXPECT_EQ(mistakes_in("[proxy]\nfrom = [\"mtls#CN=front\"]\n"),
            "2:1: \"from\" needs [tls] client_subject, what of a certificate is the SUBJECT");
  EXPECT_EQ(mistakes_in("[http]\nlisten = \"none\"\n"), "2:1: \"listen\" must not be none without unix_socket");
  EXPECT_EQ(mistakes_in("[http]\nlisten = \":8080\"\n"),
            "2:10: \"listen\" must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, or none, but is \":8080\"; "
            "write 127.0.0.1:8080 for this machine alone, or 0.0.0.0:8080 for all");
  EXPECT_EQ(mistakes_in("[http]\nunix_socket = \"" + std::string(200, 'x') + "\"\n"),
            "2:1: \"unix_socket\" is too long a path for a socket; name a shorter one");
  EXPECT_EQ(mistakes_in("[tokens]\nfile = \"t\"\n[roles.user]\nissuers = [\"mtls\"]\n"),
            "4:12: \"issuers[0]\" must be an issuer that there is, as [issuers.NAME], but is \"mtls\"");
}

TEST_F(ConfigSourceTest, NamesTheSettingThatWasProbablyMeant) {
  EXPECT_EQ(mistakes_in("[http]\n  lisen = \":80\"\n"), "2:3: \"lisen\" is no setting here; did you mean \"listen\"?");
  EXPECT_EQ(mistakes_in("[stdio]\nbytes = 1\n"),
            "2:1: \"bytes\" is no setting here; there are max_message_bytes, roles");
  EXPECT_EQ(mistakes_in("http = 1\n"), "1:8: \"http\" must be an object, but is 1");
}

TEST_F(ConfigSourceTest, LetsAnOptionCountInstead) {
  const auto config = load("[log]\nlevel = \"loud\"\n", {{"log.level", "error", "--log-level"}});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->host.log_level, Log::Level::error);
  EXPECT_EQ(
      mistakes_in("", {{"log.level", "loud", "--log-level"}, {"serving.page_size", 0, "--page-size"}}),
      "--log-level must be one of \"trace\", \"debug\", \"info\", \"warning\", \"error\", \"off\", but is \"loud\"\n"
      "--page-size must be at least 1, but is 0");
  EXPECT_EQ(mistakes_in("log = 1\n", {{"log.level", "error", "--log-level"}}),
            "1:7: \"log\" must be an object, but is 1");
}

TEST_F(ConfigSourceTest, LooksForPathsBesideItsFile) {
  const auto config = load("[plugins]\ncomponents = \"here\"\ndata = \"/there\"\n",
                           {{"serving.state_key", "no-such-key", "--state-key"}});
  ASSERT_TRUE(config.has_error());
  EXPECT_THAT(config.error().message,
              ::testing::HasSubstr("--state-key cannot be used: cannot read the key no-such-key"));
  const auto settled = load("[plugins]\ncomponents = \"here\"\ndata = \"/there\"\n");
  EXPECT_EQ(settled->host.components, temporary_.path() / "here");
  EXPECT_EQ(settled->host.data_root, "/there");
}

TEST_F(ConfigSourceTest, HasAnotherFolderForDataWhereNothingSaysOne) {
  const auto data = [&](const std::string& text, std::vector<Override> overrides = {}) {
    temporary_.write("host.toml", text);
    return ConfigSource({}, file_, std::move(overrides)).with_default_data("/project/data").load()->host.data_root;
  };
  EXPECT_EQ(data(""), "/project/data");
  EXPECT_EQ(data("[plugins]\ndata = \"/there\"\n"), "/there");
  EXPECT_EQ(data("", {{"plugins.data", "/here", "--data"}}), "/here");
}

TEST_F(ConfigSourceTest, ChecksThatSettingsFitTogether) {
  EXPECT_EQ(mistakes_in("[http]\nmax_body_bytes = 4194304\nmax_buffered_bytes = 1048576\n"),
            "3:22: \"max_buffered_bytes\" must have room for one request of max_body_bytes, 4194304, but is 1048576");
  EXPECT_EQ(mistakes_in("", {{"http.max_body_bytes", 67108864, "--max-body-bytes"},
                             {"http.max_buffered_bytes", 1048576, "--max-buffered-bytes"}}),
            "--max-buffered-bytes must have room for one request of max_body_bytes, 67108864, but is 1048576");
}

TEST_F(ConfigSourceTest, SaysWhatIsWrongWithTheFileItself) {
  EXPECT_EQ(mistakes_in("[http\n").substr(0, 5), "1:6: ");
  EXPECT_THAT(ConfigSource({}, temporary_.path() / "absent.toml", {}).load().error().message,
              ::testing::EndsWith("absent.toml: cannot be opened: No such file or directory"));
  EXPECT_THAT(ConfigSource({}, temporary_.path(), {}).load().error().message,
              ::testing::HasSubstr("it is not a regular file"));
}

// The schema that editors are given is the one that is checked.
TEST_F(ConfigSourceTest, IsShownAsItsSchemaAsks) {
  const auto schema = Schema::compile(config_form().schema);
  ASSERT_TRUE(schema) << schema.error().message;
  const auto violation = schema->validate(Json(config_form().show(Config())));
  EXPECT_FALSE(violation) << violation->message;
}

TEST_F(ConfigSourceTest, IsReadAsItIsShown) {
  const auto config = load(R"(
[plugins]
components = "/components"
[tokens]
file = "/tokens.json"
[roles.user]
allow = ["tool:calculate", { match = "tool:deploy", arguments = { required = ["to"] } }]
deny = [{ match = "tool:*", read_only = false }]
principals = ["host#ada"]
)");
  ASSERT_TRUE(config) << config.error().message;
  const auto shown = config_form().show(*config);
  const auto again = load(to_toml(shown));
  ASSERT_TRUE(again) << again.error().message << "\n" << to_toml(shown);
  EXPECT_EQ(config_form().show(*again), shown);
  const auto violation = Schema::compile(config_form().schema)->validate(Json(shown));
  EXPECT_FALSE(violation) << violation->message;
}

TEST_F(ConfigSourceTest, ReadsRolesAndTheirRules) {
  const auto config =
      load("[tokens]\nfile = \"tokens.json\"\n[roles.user]\nallow = [\"tool:calculate\", \"prompt:*\"]\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->tokens, temporary_.path() / "tokens.json");
  EXPECT_TRUE(config->knows_credentials());
  ASSERT_EQ(config->roles.at("user").allow.size(), 2);
  EXPECT_EQ(config->roles.at("user").allow[1].match, "prompt:*");
}

TEST_F(ConfigSourceTest, SaysWhichRuleIsNone) {
  EXPECT_EQ(mistakes_in("[roles.anonymous]\nallow = [\"tool:a\", \"calculate\"]\n"),
            "2:20: \"allow[1]\" is no pattern of components; write tool:calculate, tool:read_*, resource:docs://*, "
            "prompt:* or *");
  EXPECT_EQ(mistakes_in("[roles.anonymous]\nallow = [{ match = \"tool:a\", arguments = { type = \"text\" } }]\n"),
            "2:10: \"allow[0]\" has a schema for arguments that is none: /type: \"text\" is not a JSON Schema type");
  EXPECT_EQ(mistakes_in("[roles.anonymous]\nallow = [{ mach = \"tool:a\" }]\n"),
            "2:12: \"mach\" is no setting here; did you mean \"match\"?\n2:10: \"allow[0]\" lacks \"match\"");
}

TEST_F(ConfigSourceTest, ReadsWhatIsRecorded) {
  EXPECT_TRUE(load("")->audit.file.empty());
  const auto config =
      load("[audit]\nfile = \"audit.jsonl\"\nmode = \"async\"\nkeep = 3\n[audit.arguments]\n\"tool:a*\" = \"hash\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->audit.file, temporary_.path() / "audit.jsonl");
  EXPECT_EQ(config->audit.mode, AuditOptions::Mode::async);
  EXPECT_EQ(config->audit.keep, 3U);
  EXPECT_EQ(config->audit.arguments.at("tool:a*"), AuditedArguments::hash);
  EXPECT_EQ(load(to_toml(config_form().show(*config)))->audit.arguments, config->audit.arguments);
  EXPECT_EQ(mistakes_in("[audit]\nmode = \"async\"\n"), "1:2: \"audit\" lacks \"file\"");
  EXPECT_EQ(mistakes_in("[audit]\nfile = \"a\"\n[audit.arguments]\n\"resource:*\" = \"full\"\n"),
            "4:1: \"resource:*\" is no pattern of components with arguments; write tool:deploy, tool:read_*, prompt:* "
            "or *");
}

TEST_F(ConfigSourceTest, SaysWhereRolesWouldBeNobodys) {
  EXPECT_THAT(mistakes_in("[roles.user]\nallow = [\"*\"]\n"), ::testing::HasSubstr("nothing proves who a client is"));
  EXPECT_THAT(mistakes_in("[tokens]\nfile = \"t.json\"\n"), ::testing::HasSubstr("need roles"));
  EXPECT_THAT(mistakes_in("[roles.user]\n[stdio]\nroles = [\"usr\"]\n"),
              ::testing::HasSubstr("3:10: \"roles[0]\" must be a role that there is"));
}

TEST_F(ConfigSourceTest, KnowsIssuers) {
  const std::string server = "[server]\nurl = \"https://mcp.example.com\"\n";
  const std::string roles = "[roles.user]\nscopes = [\"b\", \"a\"]\nissuers = [\"company\"]\nallow = [\"*\"]\n";
  const auto config = load(server + "[issuers.company]\nissuer = \"https://login.example.com\"\n" + roles);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->knows_credentials());
  EXPECT_EQ(config->issuers.at("company").name, "company");
  EXPECT_THAT(config->scopes, ElementsAre("a", "b"));
  EXPECT_EQ(config->access.own_host, "mcp.example.com");
  const auto mistakes = [&](const std::string& issuer, const std::string& before = {}) {
    return mistakes_in((before.empty() ? server : before) + "[issuers.company]\n" + issuer + roles);
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(mistakes("issuer = \"https://a.example\"\n", "\n"), HasSubstr("needs [server] url"));
  EXPECT_THAT(mistakes("issuer = \"http://a.example\"\n"), HasSubstr("must begin with https://"));
  EXPECT_THAT(mistakes("issuer = \"https://a.example?x\"\n"), HasSubstr("must have no query"));
  EXPECT_THAT(mistakes("issuer = \"https://a.example:99999\"\n"), HasSubstr("has a port that there is not"));
  EXPECT_THAT(mistakes(""), HasSubstr("lacks \"issuer\""));
  const std::string issuer = "issuer = \"https://a.example\"\n";
  EXPECT_THAT(mistakes(issuer + "introspection_url = \"https://a.example/i\"\n"), HasSubstr("needs client_id and"));
  EXPECT_THAT(mistakes(issuer + "client_id = \"x\"\n"), HasSubstr("needs introspection_url"));
  EXPECT_THAT(mistakes(issuer + "jwks_file = \"none.json\"\n"), HasSubstr("that is not there"));
  EXPECT_THAT(mistakes(issuer + "groups_claim = \"/a~b\"\n"), HasSubstr("a name or a JSON Pointer"));
  EXPECT_THAT(mistakes(issuer + "leeway_s = 60000\n"), HasSubstr("must be at most 600"));
  EXPECT_THAT(mistakes(issuer + "[issuers.other]\n" + issuer), HasSubstr("is the same issuer as \"company\""));
  EXPECT_THAT(mistakes(issuer + "[oauth]\nimplied = { a = [\"b\"], b = [\"a\"] }\n"), HasSubstr("implies itself"));
  EXPECT_THAT(mistakes(issuer + "[oauth]\nscopes = [\"offline_access\"]\n"), HasSubstr("which no server needs"));
  for (const auto* const url :
       {"https://A.example", "https://a.example/mcp", "https://a.example:443", "https://a.example:"})
    EXPECT_THAT(mistakes(issuer, "[server]\nurl = \"" + std::string(url) + "\"\n"), HasSubstr("without a path")) << url;
  EXPECT_THAT(mistakes_in("[tokens]\nfile = \"t\"\n[roles.user]\ngroups = [\"x\"]\n"),
              HasSubstr("which need [issuers.NAME]"));
  EXPECT_THAT(mistakes_in("[oauth]\nscopes = [\"x\"]\n"), HasSubstr("needs [issuers.NAME]"));
}

TEST_F(ConfigSourceTest, LeavesAnIssuerOnlySomeRoles) {
  const std::string issuers =
      "[server]\nurl = \"https://mcp.example\"\n[issuers.company]\nissuer = \"https://company.example\"\n"
      "[issuers.partner]\nissuer = \"https://partner.example\"\n";
  const std::string roles = "[roles.admin]\n[roles.guest]\n";
  const auto config = load(issuers + "roles = [\"guest\"]\n" + roles);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(settled_roles(*config).at("admin").withheld_from, ElementsAre("https://partner.example"));
  EXPECT_THAT(settled_roles(*config).at("guest").withheld_from, ElementsAre());
  EXPECT_EQ(config_form().show(*config)["issuers"]["partner"]["roles"], OrderedJson({"guest"}));
  const auto none = load(issuers + "roles = []\n" + roles);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_THAT(settled_roles(*none).at("guest").withheld_from, ElementsAre("https://partner.example"));
  EXPECT_EQ(mistakes_in(issuers + "roles = [\"gest\"]\n" + roles),
            "7:10: \"roles[0]\" must be a role that there is, as [roles.NAME], but is \"gest\"");
}

TEST_F(ConfigSourceTest, ReadsLimitsAndShowsThemAgain) {
  const std::string text = R"(
[roles.guest]
allow = ["*"]
[limits.per_principal]
rate = "60/min"
burst = 10
concurrent = 8
[limits.failures]
rate = "20/h"
[limits.component.deploys]
match = "tool:deploy*"
per = "all"
rate = "5/d"
roles = ["guest"]
[roles.anonymous]
)";
  const auto config = load(text);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->limits.per_principal.rate, (Rate{60, std::chrono::minutes(1)}));
  EXPECT_EQ(config->limits.per_principal.burst, 10U);
  EXPECT_EQ(config->limits.per_principal.concurrent, 8U);
  EXPECT_FALSE(config->limits.all.rate);
  EXPECT_EQ(config->limits.components.at("deploys").per, LimitScope::all);
  EXPECT_EQ(config_form().show(*config)["limits"],
            OrderedJson::parse(R"({"per_principal":{"rate":"60/min","burst":10,"concurrent":8},
                "failures":{"rate":"20/h"},
                "component":{"deploys":{"match":"tool:deploy*","per":"all","rate":"5/d","roles":["guest"]}}})"));
}

TEST_F(ConfigSourceTest, SaysWhatIsWrongWithLimits) {
  EXPECT_EQ(mistakes_in("[limits.per_principal]\nrate = \"often\"\n"),
            "2:8: \"rate\" must be COUNT/PERIOD, such as 60/min, with a count from 1 to 1000000 and a period s, min, h "
            "or d, but is \"often\"");
  EXPECT_EQ(mistakes_in("[limits]\nper_address = { burst = 5 }\n"),
            "2:15: \"per_address\" must have a rate, such as \"60/min\", or say how many at once");
  EXPECT_EQ(mistakes_in("[limits]\nall = { burst = 5, concurrent = 1 }\n"),
            "2:7: \"all\" must have a rate, because it has a burst");
  EXPECT_EQ(mistakes_in("[limits]\nall = { rate = \"1/d\", burst = 367 }\n"),
            "2:7: \"all\" must have a burst that the rate brings within 366 days");
  EXPECT_EQ(mistakes_in("[limits]\nall = { rate = \"1/d\", burst = 1000000 }\n"),
            "2:7: \"all\" must have a burst that the rate brings within 366 days");
  EXPECT_EQ(mistakes_in("[limits]\nall = { rate = \"1/s\", burst = 0 }\n"),
            "2:31: \"burst\" must be at least 1, but is 0");
  EXPECT_EQ(mistakes_in("[limits.failures]\nconcurrent = 1\nrate = \"1/s\"\n"),
            "2:1: \"concurrent\" is no setting here; there are rate, burst");
  EXPECT_EQ(
      mistakes_in("[limits.component.x]\nmatch = \"deploy\"\nrate = \"1/s\"\nroles = [\"nobody\"]\n"),
      "2:9: \"match\" is no pattern of components; write tool:calculate, tool:read_*, resource:docs://*, prompt:* "
      "or *");
  EXPECT_EQ(mistakes_in("[limits.component.x]\nmatch = \"*\"\nrate = \"1/s\"\nroles = [\"nobody\"]\n"),
            "4:10: \"roles[0]\" must be a role that there is, as [roles.NAME], but is \"nobody\"");
  std::string many;
  for (int i = 0; i < 33; ++i)
    many += "[limits.component.x" + std::to_string(i) + "]\nmatch = \"*\"\nrate = \"1/s\"\n";
  EXPECT_NE(mistakes_in(many).find("\"component\" has more than 32 limits"), std::string::npos);
}

}  // namespace
}  // namespace mcph
