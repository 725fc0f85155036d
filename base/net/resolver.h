#pragma once

#include <string>
#include <vector>

#include "base/values/ip_address.h"

namespace pixledger {

// From host names to addresses. Thread-safe.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // In the order in which to try them; empty when there are none or the name cannot be resolved now.
  virtual std::vector<IpAddress> resolve(const std::string& host) const = 0;
};

// The system's resolver; blocks for as long as its configuration lets it.
class SystemResolver final : public Resolver {
 public:
  std::vector<IpAddress> resolve(const std::string& host) const override;
};

}  // namespace pixledger
