#include <catch2/catch.hpp>
#include <flatbuffers/flatbuffers.h>
#include <functional>
#include <type_traits>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "tests/support/domain/describe_event.h"

// Bytes that are well-formed FlatBuffers but no events of this release. They are built field by field from
// the numbers in docs/reference/events.md, without the project's own encoder.
using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

constexpr std::uint16_t kConnectionAdded = 3;
constexpr std::uint16_t kApiKeyIssued = 10;
constexpr std::uint16_t kChannelAdded = 20;
constexpr std::uint16_t kChannelChanged = 21;
constexpr std::uint16_t kChannelSecretRotated = 23;
constexpr std::uint16_t kChannelDisabled = 24;
constexpr std::uint16_t kChannelTestRequested = 25;
constexpr std::uint16_t kDeliveryRedeliveryRequested = 26;
constexpr std::uint16_t kDeliveriesRecoveryRequested = 27;
constexpr std::uint16_t kBlocklistEntryAdded = 30;
constexpr std::uint16_t kCustomerBlocked = 42;
constexpr std::uint16_t kChargePaid = 61;
constexpr std::uint16_t kChargeExpired = 63;

// A table, its fields by their place in the schema, counted from 0.
class RawTable {
 public:
  RawTable& text(unsigned field, std::string value) {
    return offset(field, [value = std::move(value)](auto& builder) { return builder.CreateString(value).o; });
  }
  RawTable& bytes(unsigned field, std::string value) {
    return offset(field, [value = std::move(value)](auto& builder) {
      return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(value.data()), value.size()).o;
    });
  }
  RawTable& table(unsigned field, const RawTable& value) {
    return offset(field, [value](auto& builder) { return value.add_to(builder); });
  }
  template <class Number>
  RawTable& number(unsigned field, Number value) {
    scalars_.push_back([field, value](auto& builder) { builder.AddElement(place(field), value); });
    return *this;
  }

  std::string finished() const {
    Builder builder;
    builder.Finish(flatbuffers::Offset<flatbuffers::Table>(add_to(builder)));
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
  }

 private:
  using Builder = flatbuffers::FlatBufferBuilder;

  flatbuffers::uoffset_t add_to(Builder& builder) const {
    std::vector<std::pair<unsigned, flatbuffers::uoffset_t>> offsets;
    for (const auto& [field, create] : offsets_) offsets.emplace_back(field, create(builder));
    const auto start = builder.StartTable();
    for (const auto& [field, at] : offsets) builder.AddOffset(place(field), flatbuffers::Offset<void>(at));
    for (const auto& add : scalars_) add(builder);
    return builder.EndTable(start);
  }
  static flatbuffers::voffset_t place(unsigned field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
  }
  RawTable& offset(unsigned field, std::function<flatbuffers::uoffset_t(Builder&)> create) {
    offsets_.emplace_back(field, std::move(create));
    return *this;
  }

  std::vector<std::pair<unsigned, std::function<flatbuffers::uoffset_t(Builder&)>>> offsets_;
  std::vector<std::function<void(Builder&)>> scalars_;
};

struct RawEnvelope {
  std::int64_t recorded_at = 1'772'366'400'123;
  std::string stream = "charge-c0000000001";
  std::uint32_t version = 1;
  std::uint16_t type = kChargeExpired;
  std::uint16_t schema_version = 1;
  std::string project = "c0000000002";
  std::string facts = RawTable().finished();

  std::string finished() const {
    return RawTable()
        .number(0, recorded_at)
        .text(1, stream)
        .number(2, version)
        .number(3, type)
        .number(4, schema_version)
        .text(5, project)
        .text(6, "an actor")
        .bytes(8, facts)
        .finished();
  }
};

std::string refusal_of(const std::string& bytes, const std::string& personal = {}) {
  try {
    return "read as " + tests::describe(decode({Position(17), bytes, {}, personal}));
  } catch (const LogCorrupt& corrupt) {
    return corrupt.what();
  }
}

std::string refusal_of_facts(std::uint16_t type, const RawTable& facts, const RawTable* personal = nullptr) {
  RawEnvelope envelope;
  envelope.type = type;
  envelope.facts = facts.finished();
  return refusal_of(envelope.finished(), personal ? personal->finished() : "");
}

std::string damaged(const std::string& field) {
  return "the event at position 17 is damaged: " + field + " has no valid value";
}

RawTable paid() {
  return RawTable()
      .text(0, "E1234567820260301120012345678901")
      .number(1, std::int64_t{100})
      .number(2, std::int64_t{1'772'366'400'000});
}

RawTable issued(const std::string& hash, std::uint8_t environment, std::uint32_t scopes) {
  return RawTable()
      .text(0, "0123456789abcdef01234567")
      .number(1, environment)
      .bytes(2, hash)
      .number(3, scopes);
}

RawTable added_channel(std::uint32_t events, std::uint8_t version) {
  return RawTable()
      .text(0, "c0000000003")
      .text(2, "https://a.example/")
      .number(3, events)
      .number(4, version)
      .bytes(5, "sealed")
      .text(6, "1234");
}

