#include "tools/audit/receipt_file.h"

#include "base/platform/json.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/tree/merkle.h"
#include "tools/audit/strict_fields.h"

namespace pixledger::tools {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kLeafDigestBytes = 32;
constexpr const char* kReceipt = "a receipt";

eventstore::ProvenEvent event_of(const Fields& event) {
  const Position position(event.get<std::uint64_t>("position", "must be a position: 1, 2, 3, …"));
  const auto leaf = event.bytes("leaf", kLeafDigestBytes + 1, "must be a leaf in base64");
  std::string personal;
  if (!event["personal"].is_null()) personal = event.bytes("personal", 1, "must be null, or bytes in base64");
  const auto envelope_bytes = leaf.size() - kLeafDigestBytes;
  eventstore::StoredEvent stored{position, leaf.substr(0, envelope_bytes),
                                 digest_from_bytes(std::string_view(leaf).substr(envelope_bytes)),
                                 std::move(personal)};
  return {std::move(stored), event.hashes("proof")};
}

// Where it says something else, whatever the order of an object's names; an event has objects in objects
// only.
std::optional<std::string> difference(element said, element shown, const std::string& path) {
  object said_fields;
  object shown_fields;
  if (said.get(said_fields) != simdjson::SUCCESS || shown.get(shown_fields) != simdjson::SUCCESS)
    return simdjson::minify(said) == simdjson::minify(shown) ? std::nullopt : std::optional(path);
  for (const auto& field : said_fields) {
    const auto at = path_of(path, field.key);
    element other;
    if (shown_fields.at_key(field.key).get(other) != simdjson::SUCCESS) return at;
    if (auto found = difference(field.value, other, at)) return found;
  }
  for (const auto& field : shown_fields) {
    if (said_fields.at_key(field.key).error()) return path_of(path, field.key);
  }
  return std::nullopt;
}

class ReceiptFile {
 public:
  explicit ReceiptFile(std::string_view text) : receipt_(parse(text)) {}

  const eventstore::Receipt& receipt() const { return receipt_; }

  // The first field of what it shows to people that its bytes do not say; `events` are the receipt's,
  // decoded.
  std::optional<std::string> shown_otherwise(const std::vector<domain::RecordedEvent>& events) const {
    simdjson::dom::parser parser;
    for (std::size_t i = 0; i < events.size(); ++i) {
      Json json;
      eventstore::write_event(json, events[i]);
      element said;
      const auto& [path, shown] = shown_.at(i);
      // A ledger may have signed what is no text: then there is nothing to show.
      if (parser.parse(json.take()).get(said) != simdjson::SUCCESS) return path;
      if (auto found = difference(said, shown, path)) return found;
    }
    return std::nullopt;
  }

 private:
  eventstore::Receipt parse(std::string_view text) {
    const auto [value, path] = data_of(parse_strictly(parser_, text), kReceipt);
    return parse_receipt(value, path);
  }

  eventstore::Receipt parse_receipt(element value, const std::string& path) {
    const Fields fields(value, path, {"transactionId", "checkpoint", "events"}, kReceipt);
    const std::string rule(domain::ChargeId::kRule);
    const auto charge = domain::ChargeId::parse(fields.get<std::string_view>("transactionId", rule));
    if (!charge) refuse(fields.at("transactionId") + " " + rule);
    const auto checkpoint = fields.get<std::string_view>("checkpoint", "must be a text");
    eventstore::Receipt receipt{*charge, std::string(checkpoint), {}};
    for (const element item : fields.get<simdjson::dom::array>("events", "must be a list")) {
      const auto at = path_of(fields.at("events"), receipt.events.size());
      const Fields event(item, at, {"position", "leaf", "personal", "proof", "event"}, kReceipt);
      receipt.events.push_back(event_of(event));
      shown_.emplace_back(event.at("event"), event["event"]);
    }
    return receipt;
  }

  simdjson::dom::parser parser_;                        // holds the elements
  std::vector<std::pair<std::string, element>> shown_;  // each `event` with its path
  eventstore::Receipt receipt_;
};

// The leaf says that there was some.
bool lacks_personal(const eventstore::ProvenEvent& event) {
  return event.stored.personal.empty() && event.stored.personal_digest != sha256("");
}

CheckedFile bad_receipt(std::string problem) {
  CheckedFile checked;
  checked.problem = std::move(problem);
  return checked;
}

CheckedFile check(const ReceiptFile& file, const CheckpointOpener& open) {
  const auto checkpoint = open(file.receipt().checkpoint);
  if (!checkpoint) return bad_receipt("its checkpoint is not signed by that key");
  const auto checked = eventstore::check_receipt(file.receipt(), *checkpoint);
  if (checked.problem) return bad_receipt(*checked.problem);
  if (const auto field = file.shown_otherwise(checked.events))
    return bad_receipt(*field + " is not what the bytes of the event say");
  CheckedFile result;
  result.checkpoint = *checkpoint;
  for (const auto& event : checked.events)
    result.charge = domain::apply(std::move(result.charge), std::get<domain::ChargeEvent>(event.event),
                                  event.recorded_at);
  for (const auto& event : file.receipt().events) {
    const auto& stored = event.stored;
    const auto digest = bytes_of(stored.personal_digest);
    result.leaves.emplace_back(stored.position, eventstore::leaf_hash(stored.bytes, digest));
    if (lacks_personal(event)) ++result.without_personal;
  }
  return result;
}

}  // namespace

std::vector<domain::RecordedEvent> events_of_receipt(std::string_view text) {
  const ReceiptFile file(text);
  std::vector<domain::RecordedEvent> events;
  for (const auto& event : file.receipt().events) {
    events.push_back(eventstore::decode(event.stored));
    if (!std::holds_alternative<domain::ChargeEvent>(events.back().event))
      refuse("a receipt holds an event that is none of a charge");
  }
  return events;
}

CheckedFile check_receipt_file(std::string_view text, const CheckpointOpener& open) {
  try {
    return check(ReceiptFile(text), open);
  } catch (const Malformed& malformed) {
    return bad_receipt(std::string("it is not a receipt: ") + malformed.what());
  }
}

}  // namespace pixledger::tools
