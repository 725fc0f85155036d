#include "eventstore/codec/codec.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>
#include <stdexcept>

#include "domain/aggregates/event.h"
#include "eventstore/codec/idempotency_record.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/eventstore/codec/random_events.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using tests::describe;

namespace {

StoredEvent stored(const domain::RecordedEvent& event) {
  tests::SeededEntropy salt(1);
  const auto encoded = encode(event, salt);
  return {event.position, encoded.bytes, sha256(encoded.personal), encoded.personal};
}

// describe covers the event itself; this compares the rest of the record.
bool equal(const domain::RecordedEvent& a, const domain::RecordedEvent& b) {
  return a.position == b.position && a.stream == b.stream && a.version == b.version &&
         a.recorded_at == b.recorded_at && a.project == b.project && a.actor == b.actor &&
         a.request_id == b.request_id && describe(a.event) == describe(b.event);
}

// Fails unless the bytes are an event, which is read completely, or are refused.
void decode_hostile(const StoredEvent& stored_event) {
  try {
    describe(decode(stored_event));
  } catch (const LogCorrupt&) {
  } catch (const WrittenByNewerRelease&) {
  }
}

// One event of each type, from a seed that a failure shows.
std::vector<domain::RecordedEvent> one_of_each(std::uint64_t seed) {
  tests::RandomEvents random(seed);
  std::vector<domain::RecordedEvent> events;
  for (std::uint64_t type = 0; type < tests::RandomEvents::kTypes; ++type)
    events.push_back(random.recorded(type));
  return events;
}

class NoEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte>) override { throw std::logic_error("drawn without need"); }
};

}  // namespace

TEST_CASE("values that are refused today are read as an earlier release recorded them") {
  const std::string web_address = "www.loja.example";
  auto settings = tests::golden::settings();
  settings.pix_key = domain::PixKey::parse_stored("11987654321");
  settings.merchant_name = *domain::Label::parse(web_address);
  auto details = tests::golden::details();
  details.name = *domain::PersonName::parse_stored(web_address);
  int changed = 0;
  for (auto event : one_of_each(1)) {
    if (auto* project = std::get_if<domain::ProjectEvent>(&event.event)) {
      auto* created = std::get_if<domain::ProjectCreated>(project);
      if (created && ++changed) created->settings = settings;
    } else if (auto* customer = std::get_if<domain::CustomerEvent>(&event.event)) {
      auto* registered = std::get_if<domain::CustomerRegistered>(customer);
      if (registered && ++changed) registered->details = details;
    } else if (auto* charge = std::get_if<domain::ChargeEvent>(&event.event)) {
      auto* created = std::get_if<domain::ChargeCreated>(charge);
      if (created && ++changed) created->product = *domain::ProductName::parse_stored(web_address);
    }
    REQUIRE(equal(decode(stored(event)), event));
  }
  CHECK(changed == 3);
}

TEST_CASE("every event survives encoding and decoding, whatever it holds") {
  REQUIRE(rc::check("decode(encode(event)) is the event", [](std::uint64_t seed) {
    for (const auto& event : one_of_each(seed)) {
      const auto decoded = decode(stored(event));
      if (!equal(decoded, event)) RC_FAIL(describe(event) + "\ncame back as\n" + describe(decoded));
    }
  }));
}

TEST_CASE("the random events are of every type") {
  std::set<std::string_view> names;
  for (const auto& event : one_of_each(1)) names.insert(domain::kind_of(event.event).name);
  CHECK(names.size() == tests::RandomEvents::kTypes);
}

TEST_CASE("stored bytes that end too early are an event or a refusal, never anything worse") {
  for (const auto& event : one_of_each(2026)) {
    const auto whole = stored(event);
    for (std::size_t length = 0; length < whole.bytes.size(); ++length) {
      auto cut = whole;
      cut.bytes = whole.bytes.substr(0, length);
      decode_hostile(cut);
    }
    for (std::size_t length = 1; length < whole.personal.size(); ++length) {
      auto cut = whole;
      cut.personal = whole.personal.substr(0, length);
      decode_hostile(cut);
    }
  }
}

TEST_CASE("stored bytes with a damaged byte are an event or a refusal, never anything worse") {
  for (const auto& [file, event] : tests::golden_events()) {
    const auto whole = stored(event);
    for (const unsigned damage : {0x01U, 0x02U, 0x04U, 0x10U, 0x80U, 0xffU}) {
      for (std::size_t at = 0; at < whole.bytes.size(); ++at) {
        auto damaged = whole;
        damaged.bytes[at] = static_cast<char>(static_cast<unsigned char>(damaged.bytes[at]) ^ damage);
        decode_hostile(damaged);
      }
      for (std::size_t at = 0; at < whole.personal.size(); ++at) {
        auto damaged = whole;
        damaged.personal[at] = static_cast<char>(static_cast<unsigned char>(damaged.personal[at]) ^ damage);
        decode_hostile(damaged);
      }
    }
  }
}

TEST_CASE("any bytes at all are an event or a refusal, never anything worse") {
  REQUIRE(rc::check("decode never crashes", [](const std::string& bytes, const std::string& personal) {
    decode_hostile({Position(1), bytes, {}, personal});
  }));
}

