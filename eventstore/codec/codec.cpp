#include "eventstore/codec/codec.h"

#include <array>
#include <cstddef>
#include <flatbuffers/flatbuffers.h>
#include <tuple>
#include <type_traits>
#include <utility>

#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/facts.h"
#include "eventstore/codec/flat_bytes.h"

namespace pixledger::eventstore {
// Facts are written from the description of the event's fields, exactly as flatc's generated code does.
// Texts, vectors and tables come first, in their order, then the table itself. Its fields go from the widest
// to the narrowest, and within one width from the last to the first. The stored bytes follow that order.

namespace {

constexpr std::size_t kSaltBytes = 16;

// Envelope.schema_version of every event so far.
constexpr std::uint16_t kSchemaVersion = 1;

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::voffset_t;
using Text = Offset<flatbuffers::String>;
using domain::FieldKind;

// An event's personal data; stored as bytes of their own, which can be erased.
struct PersonalFields {
  const domain::CustomerDetails* customer = nullptr;
  const IpAddress* ip = nullptr;
  const domain::Label* reason = nullptr;
  const domain::BlocklistValue* blocklist_value = nullptr;
  const domain::Metadata* metadata = nullptr;

  bool any() const { return customer || ip || reason || blocklist_value || metadata; }

  void add(const domain::CustomerDetails& value) { customer = &value; }
  void add(const IpAddress& value) { ip = &value; }
  void add(const domain::Label& value) { reason = &value; }
  void add(const domain::BlocklistValue& value) { blocklist_value = &value; }
  void add(const domain::Metadata& value) { metadata = &value; }
};

template <class T>
concept StoredAsText = requires(const T& value) {
  value.text();
}
&&!requires(const T& value) { value.bits(); };

template <class T>
Text text_of(FlatBufferBuilder& builder, const T& value) {
  return builder.CreateString(value.text());
}
template <class T>
Text text_of(FlatBufferBuilder& builder, const std::optional<T>& value) {
  return value ? builder.CreateString(value->text()) : Text();
}
Text text_of(FlatBufferBuilder& builder, const std::string& value) { return builder.CreateString(value); }

// A field as it is stored in its table: a number, an optional number, or the offset of an object.
template <class T>
requires(std::is_integral_v<T>) T slot_of(FlatBufferBuilder&, T value) { return value; }
template <class T>
requires(std::is_enum_v<T>) std::uint8_t slot_of(FlatBufferBuilder&, T value) {
  return static_cast<std::uint8_t>(value);
}
std::uint8_t slot_of(FlatBufferBuilder&, bool value) { return value ? 1 : 0; }
std::int64_t slot_of(FlatBufferBuilder&, Timestamp value) { return value.millis(); }
std::int64_t slot_of(FlatBufferBuilder&, domain::Cents value) { return value.value(); }
template <class T>
requires requires(const T& set) { set.bits(); }
std::uint32_t slot_of(FlatBufferBuilder&, const T& set) { return set.bits(); }

Text slot_of(FlatBufferBuilder& builder, const std::string& value) { return text_of(builder, value); }
template <StoredAsText T>
Text slot_of(FlatBufferBuilder& builder, const T& value) {
  return text_of(builder, value);
}
auto slot_of(FlatBufferBuilder& builder, const domain::ApiKeyHash& hash) {
  return builder.CreateVector(hash.data(), hash.size());
}
auto slot_of(FlatBufferBuilder& builder, const domain::SealedSecret& secret) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(secret.bytes.data()),
                              secret.bytes.size());
}
template <domain::Described T>
requires(std::is_class_v<T>) Offset<T> slot_of(FlatBufferBuilder& builder, const T& value);

template <class T>
auto slot_of(FlatBufferBuilder& builder, const std::optional<T>& value) {
  if constexpr (StoredAsText<T>)
    return text_of(builder, value);
  else if constexpr (domain::Described<T> && std::is_class_v<T>)
    return value ? slot_of(builder, *value) : Offset<T>();
  else
    return value ? std::optional(slot_of(builder, *value)) : std::nullopt;
}
// An empty list of texts is omitted; a list of tables is always written.
template <class T>
auto slot_of(FlatBufferBuilder& builder, const std::vector<T>& values) {
  using Item = decltype(slot_of(builder, std::declval<const T&>()));
  if (StoredAsText<T> && values.empty()) return Offset<flatbuffers::Vector<Item>>();
  std::vector<Item> items;
  items.reserve(values.size());
  for (const auto& value : values) items.push_back(slot_of(builder, value));
  return builder.CreateVector(items);
}

struct NoSlot {};

template <class Field, class Owner>
auto slot_of(FlatBufferBuilder& builder, const Field& field, const Owner& owner) {
  if constexpr (domain::is_stored_with_facts(Field::kKind))
    return slot_of(builder, field.of(owner));
  else
    return NoSlot();
}

