#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ascii.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log_snapshot.h"

namespace pixledger::eventstore {

// What the callers of one project know events by: in the feed, where it is a cursor too, and in webhooks. An
// id names the ledger, the position, which event is there and the epoch that recorded it, so it stays the
// same for ever, a restore included, and an event that took the place of one that a restore cut off has
// another. 32 lower-case hex characters, to be kept and given back, not to be understood: without the keyring
// nobody sees from them how much happens in other projects, nor makes one. Thread-safe; keyring and log
// outlive it.
class EventIds {
 public:
  // `ended_epochs`: of the log (LogEnd).
  EventIds(const Keyring& keyring, const Log& log, const std::vector<EndedEpoch>& ended_epochs,
           const domain::ProjectId& project);

  std::string of(const StoredEvent& event) const;
  // Of whatever event the log has there, of this project or not; of position 0 too, which is before all.
  // Throws LogCorrupt when there is none.
  std::string of(Position position) const;

  struct Named {
    Position position;
    std::uint32_t event_tag;  // of the event there and of its epoch
  };
  // nullopt for everything that is no id of this ledger and project. Any input is safe.
  std::optional<Named> parse(std::string_view id) const;
  // Whether the log has that event.
  bool has(const Named& named) const;
  // Of an event that the log does not have: the last position up to which whoever knows it has seen the
  // log's own history, for sure. 0 where nobody can tell: the event is of an epoch that the log does not
  // come from, such as a restore that another one has replaced, or of one that should have it.
  Position last_in_common(const Named& named) const;

 private:
  // The positions up to `last` that are in no earlier one.
  struct Span {
    Position last;
    std::uint32_t epoch_tag;
  };

  std::string id_of(const Named& named) const;
  std::uint32_t code_of(const Named& named) const;
  std::uint64_t mask_of(std::uint64_t check) const;
  // Nothing where the log has no event.
  std::optional<std::uint32_t> tag_at(Position position) const;
  std::uint32_t tag_of(Position position, const Digest& leaf) const;
  std::uint32_t tag_of_epoch(std::uint32_t epoch) const;

  const Keyring& keyring_;
  const Log& log_;
  std::string owner_;  // ledger and project
  std::vector<Span> ended_;
  std::uint32_t epoch_tag_;  // of the log's own
};

// How the ids of events are written: two numbers, each in 16 lower-case hex digits.

struct HexHalves {
  static constexpr std::size_t kDigits = 16;  // of each

  std::uint64_t first;
  std::uint64_t second;

  // Also of digits in upper case. Nullopt when it is not twice kDigits.
  static std::optional<HexHalves> parse(std::string_view text) {
    if (text.size() != 2 * kDigits) return std::nullopt;
    const auto first = whole_number<std::uint64_t>(text.substr(0, kDigits), 16);
    const auto second = whole_number<std::uint64_t>(text.substr(kDigits), 16);
    if (!first || !second) return std::nullopt;
    return HexHalves{*first, *second};
  }

  std::string text() const {
    char digits[2 * kDigits + 1];
    std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(first),
                  static_cast<unsigned long long>(second));
    return digits;
  }
};

}  // namespace pixledger::eventstore
