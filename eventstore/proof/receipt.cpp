#include "eventstore/proof/receipt.h"

#include "eventstore/codec/codec.h"
#include "eventstore/tree/log_tree.h"
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

}  // namespace

std::optional<Receipt> make_receipt(const Log& log, const Ed25519Key& key, const domain::ChargeId& charge) {
  const auto checkpoint = checkpoint_of(log);
  auto stored = log.read_stream(domain::charge_stream(charge), 0, Position(checkpoint.size));
  if (stored.empty()) return std::nullopt;
  Receipt receipt{charge, sign_checkpoint(checkpoint, key), {}};
  const TreeOfLog tree(log);
  for (auto& event : stored) {
    auto proof = inclusion_proof(event.position.value(), checkpoint.size, tree);
    receipt.events.push_back({std::move(event), std::move(proof)});
  }
  return receipt;
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
  return {std::nullopt, std::move(events)};
}

}  // namespace pixledger::eventstore
