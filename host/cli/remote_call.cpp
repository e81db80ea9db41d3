#include "cli/remote_call.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "catalog/parameter_headers.hpp"
#include "cli/call_params.hpp"
#include "cli/call_text.hpp"
#include "cli/component_table.hpp"
#include "cli/progress_line.hpp"
#include "cli/terminal_text.hpp"
#include "http/client/pooled_http_client.hpp"
#include "plugin/method.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_call.hpp"
#include "protocol/calls/plugin_result.hpp"
#include "protocol/modern/modern_era.hpp"
#include "protocol/request_meta.hpp"
#include "runtime/event_loops.hpp"
#include "sources/upstream/event_stream_reader.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_response_bytes = std::size_t{128} << 20;
// How long the server lets a call take is its operator's choice.
constexpr std::chrono::hours remote_patience{24};

Result<std::string> read_token(const std::filesystem::path& file) {
  constexpr std::size_t max_bytes = std::size_t{64} << 10;
  const auto refuse = [&file](const std::string& why) { return fail("the token file " + file.string() + " " + why); };
  const auto opened = open_to_read(file);
  if (!opened) return refuse("cannot be opened: " + last_error());
  auto text = read_regular_file(opened, max_bytes);
  if (text.has_error()) return refuse(text.error().message);
  if (const auto protection = check_owner_only(opened); protection.has_error())
    return refuse("cannot be used: " + protection.error().message);
  auto token = text->substr(0, text->find_first_of("\r\n"));
  const auto is_visible = [](char c) { return '!' <= c && c <= '~'; };
  if (token.empty() || !std::ranges::all_of(token, is_visible)) return refuse("has no token in its first line");
  return token;
}

struct RemoteAnswer {
  unsigned status = 0;
  std::string body = {};       // of a stream, its last event that has a result or an error
  std::string challenge = {};  // the field WWW-Authenticate
};

// Why a request is refused, as the server says it: in an error of JSON-RPC, or else in its challenge (RFC 6750 section
// 3). Empty: it does not.
std::string reason_it_gives(const RemoteAnswer& answer) {
  constexpr std::size_t most = 200;
  if (const auto json = parse_json(answer.body); json.has_value() && json->is_object()) {
    const auto error = json->value("error", Json());
    const auto message = error.is_object() ? error.value("message", Json()) : Json();
    if (message.is_string()) return message.get<std::string>().substr(0, most);
  }
  constexpr std::string_view member = "error_description=\"";
  const auto at = answer.challenge.find(member);
  if (at == std::string::npos) return {};
  const auto begin = at + member.size();
  return answer.challenge.substr(begin, std::min(answer.challenge.find('"', begin) - begin, most));
}

std::string words_for_unauthorized(const RemoteAnswer& answer) {
  // As this host asks for one; no token would help.
  const bool takes_no_token = answer.challenge.starts_with("ConnectionCredential");
  std::string words = takes_no_token ? "it wants a client certificate, which this command cannot show"
                                     : "it wants a token, or another one; give it with --token-file";
  if (const auto reason = reason_it_gives(answer); !reason.empty()) words += "; it says \"" + reason + "\"";
  return words;
}

// What a response says that is no answer of MCP.
std::string words_for(const RemoteAnswer& answer, const std::string& server) {
  const auto status = server + " answers with the HTTP status " + std::to_string(answer.status);
  switch (answer.status) {
    case 401:
      return status + ": " + words_for_unauthorized(answer);
    case 404:
      return status + ": nothing of MCP is at this path";
    default:
      constexpr std::size_t most = 200;
      return status + (answer.body.empty() ? "" : ": " + answer.body.substr(0, most));
  }
}

// Whether the next request would be refused, too, and be counted against this client. What is forbidden (403) may be
// this request alone.
bool refuses_the_client(const RemoteAnswer& answer) {
  return answer.status == 401 || answer.status == 429;
}

// An answer as it comes, of which a person sees the progress. On an event loop.
class ComingAnswer final : public AnswerListener {
 public:
  explicit ComingAnswer(std::promise<Result<RemoteAnswer>>& done) : done_(done) {}

