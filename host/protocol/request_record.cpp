#include "protocol/request_record.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "plugin/plugin.hpp"
#include "protocol/asked_component.hpp"
#include "protocol/error_reply.hpp"
#include "protocol/request_meta.hpp"

namespace mcph {
namespace {

// In bytes, of a name, a URI or an id, as much as a line of the audit log has of a text.
constexpr std::size_t max_recorded_text = 1024;

std::string outcome_words(const Reply& reply) {
  const auto answer = answer_in(reply.body);
  if (answer.message.empty()) return reply.is_tool_error ? "tool error" : "ok";
  const auto code = answer.json.substr(std::string_view(R"({"code":)").size());
  return "error " + std::string(code.substr(0, code.find_first_not_of("-0123456789")));
}

// Noted of a call that the host itself may have ended since.
bool is_overtaken(std::string_view noted, std::string_view reply) {
  return reply != "ok" && (noted == "asks the client" || noted == "reads resources" || noted == "task");
}

std::string text_member(JsonValue object, std::string_view key) {
  const auto found = object.find(key);
  return found.is_string() ? std::string(utf8_prefix(found.string(), max_recorded_text)) : std::string();
}

// Of a name that is too long, its beginning and what tells it from every other one.
std::string recorded_name(std::string_view kind, JsonValue name) {
  constexpr std::string_view mark = "... sha256:";
  constexpr std::size_t digest_size = 64;
  if (!name.is_string()) return {};
  auto text = std::string(kind) + name.string();
  if (text.size() == kind.size()) return {};
  if (text.size() <= max_recorded_text) return text;
  Sha256 digest;
  digest.add(text.data() + kind.size(), text.size() - kind.size());
  return std::string(utf8_prefix(text, max_recorded_text - mark.size() - digest_size)).append(mark) + digest.hex();
}

void set_program(RecordedRequest& request, JsonValue implementation) {
  request.client = text_member(implementation, "name");
  request.client_version = text_member(implementation, "version");
}

std::string_view kind_of(const Message& message) {
  switch (*message.method) {
    case Method::tools_call:
      return "tool:";
    case Method::prompts_get:
      return "prompt:";
    case Method::completion_complete:
      return message.params.find("ref").contains("name") ? "prompt:" : "resource:";
    default:
      return "resource:";
  }
}

}  // namespace

void RequestRecord::note(RequestEnd end) {
  const MutexLock lock(mutex_);
  if (end.plugin.empty()) {
    end.plugin = std::move(request_.end.plugin);
    end.plugin_version = std::move(request_.end.plugin_version);
    end.plugin_digest = std::move(request_.end.plugin_digest);
  }
  if (end.task.empty()) end.task = std::move(request_.end.task);
  request_.end = std::move(end);
}

void RequestRecord::set_end(std::size_t response_bytes) {
  request_.took = std::chrono::steady_clock::now() - began_;
  request_.response_bytes = response_bytes;
}

void RequestRecord::end(Reply reply, const std::function<void(Reply reply)>& send) {
  MutexLock lock(mutex_);
  set_end(reply.body.size());
  auto& outcome = request_.end.outcome;
  auto noted = outcome;
  if (auto said = outcome_words(reply); outcome.empty() || is_overtaken(outcome, said)) outcome = std::move(said);
  if (reply.session) {
    request_.session = reply.session->id;
    request_.protocol_version = reply.session->revision;
  }
  const auto wait = [&]() REQUIRES(mutex_) -> RequestRecords::Then {
    return [id = request_.id, reply = std::move(reply), send](const Result<>& recorded) mutable {
      try {
        if (recorded.has_value()) return send(std::move(reply));
      } catch (const std::bad_alloc&) {
        // Nobody else sends another one, which is shorter.
        return send(error_reply(id, {error_code::internal_error, "This server has no memory left for the answer"}));
      }
      send(error_reply(id, {error_code::internal_error,
                            "The audit log cannot be written, so that the result is withheld; what was asked for may "
                            "have been done"}));
    };
  };
  bool may_leave = false;
  try {
    may_leave = records_.record_end(request_, std::cref(wait));
  } catch (const std::bad_alloc&) {
    outcome = std::move(noted);  // another reply comes
    throw;
  }
  if (noted == "task") noted.clear();  // which is not how its call ends
  outcome = std::move(noted);
  lock.unlock();
  if (may_leave) send(std::move(reply));
}

void RequestRecord::abandoned(std::string outcome) {
  const MutexLock lock(mutex_);
  request_.end.outcome = std::move(outcome);
  set_end(0);
  records_.record_end(request_, {});
}

RequestEnd end_at(const PluginIdentity& plugin, std::string outcome) {
  return {.outcome = std::move(outcome),
          .plugin = plugin.name,
          .plugin_version = plugin.version,
          .plugin_digest = plugin.digest};
}

bool is_recorded(const Message& message) {
  static constexpr Method not_recorded[] = {
      Method::tools_list, Method::resources_list,  Method::prompts_list, Method::resources_templates_list,
      Method::ping,       Method::server_discover, Method::tasks_get,    Method::logging_set_level};
  return message.kind == Message::Kind::request &&
         (!message.method || std::ranges::find(not_recorded, *message.method) == std::end(not_recorded));
}

void set_client(RecordedRequest& request, const Json& implementation) {
  const auto document = JsonDocument::of(implementation);
  set_program(request, document.root());
}

RecordedRequest recorded_request(const Message& message, const RequestOrigin& origin, const Principal& principal) {
  RecordedRequest request;
  request.id = message.id;
  request.method = std::string(utf8_prefix(message.method_name, max_recorded_text));
  if (const auto name = component_in(message.method, message.params))
    request.component = recorded_name(kind_of(message), name);
  request.principal = principal;
  request.origin = origin;
  if (message.method == Method::initialize) {
    request.protocol_version = text_member(message.params, "protocolVersion");
    set_program(request, message.params.find("clientInfo"));
  }
  if (message.method == Method::tasks_update || message.method == Method::tasks_cancel)
    request.end.task = text_member(message.params, "taskId");
  const auto meta = message.params.find("_meta");
  if (!meta.is_object()) return request;
  request.trace = text_member(meta, "traceparent");
  if (auto version = text_member(meta, meta_key::protocol_version); !version.empty())
    request.protocol_version = std::move(version);
  if (const auto client = meta.find(meta_key::client_info)) set_program(request, client);
  return request;
}

}  // namespace mcph
