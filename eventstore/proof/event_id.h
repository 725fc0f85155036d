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

// The public ids of events for one project's callers: cursors in the feed, and ids in webhooks. An id names
// the ledger, the position, the event there and the epoch that recorded it, so it never changes, even by a
// restore. An event that replaces one that a restore cut off has another id. 32 lower-case hex characters,
// opaque to callers. Without the keyring, ids do not show how much happens in other projects, and cannot be
// made. Thread-safe; keyring and log must outlive it.
class EventIds {
 public:
  // `ended_epochs`: the log's (LogEnd).
  EventIds(const Keyring& keyring, const Log& log, const std::vector<EndedEpoch>& ended_epochs,
           const domain::ProjectId& project);

  std::string of(const StoredEvent& event) const;
  // For any event at that position, of this project or not, and for position 0, before all events. Throws
  // LogCorrupt if there is no event.
  std::string of(Position position) const;

  struct Named {
    Position position;
    std::uint32_t event_tag;  // identifies the event there and its epoch
  };
  // Returns nullopt unless it is an id of this ledger and project. Any input is safe.
  std::optional<Named> parse(std::string_view id) const;
  // Whether the log has that event.
  bool has(const Named& named) const;
  // For an event that the log does not have: the last position up to which its reader has certainly seen this
  // log's history. 0 if unknown. That is so if the event's epoch is not in the log's history (for example a
  // restore that another one has replaced), or if the log should have the event.
  Position last_in_common(const Named& named) const;

 private:
  // The positions up to `last` that are in no earlier span.
  struct Span {
    Position last;
    std::uint32_t epoch_tag;
  };

  std::string id_of(const Named& named) const;
  std::uint32_t code_of(const Named& named) const;
  std::uint64_t mask_of(std::uint64_t check) const;
  // Returns nullopt if the log has no event there.
  std::optional<std::uint32_t> tag_at(Position position) const;
  std::uint32_t tag_of(Position position, const Digest& leaf) const;
  std::uint32_t tag_of_epoch(std::uint32_t epoch) const;

  const Keyring& keyring_;
  const Log& log_;
  std::string owner_;  // ledger and project
  std::vector<Span> ended_;
  std::uint32_t epoch_tag_;  // of the log's own
};

// The text of event ids: two numbers, each in 16 lower-case hex digits.

struct HexHalves {
  static constexpr std::size_t kDigits = 16;  // of each

  std::uint64_t first;
  std::uint64_t second;

  // Accepts upper-case digits, too. Returns nullopt unless it has twice kDigits.
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
