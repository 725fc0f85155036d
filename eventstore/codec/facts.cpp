#include "eventstore/codec/facts.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/numbers.h"

// Facts are verified by flatc's generated code, then read from the description of their event's fields.
namespace pixledger::eventstore {
namespace {

using domain::FieldKind;
using flatbuffers::Table;

// flatc's type of an event's table, for its verifier.
template <class Event>
struct TableOf;
#define PIXLEDGER_TABLE(number, event, feed_name) \
  template <>                                     \
  struct TableOf<domain::event> {                 \
    using Type = stored::event;                   \
  };
PIXLEDGER_EVENT_KINDS(PIXLEDGER_TABLE)
#undef PIXLEDGER_TABLE

template <class T>
struct Wanted {};

FieldReader personal_reader_of(const StoredFacts& facts) { return {facts.position, "Personal"}; }

using StoredMetadata = flatbuffers::Vector<flatbuffers::Offset<stored::MetadataEntry>>;

domain::Metadata metadata_of(const StoredMetadata* stored, const FieldReader& read) {
  if (!stored) return {};
  std::vector<domain::MetadataEntry> entries;
  entries.reserve(stored->size());
  const StoredName outer("metadata");
  const auto read_entry = read.within(outer);
  for (const auto* entry : *stored)
    entries.push_back({read_entry.parse<domain::MetadataKey>(entry->key(), "key"),
                       read_entry.parse<domain::MetadataValue>(entry->value(), "value")});
  return read.known(domain::Metadata::of(std::move(entries)), outer);
}

std::optional<domain::CustomerDetails> personal_of(const StoredFacts& facts,
                                                   Wanted<domain::CustomerDetails>) {
  if (!facts.personal->customer()) return std::nullopt;
  const StoredName outer("customer");
  const auto read = personal_reader_of(facts).within(outer);
  const auto& customer = *facts.personal->customer();
  return domain::CustomerDetails{
      .name = read.parse<domain::PersonName>(customer.name(), "name"),
      .document = read.parse<domain::Document>(customer.document(), "document"),
      .email = read.parse<EmailAddress>(customer.email(), "email"),
      .phone = read.parse<domain::Phone>(customer.phone(), "phone"),
      .address = {.street = read.parse_optional<domain::Label>(customer.street(), "street"),
                  .street_number =
                      read.parse_optional<domain::Label>(customer.street_number(), "street_number"),
                  .neighborhood = read.parse_optional<domain::Label>(customer.neighborhood(), "neighborhood"),
                  .complement = read.parse_optional<domain::Label>(customer.complement(), "complement"),
                  .zip_code = read.parse_optional<domain::Label>(customer.zip_code(), "zip_code"),
                  .city = read.parse_optional<domain::Label>(customer.city(), "city"),
                  .state = read.parse_optional<domain::Label>(customer.state(), "state"),
                  .country = read.parse_optional<domain::CountryCode>(customer.country(), "country")},
      .metadata = metadata_of(customer.metadata(), read)};
}

std::optional<domain::Label> personal_of(const StoredFacts& facts, Wanted<domain::Label>) {
  return personal_reader_of(facts).parse_optional<domain::Label>(facts.personal->reason(), "reason");
}

std::optional<IpAddress> personal_of(const StoredFacts& facts, Wanted<IpAddress>) {
  return personal_reader_of(facts).parse_optional<IpAddress>(facts.personal->ip(), "ip");
}

std::optional<domain::BlocklistValue> personal_of(const StoredFacts& facts, Wanted<domain::BlocklistValue>) {
  if (!facts.personal->blocklist_value()) return std::nullopt;
  return personal_reader_of(facts).known(
      domain::parse_blocklist_value(view_of(facts.personal->blocklist_type()),
                                    view_of(facts.personal->blocklist_value())),
      "blocklist_value");
}

std::optional<domain::Metadata> personal_of(const StoredFacts& facts, Wanted<domain::Metadata>) {
  if (!facts.personal->metadata()) return std::nullopt;
  return metadata_of(facts.personal->metadata(), personal_reader_of(facts));
}

// A field of a verified table.
struct Cell {
  const Table& table;
  flatbuffers::voffset_t place;
  const FieldReader& read;
  StoredName name;
  const StoredFacts& facts;