template <class Slot>
constexpr std::size_t kWidth = sizeof(Slot);
template <class Slot>
constexpr std::size_t kWidth<std::optional<Slot>> = sizeof(Slot);
template <>
constexpr std::size_t kWidth<NoSlot> = 0;

// A number 0 is omitted; an optional 0 is written.
template <class Number>
void add_slot(FlatBufferBuilder& builder, voffset_t place, Number number) {
  builder.AddElement<Number>(place, number, 0);
}
template <class Number>
void add_slot(FlatBufferBuilder& builder, voffset_t place, const std::optional<Number>& number) {
  if (number) builder.AddElement<Number>(place, *number);
}
template <class T>
void add_slot(FlatBufferBuilder& builder, voffset_t place, Offset<T> offset) {
  builder.AddOffset(place, offset);
}

template <std::size_t Width, class Places, class... Slots>
void add_slots(FlatBufferBuilder& builder, const Places& places, const std::tuple<Slots...>& slots) {
  const auto add = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if constexpr (kWidth<std::tuple_element_t<I, std::tuple<Slots...>>> == Width)
      add_slot(builder, places[I], std::get<I>(slots));
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(std::integral_constant<std::size_t, sizeof...(Slots) - 1 - I>()), ...);
  }
  (std::index_sequence_for<Slots...>());
}

template <class T>
Offset<T> table_of(FlatBufferBuilder& builder, const T& value) {
  static_assert(domain::names_every_member<T>());
  return domain::with_fields<T>([&]<class... Fields>(const Fields&... fields) {
    constexpr auto kPlaces = places_of<Fields...>();
    // Braces guarantee that they are created in order.
    const std::tuple<decltype(slot_of(builder, fields, value))...> slots{slot_of(builder, fields, value)...};
    const auto start = builder.StartTable();
    add_slots<8>(builder, kPlaces, slots);
    add_slots<4>(builder, kPlaces, slots);
    add_slots<2>(builder, kPlaces, slots);
    add_slots<1>(builder, kPlaces, slots);
    return Offset<T>(builder.EndTable(start));
  });
}

template <domain::Described T>
requires(std::is_class_v<T>) Offset<T> slot_of(FlatBufferBuilder& builder, const T& value) {
  return table_of(builder, value);
}

// Builds an event's facts, notes its personal fields, and returns its number.
struct FactsEncoder {
  FlatBufferBuilder& builder;
  PersonalFields& personal;

  template <class... Events>
  std::uint16_t operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }
  template <class Event>
  std::uint16_t operator()(const Event& event) const {
    builder.Finish(table_of(builder, event));
    domain::for_each_field<Event>([&]<class Field>(const Field& field) {
      if constexpr (Field::kKind == FieldKind::kPersonal)
        if (const auto& value = field.of(event)) personal.add(*value);
    });
    return domain::kind_of<Event>().number;
  }
};

using MetadataVector = Offset<flatbuffers::Vector<Offset<stored::MetadataEntry>>>;

MetadataVector metadata_of(FlatBufferBuilder& builder, const domain::Metadata& metadata) {
  if (metadata.empty()) return {};
  std::vector<Offset<stored::MetadataEntry>> entries;
  for (const auto& entry : metadata.entries()) {
    const auto key = text_of(builder, entry.key);
    entries.push_back(stored::CreateMetadataEntry(builder, key, text_of(builder, entry.value)));
  }
  return builder.CreateVector(entries);
}

// The address has no table of its own.
Offset<stored::CustomerDetails> customer_of(FlatBufferBuilder& builder,
                                            const domain::CustomerDetails& details) {
  const auto name = text_of(builder, details.name);
  const auto document = text_of(builder, details.document);
  const auto email = text_of(builder, details.email);
  const auto phone = text_of(builder, details.phone);
  const auto street = text_of(builder, details.address.street);
  const auto street_number = text_of(builder, details.address.street_number);
  const auto neighborhood = text_of(builder, details.address.neighborhood);
  const auto complement = text_of(builder, details.address.complement);
  const auto zip_code = text_of(builder, details.address.zip_code);
  const auto city = text_of(builder, details.address.city);
  const auto state = text_of(builder, details.address.state);
  const auto country = text_of(builder, details.address.country);
  const auto metadata = metadata_of(builder, details.metadata);
  return stored::CreateCustomerDetails(builder, name, document, email, phone, street, street_number,
                                       neighborhood, complement, zip_code, city, state, country, metadata);
}

