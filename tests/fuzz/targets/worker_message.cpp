// What a worker sends its host. "R" and the bytes of a message on the socket; or a letter for the kind of a frame, a
// letter for how many bytes of the rest are its `more`, and the rest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <sys/socket.h>
#include <variant>

#include "expect.hpp"
#include "plugin/isolated/worker_messages.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "plugin/plugin_metrics.hpp"

using mcph::Frame;
using mcph::FrameReader;
using mcph::fuzz::expect;

namespace {

void take(const Frame& frame) {
  const auto message = mcph::to_host::read(frame);
  expect(!message || !mcph::to_worker::read(frame));
  if (!message) return;
  // What has been understood is sent as it came, but for what no reader looks at.
  std::visit(
      [&](const auto& each) {
        const auto again = frame_of(each);
        expect(again.kind == frame.kind);
        expect(again.text.empty() || again.text == frame.text);
        expect(mcph::to_host::read(again).has_value());
      },
      *message);
  if (const auto* ready = std::get_if<mcph::to_host::Ready>(&*message)) {
    const auto identity = mcph::WorkerIdentity::read(ready->identity);
    expect(identity ? !identity->name.empty() : !identity.error().message.empty());
  }
  if (const auto* query = std::get_if<mcph::to_host::StoreQuery>(&*message)) {
    expect(query->key().size() + query->value().size() == frame.text.size());
    const auto invalid = mcph::check({query->kind, std::string(query->key()), std::string(query->value())});
    expect(!invalid || !invalid->text.empty());
  }
  if (const auto* recorded = std::get_if<mcph::to_host::MetricsRecorded>(&*message)) {
    mcph::PluginMetrics metrics;
    const auto added = metrics.add_changes(recorded->changes);
    expect(added || !added.error().message.empty());
    for (const auto& metric : metrics.all())
      expect(!metric.definition.help.empty() && metric.series.size() <= mcph::PluginMetrics::max_series);
  }
  if (const auto* logged = std::get_if<mcph::to_host::Logged>(&*message))
    expect(logged->event < mcph::worker_log_events.size());
}

void receive(int socket) {
  FrameReader reader;
  for (;;) {
    const auto outcome = reader.receive_whole(socket);
    if (outcome == FrameReader::Outcome::frame) {
      take(reader.frame());
      continue;
    }
    expect(outcome != FrameReader::Outcome::long_text);
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 2) return 0;
  const auto sockets = mcph::make_frame_sockets();
  expect(sockets.has_value());
  const int worker = sockets->second.get();
  if (input.front() == 'R') {
    input.remove_prefix(1);
    ::send(worker, input.data(), input.size(), MSG_DONTWAIT);
  } else {
    const auto letter = [&](std::size_t index) { return static_cast<unsigned char>(input[index]) - unsigned{'a'}; };
    const auto kind = static_cast<Frame::Kind>(1 + letter(0) % static_cast<unsigned>(Frame::Kind::last));
    const auto rest = input.substr(2);
    const auto more = std::min<std::size_t>(letter(1) % 64, rest.size());
    mcph::send_frame(
        worker, {kind, static_cast<std::int32_t>(size % 8), size % 16, rest.substr(more), rest.substr(0, more)}, false);
  }
  ::shutdown(worker, SHUT_WR);
  receive(sockets->first.get());
  return 0;
}