  void head_came(const AnswerHead& head) override {
    answer_.status = head.status;
    answer_.challenge = head.field("WWW-Authenticate");
    is_stream_ = head.field("Content-Type").starts_with("text/event-stream");
  }
  bool body_came(std::string_view piece) override {
    if (is_stream_) {
      events_.read(piece, [this](const EventStreamReader::Event& event) { see(event.data); });
    } else {
      answer_.body += piece;
    }
    return true;
  }
  void ended(const Result<>& whole) override {
    progress_.clear();
    done_.set_value(whole.has_error() ? Result<RemoteAnswer>(whole.error()) : std::move(answer_));
  }

 private:
  void see(std::string_view text) {
    const auto json = parse_json(text);
    if (json.has_error() || !json->is_object()) return;
    if (json->contains("result") || json->contains("error")) answer_.body = text;
    if (json->value("method", Json()) != name_of(Method::notifications_progress)) return;
    const auto params = json->value("params", Json::object());
    const auto number = [&params](const char* name) {
      const auto found = params.is_object() ? params.find(name) : params.end();
      return found != params.end() && found->is_number() ? found->get<double>() : 0.0;
    };
    const auto message = params.is_object() ? params.value("message", Json()) : Json();
    progress_.tell(number("progress"), number("total"),
                   message.is_string() ? printable(message.get<std::string>()) : std::string());
  }

  std::promise<Result<RemoteAnswer>>& done_;
  RemoteAnswer answer_;
  bool is_stream_ = false;
  EventStreamReader events_{max_response_bytes};
  ProgressLine progress_;
};

// What to do about a certificate that is good, but of an authority that this machine does not know, and about what is
// not TLS.
std::string advice_on_tls(std::string_view error) {
  if (error.find("wrong version number") != std::string_view::npos) return "; the server may speak http:// there";
  for (const auto* const word : {"self-signed", "issuer certificate", "first certificate"}) {
    if (error.find(word) != std::string_view::npos)
      return "; SSL_CERT_FILE=FILE in the environment names an authority that may have issued it";
  }
  return {};
}

class AskedServer {
 public:
  // `name` is what people read.
  AskedServer(HttpUrl url, std::string_view name, std::string token)
      : url_(std::move(url)), name_(name), token_(std::move(token)), client_(loops_) {}
  ~AskedServer() {
    loops_.stop();
    loops_.join(std::chrono::seconds(1));
  }
  AskedServer(const AskedServer&) = delete;
  AskedServer& operator=(const AskedServer&) = delete;

  struct Answer {
    Json result = nullptr;  // an object, if there is no error
    std::optional<RpcError> error = {};
  };
  // What requests have besides from now on.
  void add_field(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }

  // A server that has refused this client is asked no more: the first refusal is the answer to all that follows.
  Answer ask(Method method, const std::string& name, const Json& params) {
    if (refusal_) return {.error = refusal_};
    const auto answered = send(method, name, params);
    if (answered.has_error()) {
      const auto& why = answered.error().message;
      return failed(name_ + " cannot be asked: " + why + advice_on_tls(why));
    }
    auto answer = read(*answered);
    if (refuses_the_client(*answered)) refusal_ = answer.error;
    return answer;
  }

 private:
  static Answer failed(std::string message) {
    return {.error = RpcError{error_code::internal_error, std::move(message)}};
  }

  Answer read(const RemoteAnswer& answered) const {
    const auto json = parse_json(answered.body);
    const bool is_answer = json.has_value() && json->is_object() && json->value("jsonrpc", Json()) == "2.0";
    // What to do about a missing token is said in the words of the command line.
    if (!is_answer || answered.status == 401) return failed(words_for(answered, name_));
    if (const auto error = json->find("error"); error != json->end()) {
      const auto checked = read_plugin_error(dump(*error));
      if (checked.has_error()) return failed("the server's error is none: " + checked.error().message);
      return {.error = *checked};
    }
    const auto result = json->find("result");
    if (result == json->end() || !result->is_object()) return failed("the server's answer has no result");
    return {.result = *result};
  }

