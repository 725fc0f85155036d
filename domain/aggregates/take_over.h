#pragma once

#include <optional>

namespace pixledger::domain {

// Sets `value` to what a change of several values has for it; absent, it stays.
template <class T>
void take_over(T& value, const std::optional<T>& change) {
  if (change) value = *change;
}

}  // namespace pixledger::domain
