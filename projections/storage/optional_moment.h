#pragma once

#include <Poco/Nullable.h>
#include <Poco/Types.h>
#include <optional>

#include "domain/values/timestamp.h"

namespace pixledger::projections {

// A column of milliseconds, or of NULL.
using OptionalInteger = Poco::Nullable<Poco::Int64>;

inline std::optional<domain::Timestamp> to_moment(const OptionalInteger& millis) {
  if (millis.isNull()) return std::nullopt;
  return domain::Timestamp(millis.value());
}

}  // namespace pixledger::projections
