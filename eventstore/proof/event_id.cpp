#include "eventstore/proof/event_id.h"

#include <charconv>
#include <cstdio>

#include "eventstore/platform/big_endian.h"
#include "eventstore/tree/merkle.h"

// An id is two halves in hex. The second is the check: the first bytes of the event's leaf hash, which tell
// this event from another at its position, and a code over both with the keyring's key, which tells an id
// from any other text. The first half is the position under a mask that depends on the check.
namespace pixledger::eventstore {
namespace {

constexpr std::size_t kHalfDigits = 16;
constexpr std::uint32_t kTagBeforeAll = 0;

std::uint64_t number_of(const Digest& digest) { return from_big_endian(bytes_of(digest).substr(0, 8)); }

std::uint32_t tag_of(const Digest& leaf) { return static_cast<std::uint32_t>(number_of(leaf) >> 32); }

std::string hex_of(std::uint64_t half) {
  char digits[kHalfDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(half));
  return digits;
}

std::optional<std::uint64_t> parse_half(std::string_view digits) {
  std::uint64_t half = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), half, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return half;
}

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
  if (id.size() != 2 * kHalfDigits) return std::nullopt;
  const auto masked = parse_half(id.substr(0, kHalfDigits));
  const auto check = parse_half(id.substr(kHalfDigits));
  if (!masked || !check) return std::nullopt;
  const Named named{Position(*masked ^ mask_of(*check)), static_cast<std::uint32_t>(*check >> 32)};
  // As it was written, in lower case.
  if (!equal_in_constant_time(id_of(named), id)) return std::nullopt;
  return named;
}

bool EventIds::has(const Named& named) const { return tag_at(named.position) == named.event_tag; }

std::string EventIds::id_of(const Named& named) const {
  const auto check = std::uint64_t{named.event_tag} << 32 | code_of(named);
  return hex_of(named.position.value() ^ mask_of(check)) + hex_of(check);
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
