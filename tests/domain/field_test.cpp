#include "domain/aggregates/field.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "domain/values/names.h"

using namespace pixledger;
using namespace pixledger::domain;

namespace {

struct Whole {
  std::uint64_t number;
  bool is_first = false;
  std::optional<bool> is_last{};

  static constexpr auto fields(auto with) {
    return with(field("number", &Whole::number), field("isFirst", &Whole::is_first),
                field("isLast", &Whole::is_last));
  }
};

// The forgotten member fits into the padding after the number before it.
struct ForgetsInPadding {
  std::uint64_t number;
  std::uint32_t count;
  bool is_forgotten = false;

  static constexpr auto fields(auto with) {
    return with(field("number", &ForgetsInPadding::number), field("count", &ForgetsInPadding::count));
  }
};

struct ForgetsWhatMayBeAbsent {
  std::uint64_t number;
  std::optional<bool> is_forgotten{};

  static constexpr auto fields(auto with) { return with(field("number", &ForgetsWhatMayBeAbsent::number)); }
};

// The forgotten member's type has no empty value.
struct ForgetsWhatMustBeGiven {
  std::string text;
  Label forgotten;

  static constexpr auto fields(auto with) { return with(field("text", &ForgetsWhatMustBeGiven::text)); }
};

struct ForgetsInBetween {
  bool is_forgotten;
  std::string text;

  static constexpr auto fields(auto with) { return with(field("text", &ForgetsInBetween::text)); }
};

struct NamesInAnotherOrder {
  std::string text;
  std::uint64_t number;

  static constexpr auto fields(auto with) {
    return with(field("number", &NamesInAnotherOrder::number), field("text", &NamesInAnotherOrder::text));
  }
};

struct NameAlone {};

}  // namespace

TEST_CASE("a member left out of the fields is detected, however small it is") {
  CHECK(names_every_member<Whole>());
  CHECK(names_every_member<NameAlone>());
  CHECK_FALSE(names_every_member<ForgetsInPadding>());
  CHECK_FALSE(names_every_member<ForgetsWhatMayBeAbsent>());
  CHECK_FALSE(names_every_member<ForgetsWhatMustBeGiven>());
  CHECK_FALSE(names_every_member<ForgetsInBetween>());
  CHECK_FALSE(names_every_member<NamesInAnotherOrder>());
}