TEST_CASE("a damaged event is reported with its position") {
  try {
    decode({Position(17), "not an event", {}, {}});
    FAIL("decoded");
  } catch (const LogCorrupt& corrupt) {
    CHECK(std::string(corrupt.what()).find("position 17 ") != std::string::npos);
  }
}

TEST_CASE("an event whose personal data has been erased is read without it") {
  for (const auto& [file, event] : tests::golden_events()) {
    auto erased = stored(event);
    if (erased.personal.empty()) continue;
    erased.personal.clear();
    INFO(file);
    const auto decoded = decode(erased);
    CHECK(domain::kind_of(decoded.event).name == domain::kind_of(event.event).name);
    CHECK(describe(decoded.event) != describe(event.event));
    // No personal data is left to encode.
    NoEntropy none;
    CHECK(encode(decoded, none).personal.empty());
  }
}

TEST_CASE("no byte of the envelope holds personal data") {
  const auto details = tests::golden::details();
  const domain::RecordedEvent event{
      Position(1),
      domain::customer_stream(tests::golden::project(), domain::Environment::kLive, tests::golden::token()),
      1,
      tests::golden::kRecordedAt,
      tests::golden::project(),
      "key",
      "",
      domain::CustomerEvent(domain::CustomerUpdated{details})};
  const auto bytes = stored(event);
  for (const auto& text : {details.name.text(), details.document.text(), details.email.text(),
                           details.phone.text(), details.address.street->text()}) {
    CHECK(bytes.bytes.find(text) == std::string::npos);
    CHECK(bytes.personal.find(text) != std::string::npos);
  }
}

TEST_CASE("salt is drawn only for personal data, and differs from event to event") {
  tests::SeededEntropy salt(1);
  NoEntropy none;
  for (const auto& [file, event] : tests::golden_events()) {
    INFO(file);
    if (stored(event).personal.empty()) {
      CHECK_NOTHROW(encode(event, none));
    } else {
      CHECK(encode(event, salt).personal != encode(event, salt).personal);
    }
  }
}

TEST_CASE("a failed encoding does not spoil the next one") {
  const auto events = tests::golden_events();
  const auto personal = std::find_if(events.begin(), events.end(), [](const auto& golden) {
    return !stored(golden.event).personal.empty();
  });
  const auto before = stored(personal->event);
  NoEntropy none;
  CHECK_THROWS_AS(encode(personal->event, none), std::logic_error);
  CHECK(stored(personal->event).bytes == before.bytes);
  CHECK(stored(personal->event).personal == before.personal);
}

TEST_CASE("idempotency records survive encoding and decoding") {
  REQUIRE(rc::check("decode(encode(record)) is the record",
                    [](std::uint64_t seed, const std::string& request_id) {
                      std::mt19937_64 random(seed);
                      IdempotencyRecord record;
                      for (auto& byte : record.fingerprint) byte = static_cast<std::uint8_t>(random());
                      record.recorded_at = Timestamp(static_cast<std::int64_t>(random() >> 24));
                      if (random() % 2 == 0)
                        record.rejection = static_cast<domain::Rejection>(1 + random() % 23);
                      if (random() % 2 == 0) record.flag = static_cast<domain::PaymentFlag>(1 + random() % 4);
                      if (random() % 2 == 0) {
                        record.first_position = Position(1 + random() / 2);
                        record.event_count = static_cast<std::uint32_t>(random() % 1000);
                      }
                      record.request_id = request_id;
                      return decode_idempotency_record(encode(record)) == record;
                    }));
}

TEST_CASE("an idempotency record's position must fit its events") {
  IdempotencyRecord record;
  record.event_count = 1;
  CHECK_THROWS_AS(decode_idempotency_record(encode(record)), LogCorrupt);
  record.first_position = Position(UINT64_MAX);
  CHECK_THROWS_AS(decode_idempotency_record(encode(record)), LogCorrupt);
  record.first_position = Position(7);
  CHECK(decode_idempotency_record(encode(record)).as_of() == Position(7));
  record.event_count = 0;
  CHECK(decode_idempotency_record(encode(record)).as_of() == Position(6));
  record.first_position = Position();
  CHECK(decode_idempotency_record(encode(record)).as_of() == Position());
}

TEST_CASE("idempotency records are read at any address, and damaged ones refused") {
  IdempotencyRecord record;
  record.first_position = Position(5);
  record.event_count = 2;
  record.request_id = "req-1";
  const auto bytes = encode(record);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const auto shifted = std::string(shift, ' ') + bytes;
    CHECK(decode_idempotency_record(std::string_view(shifted).substr(shift)) == record);
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    CHECK_THROWS_AS(decode_idempotency_record(std::string_view(bytes).substr(0, at)), LogCorrupt);
    for (const unsigned damage : {0x01U, 0x80U, 0xffU}) {
      auto damaged = bytes;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ damage);
      try {
        decode_idempotency_record(damaged);
      } catch (const LogCorrupt&) {
      }
    }
  }
}
