#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace pixledger {

// A large value that moves from owner to owner at a pointer's cost. Has a value, unless it was moved from.
template <class Value>
class Boxed {
 public:
  template <class From>
  requires(std::constructible_from<Value, From> && !std::same_as<std::remove_cvref_t<From>, Boxed>)
      Boxed(From&& from)
      : value_(std::make_unique<Value>(std::forward<From>(from))) {}  // implicit, as the value is
  Boxed(const Boxed& other) : value_(std::make_unique<Value>(*other.value_)) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  operator const Value&() const { return *value_; }
  const Value& operator*() const { return *value_; }

 private:
  std::unique_ptr<Value> value_;
};

}  // namespace pixledger
