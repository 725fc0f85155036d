#include "eventstore/log/stored_leaf.h"

namespace pixledger::eventstore {

StoredEvent to_stored_event(Position position, std::string_view leaf, std::string_view personal) {
  if (leaf.size() <= kDigestBytes)
    throw LogCorrupt("the event at position " + std::to_string(position.value()) + " is damaged");
  const auto envelope_bytes = leaf.size() - kDigestBytes;
  return {.position = position,
          .bytes = std::string(leaf.substr(0, envelope_bytes)),
          .personal_digest = digest_from_bytes(leaf.substr(envelope_bytes)),
          .personal = std::string(personal)};
}

}  // namespace pixledger::eventstore