  Result<RemoteAnswer> send(Method method, const std::string& name, const Json& params) {
    constexpr std::chrono::milliseconds any{0};
    OutgoingRequest request{
        .url = url_,
        .body = dump(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", name_of(method)}, {"params", params}}),
        .max_body = max_response_bytes,
        .times = {.connect = any, .head = any, .silence = any, .whole = remote_patience},
        .closes = true};
    request.add("Content-Type", "application/json");
    request.add("Accept", "application/json, text/event-stream");
    request.add("MCP-Protocol-Version", ModernEra::revision);
    request.add("Mcp-Method", name_of(method));
    if (!name.empty()) request.add("Mcp-Name", encode_mcp_header_value(name));
    for (const auto& [field, value] : fields_)
      request.add(field, value);
    if (!token_.empty()) request.add("Authorization", "Bearer " + token_);
    std::promise<Result<RemoteAnswer>> answered;
    auto answer = answered.get_future();
    const auto sent = client_.send(std::move(request), std::make_shared<ComingAnswer>(answered));
    return answer.get();
  }

  const HttpUrl url_;
  const std::string name_;
  const std::string token_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::optional<RpcError> refusal_;
  EventLoops loops_{1, 1};
  PooledHttpClient client_;
};

// A server does not ask a client that has no answers.
RpcError with_advice(RpcError error, const GivenAnswers& answers) {
  if (error.code == error_code::missing_client_capability && !answers.any())
    error.message += "; give --answer JSON for each thing that it asks";
  return error;
}

Json meta_of(const GivenAnswers& answers) {
  return {{meta_key::protocol_version, ModernEra::revision},
          {meta_key::client_info, {{"name", "mcp-plugin-host call"}, {"version", "1"}}},
          {meta_key::client_capabilities, answers.client_capabilities()},
          {"progressToken", 1}};
}

// What the server lists, on all pages, as long as `take` wants more.
std::optional<RpcError> read_list(AskedServer& server, Method method, const char* member, const Json& meta,
                                  const std::function<bool(const Json& component)>& take) {
  constexpr int max_pages = 1000;
  Json params{{"_meta", meta}};
  for (int page = 0; page < max_pages; ++page) {
    const auto [result, error] = server.ask(method, {}, params);
    if (error) return error;
    for (const auto& component : result.value(member, Json::array())) {
      if (component.is_object() && !take(component)) return std::nullopt;
    }
    const auto cursor = result.find("nextCursor");
    if (cursor == result.end()) return std::nullopt;
    params["cursor"] = *cursor;
  }
  return std::nullopt;
}

// What the server says of the tool; null: nothing.
OrderedJson find_tool(AskedServer& server, const std::string& name, const Json& meta) {
  OrderedJson found;
  read_list(server, Method::tools_list, "tools", meta, [&](const Json& tool) {
    if (tool.value("name", Json()) == name) found = read_ordered_json(dump(tool));
    return found.is_null();
  });
  return found;
}

// Whether it completes an argument of a prompt. Where the name could be a template, too, the server's list tells.
bool completes_prompt(AskedServer& server, const CallCommand& command) {
  if (command.method != PluginMethod::completion_complete) return false;
  if (command.component.find(':') == std::string::npos) return true;
  bool found = false;
  read_list(server, Method::prompts_list, "prompts", meta_of(GivenAnswers()), [&](const Json& prompt) {
    found = prompt.value("name", Json()) == command.component;
    return !found;
  });
  return found;
}

// As the tool wants it, its arguments are repeated in headers (server/tools, "x-mcp-header").
void repeat_arguments(AskedServer& server, const Json& params) {
  const auto tool = find_tool(server, params["name"].get<std::string>(), params["_meta"]);
  if (!tool.is_object() || !tool.contains("inputSchema")) return;
  const auto headers = read_parameter_headers(tool["inputSchema"]);
  if (headers.has_error()) return;
  for (const auto& header : *headers) {
    const Json* value = &params["arguments"];
    for (const auto& key : header.path)
      value = value != nullptr && value->is_object() && value->contains(key) ? &value->at(key) : nullptr;
    if (value != nullptr && !value->is_null())
      server.add_field(header.name,
                       encode_mcp_header_value(value->is_string() ? value->get<std::string>() : dump(*value)));
  }
}

Result<std::unique_ptr<AskedServer>> server_of(const AskedServerOptions& options) {
  const auto url = read_http_url(options.url);
  if (url.has_error()) return fail("the URL " + url.error().message);
  std::string token;
  if (!options.token_file.empty()) {
    auto read = read_token(options.token_file);
    if (read.has_error()) return read.error();
    token = *std::move(read);
  }
  return std::make_unique<AskedServer>(*url, without_query(options.url), std::move(token));
}

// Of a component, as strangers have worded it.
std::string listed_text(const Json& component, const char* member) {
  const auto text = component.value(member, Json());
  return text.is_string() ? text.get<std::string>() : std::string();
}

struct ListedKind {
  Method method;
  const char* member;  // of the result
  const char* word;    // for people
  const char* key;     // by which clients name a component
};
constexpr ListedKind listed_kinds[] = {
    {Method::tools_list, "tools", "tool", "name"},
    {Method::resources_list, "resources", "resource", "uri"},
    {Method::resources_templates_list, "resourceTemplates", "template", "uriTemplate"},
    {Method::prompts_list, "prompts", "prompt", "name"}};

}  // namespace

