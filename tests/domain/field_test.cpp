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

struct Offered {
  std::string text;
  std::optional<std::uint64_t> number{};
  std::optional<Label> label{};
  bool is_not_kept = false;

  static constexpr auto fields(auto with) {
    return with(field("text", &Offered::text), field("number", &Offered::number),
                field("label", &Offered::label), field("isNotKept", &Offered::is_not_kept));
  }
};

struct Kept {
  std::uint64_t number = 7;
  std::optional<Label> label{};
  std::string text;
  std::optional<bool> is_seen{};

  static constexpr auto fields(auto with) {
    return with(field("number", &Kept::number), field("label", &Kept::label), field("text", &Kept::text),
                field("isSeen", &Kept::is_seen));
  }
};

struct KeptLater {
  std::optional<Label> label{};

  static constexpr auto fields(auto with) { return with(field("label", &KeptLater::label)); }
};

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

TEST_CASE("fields are taken over by their names, and those without a source are empty") {
  const Offered offered{.text = "one", .number = 2, .label = Label::parse("three"), .is_not_kept = true};
  auto kept = made_of_same_fields<Kept>(offered);
  CHECK(kept.text == "one");
  CHECK(kept.number == 2);
  CHECK(kept.label == Label::parse("three"));
  CHECK_FALSE(kept.is_seen.has_value());
  CHECK(made_of_same_fields<Kept>(Offered{.text = ""}).number == 0);

  kept.is_seen = true;
  set_same_fields(kept, KeptLater{.label = Label::parse("four")});
  CHECK(kept.label == Label::parse("four"));
  CHECK(kept.text == "one");
  CHECK(kept.is_seen == true);
  set_same_fields(kept, KeptLater{});
  CHECK_FALSE(kept.label.has_value());
}
