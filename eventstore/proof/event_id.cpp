#include "eventstore/proof/event_id.h"

#include "eventstore/platform/big_endian.h"
#include "eventstore/proof/hex_halves.h"
#include "eventstore/tree/merkle.h"

// An id is two halves in hex. The second is the check: the first bytes of the event's leaf hash, which tell
// this event from another at its position, and a code over both with the keyring's key, which tells an id
// from any other text. The first half is the position under a mask that depends on the check.
namespace pixledger::eventstore {
namespace {

constexpr std::uint32_t kTagBeforeAll = 0;

std::uint64_t number_of(const Digest& digest) { return from_big_endian(bytes_of(digest).substr(0, 8)); }

std::uint32_t tag_of(const Digest& leaf) { return static_cast<std::uint32_t>(number_of(leaf) >> 32); }

}  // namespace

EventIds::EventIds(const Keyring& keyring, const Log& log, domain::ProjectId project)
    : keyring_(keyring), log_(log), owner_(log.identity().ledger_id + '/' + project.text() + '/') {}

std::string EventIds::of(const StoredEvent& event) const {
  return id_of({event.position, tag_of(leaf_hash(event.bytes, bytes_of(event.personal_digest)))});
}

std::string EventIds::of(Position position) const {
  const auto tag = tag_at(position);
  if (!tag) throw LogCorrupt("there is no event at position " + std::to_string(position.value()));
  return id_of({position, *tag});
}

std::optional<EventIds::Named> EventIds::parse(std::string_view id) const {
  const auto halves = HexHalves::parse(id);
  if (!halves) return std::nullopt;
  const Named named{Position(halves->first ^ mask_of(halves->second)),
                    static_cast<std::uint32_t>(halves->second >> 32)};
  // As it was written, in lower case.
  if (!equal_in_constant_time(id_of(named), id)) return std::nullopt;
  return named;
}

bool EventIds::has(const Named& named) const { return tag_at(named.position) == named.event_tag; }

std::string EventIds::id_of(const Named& named) const {
  const auto check = std::uint64_t{named.event_tag} << 32 | code_of(named);
  return HexHalves{named.position.value() ^ mask_of(check), check}.text();
}

std::uint32_t EventIds::code_of(const Named& named) const {
  const auto code = keyring_.code_of_event_id(
      owner_ + "code", big_endian(named.position.value()) + big_endian32(named.event_tag));
  return static_cast<std::uint32_t>(number_of(code));
}

std::uint64_t EventIds::mask_of(std::uint64_t check) const {
  return number_of(keyring_.code_of_event_id(owner_ + "mask", big_endian(check)));
}

std::optional<std::uint32_t> EventIds::tag_at(Position position) const {
  if (position == Position()) return kTagBeforeAll;
  const auto leaf = log_.leaf_hash(position);
  return leaf ? std::optional(tag_of(*leaf)) : std::nullopt;
}

}  // namespace pixledger::eventstore
