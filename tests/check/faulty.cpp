// A plugin with one fault, which its configuration names: {"fault": "completes twice"}. Without one it is sound, and so
// is one that "needs what hosts offer".
// Against mcp/plugin.h alone, because the C++ API does not let an author make most of these mistakes.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/server_info.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

namespace {

using namespace std::chrono_literals;

std::string_view view(mcp_string text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}

mcp_string as_mcp(std::string_view text) {
  return {text.data(), text.size()};
}

mcp_sink into(std::string& text) {
  return {&text, [](void* context, mcp_string piece) { static_cast<std::string*>(context)->append(view(piece)); }};
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

[[noreturn]] void crash() {
  std::raise(SIGSEGV);
  std::abort();
}

class Faulty {
 public:
  explicit Faulty(const mcp_host* host) : host_(host) {
    std::string configuration;
    const auto sink = into(configuration);
    host->configuration(host, &sink);
    const std::string_view all = configuration;
    const auto begin = all.find("\"fault\":\"");
    if (begin == all.npos) return;
    const auto name = all.substr(begin + 9);
    fault_ = name.substr(0, name.find('"'));
  }

  bool is(std::string_view fault) const { return fault_ == fault; }

  std::string describe();
  void start();
  void invoke(mcp_call_id call, std::string_view method, std::string_view params);
  void cancel(mcp_call_id call, std::int32_t reason) const;
  void stop();

 private:
  void need_what_hosts_offer() const;
  void call_tool(mcp_call_id call, std::string_view params);
  void meet_values(std::string_view params) const;
  void leave_something(mcp_call_id call);
  bool answer_wrongly(mcp_call_id call);
  void ask(mcp_call_id call, std::string_view params);
  void read(mcp_call_id call, std::string_view params);
  void get_prompt(mcp_call_id call, std::string_view params);
  void complete_argument(mcp_call_id call, std::string_view params);
  bool wait_in_vain(mcp_call_id call);

  void give(mcp_call_id call, std::string_view json, std::int32_t outcome = MCP_OUTCOME_RESULT) const {
    host_->complete(host_, call, outcome, as_mcp(json));
  }
  void refuse(mcp_call_id call, int code) const {
    give(call, "{\"code\":" + std::to_string(code) + ",\"message\":\"unknown\"}", MCP_OUTCOME_ERROR);
  }
  std::string data_directory() const {
    std::string path;
    const auto sink = into(path);
    host_->data_directory(host_, &sink);
    return path;
  }

  const mcp_host* const host_;
  std::string fault_;
  std::atomic<int> described_{0};
  std::atomic<bool> stopping_{false};
  std::mutex one_;
  std::mutex other_;
  std::atomic<int> turn_{0};
  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  int lock_ = -1;
};

std::string Faulty::describe() {
  if (is("throws in describe")) throw std::runtime_error("no words");
  if (is("aborts in describe")) std::abort();
  const auto time =
      is("describes something else each time") ? ", asked " + std::to_string(++described_) + " times" : "";
  const std::string description = is("no description") ? "" : R"("description": "Measures a text)" + time + R"(.",)";
  const std::string required = is("requires what it does not describe") ? R"("text", "unit")" : R"("text")";
  const std::string preset = is("default that does not fit") ? "0" : "1";
  const std::string example = is("example that does not fit") ? R"("examples": [7],)" : "";
  const bool has_time_limit = is("takes longer than it says") || is("hangs on its maximum");
  const std::string execution = has_time_limit ? R"("execution": {"timeoutMs": 300},)" : "";
  const std::string least = is("minimum above the maximum") ? "11" : "1";
  return R"({"tools": [
    {"name": "measure", )" +
         description + execution + R"("annotations": {"readOnlyHint": true},
     "inputSchema": {"type": "object", "additionalProperties": false, "required": [)" +
         required + R"(],
       "properties": {"text": {"type": "string", )" +
         example + R"("description": "What is measured."},
         "times": {"type": "integer", "description": "How often.", "minimum": )" +
         least + R"(, "maximum": 10,
                   "default": )" +
         preset + R"(}}},
     "outputSchema": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}},
    {"name": "ask", "description": "Asks for a name.", "inputSchema": {"type": "object", "properties": {}}}],
   "resources": [{"uri": "faulty:about", "name": "about", "description": "What this is."}],
   "resourceTemplates": [{"uriTemplate": "faulty:page{/page}", "name": "page", "description": "A page."}],
   "prompts": [{"name": "greet", "description": "Greets.", "arguments": [{"name": "who", "description": "Whom."}]}],
   "completions": true})";
}