  template <class Number>
  Number number() const {
    return table.GetField<Number>(place, 0);
  }
  template <class T>
  const T* at() const {
    return table.GetPointer<const T*>(place);
  }
};

using Bytes = flatbuffers::Vector<std::uint8_t>;
template <class T>
using List = flatbuffers::Vector<flatbuffers::Offset<T>>;

template <domain::Described T>
T read_table(const Table& table, const FieldReader& read, const StoredFacts& facts);

template <class T>
requires(std::is_integral_v<T>) T value_of(const Cell& cell, Wanted<T>) { return cell.number<T>(); }
template <class T>
requires(std::is_enum_v<T>) T value_of(const Cell& cell, Wanted<T>) {
  return cell.read.known(known<T>(cell.number<std::uint8_t>()), cell.name);
}
bool value_of(const Cell& cell, Wanted<bool>) { return cell.number<std::uint8_t>() != 0; }
Timestamp value_of(const Cell& cell, Wanted<Timestamp>) {
  return cell.read.time(cell.number<std::int64_t>(), cell.name);
}
domain::Cents value_of(const Cell& cell, Wanted<domain::Cents>) {
  return cell.read.amount(cell.number<std::int64_t>(), cell.name);
}
template <class T>
requires requires { T::from_bits(1U); }
T value_of(const Cell& cell, Wanted<T>) {
  return cell.read.known(T::from_bits(cell.number<std::uint32_t>()), cell.name);
}
std::string value_of(const Cell& cell, Wanted<std::string>) {
  return std::string(view_of(cell.at<flatbuffers::String>()));
}
template <class T>
requires requires {
  T::parse(std::string_view()).value().text();
} &&(!requires { T::from_bits(1U); })T value_of(const Cell& cell, Wanted<T>) {
  return cell.read.parse<T>(cell.at<flatbuffers::String>(), cell.name);
}
domain::ApiKeyHash value_of(const Cell& cell, Wanted<domain::ApiKeyHash>) {
  const auto& bytes = *cell.at<Bytes>();
  if (bytes.size() != Digest().size()) cell.read.refuse(cell.name);
  return digest_from_bytes(view_of(bytes));
}
domain::SealedSecret value_of(const Cell& cell, Wanted<domain::SealedSecret>) {
  return {std::string(view_of(*cell.at<Bytes>()))};
}
template <domain::Described T>
T value_of(const Cell& cell, Wanted<T>) {
  return read_table<T>(*cell.at<Table>(), cell.read.within(cell.name), cell.facts);
}

template <class T>
std::optional<T> value_of(const Cell& cell, Wanted<std::optional<T>>) {
  if (!cell.table.CheckField(cell.place)) return std::nullopt;
  return value_of(cell, Wanted<T>());
}
template <class T>
std::vector<T> value_of(const Cell& cell, Wanted<std::vector<T>>) {
  std::vector<T> values;
  const auto add_all = [&](const auto* items, auto read) {
    if (!items) return;
    values.reserve(items->size());
    for (const auto* item : *items) values.push_back(read(*item));
  };
  if constexpr (domain::Described<T>)
    add_all(cell.at<List<Table>>(),
            [&](const Table& item) { return read_table<T>(item, cell.read.within(cell.name), cell.facts); });
  else
    add_all(cell.at<List<flatbuffers::String>>(),
            [&](const flatbuffers::String& item) { return cell.read.parse<T>(&item, cell.name); });
  return values;
}

template <class Field>
auto read_field(const Field& field, const Table& table, flatbuffers::voffset_t place, const FieldReader& read,
                const StoredFacts& facts) {
  using Value = typename Field::Value;
  if constexpr (Field::kKind == FieldKind::kEnvelope)
    return facts.project;
  else if constexpr (Field::kKind == FieldKind::kPersonal)
    return facts.personal ? personal_of(facts, Wanted<typename Value::value_type>()) : std::nullopt;
  else
    return value_of(
        Cell{.table = table, .place = place, .read = read, .name = StoredName::of(field), .facts = facts},
        Wanted<Value>());
}

template <domain::Described T>
T read_table([[maybe_unused]] const Table& table, [[maybe_unused]] const FieldReader& read,
             [[maybe_unused]] const StoredFacts& facts) {
  return domain::with_fields<T>([&]<class... Fields>(const Fields&... fields) {
    constexpr auto kPlaces = places_of<Fields...>();
    [[maybe_unused]] auto place = kPlaces.begin();
    return T{read_field(fields, table, *place++, read, facts)...};
  });
}

using Decoder = domain::Event (*)(const StoredFacts&);

template <class Event>
domain::Event decode_as(const StoredFacts& facts) {
  const FieldReader read(facts.position, domain::kind_of<Event>().name);
  if (!verified_root<typename TableOf<Event>::Type>(facts.bytes)) read.refuse("facts");
  return {read_table<Event>(*flatbuffers::GetRoot<Table>(facts.bytes.data()), read, facts)};
}

constexpr auto kDecoders = [] {
  std::array<Decoder, domain::kLastEventKind + 1> decoders{};
  domain::for_each_event_kind(
      [&]<class Event>() { decoders[domain::kind_of<Event>().number] = decode_as<Event>; });
  return decoders;
}();

}  // namespace

void FieldReader::refuse(const StoredName& field) const {
  throw LogCorrupt("the event at position " + std::to_string(position_.value()) +
                   " is damaged: " + std::string(table_) + "." + (outer_ ? outer_->text() + "." : "") +
                   field.text() + " has no valid value");
}

Timestamp FieldReader::time(std::int64_t millis, const StoredName& field) const {
  const Timestamp moment(millis);
  if (moment < Timestamp() || moment > kLastTimestamp) refuse(field);
  return moment;
}

domain::Cents FieldReader::amount(std::int64_t cents, const StoredName& field) const {
  if (cents < 0) refuse(field);
  return domain::Cents(cents);
}

domain::Event decode_facts(const StoredFacts& facts) {
  if (facts.type == 0) FieldReader(facts.position, "Envelope").refuse("type");
  if (facts.type < kDecoders.size() && kDecoders[facts.type]) return kDecoders[facts.type](facts);
  throw WrittenByNewerRelease("the event at position " + std::to_string(facts.position.value()) +
                              " is of type " + std::to_string(facts.type) +
                              ", written by a newer release: upgrade pixledger");
}

}  // namespace pixledger::eventstore