RawTable added_connection(const char* id, std::uint8_t environment) {
  return RawTable().table(
      0, RawTable().text(0, id).text(1, "acme").text(2, "acme").text(3, "Acme").number(4, environment));
}

RawTable personal() { return RawTable().bytes(0, std::string(16, 's')); }

}  // namespace

TEST_CASE("an event of a newer release is refused as such, and not as damage") {
  const auto refusal = [](const RawEnvelope& envelope) -> std::string {
    try {
      return refusal_of(envelope.finished());
    } catch (const WrittenByNewerRelease& newer) {
      return newer.what();
    }
  };
  static_assert(!std::is_base_of_v<LogCorrupt, WrittenByNewerRelease>);
  RawEnvelope envelope;
  REQUIRE(refusal(envelope).substr(0, 7) == "read as");
  envelope.type = 999;
  CHECK(refusal(envelope) ==
        "the event at position 17 is of type 999, written by a newer release: upgrade pixledger");
  envelope = {};
  envelope.schema_version = 2;
  CHECK(refusal(envelope) == "the event at position 17 was written by a newer release: upgrade pixledger");
}

TEST_CASE("an envelope with an impossible field is refused, and the field named") {
  const auto refusal = [](const std::function<void(RawEnvelope&)>& change) {
    RawEnvelope envelope;
    change(envelope);
    return refusal_of(envelope.finished());
  };
  CHECK(refusal([](auto& e) { e.recorded_at = -1; }) == damaged("Envelope.recorded_at"));
  CHECK(refusal([](auto& e) { e.recorded_at = 253'402'300'800'000; }) == damaged("Envelope.recorded_at"));
  CHECK(refusal([](auto& e) { e.stream = "elsewhere-c0000000001"; }) == damaged("Envelope.stream"));
  CHECK(refusal([](auto& e) { e.version = 0; }) == damaged("Envelope.version"));
  CHECK(refusal([](auto& e) { e.type = 0; }) == damaged("Envelope.type"));
  CHECK(refusal([](auto& e) { e.schema_version = 0; }) == damaged("Envelope.schema_version"));
  CHECK(refusal([](auto& e) { e.project = "x"; }) == damaged("Envelope.project"));
  CHECK(refusal([](auto& e) { e.facts = ""; }) == damaged("ChargeExpired.facts"));
  CHECK(refusal([](auto& e) { e.facts = "not a table"; }) == damaged("ChargeExpired.facts"));
  CHECK(refusal_of(RawTable().finished()) == damaged("Envelope.bytes"));
}

TEST_CASE("facts with an impossible field are refused, and the field named") {
  REQUIRE(refusal_of_facts(kChargePaid, paid()).substr(0, 7) == "read as");
  CHECK(refusal_of_facts(kChargePaid, RawTable()) == damaged("ChargePaid.facts"));
  CHECK(refusal_of_facts(kChargePaid, RawTable().text(0, "E1")) == damaged("ChargePaid.end_to_end_id"));
  CHECK(refusal_of_facts(kChargePaid, paid().number(3, std::int64_t{-1})) == damaged("ChargePaid.fee_cents"));
  const auto end_to_end_id = RawTable().text(0, "E1234567820260301120012345678901");
  CHECK(refusal_of_facts(kChargePaid, RawTable(end_to_end_id).number(1, std::int64_t{-100})) ==
        damaged("ChargePaid.amount_cents"));
  CHECK(refusal_of_facts(kChargePaid, RawTable(end_to_end_id).number(2, INT64_MAX)) ==
        damaged("ChargePaid.paid_at"));

  const std::string hash(32, 'h');
  REQUIRE(refusal_of_facts(kApiKeyIssued, issued(hash, 1, 1)).substr(0, 7) == "read as");
  CHECK(refusal_of_facts(kApiKeyIssued, issued(hash, 2, 1)) == damaged("ApiKeyIssued.environment"));
  CHECK(refusal_of_facts(kApiKeyIssued, issued(hash, 1, 1U << 10)) == damaged("ApiKeyIssued.scopes"));
  CHECK(refusal_of_facts(kApiKeyIssued, issued(hash.substr(1), 1, 1)) == damaged("ApiKeyIssued.hash"));

  REQUIRE(refusal_of_facts(kChannelAdded, added_channel(1, 2)).substr(0, 7) == "read as");
  CHECK(refusal_of_facts(kChannelAdded, added_channel(1, 3)) == damaged("ChannelAdded.webhook_version"));
  CHECK(refusal_of_facts(kChannelAdded, added_channel(1U << 10, 2)) == damaged("ChannelAdded.events"));

  const auto changed = RawTable().text(1, "https://a.example/").number(2, 1U);
  REQUIRE(refusal_of_facts(kChannelChanged, RawTable(changed).number(3, std::uint8_t{2})).substr(0, 7) ==
          "read as");
  CHECK(refusal_of_facts(kChannelChanged, changed) == damaged("ChannelChanged.webhook_version"));
  CHECK(refusal_of_facts(kChannelChanged, RawTable().number(2, 1U)) == damaged("ChannelChanged.facts"));
  CHECK(refusal_of_facts(kChannelSecretRotated,
                         RawTable().bytes(0, "s").text(1, "abcd").number(2, std::int64_t{-1})) ==
        damaged("ChannelSecretRotated.grace_ends_at"));
  CHECK(refusal_of_facts(kChannelDisabled, RawTable()) == damaged("ChannelDisabled.reason"));
  CHECK(refusal_of_facts(kChannelDisabled, RawTable().number(0, std::uint8_t{3})) ==
        damaged("ChannelDisabled.reason"));
  CHECK(refusal_of_facts(kChannelTestRequested, RawTable().text(0, "c00000001").number(1, std::uint8_t{2})) ==
        damaged("ChannelTestRequested.environment"));
  CHECK(refusal_of_facts(kDeliveryRedeliveryRequested, RawTable().text(0, "d1")) ==
        damaged("DeliveryRedeliveryRequested.delivery"));
  CHECK(refusal_of_facts(kDeliveriesRecoveryRequested, RawTable().number(1, INT64_MAX)) ==
        damaged("DeliveriesRecoveryRequested.until"));

  CHECK(refusal_of_facts(kConnectionAdded, added_connection("c00000001", 1)).substr(0, 7) == "read as");
  CHECK(refusal_of_facts(kConnectionAdded, added_connection("d1", 1)) ==
        damaged("ConnectionAdded.connection.id"));
  CHECK(refusal_of_facts(kConnectionAdded, added_connection("c00000001", 2)) ==
        damaged("ConnectionAdded.connection.environment"));
  CHECK(refusal_of_facts(kConnectionAdded, RawTable()) == damaged("ConnectionAdded.facts"));

  CHECK(refusal_of_facts(kCustomerBlocked, RawTable()) == damaged("CustomerBlocked.block_type"));
  CHECK(refusal_of_facts(kCustomerBlocked, RawTable().number(0, std::uint8_t{3})) ==
        damaged("CustomerBlocked.block_type"));
}

