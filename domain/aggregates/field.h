#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
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

template <Described T>
inline constexpr auto kFieldsOf = with_fields<T>([](const auto&... fields) { return std::tuple(fields...); });
template <Described T>
inline constexpr std::size_t kFieldCount = std::tuple_size_v<decltype(kFieldsOf<T>)>;

// The place of T's field with this name; kFieldCount<T> if it has none.
template <Described T>
consteval std::size_t place_of_field(std::string_view name) {
  std::size_t place = 0;
  bool is_found = false;
  for_each_field<T>([&](const auto& field) {
    is_found = is_found || name == field.name;
    if (!is_found) ++place;
  });
  return place;
}

// The value of From's field that has the name of T's field at this place. Empty if it is absent or From has
// no such field.
template <Described T, std::size_t Place, Described From>
auto same_field_of(const From& from) {
  constexpr auto wanted = std::get<Place>(kFieldsOf<T>);
  constexpr auto place = place_of_field<From>(wanted.name);
  using Value = typename decltype(wanted)::Value;
  if constexpr (place == kFieldCount<From>) {
    return Value{};
  } else {
    const auto& value = std::get<place>(kFieldsOf<From>).of(from);
    if constexpr (std::is_same_v<decltype(value), const std::optional<Value>&>)
      return value ? *value : Value{};
    else
      return Value(value);
  }
}

// A T with the values of From's fields of the same names; T's other fields are empty.
template <Described T, Described From>
T made_of_same_fields(const From& from) {
  return [&from]<std::size_t... Places>(std::index_sequence<Places...>) {
    return T{same_field_of<T, Places>(from)...};
  }
  (std::make_index_sequence<kFieldCount<T>>());
}

// Sets T's fields that have the names of From's fields. T must have them all.
template <Described T, Described From>
void set_same_fields(T& to, const From& from) {
  [&]<std::size_t... Places>(std::index_sequence<Places...>) {
    ((to.*std::get<place_of_field<T>(std::get<Places>(kFieldsOf<From>).name)>(kFieldsOf<T>).member =
          std::get<Places>(kFieldsOf<From>).of(from)),
     ...);
  }
  (std::make_index_sequence<kFieldCount<From>>());
}

// Sets `value` to the change; an absent change keeps it.
template <class T>
void take_over(T& value, const std::optional<T>& change) {
  if (change) value = *change;
}

}  // namespace pixledger::domain
