#include "cli/host.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace mcph {
namespace {

// Calls of plugins that may block at once, over all plugins.
constexpr unsigned most_blocked_threads = 128;
constexpr std::chrono::seconds stop_patience{10};

unsigned lanes(unsigned wanted) {
  constexpr unsigned most = 4;
  return wanted > 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

}  // namespace

Result<std::unique_ptr<Host>> Host::create(const HostOptions& options, Log& log) {
  auto copies = PrivateFolder::create();
  if (copies.has_error()) return copies.error();
  return std::unique_ptr<Host>(new Host(options, *std::move(copies), log));
}

Host::Host(const HostOptions& options, PrivateFolder copies, Log& log)
    : threads_(lanes(options.threads), most_blocked_threads),
      retirement_(stop_patience, log),
      loader_(std::move(copies), {.data_root = options.data_root, .limits = {}}, threads_, retirement_, log),
      reloader_(std::make_unique<Reloader>(
          Reloader::Options{.root = options.components, .instructions = options.instructions}, loader_, catalog_,
          log)) {}

Host::~Host() = default;

void Host::cancel_calls() {
  reloader_->stop();
  reloader_->cancel_calls(CancelReason::shutdown);
}

bool Host::end(std::chrono::milliseconds patience) {
  reloader_->stop();
  threads_.stop();
  if (!threads_.join(patience)) return false;
  catalog_.clear();
  reloader_.reset();
  return retirement_.wait_until_empty(patience);
}

}  // namespace mcph
