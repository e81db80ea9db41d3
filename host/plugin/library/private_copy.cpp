#include "plugin/library/private_copy.hpp"

#include <system_error>
#include <unistd.h>
#include <utility>

namespace mcph {

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      bundle_(std::exchange(other.bundle_, {})),
      digest_(std::move(other.digest_)),
      source_identity_(other.source_identity_),
      generation_(other.generation_),
      remarks_(std::move(other.remarks_)) {}

PrivateCopy& PrivateCopy::operator=(PrivateCopy&& other) noexcept {
  PrivateCopy taken(std::move(other));
  std::swap(path_, taken.path_);
  std::swap(bundle_, taken.bundle_);
  std::swap(digest_, taken.digest_);
  std::swap(source_identity_, taken.source_identity_);
  std::swap(generation_, taken.generation_);
  std::swap(remarks_, taken.remarks_);
  return *this;  // and what this owned before is deleted with `taken`
}

PrivateCopy::~PrivateCopy() {
  std::error_code ignored;
  if (!bundle_.empty()) {
    std::filesystem::remove_all(bundle_, ignored);
  } else if (!path_.empty()) {
    ::unlink(path_.c_str());
  }
}

}  // namespace mcph
