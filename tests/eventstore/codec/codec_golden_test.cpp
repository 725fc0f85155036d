#include <catch2/catch.hpp>
#include <set>
#include <variant>

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/eventstore/codec/golden_file.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

// The form of the golden files: two lines of hex, the second with "-" for no personal data.
std::string lines_of(const EncodedEvent& encoded) {
  const auto personal = encoded.personal.empty() ? "-" : to_hex(encoded.personal);
  return "bytes " + to_hex(encoded.bytes) + "\npersonal " + personal + "\n";
}

StoredEvent stored_from(const std::string& lines, Position position) {
  std::istringstream text(lines);
  std::string bytes_label, bytes, personal_label, personal;
  text >> bytes_label >> bytes >> personal_label >> personal;
  REQUIRE(bytes_label == "bytes");
  REQUIRE(personal_label == "personal");
  if (personal == "-") personal.clear();
  return {position, bytes_from_hex(bytes).value(), {}, bytes_from_hex(personal).value()};
}

template <class... Groups>
constexpr std::size_t count_of_types(const std::variant<Groups...>*) {
  return (std::variant_size_v<Groups> + ...);
}

}  // namespace

TEST_CASE("every event is stored as exactly the golden bytes") {
  for (const auto& [file, event] : tests::golden_events()) {
    tests::SeededEntropy salt(42);
    const auto lines = lines_of(encode(event, salt));
    INFO(file);
    CHECK(lines == tests::golden_text(file + ".hex", lines));
  }
}

TEST_CASE("golden bytes are decoded to their events") {
  for (const auto& [file, event] : tests::golden_events()) {
    tests::SeededEntropy salt(42);
    const auto lines = tests::golden_text(file + ".hex", lines_of(encode(event, salt)));
    INFO(file);
    const auto decoded = decode(stored_from(lines, event.position));
    CHECK(tests::describe(decoded) == tests::describe(event));
    CHECK(decoded.position == event.position);
    CHECK(decoded.version == event.version);
    CHECK(decoded.recorded_at == event.recorded_at);
    CHECK(decoded.project == event.project);
    CHECK(decoded.actor == event.actor);
    CHECK(decoded.request_id == event.request_id);
  }
}

TEST_CASE("every type of event has golden bytes, in a file of its name") {
  std::set<std::string> names;
  for (const auto& [file, event] : tests::golden_events()) {
    const auto name = std::string(domain::kind_of(event.event).name);
    CHECK(file.substr(0, file.find('-')) == name);
    names.insert(name);
  }
  CHECK(names.size() == count_of_types(static_cast<const domain::Event*>(nullptr)));
}

TEST_CASE("idempotency records are stored as exactly the golden bytes, and read from them") {
  Digest fingerprint{};
  for (std::size_t i = 0; i < fingerprint.size(); ++i) fingerprint[i] = static_cast<std::uint8_t>(255 - i);
  const IdempotencyRecord full{fingerprint,
                               tests::golden::kRecordedAt,
                               domain::Rejection::kBlocklistLimit,
                               domain::PaymentFlag::kAmountMismatch,
                               Position(1234567),
                               3,
                               "req-7f3a9c21"};
  IdempotencyRecord least;
  least.fingerprint = fingerprint;
  least.recorded_at = tests::golden::kRecordedAt;

  const auto text = "full " + to_hex(encode(full)) + "\nleast " + to_hex(encode(least)) + "\n";
  const auto golden = tests::golden_text("IdempotencyRecord.hex", text);
  CHECK(text == golden);

  std::istringstream lines(golden);
  std::string label, hex;
  lines >> label >> hex;
  CHECK(decode_idempotency_record(bytes_from_hex(hex).value()) == full);
  lines >> label >> hex;
  CHECK(decode_idempotency_record(bytes_from_hex(hex).value()) == least);
}

TEST_CASE("an idempotency record of a command without events has golden bytes as well") {
  IdempotencyRecord record;
  record.recorded_at = tests::golden::kRecordedAt;
  record.first_position = Position(1234567);
  record.request_id = "req-7f3a9c21";
  const auto golden = tests::golden_text("IdempotencyRecord-no-events.hex", to_hex(encode(record)) + "\n");
  CHECK(to_hex(encode(record)) + "\n" == golden);
  CHECK(decode_idempotency_record(bytes_from_hex(golden.substr(0, golden.size() - 1)).value()) == record);
}
