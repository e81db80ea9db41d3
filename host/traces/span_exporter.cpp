#include "traces/span_exporter.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/http_token.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "traces/otlp_text.hpp"

namespace mcph {
namespace {

constexpr std::string_view closing = "]}]}]}";
constexpr std::chrono::seconds max_pause{30};

// What a later attempt may change (OTLP, "Failures": 429, 502, 503, 504).
bool may_pass(unsigned status) {
  return status == 429 || (status >= 502 && status <= 504);
}

// How many of the spans the collector says that it did not take, though it took the others.
std::uint64_t rejected_in(const std::string& body) {
  const auto json = parse_json(body);
  if (json.has_error() || !json->is_object()) return 0;
  const auto partial = json->find("partialSuccess");
  if (partial == json->end() || !partial->is_object()) return 0;
  const auto count = partial->find("rejectedSpans");
  if (count == partial->end()) return 0;
  // An int64 is a string in JSON, and a number is taken, too (Protocol Buffers, "ProtoJSON").
  if (count->is_number_unsigned()) return count->get<std::uint64_t>();
  return count->is_string() ? std::strtoull(count->get_ref<const std::string&>().c_str(), nullptr, 10) : 0;
}

}  // namespace

// What the call tells when it has ended, which may be after the exporter.
struct SpanExporter::Answered {
  Mutex mutex;
  Condition changed;
  std::optional<Result<HttpAnswer>> answer GUARDED_BY(mutex);
};

SpanExporter::SpanExporter(Options options, Log& log)
    : options_(std::move(options)),
      opening_(R"({"resourceSpans":[{"resource":{"attributes":[)" +
               attribute_text("service.name", options_.service_name) + "," +
               attribute_text("service.version", options_.service_version) +
               R"(]},"scopeSpans":[{"scope":{"name":"mcp-plugin-host"},"spans":[)"),
      log_(log) {}

void SpanExporter::run(HttpCaller& caller) {
  thread_ = std::thread([this, &caller] { send_batches(caller); });
}

void SpanExporter::stop(std::chrono::milliseconds patience) {
  {
    const MutexLock lock(mutex_);
    stop_at_ = Clock::now() + patience;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SpanExporter::add(std::string_view span) {
  bool is_due = false;
  {
    const MutexLock lock(mutex_);
    auto& [text, spans] = queue_;
    if (text.size() + span.size() + closing.size() + 1 > max_queue_bytes || stop_at_) {
      ++figures_.dropped;
      return;
    }
    // Once for all, so that it is never copied; what is not used takes no memory.
    if (spans == 0) text.reserve(max_queue_bytes);
    text.append(spans == 0 ? std::string_view(opening_) : ",").append(span);
    ++spans;
    is_due = spans == 1 || (text.size() >= batch_bytes && text.size() - span.size() < batch_bytes);
  }
  if (is_due) changed_.notify_all();
}

SpanExporter::Figures SpanExporter::figures() const {
  const MutexLock lock(mutex_);
  auto figures = figures_;
  figures.queued_bytes = queue_.text.size();
  return figures;
}

void SpanExporter::send_batches(HttpCaller& caller) {
  // Two texts take turns, so that the memory of neither is given back and asked for again and again.
  Batch batch;
  for (;;) {
    batch.text.clear();
    batch.spans = 0;
    take_batch(batch);
    if (batch.spans == 0) return;
    try {
      deliver(caller, batch);
    } catch (const std::bad_alloc&) {
      drop(batch);
    }
  }
}

// It stays empty: there is no more to come.
void SpanExporter::take_batch(Batch& batch) {
  MutexLock lock(mutex_);
  while (queue_.spans == 0 && !stop_at_)
    changed_.wait(lock);
  const auto due = Clock::now() + options_.batch_time;
  while (queue_.text.size() < batch_bytes && !stop_at_ && Clock::now() < due)
    changed_.wait_for(lock, due - Clock::now());
  std::swap(queue_, batch);
}

void SpanExporter::deliver(HttpCaller& caller, Batch& batch) {
  batch.text.append(closing);
  const auto give_up_at = Clock::now() + options_.batch_lifetime;
  for (auto next_pause = options_.first_pause;;
       next_pause = std::min<std::chrono::milliseconds>(2 * next_pause, max_pause)) {
    bool again = false;
    // Of what there is when the time for the end is over nothing is sent any more.
    if (!is_over()) {
      const bool was_last = is_stopping();
      std::string why;
      const auto delivery = try_once(caller, batch, why);
      tell(delivery == Delivery::taken, why);
      if (delivery == Delivery::taken) return;
      again = delivery == Delivery::failed && !was_last && Clock::now() + next_pause < give_up_at;
    }
    if (again) {
      pause(next_pause);
      continue;
    }
    return drop(batch);
  }
}

void SpanExporter::drop(const Batch& batch) {
  const MutexLock lock(mutex_);
  figures_.dropped += batch.spans;
}

// Nothing: the host has ended before the collector has answered.
std::optional<Result<HttpAnswer>> SpanExporter::ask(HttpCaller& caller, const Batch& batch) const {
  // The end of the host waits for so long more than it is to.
  constexpr std::chrono::milliseconds between_looks{20};
  HttpCall call{.url = options_.collector,
                .fields = options_.fields,
                .body = batch.text,
                .max_answer = std::size_t{64} << 10,
                .patience = options_.patience};
  call.fields.emplace_back("Content-Type", "application/json");
  const auto answered = std::make_shared<Answered>();
  caller.send(std::move(call), [answered](Result<HttpAnswer> answer) {
    {
      const MutexLock lock(answered->mutex);
      answered->answer = std::move(answer);
    }
    answered->changed.notify_all();
  });
  MutexLock lock(answered->mutex);
  while (!answered->answer && !is_over())
    answered->changed.wait_for(lock, between_looks);
  return std::move(answered->answer);
}

SpanExporter::Delivery SpanExporter::try_once(HttpCaller& caller, const Batch& batch, std::string& why) {
  const auto answer = ask(caller, batch);
  const auto fail_as = [&](Delivery how, std::string words) {
    why = std::move(words);
    const MutexLock lock(mutex_);
    ++figures_.failed_requests;
    return how;
  };
  if (!answer) return fail_as(Delivery::failed, "it has not answered when the host ended");
  if (answer->has_error()) return fail_as(Delivery::failed, answer->error().message);
  const auto status = (*answer)->status;
  if (status < 200 || status > 299) {
    return fail_as(may_pass(status) ? Delivery::failed : Delivery::refused,
                   "it answered with status " + std::to_string(status));
  }
  const auto rejected = std::min(rejected_in((*answer)->body), batch.spans);
  const MutexLock lock(mutex_);
  figures_.sent += batch.spans - rejected;
  figures_.dropped += rejected;
  return Delivery::taken;
}

bool SpanExporter::is_over() const {
  const MutexLock lock(mutex_);
  return stop_at_ && Clock::now() >= *stop_at_;
}

bool SpanExporter::is_stopping() const {
  const MutexLock lock(mutex_);
  return stop_at_.has_value();
}

// Ends early when the host does, for a last attempt.
void SpanExporter::pause(std::chrono::milliseconds time) {
  const auto end = Clock::now() + time;
  MutexLock lock(mutex_);
  while (!stop_at_ && Clock::now() < end)
    changed_.wait_for(lock, end - Clock::now());
}

// Once until it changes.
void SpanExporter::tell(bool taken, const std::string& why) {
  if (taken != std::exchange(fails_, !taken)) return;
  if (taken) {
    log_.info("traces taken again", {{"collector", options_.collector.authority}});
  } else {
    log_.warning(
        "traces not taken",
        {{"collector", options_.collector.authority},
         {"reason", why},
         {"next", "later spans are sent as before, and these again where that can help; what is dropped is counted"}});
  }
}

Result<HeaderFile> read_header_file(const std::filesystem::path& file) {
  constexpr std::size_t max_bytes = std::size_t{64} << 10;
  const auto opened = open_to_read(file);
  if (!opened) return fail(file.string() + ": cannot be opened: " + last_error());
  if (const auto checked = check_owner_only(opened); checked.has_error())
    return fail(file.string() + ": " + checked.error().message);
  const auto text = read_regular_file(opened, max_bytes);
  if (text.has_error()) return fail(file.string() + ": " + text.error().message);
  HeaderFile fields;
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    auto line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto colon = std::min(line.find(':'), line.size());
    const auto value_at = line.find_first_not_of(' ', colon + 1);
    const bool is_printable = std::ranges::all_of(line, [](char c) { return ' ' <= c && c <= '~'; });
    // What the line says is a secret.
    if (!is_token(line.substr(0, colon)) || value_at == std::string_view::npos || !is_printable)
      return fail(file.string() + ":" + std::to_string(number) + ": must be \"Name: value\", in ASCII");
    fields.emplace_back(line.substr(0, colon), line.substr(value_at));
  }
  if (fields.empty()) return fail(file.string() + ": has no headers; write one a line as \"Name: value\"");
  return fields;
}

}  // namespace mcph