void Faulty::start() {
  if (is("needs what hosts offer")) need_what_hosts_offer();
  if (is("starts slowly")) std::this_thread::sleep_for(1200ms);
  if (is("can only be there once")) {
    lock_ = ::open((data_directory() + "/lock").c_str(), O_CREAT | O_RDWR, 0600);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) throw std::runtime_error("somebody has the lock");
  }
  if (is("can only start once")) {
    if (::open((data_directory() + "/started").c_str(), O_CREAT | O_EXCL | O_RDWR, 0600) < 0)
      throw std::runtime_error("it has been started before");
  }
  if (is("leaves a descriptor after its end")) std::ignore = ::open("/dev/null", O_RDONLY);
}

void Faulty::need_what_hosts_offer() const {
  for (const auto* const name :
       {MCP_CALLER, MCP_CAPABILITIES, MCP_METRICS, MCP_SERVER_INFO, MCP_STORE, MCP_SUBSCRIPTIONS}) {
    if (host_->get_interface(host_, name) == nullptr)
      throw std::runtime_error("the host does not have " + std::string(name));
  }
  const auto* const store = static_cast<const mcp_store*>(host_->get_interface(host_, MCP_STORE));
  std::string why;
  const auto error = into(why);
  if (store->put(host_, as_mcp("key"), as_mcp("value"), MCP_STORE_ANY, nullptr, &error) != MCP_STORE_DONE)
    throw std::runtime_error("the host keeps nothing: " + why);
}

void Faulty::invoke(mcp_call_id call, std::string_view method, std::string_view params) {
  if (method == "tools/call") return call_tool(call, params);
  if (method == "resources/read") return read(call, params);
  if (method == "prompts/get") return get_prompt(call, params);
  complete_argument(call, params);
}

void Faulty::cancel(mcp_call_id call, std::int32_t reason) const {
  if (is("throws in cancel") && reason == MCP_CANCEL_CLIENT) throw std::runtime_error("no way back");
  std::ignore = call;
}

void Faulty::call_tool(mcp_call_id call, std::string_view params) {
  if (has(params, R"("name":"ask")")) return ask(call, params);
  if (!has(params, R"("name":"measure")")) {
    if (is("crashes on an unknown name")) crash();
    return refuse(call, -32602);
  }
  meet_values(params);
  if (wait_in_vain(call)) return;
  leave_something(call);
  if (answer_wrongly(call)) return;
  if (is("progress that goes backwards")) {
    host_->progress(host_, call, 2, 3, {});
    host_->progress(host_, call, 1, 3, {});
  }
  const auto size = std::to_string(params.size());
  const auto result = R"({"content": [{"type": "text", "text": ")" + size + R"("}], "structuredContent": {"size": )" +
                      (is("output that does not fit") ? "\"large\"" : size) + "}}";
  give(call, result);
  if (is("completes twice")) give(call, result);
}

void Faulty::meet_values(std::string_view params) const {
  if (is("crashes on an empty text") && has(params, R"("text":"")")) crash();
  if (is("crashes on a foreign text") && has(params, "\xE6\xBC\xA2")) crash();
  if (is("crashes on a long text") && params.size() > 5000) crash();
  if (is("hangs on its maximum") && has(params, "\"times\":10")) std::this_thread::sleep_for(1h);
  if (is("crashes on its maximum") && has(params, "\"times\":10")) crash();
  if (is("crashes on what the host refuses") && !has(params, "\"text\":\"")) crash();
}

