#include "eventstore/proof/event_id.h"

#include <algorithm>

#include "base/platform/big_endian.h"
#include "eventstore/tree/merkle.h"

// An id is two halves in hex. The second is the check: the tag, and a code over position and tag with the
// keyring's key, which distinguishes an id from any other text. The first half is the position under a mask
// that depends on the check. The tag distinguishes the event from another at its position: the first bytes of
// its leaf hash, and a code of the epoch that recorded it. If the event is gone, the epoch shows where to
// continue. A position's epoch never changes, since a restore keeps the list of epochs and where each ended.
namespace pixledger::eventstore {
namespace {

constexpr std::uint32_t kTagBeforeAll = 0;

std::uint64_t number_of(const Digest& digest) { return from_big_endian(bytes_of(digest).substr(0, 8)); }

constexpr std::uint32_t kHalfOfTag = 0xffff;

std::uint32_t first_half(std::uint64_t number) {
  return static_cast<std::uint32_t>(number >> 32) & ~kHalfOfTag;
}
std::uint32_t second_half(std::uint64_t number) { return static_cast<std::uint32_t>(number) & kHalfOfTag; }

}  // namespace

EventIds::EventIds(const Keyring& keyring, const Log& log, const std::vector<EndedEpoch>& ended_epochs,
                   const domain::ProjectId& project)
    : keyring_(keyring),
      log_(log),
      owner_(log.identity().ledger_id + '/' + project.text() + '/'),
      epoch_tag_(tag_of_epoch(log.identity().epoch)) {
  for (const auto& [epoch, last] : ended_epochs) ended_.push_back({last, tag_of_epoch(epoch)});
}

std::string EventIds::of(const StoredEvent& event) const {
  const auto leaf = leaf_hash(event.bytes, bytes_of(event.personal_digest));
  return id_of({event.position, tag_of(event.position, leaf)});
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
  // Only the exact form as written, in lower case.
  if (!equal_in_constant_time(id_of(named), id)) return std::nullopt;
  return named;
}

bool EventIds::has(const Named& named) const { return tag_at(named.position) == named.event_tag; }

Position EventIds::last_in_common(const Named& named) const {
  std::optional<Position> last;
  for (const auto& span : ended_) {
    if (span.epoch_tag == second_half(named.event_tag)) last = std::min(last.value_or(span.last), span.last);
  }
  return last && *last < named.position ? *last : Position();
}

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
  return leaf ? std::optional(tag_of(position, *leaf)) : std::nullopt;
}

std::uint32_t EventIds::tag_of(Position position, const Digest& leaf) const {
  const auto span =
      std::find_if(ended_.begin(), ended_.end(), [&](const Span& one) { return position <= one.last; });
  return first_half(number_of(leaf)) | (span == ended_.end() ? epoch_tag_ : span->epoch_tag);
}

std::uint32_t EventIds::tag_of_epoch(std::uint32_t epoch) const {
  return second_half(number_of(keyring_.code_of_event_id(owner_ + "epoch", big_endian32(epoch))));
}

}  // namespace pixledger::eventstore
