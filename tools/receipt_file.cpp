#include "tools/receipt_file.h"

#include <algorithm>
#include <set>
#include <simdjson.h>

#include "eventstore/base64.h"
#include "tools/event_json.h"
#include "tools/json.h"

namespace pixledger::tools {
namespace {

using eventstore::Digest;
using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::size_t kLeafDigestBytes = 32;
constexpr std::size_t kProofHashesMax = 64;

bool has_repeated_name(element value) {
  if (value.type() == element_type::ARRAY) {
    const auto items = value.get_array().value_unsafe();
    return std::any_of(items.begin(), items.end(), has_repeated_name);
  }
  if (value.type() != element_type::OBJECT) return false;
  std::set<std::string_view> names;
  const simdjson::dom::object fields = value.get_object().value_unsafe();
  for (const auto& field : fields) {
    if (!names.insert(field.key).second || has_repeated_name(field.value)) return true;
  }
  return false;
}

// The same value, whatever the order of an object's names.
bool is_same(element a, element b);

bool is_same_object(simdjson::dom::object a, simdjson::dom::object b) {
  if (a.size() != b.size()) return false;
  for (const auto& field : a) {
    element other;
    if (b.at_key(field.key).get(other) != simdjson::SUCCESS || !is_same(field.value, other)) return false;
  }
  return true;
}

bool is_same_array(simdjson::dom::array a, simdjson::dom::array b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_same(a.at(i).value_unsafe(), b.at(i).value_unsafe())) return false;
  }
  return true;
}

bool is_same(element a, element b) {
  if (a.type() != b.type()) return false;
  if (a.type() == element_type::OBJECT)
    return is_same_object(a.get_object().value_unsafe(), b.get_object().value_unsafe());
  if (a.type() == element_type::ARRAY)
    return is_same_array(a.get_array().value_unsafe(), b.get_array().value_unsafe());
  return simdjson::minify(a) == simdjson::minify(b);
}

template <class Value>
std::optional<Value> member(element object, std::string_view name) {
  Value value;
  if (object.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::string> base64_member(element object, std::string_view name) {
  const auto text = member<std::string_view>(object, name);
  return text ? eventstore::bytes_from_base64(*text) : std::nullopt;
}

std::optional<std::vector<Digest>> proof_of(element event) {
  const auto texts = member<simdjson::dom::array>(event, "proof");
  if (!texts || texts->size() > kProofHashesMax) return std::nullopt;
  std::vector<Digest> proof;
  for (const element item : *texts) {
    std::string_view text;
    if (item.get(text) != simdjson::SUCCESS) return std::nullopt;
    const auto bytes = eventstore::bytes_from_base64(text);
    if (!bytes || bytes->size() != Digest().size()) return std::nullopt;
    proof.push_back(eventstore::digest_from_bytes(*bytes));
  }
  return proof;
}

// Nothing when the member is not there, or is neither null nor bytes.
std::optional<std::string> personal_of(element event) {
  const auto value = member<element>(event, "personal");
  if (!value) return std::nullopt;
  if (value->is_null()) return std::string();
  auto bytes = base64_member(event, "personal");
  if (!bytes || bytes->empty()) return std::nullopt;
  return bytes;
}

std::optional<eventstore::ProvenEvent> event_of(element event) {
  const auto position = member<std::uint64_t>(event, "position");
  const auto leaf = base64_member(event, "leaf");
  auto personal = personal_of(event);
  auto proof = proof_of(event);
  if (!position || !leaf || leaf->size() <= kLeafDigestBytes || !personal || !proof) return std::nullopt;
  const auto envelope_bytes = leaf->size() - kLeafDigestBytes;
  eventstore::StoredEvent stored{
      domain::Position(*position), leaf->substr(0, envelope_bytes),
      eventstore::digest_from_bytes(std::string_view(*leaf).substr(envelope_bytes)), *std::move(personal)};
  return eventstore::ProvenEvent{std::move(stored), *std::move(proof)};
}

}  // namespace

std::optional<ReceiptFile> ReceiptFile::parse(std::string_view text) {
  simdjson::dom::parser parser;
  element whole;
  if (parser.parse(text.data(), text.size()).get(whole) != simdjson::SUCCESS) return std::nullopt;
  if (whole.type() != element_type::OBJECT || has_repeated_name(whole)) return std::nullopt;
  const element data = member<element>(whole, "data").value_or(whole);
  const auto charge_text = member<std::string_view>(data, "transactionId");
  const auto checkpoint = member<std::string_view>(data, "checkpoint");
  const auto events = member<simdjson::dom::array>(data, "events");
  if (!charge_text || !checkpoint || !events) return std::nullopt;
  const auto charge = domain::ChargeId::parse(*charge_text);
  if (!charge) return std::nullopt;

  ReceiptFile file({*charge, std::string(*checkpoint), {}});
  for (const element item : *events) {
    auto event = event_of(item);
    const auto shown = member<element>(item, "event");
    if (!event || !shown) return std::nullopt;
    file.receipt_.events.push_back(*std::move(event));
    file.shown_.push_back(simdjson::minify(*shown));
  }
  return file;
}

bool ReceiptFile::shows(const std::vector<domain::RecordedEvent>& events) const {
  if (events.size() != shown_.size()) return false;
  simdjson::dom::parser parser;
  simdjson::dom::parser parser_of_shown;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Json json;
    write_event(json, events[i]);
    element said;
    // A ledger may have signed what is no text: then there is nothing to show.
    if (parser.parse(json.take()).get(said) != simdjson::SUCCESS) return false;
    if (!is_same(said, parser_of_shown.parse(shown_[i]).value())) return false;
  }
  return true;
}

}  // namespace pixledger::tools
