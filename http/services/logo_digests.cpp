#include "http/services/logo_digests.h"

#include <functional>

#include "base/platform/sha256.h"

namespace pixledger::http {

LogoDigest LogoDigests::of(const domain::ProjectId& project, const domain::StoreLogo& logo) {
  // A store's own logos alone are told apart by it.
  const auto text_hash = std::hash<std::string>()(logo.text());
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(project);
    if (found != known_.end() && found->second.text_hash == text_hash) return found->second.digest;
  }
  const auto image = logo.image();
  LogoDigest digest{to_hex(sha256(image)), image.size()};
  const std::lock_guard lock(mutex_);
  ++computed_;
  if (known_.size() >= kStoresMax) known_.clear();
  known_.insert_or_assign(project, Known{text_hash, digest});
  return digest;
}

std::size_t LogoDigests::computed() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

}  // namespace pixledger::http
