#include "plugin/library/private_copy.hpp"

#include <unistd.h>
#include <utility>

namespace mcph {

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      digest_(std::move(other.digest_)),
      source_identity_(other.source_identity_) {}

PrivateCopy& PrivateCopy::operator=(PrivateCopy&& other) noexcept {
  PrivateCopy taken(std::move(other));
  std::swap(path_, taken.path_);
  std::swap(digest_, taken.digest_);
  std::swap(source_identity_, taken.source_identity_);
  return *this;  // and what this owned before is deleted with `taken`
}

PrivateCopy::~PrivateCopy() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace mcph
