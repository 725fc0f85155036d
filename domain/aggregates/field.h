#pragma once

#include <optional>
#include <type_traits>
#include <utility>

// What a struct consists of, told once beside it: its static member `fields(with)` hands a Field for each
// member, in their order, to `with`. Stored bytes, JSON, rows and the tests' events are made from that. Only
// decisions name members one by one.
namespace pixledger::domain {

enum class FieldKind {
  kFact,      // stored with the event's facts, in events.fbs at the place that it has among these
  kSecret,    // the same, and never shown
  kPersonal,  // stored where it can be erased
  kEnvelope,  // the project that the envelope names
  kPassing,   // of a state: in no row
};

constexpr bool is_stored_with_facts(FieldKind kind) {
  return kind == FieldKind::kFact || kind == FieldKind::kSecret;
}

template <FieldKind Kind, class Owner, class Member>
struct Field {
  using Value = Member;
  static constexpr FieldKind kKind = Kind;

  const char* name;          // in JSON that shows all
  Member Owner::*member;     // read with `of`
  const char* feed_name;     // in the API's feed; nullptr: not shown there
  const char* stored_name;   // in events.fbs where that is not `name` in snake case; else nullptr
  bool flat = false;         // JSON has its members in its place
  bool only_if_set = false;  // JSON leaves it out where it is as before there was any

  constexpr const Member& of(const Owner& owner) const { return owner.*member; }

  constexpr Field in_feed(const char* other) const {
    auto changed = *this;
    changed.feed_name = other;
    return changed;
  }
  constexpr Field not_in_feed() const { return in_feed(nullptr); }
  constexpr Field stored_as(const char* other) const {
    auto changed = *this;
    changed.stored_name = other;
    return changed;
  }
  constexpr Field shown_if_set() const {
    auto changed = *this;
    changed.only_if_set = true;
    return changed;
  }
  constexpr Field flattened() const {
    auto changed = *this;
    changed.flat = true;
    return changed;
  }
};

template <class Owner, class Member>
constexpr auto field(const char* name, Member Owner::*member) {
  return Field<FieldKind::kFact, Owner, Member>{
      .name = name, .member = member, .feed_name = name, .stored_name = nullptr};
}
template <class Owner, class Member>
constexpr auto secret_field(const char* name, Member Owner::*member) {
  return Field<FieldKind::kSecret, Owner, Member>{
      .name = name, .member = member, .feed_name = nullptr, .stored_name = nullptr};
}
template <class Owner, class Member>
constexpr auto personal_field(const char* name, Member Owner::*member) {
  return Field<FieldKind::kPersonal, Owner, Member>{
      .name = name, .member = member, .feed_name = name, .stored_name = nullptr};
}
template <class Owner, class Member>
constexpr auto envelope_field(const char* name, Member Owner::*member) {
  return Field<FieldKind::kEnvelope, Owner, Member>{
      .name = name, .member = member, .feed_name = nullptr, .stored_name = nullptr};
}
template <class Owner, class Member>
constexpr auto passing_field(const char* name, Member Owner::*member) {
  return Field<FieldKind::kPassing, Owner, Member>{
      .name = name, .member = member, .feed_name = nullptr, .stored_name = nullptr};
}

// What has fields of its own. An event that is its name alone has none to tell.
template <class T>
concept Described = std::is_empty_v<T> || requires {
  T::fields([](const auto&...) {});
};

// What `with` makes of all fields, as one pack: a T from a value for each, in braces, is `T{read(field)...}`.
template <Described T, class With>
constexpr auto with_fields(With with) {
  if constexpr (std::is_empty_v<T>)
    return with();
  else
    return T::fields(with);
}

template <Described T, class Visit>
constexpr void for_each_field(Visit visit) {
  with_fields<T>([&visit](const auto&... fields) { (visit(fields), ...); });
}

// Stands for a value of any type, where the compiler is asked whether there is room for one more.
struct AnyValue {
  template <class T>
  operator T() const;  // implicit, as a value is
};

// Whether a T can be made of these values, in their order; and of one more, which may be left empty.
template <class T, class... Values>
concept MadeOf = requires {
  T{std::declval<Values>()...};
};
template <class T, class... Values>
concept MadeOfOneMore = requires {
  T{std::declval<Values>()..., {}};
};

// Whether `fields` leaves out no member: a T can be made of a value for each of its fields and of no value
// more, be that one that has to be given or one that may be left empty.
template <Described T>
consteval bool names_every_member() {
  return with_fields<T>([]<class... Fields>(const Fields&...) {
    if constexpr (sizeof...(Fields) == 0)
      return true;
    else
      return MadeOf<T, typename Fields::Value...> && !MadeOf<T, typename Fields::Value..., AnyValue> &&
             !MadeOfOneMore<T, typename Fields::Value...>;
  });
}

// Sets `value` to what a change of several values has for it; absent, it stays.
template <class T>
void take_over(T& value, const std::optional<T>& change) {
  if (change) value = *change;
}

}  // namespace pixledger::domain
