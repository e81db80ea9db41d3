#include "app/live_certificates.hpp"

#include <chrono>
#include <utility>

#include "base/time_text.hpp"
#include "http/tls/tls_stream.hpp"

namespace mcph {

Result<std::unique_ptr<LiveCertificates>> LiveCertificates::create(TlsOptions options, Log& log) {
  std::unique_ptr<LiveCertificates> live(new LiveCertificates(std::move(options), log));
  auto loaded = TlsContext::load(live->options_, nullptr, std::chrono::system_clock::now());
  if (loaded.has_error()) return loaded.error();
  live->say_expiry(**loaded);
  live->current_.set(*std::move(loaded));
  return live;
}

// Watched before they are read, so that no change between is missed.
LiveCertificates::LiveCertificates(TlsOptions options, Log& log) : options_(std::move(options)), log_(log) {
  std::vector<std::filesystem::path> files{options_.certificate, options_.key};
  if (!options_.client_ca.empty()) files.push_back(options_.client_ca);
  watched_.watch(std::move(files));
}

void LiveCertificates::run() {
  watched_.run([this](bool changed) { attend(changed); });
}

MakeHttpStream LiveCertificates::make_stream() {
  return [this](HttpSocket socket, HttpPeer peer) {
    return std::make_unique<TlsStream>(std::move(socket), std::move(peer), *current_.get());
  };
}

std::string LiveCertificates::refusal() const {
  const MutexLock lock(mutex_);
  return refusal_;
}

void LiveCertificates::attend(bool changed) {
  // The time may come in which a certificate is good, and no file changes then.
  static constexpr std::chrono::seconds interval{1};
  const bool again = !refusal().empty() && std::chrono::steady_clock::now() - refused_at_ >= interval;
  if (changed || again) take_changes(changed);
}

void LiveCertificates::take_changes(bool changed) {
  auto next = TlsContext::load(options_, current_.get().get(), std::chrono::system_clock::now());
  const auto why_not = next.has_error() ? next.error().message : std::string();
  const auto before = [&] {
    const MutexLock lock(mutex_);
    return std::exchange(refusal_, why_not);
  }();
  if (next.has_error()) {
    refused_at_ = std::chrono::steady_clock::now();
    // After a change the next look says it, if it is still so: the other file may be about to follow.
    const auto last = std::exchange(refused_files_, changed ? RefusedFiles::unsaid : RefusedFiles::said);
    if (changed || (last == RefusedFiles::said && before == why_not)) return;
    return log_.error("certificate not taken", {{"reason", why_not}, {"serving", "what was there before"}});
  }
  // A file may be written anew as it was. After a refusal it is said all the same, because all is well again.
  if (std::exchange(refused_files_, RefusedFiles::none) == RefusedFiles::none && (*next)->is_same(*current_.get()))
    return;
  current_.set(*next);
  say_expiry(**next);
}

void LiveCertificates::say_expiry(const TlsContext& context) const {
  log_.info("certificate taken", {{"file", options_.certificate.string()}, {"expires", time_text(context.expiry())}});
}

}  // namespace mcph
