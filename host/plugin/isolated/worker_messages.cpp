#include "plugin/isolated/worker_messages.hpp"

namespace mcph {
namespace {

using Kind = Frame::Kind;

// Numbers as the bytes of `more`, and back; nothing for other bytes.
template <class T>
std::string_view bytes_of(const T& numbers) {
  return {reinterpret_cast<const char*>(&numbers), sizeof numbers};
}
template <class T>
std::optional<T> numbers_of(std::string_view bytes) {
  T numbers{};
  if (bytes.size() != sizeof numbers) return std::nullopt;
  bytes.copy(reinterpret_cast<char*>(&numbers), sizeof numbers);
  return numbers;
}

constexpr std::string_view by_worker_mark = "refused";
// Added to the method of a call whose progress nobody wants.
constexpr std::int32_t no_progress_mark = 1 << 16;

}  // namespace

namespace to_worker {

Frame frame_of(const Load& message) {
  return {.kind = Kind::load, .id = message.query, .text = message.setup};
}

Frame frame_of(const Describe& message) {
  return {.kind = Kind::describe, .id = message.query};
}

Frame frame_of(const Start& message) {
  return {.kind = Kind::start, .id = message.query};
}

Frame frame_of(const Invoke& message) {
  const auto method = static_cast<std::int32_t>(message.method);
  return {Kind::invoke, message.wants_progress ? method : method | no_progress_mark, message.call, message.params,
          message.context};
}
static std::optional<Message> read_invoke(const Frame& frame) {
  const auto method = frame.number & ~no_progress_mark;
  if (static_cast<std::size_t>(method) >= plugin_method_names.size()) return std::nullopt;
  return Invoke{frame.id, static_cast<PluginMethod>(method), frame.text, frame.more, method == frame.number};
}

Frame frame_of(const Cancel& message) {
  return {.kind = Kind::cancel, .number = message.reason, .id = message.call};
}

Frame frame_of(const Answer& message) {
  return {.kind = Kind::answer, .id = message.query, .text = message.text};
}

Frame frame_of(const Stop& /*message*/) {
  return {.kind = Kind::stop};
}

Frame frame_of(const TellPlaces& /*message*/) {
  return {.kind = Kind::tell_places};
}

Frame frame_of(const SubscriptionsChanged& message) {
  return {.kind = Kind::subscriptions_changed, .text = message.changes};
}

Frame frame_of(const StoreAnswer& message) {
  return {Kind::store_answer, static_cast<std::int32_t>(message.status), message.query, message.text,
          bytes_of(message.revision)};
}
static std::optional<Message> read_store_answer(const Frame& frame) {
  const auto revision = numbers_of<std::uint64_t>(frame.more);
  if (!revision || frame.number < 0 || frame.number > static_cast<std::int32_t>(StoreStatus::failed))
    return std::nullopt;
  return StoreAnswer{frame.id, static_cast<StoreStatus>(frame.number), *revision, frame.text};
}

std::optional<Message> read(const Frame& frame) {
  switch (frame.kind) {
    case Kind::load:
      return Load{frame.id, frame.text};
    case Kind::describe:
      return Describe{frame.id};
    case Kind::start:
      return Start{frame.id};
    case Kind::invoke:
      return read_invoke(frame);
    case Kind::cancel:
      return Cancel{frame.id, frame.number};
    case Kind::answer:
      return Answer{frame.id, frame.text};
    case Kind::stop:
      return Stop{};
    case Kind::tell_places:
      return TellPlaces{};
    case Kind::subscriptions_changed:
      return SubscriptionsChanged{frame.text};
    case Kind::store_answer:
      return read_store_answer(frame);
    default:
      return std::nullopt;
  }
}

}  // namespace to_worker

namespace to_host {

Frame frame_of(const Ready& message) {
  return {Kind::ready, 0, message.query, message.description, message.identity};
}

Frame frame_of(const Failed& message) {
  return {Kind::failed, message.may_pass ? 1 : 0, message.query, message.why};
}

Frame frame_of(const Completed& message) {
  return {Kind::completed, message.outcome, message.call, message.text,
          message.by_worker ? by_worker_mark : std::string_view{}};
}
static std::optional<Message> read_completed(const Frame& frame) {
  if (!frame.more.empty() && frame.more != by_worker_mark) return std::nullopt;
  return Completed{frame.id, frame.number, frame.text, !frame.more.empty(), frame.owner};
}

Frame frame_of(const Progressed& message) {
  return {Kind::progressed, 0, message.call, message.message, bytes_of(message.progress_and_total)};
}
static std::optional<Message> read_progressed(const Frame& frame) {
  const auto numbers = numbers_of<std::array<double, 2>>(frame.more);
  if (!numbers) return std::nullopt;
  return Progressed{frame.id, *numbers, frame.text};
}

Frame frame_of(const Said& message) {
  return {Kind::said, message.level, message.call, message.words};
}

Frame frame_of(const Logged& message) {
  return {Kind::logged, message.level, message.event, message.text};
}
static std::optional<Message> read_logged(const Frame& frame) {
  if (frame.id >= worker_log_events.size()) return std::nullopt;
  return Logged{frame.number, frame.id, frame.text};
}

Frame frame_of(const ComponentsChanged& /*message*/) {
  return {.kind = Kind::components_changed};
}

Frame frame_of(const ResourceUpdated& message) {
  return {.kind = Kind::resource_updated, .text = message.uri};
}

Frame frame_of(const ContextQuery& message) {
  return {.kind = Kind::context_query, .id = message.query, .more = bytes_of(message.call)};
}
static std::optional<Message> read_context_query(const Frame& frame) {
  const auto call = numbers_of<CallId>(frame.more);
  if (!call) return std::nullopt;
  return ContextQuery{frame.id, *call};
}

Frame frame_of(const CallerQuery& message) {
  return {.kind = Kind::caller_query, .id = message.query, .more = bytes_of(message.call)};
}
static std::optional<Message> read_caller_query(const Frame& frame) {
  const auto call = numbers_of<CallId>(frame.more);
  if (!call) return std::nullopt;
  return CallerQuery{frame.id, *call};
}

Frame frame_of(const ServerInfoQuery& message) {
  return {.kind = Kind::server_info_query, .id = message.query};
}

Frame frame_of(const SubscriptionsQuery& message) {
  return {.kind = Kind::subscriptions_query, .id = message.query};
}

Frame frame_of(const SubscriptionsTaken& /*message*/) {
  return {.kind = Kind::subscriptions_taken};
}

Frame frame_of(const StoreQuery& message) {
  return {Kind::store_query, static_cast<std::int32_t>(message.kind), message.query, message.key_and_value,
          bytes_of(message.revision_and_key_size)};
}
static std::optional<Message> read_store_query(const Frame& frame) {
  const auto numbers = numbers_of<std::array<std::uint64_t, 2>>(frame.more);
  const bool is_kind = frame.number >= 0 && frame.number <= static_cast<std::int32_t>(StoreOperation::Kind::list);
  if (!numbers || !is_kind || (*numbers)[1] > frame.text.size()) return std::nullopt;
  return StoreQuery{frame.id, static_cast<StoreOperation::Kind>(frame.number), *numbers, frame.text};
}

Frame frame_of(const MetricsRecorded& message) {
  return {.kind = Kind::metrics_recorded, .text = message.changes};
}

Frame frame_of(const Crashed& message) {
  return {.kind = Kind::crashed, .text = message.signal};
}

Frame frame_of(const PlaceFollows& /*message*/) {
  return {.kind = Kind::place_follows};
}

Frame frame_of(const StackLine& message) {
  return {.kind = Kind::stack_line, .text = message.text};
}

Frame frame_of(const LacksMemory& /*message*/) {
  return {.kind = Kind::lacks_memory};
}

std::optional<Message> read(const Frame& frame) {
  switch (frame.kind) {
    case Kind::ready:
      return Ready{frame.id, frame.text, frame.more};
    case Kind::failed:
      return Failed{frame.id, frame.number != 0, frame.text};
    case Kind::completed:
      return read_completed(frame);
    case Kind::progressed:
      return read_progressed(frame);
    case Kind::said:
      return Said{frame.id, frame.number, frame.text};
    case Kind::logged:
      return read_logged(frame);
    case Kind::components_changed:
      return ComponentsChanged{};
    case Kind::resource_updated:
      return ResourceUpdated{frame.text};
    case Kind::context_query:
      return read_context_query(frame);
    case Kind::caller_query:
      return read_caller_query(frame);
    case Kind::server_info_query:
      return ServerInfoQuery{frame.id};
    case Kind::subscriptions_query:
      return SubscriptionsQuery{frame.id};
    case Kind::subscriptions_taken:
      return SubscriptionsTaken{};
    case Kind::store_query:
      return read_store_query(frame);
    case Kind::metrics_recorded:
      return MetricsRecorded{frame.text};
    case Kind::crashed:
      return Crashed{frame.text};
    case Kind::place_follows:
      return PlaceFollows{};
    case Kind::stack_line:
      return StackLine{frame.text};
    case Kind::lacks_memory:
      return LacksMemory{};
    default:
      return std::nullopt;
  }
}

LongMessage long_message(const Frame& head, std::size_t bytes) {
  const auto kind = head.kind == Kind::ready       ? LongMessage::Kind::ready
                    : head.kind == Kind::completed ? LongMessage::Kind::completed
                                                   : LongMessage::Kind::other;
  return {kind, head.id, bytes};
}

}  // namespace to_host

}  // namespace mcph
