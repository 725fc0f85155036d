#include "eventstore/proof/receipt_json.h"

#include "base/text/base64.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"

namespace pixledger::eventstore {

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