// True: the call is not completed.
bool Faulty::wait_in_vain(mcp_call_id call) {
  if (is("never completes")) return true;
  if (is("ignores its cancellation")) std::this_thread::sleep_for(1h);
  if (is("deadlocks when called at once")) {
    const bool first = turn_++ % 2 == 0;
    const std::lock_guard lock(first ? one_ : other_);
    std::this_thread::sleep_for(50ms);
    const std::lock_guard next(first ? other_ : one_);
  }
  const auto forgotten = is("forgets a call that is cancelled")       ? MCP_CANCEL_CLIENT
                         : is("forgets its calls when the host ends") ? MCP_CANCEL_SHUTDOWN
                         : is("takes longer than it says") ? MCP_CANCEL_SHUTDOWN  // so it answers when its time is over
                         : is("throws in cancel") ? MCP_CANCEL_DEADLINE  // which never comes: it only takes its time
                                                  : MCP_CANCEL_NONE;
  if (forgotten == MCP_CANCEL_NONE) return false;
  for (int look = 0; look < 20'000; ++look) {
    const auto reason = host_->is_cancelled(host_, call);
    if (reason == forgotten) return true;
    if (reason != MCP_CANCEL_NONE) return false;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

void Faulty::leave_something(mcp_call_id call) {
  if (is("leaks descriptors")) std::ignore = ::open("/dev/null", O_RDONLY);
  if (is("leaks memory")) {
    constexpr std::size_t size = 65536;
    auto* const lost = static_cast<char*>(std::malloc(size));
    std::memset(lost, static_cast<int>(call), size);
    *reinterpret_cast<char* volatile*>(&lost[0]) = lost;
  }
  if (is("leaks threads")) {
    const std::lock_guard lock(threads_mutex_);
    if (threads_.size() > 2000) return;
    threads_.emplace_back([this] {
      while (!stopping_)
        std::this_thread::sleep_for(10ms);
    });
  }
  if (is("calls the host after its end")) {
    static std::atomic<bool> once{false};
    if (once.exchange(true)) return;
    std::thread([host = host_] {
      for (;;) {
        std::this_thread::sleep_for(20ms);
        host->log(host, 0, MCP_LOG_INFO, as_mcp("still here"));
      }
    }).detach();
  }
  if (is("leaves a thread after its end")) std::thread([] { std::this_thread::sleep_for(1h); }).detach();
}

// True: the call is over.
bool Faulty::answer_wrongly(mcp_call_id call) {
  if (is("exits")) std::_Exit(0);
  if (is("throws in invoke")) throw std::runtime_error("nobody catches this");
  if (is("unknown outcome")) return give(call, "{}", 7), true;
  if (is("result of another type")) return give(call, R"({"content": "5"})"), true;
  if (is("result that is no JSON")) return give(call, R"({"content": [)"), true;
  if (is("result that is no UTF-8"))
    return give(call, "{\"content\": [{\"type\": \"text\", \"text\": \"\xFF\"}]}"), true;
  if (is("unknown kind of content")) return give(call, R"({"content": [{"type": "smell"}]})"), true;
  if (is("error without a code")) return give(call, R"({"message": "no"})", MCP_OUTCOME_ERROR), true;
  if (is("does not know its own tool")) return refuse(call, -32601), true;
  return false;
}

void Faulty::ask(mcp_call_id call, std::string_view params) {
  const bool answered = has(params, "\"inputResponses\"");
  if (is("crashes when it is declined") && has(params, R"("action":"decline")")) crash();
  if (is("crashes when it is dismissed") && has(params, R"("action":"cancel")")) crash();
  if (answered && !is("asks without end"))
    return give(call, R"({"content": [{"type": "text", "text": "Thank you."}]})");
  const std::string kind = is("asks for an object") ? "object" : "string";
  give(call,
       R"({"inputRequests": {"name": {"method": "elicitation/create", "params": {"message": "Your name?",
           "requestedSchema": {"type": "object", "properties": {"name": {"type": ")" +
           kind + R"("}}, "required": ["name"]}}}}})",
       MCP_OUTCOME_INPUT_REQUIRED);
}

