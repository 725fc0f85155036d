#pragma once

#include <Poco/Nullable.h>
#include <Poco/Types.h>
#include <optional>

#include "base/values/timestamp.h"

namespace pixledger::stores {

// A column of milliseconds, or of NULL.
using OptionalInteger = Poco::Nullable<Poco::Int64>;

inline std::optional<Timestamp> to_moment(const OptionalInteger& millis) {
  if (millis.isNull()) return std::nullopt;
  return Timestamp(millis.value());
}

}  // namespace pixledger::stores