TEST_CASE("impossible personal data is refused, and never quoted") {
  const auto refusal = [](RawTable given) {
    return refusal_of_facts(kBlocklistEntryAdded, RawTable().text(0, "c0000000003"), &given);
  };
  REQUIRE(refusal(personal().text(4, "document").text(5, "12345678901")).substr(0, 7) == "read as");
  CHECK(refusal(personal().text(4, "document").text(5, "123")) == damaged("Personal.blocklist_value"));
  CHECK(refusal(personal().text(4, "passport").text(5, "12345678901")) ==
        damaged("Personal.blocklist_value"));
  CHECK(refusal(personal().text(5, "12345678901")) == damaged("Personal.blocklist_value"));
  CHECK(refusal(personal().text(3, "")) == damaged("Personal.reason"));
  CHECK(refusal(RawTable().bytes(0, std::string(15, 's'))) == damaged("Personal.salt"));
  CHECK(refusal(RawTable()) == damaged("Personal.bytes"));
}

TEST_CASE("a field that a later release adds to a table is skipped") {
  const auto plain = refusal_of_facts(kChargePaid, paid());
  CHECK(refusal_of_facts(kChargePaid, paid().number(4, std::uint32_t{7}).text(5, "new")) == plain);
  CHECK(refusal_of_facts(kChargeExpired, RawTable().text(0, "new")) ==
        refusal_of_facts(kChargeExpired, RawTable()));
}

TEST_CASE("facts are read at any place in the envelope") {
  RawEnvelope envelope;
  envelope.type = kChargePaid;
  envelope.facts = paid().finished();
  for (std::size_t length = 0; length < 8; ++length) {
    envelope.stream = "charge-c0000000001" + std::string(length, '1');
    CHECK(refusal_of(envelope.finished()).substr(0, 7) == "read as");
  }
}

TEST_CASE("an idempotency record with an impossible field is refused") {
  const auto record = [] { return RawTable().bytes(0, std::string(32, 'f')); };
  const auto refused = [](const RawTable& table) {
    try {
      decode_idempotency_record(table.finished());
      return false;
    } catch (const LogCorrupt&) {
      return true;
    }
  };
  CHECK_FALSE(refused(record()));
  CHECK(refused(RawTable()));
  CHECK(refused(RawTable().bytes(0, std::string(31, 'f'))));
  CHECK(refused(record().number(1, std::int64_t{-1})));
  CHECK(refused(record().number(2, std::uint8_t{200})));
  CHECK(refused(record().number(3, std::uint8_t{200})));
  CHECK_FALSE(refused(record().number(4, std::uint64_t{9})));
  CHECK(refused(record().number(4, UINT64_MAX).number(5, std::uint32_t{1})));
  CHECK(refused(record().number(5, std::uint32_t{9})));
}
