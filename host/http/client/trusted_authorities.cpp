#include "http/client/trusted_authorities.hpp"

namespace mcph {
namespace {

// A server that is tried again and again does not have them read each time.
constexpr std::chrono::minutes between_reads{1};

}  // namespace

Result<std::shared_ptr<const ClientTlsContext>> TrustedAuthorities::context() {
  // Who needs it waits for who reads it, and so does what else is on that event loop.
  const MutexLock lock(mutex_);
  if (context_ != nullptr) return context_;
  // When it is needed first, because what a machine trusts takes milliseconds to read.
  auto loaded = ClientTlsContext::load(file_);
  if (loaded.has_error()) return loaded;
  context_ = *loaded;
  read_ = std::chrono::steady_clock::now();
  return loaded;
}

void TrustedAuthorities::doubt() {
  const MutexLock lock(mutex_);
  if (std::chrono::steady_clock::now() >= read_ + between_reads) context_ = nullptr;
}

}  // namespace mcph
