#include "eventstore/proof/checkpoint_json.h"

#include "base/text/base64.h"

namespace pixledger::eventstore {

void write_checkpoint(Json& json, const Checkpoint& checkpoint, const std::string& note) {
  json.begin_object()
      .field("origin", checkpoint.origin)
      .field("size", checkpoint.size)
      .field("rootHash", to_hex(checkpoint.root))
      .field("checkpoint", note)
      .end_object();
}

void write_consistency(Json& json, std::uint64_t from, std::uint64_t to, std::span<const Digest> proof,
                       const std::string& note) {
  json.begin_object().field("from", from).field("to", to).key("proof").begin_array();
  for (const Digest& hash : proof) json.value(to_base64(bytes_of(hash)));
  json.end_array().field("checkpoint", note).end_object();
}

}  // namespace pixledger::eventstore
