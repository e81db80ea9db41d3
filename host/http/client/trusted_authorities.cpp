#include "http/client/trusted_authorities.hpp"

#include <sys/stat.h>

namespace mcph {
namespace {

std::optional<FileIdentity> identity_of_authorities(const std::filesystem::path& file) {
  struct ::stat status {};
  if (file.empty() || ::stat(file.c_str(), &status) != 0) return std::nullopt;
  return identity_from(status);
}

}  // namespace

Result<std::shared_ptr<const ClientTlsContext>> TrustedAuthorities::context() {
  // Who needs it waits for who reads it, and so does what else is on that event loop.
  const MutexLock lock(mutex_);
  if (context_ != nullptr) return context_;
  const auto identity = identity_of_authorities(file_);
  // When it is needed first, because what a machine trusts takes milliseconds to read.
  auto loaded = ClientTlsContext::load(file_);
  if (loaded.has_error()) return loaded;
  context_ = *loaded;
  read_ = Clock::now();
  identity_ = identity;
  return loaded;
}

void TrustedAuthorities::doubt() {
  const MutexLock lock(mutex_);
  if (Clock::now() >= read_ + between_reads_) context_ = nullptr;
}

void TrustedAuthorities::see_changes() {
  const MutexLock lock(mutex_);
  if (context_ != nullptr && identity_ != identity_of_authorities(file_)) context_ = nullptr;
}

}  // namespace mcph
