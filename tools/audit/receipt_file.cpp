#include "tools/audit/receipt_file.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <simdjson.h>
#include <stdexcept>

#include "eventstore/codec/event_json.h"
#include "eventstore/platform/base64.h"
#include "eventstore/platform/json.h"
#include "eventstore/platform/sha256.h"
#include "eventstore/proof/receipt.h"

namespace pixledger::tools {
namespace {

using eventstore::Digest;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kLeafDigestBytes = 32;
constexpr std::size_t kProofHashesMax = 64;
constexpr std::size_t kNameBytesMax = 64;

// Why it is no receipt.
class NoReceipt : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string& problem) { throw NoReceipt(problem); }

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

// A name that is not like ours is not repeated: it may be anything, and of any length.
std::string path_of(const std::string& parent, std::string_view name) {
  return (parent.empty() ? parent : parent + ".") + (is_plain(name) ? std::string(name) : "…");
}
std::string path_of(const std::string& parent, std::size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

// `path` is the value's, before and after: a copy for each of many values that lie deep would take very long.
void refuse_repeated_names(element value, std::string& path) {
  const auto length = path.size();
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const element item : items) {
      path += path_of("", index++);
      refuse_repeated_names(item, path);
      path.resize(length);
    }
  }
  object fields;
  if (value.get(fields) != simdjson::SUCCESS) return;
  std::set<std::string_view> names;
  for (const auto& field : fields) {
    path += (length == 0 ? "" : ".") + path_of("", field.key);
    if (!names.insert(field.key).second) refuse(path + " is there twice");
    refuse_repeated_names(field.value, path);
    path.resize(length);
  }
}

// An object that has these fields and no others.
class Fields {
 public:
  Fields(element value, std::string path, std::initializer_list<std::string_view> names)
      : path_(std::move(path)) {
    if (value.get(fields_) != simdjson::SUCCESS)
      refuse((path_.empty() ? "it" : path_) + " must be an object");
    for (const auto name : names) {
      if (fields_.at_key(name).error()) refuse(at(name) + " is missing");
    }
    for (const auto& field : fields_) {
      if (std::find(names.begin(), names.end(), field.key) == names.end())
        refuse(at(field.key) + " is no field of a receipt");
    }
  }

  std::string at(std::string_view name) const { return path_of(path_, name); }
  element operator[](std::string_view name) const { return fields_.at_key(name).value(); }

  template <class Value>
  Value get(std::string_view name, const std::string& rule) const {
    Value value{};
    if ((*this)[name].get(value) != simdjson::SUCCESS) refuse(at(name) + " " + rule);
    return value;
  }

  std::string bytes(std::string_view name, std::size_t least, const std::string& rule) const {
    auto bytes = eventstore::bytes_from_base64(get<std::string_view>(name, rule));
    if (!bytes || bytes->size() < least) refuse(at(name) + " " + rule);
    return *std::move(bytes);
  }

 private:
  object fields_;
  std::string path_;
};

std::vector<Digest> proof_of(const Fields& event) {
  const std::string rule =
      "must be a list of at most " + std::to_string(kProofHashesMax) + " hashes in base64";
  const auto items = event.get<simdjson::dom::array>("proof", rule);
  if (items.size() > kProofHashesMax) refuse(event.at("proof") + " " + rule);
  std::vector<Digest> proof;
  for (const element item : items) {
    std::string_view text;
    const bool is_text = item.get(text) == simdjson::SUCCESS;
    const auto bytes = is_text ? eventstore::bytes_from_base64(text) : std::nullopt;
    if (!bytes || bytes->size() != Digest().size()) refuse(event.at("proof") + " " + rule);
    proof.push_back(eventstore::digest_from_bytes(*bytes));
  }
  return proof;
}

eventstore::ProvenEvent event_of(const Fields& event) {
  const domain::Position position(event.get<std::uint64_t>("position", "must be a position: 1, 2, 3, …"));
  const auto leaf = event.bytes("leaf", kLeafDigestBytes + 1, "must be a leaf in base64");
  std::string personal;
  if (!event["personal"].is_null()) personal = event.bytes("personal", 1, "must be null, or bytes in base64");
  const auto envelope_bytes = leaf.size() - kLeafDigestBytes;
  eventstore::StoredEvent stored{position, leaf.substr(0, envelope_bytes),
                                 eventstore::digest_from_bytes(std::string_view(leaf).substr(envelope_bytes)),
                                 std::move(personal)};
  return {std::move(stored), proof_of(event)};
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
      eventstore::Json json;
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
    element whole;
    if (parser_.parse(text.data(), text.size()).get(whole) != simdjson::SUCCESS) refuse("it is not JSON");
    std::string path;
    refuse_repeated_names(whole, path);
    if (whole.at_key("data").error()) return parse_receipt(whole, "");
    const Fields answer(whole, "", {"success", "data"});
    const std::string rule = "must be true";
    if (!answer.get<bool>("success", rule)) refuse(answer.at("success") + " " + rule);
    return parse_receipt(answer["data"], "data");
  }

  eventstore::Receipt parse_receipt(element value, const std::string& path) {
    const Fields fields(value, path, {"transactionId", "checkpoint", "events"});
    const std::string rule(domain::ChargeId::kRule);
    const auto charge = domain::ChargeId::parse(fields.get<std::string_view>("transactionId", rule));
    if (!charge) refuse(fields.at("transactionId") + " " + rule);
    const auto checkpoint = fields.get<std::string_view>("checkpoint", "must be a text");
    eventstore::Receipt receipt{*charge, std::string(checkpoint), {}};
    for (const element item : fields.get<simdjson::dom::array>("events", "must be a list")) {
      const auto at = path_of(fields.at("events"), receipt.events.size());
      const Fields event(item, at, {"position", "leaf", "personal", "proof", "event"});
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
  return event.stored.personal.empty() && event.stored.personal_digest != eventstore::sha256("");
}

CheckedFile bad(std::string problem) { return {std::move(problem), {}, std::nullopt}; }

CheckedFile check(const ReceiptFile& file, const CheckpointOpener& open) {
  const auto checkpoint = open(file.receipt().checkpoint);
  if (!checkpoint) return bad("its checkpoint is not signed by that key");
  const auto checked = eventstore::check_receipt(file.receipt(), *checkpoint);
  if (checked.problem) return bad(*checked.problem);
  if (const auto field = file.shown_otherwise(checked.events))
    return bad(*field + " is not what the bytes of the event say");
  std::optional<domain::Charge> charge;
  for (const auto& event : checked.events)
    charge = domain::apply(std::move(charge), std::get<domain::ChargeEvent>(event.event), event.recorded_at);
  const auto& events = file.receipt().events;
  const auto lacking = std::count_if(events.begin(), events.end(), lacks_personal);
  return {std::nullopt, *checkpoint, std::move(charge), events.size(), static_cast<std::size_t>(lacking)};
}

}  // namespace

CheckedFile check_receipt_file(std::string_view text, const CheckpointOpener& open) {
  try {
    return check(ReceiptFile(text), open);
  } catch (const NoReceipt& no) {
    return bad(std::string("it is not a receipt: ") + no.what());
  }
}

}  // namespace pixledger::tools