std::string encode_personal(FlatBufferBuilder& builder, const PersonalFields& fields, Entropy& entropy) {
  std::array<std::byte, kSaltBytes> random{};
  entropy.fill(random);
  builder.Clear();
  const auto salt = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(random.data()), random.size());
  Offset<stored::CustomerDetails> customer;
  Text ip, reason, blocklist_type, blocklist_value;
  if (fields.customer) customer = customer_of(builder, *fields.customer);
  if (fields.ip) ip = text_of(builder, *fields.ip);
  if (fields.reason) reason = text_of(builder, *fields.reason);
  if (fields.blocklist_value) {
    const auto type = domain::type_of(*fields.blocklist_value);
    blocklist_type = builder.CreateString(type.data(), type.size());
    blocklist_value = text_of(builder, domain::text_of(*fields.blocklist_value));
  }
  MetadataVector metadata;
  if (fields.metadata) metadata = metadata_of(builder, *fields.metadata);
  builder.Finish(
      stored::CreatePersonal(builder, salt, customer, ip, reason, blocklist_type, blocklist_value, metadata));
  return finished_bytes(builder);
}

}  // namespace

EncodedEvent encode(const domain::RecordedEvent& event, Entropy& salt) {
  // The builders keep their memory from event to event. Cleared before use, since an exception may have left
  // one half built.
  thread_local FlatBufferBuilder facts_builder;
  thread_local FlatBufferBuilder builder;

  facts_builder.Clear();
  PersonalFields personal;
  const auto type = std::visit(FactsEncoder{facts_builder, personal}, event.event);

  builder.Clear();
  // Facts are FlatBuffers of their own, read in place.
  builder.ForceVectorAlignment(facts_builder.GetSize(), 1, 8);
  const auto facts = builder.CreateVector(facts_builder.GetBufferPointer(), facts_builder.GetSize());
  const auto stream = text_of(builder, event.stream);
  const auto project = text_of(builder, event.project);
  const auto actor = text_of(builder, event.actor);
  const auto request_id = event.request_id.empty() ? Text() : text_of(builder, event.request_id);
  builder.Finish(stored::CreateEnvelope(builder, event.recorded_at.millis(), stream, event.version,
                                        static_cast<stored::EventType>(type), kSchemaVersion, project, actor,
                                        request_id, facts));

  EncodedEvent encoded;
  encoded.bytes = finished_bytes(builder);
  if (personal.any()) encoded.personal = encode_personal(builder, personal, salt);
  return encoded;
}

namespace {

const stored::Personal* verified_personal(const AlignedBytes& bytes, Position position) {
  if (bytes.size() == 0) return nullptr;
  const auto* personal = verified_root<stored::Personal>(bytes);
  const FieldReader read(position, "Personal");
  if (!personal) read.refuse("bytes");
  if (personal->salt()->size() != kSaltBytes) read.refuse("salt");
  return personal;
}

}  // namespace

EnvelopeHeader header_of(Position position, std::string_view envelope_bytes) {
  const AlignedBytes bytes(envelope_bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  const FieldReader read(position, "Envelope");
  if (!envelope) read.refuse("bytes");
  return {read.time(envelope->recorded_at(), "recorded_at"),
          envelope->type() == stored::EventType::CustomerErased};
}

StreamPlace stream_place_of(Position position, std::string_view envelope_bytes) {
  const AlignedBytes bytes(envelope_bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  const FieldReader read(position, "Envelope");
  if (!envelope) read.refuse("bytes");
  return {read.parse<StreamName>(envelope->stream(), "stream"), envelope->version()};
}

domain::RecordedEvent decode(const StoredEvent& stored_event) {
  const auto position = stored_event.position;
  const AlignedBytes bytes(stored_event.bytes);
  const auto* envelope = verified_root<stored::Envelope>(bytes);
  const FieldReader read(position, "Envelope");
  if (!envelope) read.refuse("bytes");
  if (envelope->version() == 0) read.refuse("version");
  auto stream = read.parse<StreamName>(envelope->stream(), "stream");
  auto project = read.parse<domain::ProjectId>(envelope->project(), "project");
  const auto recorded_at = read.time(envelope->recorded_at(), "recorded_at");

  if (envelope->schema_version() == 0) read.refuse("schema_version");
  if (envelope->schema_version() > kSchemaVersion)
    throw WrittenByNewerRelease("the event at position " + std::to_string(position.value()) +
                                " was written by a newer release: upgrade pixledger");
  const AlignedBytes facts(view_of(*envelope->facts()));
  const AlignedBytes personal(stored_event.personal);
  auto event = decode_facts({.position = position,
                             .type = static_cast<std::uint16_t>(envelope->type()),
                             .project = project,
                             .bytes = facts,
                             .personal = verified_personal(personal, position)});
  return {.position = position,
          .stream = std::move(stream),
          .version = envelope->version(),
          .recorded_at = recorded_at,
          .project = std::move(project),
          .actor = std::string(view_of(envelope->actor())),
          .request_id = std::string(view_of(envelope->request_id())),
          .event = std::move(event)};
}

}  // namespace pixledger::eventstore
