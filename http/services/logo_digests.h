#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

#include "domain/aggregates/project.h"

namespace pixledger::http {

// A logo's image, without the image.
struct LogoDigest {
  std::string sha256;  // hex
  std::size_t bytes;
};

// Remembers the digests of the stores' logos: each page that a payer has open asks for one, and to decode and
// hash an image takes longer than all the rest of that answer. Thread-safe.
class LogoDigests {
 public:
  static constexpr std::size_t kStoresMax = 10'000;

  LogoDigest of(const domain::ProjectId& project, const domain::StoreLogo& logo);
  // How many images were decoded.
  std::size_t computed() const;

 private:
  struct Known {
    std::size_t text_hash;
    LogoDigest digest;
  };

  mutable std::mutex mutex_;
  std::unordered_map<domain::ProjectId, Known> known_;
  std::size_t computed_ = 0;
};

}  // namespace pixledger::http
