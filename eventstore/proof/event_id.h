#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// What the callers of one project know events by: in the feed, where it is a cursor too, and in webhooks. An
// id names the ledger, the position and which event is there, so it stays the same for ever, a restore
// included, and an event that took the place of one that a restore cut off has another. 32 lower-case hex
// characters, to be kept and given back, not to be understood: without the keyring nobody sees from them how
// much happens in other projects, nor makes one. Thread-safe; keyring and log outlive it.
class EventIds {
 public:
  EventIds(const Keyring& keyring, const Log& log, domain::ProjectId project);

  std::string of(const StoredEvent& event) const;
  // Of whatever event the log has there, of this project or not; of position 0 too, which is before all.
  // Throws LogCorrupt when there is none.
  std::string of(Position position) const;

  struct Named {
    Position position;
    std::uint32_t event_tag;  // of the event there
  };
  // nullopt for everything that is no id of this ledger and project. Any input is safe.
  std::optional<Named> parse(std::string_view id) const;
  // Whether the log has that event.
  bool has(const Named& named) const;

 private:
  std::string id_of(const Named& named) const;
  std::uint32_t code_of(const Named& named) const;
  std::uint64_t mask_of(std::uint64_t check) const;
  // Nothing where the log has no event.
  std::optional<std::uint32_t> tag_at(Position position) const;

  const Keyring& keyring_;
  const Log& log_;
  std::string owner_;  // ledger and project
};

}  // namespace pixledger::eventstore