void Faulty::read(mcp_call_id call, std::string_view params) {
  const bool is_about = has(params, "faulty:about");
  const bool is_page = has(params, "faulty:page/");
  if (!is_about && !is_page) return refuse(call, -32002);
  if (is("resource that cannot be read") && is_about) return refuse(call, -32002);
  if (is("template that fails") && is_page) return refuse(call, -32603);
  if (is("resource without contents")) return give(call, R"({"contents": [{"uri": "faulty:about"}]})");
  give(call, R"({"contents": [{"uri": "faulty:about", "text": "A plugin."}]})");
}

void Faulty::get_prompt(mcp_call_id call, std::string_view params) {
  if (!has(params, "\"greet\"")) return refuse(call, -32602);
  const std::string role = is("prompt with an unknown role") ? "system" : "user";
  give(call, R"({"messages": [{"role": ")" + role + R"(", "content": {"type": "text", "text": "Hello."}}]})");
}

void Faulty::complete_argument(mcp_call_id call, std::string_view params) {
  if (is("completion that fails") && has(params, "no such value")) return refuse(call, -32603);
  if (is("completion of another type")) return give(call, R"({"completion": {"values": [1, 2]}})");
  give(call, R"({"completion": {"values": ["an/example"], "total": 1, "hasMore": false}})");
}

void Faulty::stop() {
  stopping_ = true;
  if (is("crashes in stop")) crash();
  if (is("blocks in stop")) std::this_thread::sleep_for(1h);
  for (auto& thread : threads_)
    thread.join();
  if (lock_ >= 0) ::close(lock_);
}

Faulty& self_of(void* self) {
  return *static_cast<Faulty*>(self);
}

void* create(const mcp_host* host, const mcp_sink* /*error*/) {
  return new Faulty(host);
}

std::int32_t describe(void* self, const mcp_sink* sink, const mcp_sink* /*error*/) {
  sink->write(sink->context, as_mcp(self_of(self).describe()));
  return 0;
}

std::int32_t start(void* self, const mcp_sink* error) {
  try {
    self_of(self).start();
    return 0;
  } catch (const std::exception& why) {
    error->write(error->context, as_mcp(why.what()));
    return 1;
  }
}

void invoke(void* self, mcp_call_id call, mcp_string method, mcp_string params) {
  self_of(self).invoke(call, view(method), view(params));
}

void cancel(void* self, mcp_call_id call, std::int32_t reason) {
  self_of(self).cancel(call, reason);
}

void stop(void* self) {
  self_of(self).stop();
  delete static_cast<Faulty*>(self);
}

mcp_plugin table_of_faulty() {
  mcp_plugin table{};
  table.size = sizeof table;
  table.name = as_mcp("faulty");
  table.version = as_mcp("1.0.0");
#ifdef NEVER_UNLOADS
  table.flags = MCP_PLUGIN_NEVER_UNLOAD;
#endif
  table.create = create;
  table.describe = describe;
  table.start = start;
  table.invoke = invoke;
  table.cancel = cancel;
  table.stop = stop;
  return table;
}

}  // namespace

#ifdef EXPORTS_TOO_MUCH
// Another library of the process could find it.
extern "C" MCP_PLUGIN_EXPORT int useful_function();
extern "C" int useful_function() {
  return 0;
}
#endif

extern "C" MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {
  static const mcp_plugin table = table_of_faulty();
  return &table;
}
