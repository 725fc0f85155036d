#pragma once

#include <optional>
#include <type_traits>
#include <utility>

// Describes a struct's members once: its static member `fields(with)` passes a Field for each member, in
// order, to `with`. Codecs, JSON, rows and test events are generated from it. Only decisions name members
// individually.
namespace pixledger::domain {

enum class FieldKind {
  kFact,      // stored with the event's facts in events.fbs, at its position among them
  kSecret,    // like kFact, but never shown
  kPersonal,  // stored where it can be erased
  kEnvelope,  // the project in the envelope
  kPassing,   // only in state: stored in no row
};

constexpr bool is_stored_with_facts(FieldKind kind) {
  return kind == FieldKind::kFact || kind == FieldKind::kSecret;
}

template <FieldKind Kind, class Owner, class Member>
struct Field {
  using Value = Member;
  static constexpr FieldKind kKind = Kind;

  const char* name;          // in JSON output with all fields
  Member Owner::*member;     // read with `of`
  const char* feed_name;     // in the API's feed; nullptr: not in the feed
  const char* stored_name;   // in events.fbs; nullptr: `name` in snake case
  bool flat = false;         // JSON shows its members in its place
  bool only_if_set = false;  // JSON omits it if it has its default value

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

// A type with `fields`, or an empty event.
template <class T>
concept Described = std::is_empty_v<T> || requires {
  T::fields([](const auto&...) {});
};

// Calls `with` once with all fields as a pack: `T{read(field)...}` makes a T from one value per field.
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

// Converts to any type; used to check whether a T takes one more value.
struct AnyValue {
  template <class T>
  operator T() const;  // implicit on purpose
};

// Whether T can be initialized from these values in order (MadeOf), and from one more, possibly empty
// (MadeOfOneMore).
template <class T, class... Values>
concept MadeOf = requires {
  T{std::declval<Values>()...};
};
template <class T, class... Values>
concept MadeOfOneMore = requires {
  T{std::declval<Values>()..., {}};
};

// Whether `fields` names every member: T can be initialized from one value per field, but not from one more,
// whether given or empty.
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

// Sets `value` to the change; an absent change keeps it.
template <class T>
void take_over(T& value, const std::optional<T>& change) {
  if (change) value = *change;
}

}  // namespace pixledger::domain