int list_server(const ListCommand& command) {
  const auto server = server_of(command.server);
  if (server.has_error()) return fail_with(server.error().message, command.json);
  Json all;
  for (const auto& kind : listed_kinds) {
    auto& list = all[kind.member] = Json::array();
    const auto error = read_list(**server, kind.method, kind.member, meta_of(GivenAnswers()), [&](const Json& each) {
      list.push_back(each);
      return true;
    });
    // A server need not have each kind.
    if (error && error->code != error_code::method_not_found) return fail_with(*error, command.json);
  }
  if (command.json) {
    std::cout << dump(all) << "\n";
    return 0;
  }
  for (const auto& kind : listed_kinds) {
    for (const auto& each : all[kind.member])
      print_component(std::cout, kind.word, listed_text(each, kind.key), listed_text(each, "description"));
  }
  if (std::all_of(all.cbegin(), all.cend(), [](const Json& list) { return list.empty(); })) {
    std::cout << without_query(command.server.url) << " lists no tools, resources or prompts"
              << (command.server.token_file.empty() ? "; who shows a token, with --token-file, may see some" : "")
              << "\n";
  }
  return 0;
}

int ask_server(const CallCommand& command, Json arguments, GivenAnswers answers) {
  const auto opened = server_of(command.server);
  if (opened.has_error()) return fail_with(opened.error().message, command.json);
  auto& server = **opened;
  auto params = params_of(command, std::move(arguments), completes_prompt(server, command));
  params["_meta"] = meta_of(answers);
  const auto name = command.method == PluginMethod::completion_complete ? std::string() : command.component;
  if (command.method == PluginMethod::tools_call) repeat_arguments(server, params);
  for (unsigned round = 0; round <= PluginCall::max_rounds; ++round) {
    const auto [result, error] = server.ask(method_of(command.method), name, params);
    if (error) return fail_with(with_advice(*error, answers), command.json);
    if (result.value("resultType", Json()) != "input_required") {
      const auto text = dump(result);
      const auto checked = read_plugin_result(command.method, text);
      if (checked.has_value()) return print_result(command.method, result, command.json);
      return fail_with("the server answered with something invalid: " + checked.error().message, command.json);
    }
    const auto requests = read_input_requests(dump(result));
    if (requests.has_error())
      return fail_with("the server asked with something invalid: " + requests.error().message, command.json);
    auto given = answers.give(*requests);
    if (given.has_error()) return fail_with(given.error().message, command.json);
    params["inputResponses"] = *std::move(given);
    params.erase("requestState");
    if (const auto state = result.find("requestState"); state != result.end()) params["requestState"] = *state;
  }
  return fail_with("the server asked more than " + std::to_string(PluginCall::max_rounds) + " times", command.json);
}

}  // namespace mcph
