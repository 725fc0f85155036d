#include "eventstore/proof/receipt.h"

#include "base/text/base64.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

using domain::RecordedEvent;

using Problem = std::optional<std::string>;

Problem problem_of_proof(const ProvenEvent& event, const Checkpoint& checkpoint) {
  const auto& stored = event.stored;
  const auto leaf = leaf_hash(stored.bytes, bytes_of(stored.personal_digest));
  if (!verify_inclusion(leaf, stored.position.value(), checkpoint.size, event.proof, checkpoint.root))
    return "it is not what the ledger has at this position";
  if (!stored.personal.empty() && sha256(stored.personal) != stored.personal_digest)
    return "its personal data are not those that were recorded";
  return std::nullopt;
}

std::optional<RecordedEvent> decoded(const StoredEvent& stored) {
  try {
    return decode(stored);
  } catch (const LogCorrupt&) {
    return std::nullopt;
  } catch (const WrittenByNewerRelease&) {
    return std::nullopt;
  }
}

Problem problem_of_place(const RecordedEvent& event, const domain::ChargeId& charge,
                         const std::vector<RecordedEvent>& before) {
  if (event.stream != domain::charge_stream(charge)) return "it belongs to " + event.stream.text();
  if (event.version != before.size() + 1)
    return "it is event " + std::to_string(event.version) + " of its charge, where event " +
           std::to_string(before.size() + 1) + " was due";
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  const auto* created = change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
  if (!change || (created != nullptr) != before.empty() || (created && created->id != charge))
    return "no charge has such an event there";
  if (!before.empty() && event.position <= before.back().position)
    return "it is before the event in front of it";
  return std::nullopt;
}

// Compares with the length that the checkpoint states; checkpoints of 0.1.0 state none.
Problem problem_of_length(const Receipt& receipt, const Checkpoint& checkpoint) {
  if (!checkpoint.states_streams) return std::nullopt;
  const auto& stated = checkpoint.stream;
  if (!stated)
    return "its checkpoint was not signed for a receipt: it does not state how many events there are";
  if (stated->stream != domain::charge_stream(receipt.charge))
    return "its checkpoint was signed for the receipt of " + stated->stream.text();
  if (stated->events == receipt.events.size()) return std::nullopt;
  return "it has " + std::to_string(receipt.events.size()) +
         " of the charge's events, and its checkpoint was signed for " + std::to_string(stated->events);
}

}  // namespace

std::optional<Receipt> make_receipt(const Log& log, const Ed25519Key& key, const domain::ChargeId& charge,
                                    const std::function<void()>& check) {
  auto checkpoint = checkpoint_of(log);
  const auto stream = domain::charge_stream(charge);
  const TreeOfLog tree(log);
  std::vector<ProvenEvent> events;
  for (const auto& stored : StreamEvents(log, stream, 0, Position(checkpoint.size))) {
    check();
    events.push_back({stored, inclusion_proof(stored.position.value(), checkpoint.size, tree)});
  }
  if (events.empty()) return std::nullopt;
  checkpoint.stream = StreamLength{stream, static_cast<std::uint32_t>(events.size())};
  return Receipt{charge, sign_checkpoint(checkpoint, key), std::move(events)};
}

CheckedReceipt check_receipt(const Receipt& receipt, const Checkpoint& checkpoint) {
  if (receipt.events.empty()) return {"it has no events", {}};
  std::vector<RecordedEvent> events;
  for (const auto& proven : receipt.events) {
    const auto where = "event at position " + std::to_string(proven.stored.position.value()) + ": ";
    if (const auto problem = problem_of_proof(proven, checkpoint)) return {where + *problem, {}};
    auto event = decoded(proven.stored);
    if (!event) return {where + "its bytes mean nothing to this release", {}};
    if (const auto problem = problem_of_place(*event, receipt.charge, events)) return {where + *problem, {}};
    events.push_back(*std::move(event));
  }
  if (auto problem = problem_of_length(receipt, checkpoint)) return {std::move(problem), {}};
  return {std::nullopt, std::move(events)};
}

void write_receipt(Json& json, const Receipt& receipt) {
  json.begin_object().field("transactionId", receipt.charge.text()).field("checkpoint", receipt.checkpoint);
  json.key("events").begin_array();
  for (const auto& [stored, proof] : receipt.events) {
    std::optional<std::string> personal;
    if (!stored.personal.empty()) personal = to_base64(stored.personal);
    json.begin_object()
        .field("position", stored.position.value())
        .field("leaf", to_base64(stored.bytes + std::string(bytes_of(stored.personal_digest))))
        .field("personal", personal);
    json.key("proof").begin_array();
    for (const Digest& hash : proof) json.value(to_base64(bytes_of(hash)));
    json.end_array().key("event");
    write_event(json, decode(stored));
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace pixledger::eventstore
