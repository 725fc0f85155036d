#include "http/api/common/event_cursor.h"

#include "base/platform/sha256.h"
#include "eventstore/log/log_snapshot.h"
#include "eventstore/proof/event_id.h"

namespace pixledger::http {
namespace {

std::uint64_t number_of(const Digest& digest) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | digest[i];
  return number;
}

// An old cursor has two halves. One is a check of the position; the other is the position under a mask that
// depends on the check.
struct Names {
  std::string place;  // ledger, epoch and project

  Names(const eventstore::LogIdentity& log, const domain::ProjectId& project)
      : place(log.ledger_id + "/" + std::to_string(log.epoch) + "/" + project.text()) {}

  std::uint64_t check_of(std::uint64_t position) const {
    return number_of(sha256("event-cursor/" + place + "/" + std::to_string(position)));
  }
  std::uint64_t mask_of(std::uint64_t check) const {
    return number_of(sha256("event-cursor-mask/" + place + "/" + std::to_string(check)));
  }
};

std::optional<Position> parse_old_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                                         std::string_view text) {
  const auto halves = eventstore::HexHalves::parse(text);
  if (!halves) return std::nullopt;
  const Position position(halves->first ^ Names(log, project).mask_of(halves->second));
  // Only the canonical spelling, in lower case.
  if (old_event_cursor(log, project, position) != text) return std::nullopt;
  return position;
}

// Old cursors depend on the epoch that issued them.
std::optional<EventPlace> find_old_place(const Services& services, const domain::ProjectId& project,
                                         std::string_view text) {
  const auto& identity = services.log.identity();
  if (const auto position = parse_old_cursor(identity, project, text)) {
    if (*position > services.log.head().position) return std::nullopt;
    return EventPlace{*position};
  }
  for (const auto& [epoch, last] : services.ended_epochs) {
    if (const auto position = parse_old_cursor({identity.ledger_id, epoch}, project, text))
      return *position <= last ? EventPlace{*position} : EventPlace{last, true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<EventPlace> find_event_place(const Services& services, const domain::ProjectId& project,
                                           std::string_view text) {
  const eventstore::EventIds ids(services.keyring, services.log, services.ended_epochs, project);
  const auto named = ids.parse(text);
  if (!named) return find_old_place(services, project, text);
  if (ids.has(*named)) return EventPlace{named->position};
  return EventPlace{ids.last_in_common(*named), true};
}

std::string old_event_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                             Position position) {
  const Names names(log, project);
  const auto check = names.check_of(position.value());
  return eventstore::HexHalves{position.value() ^ names.mask_of(check), check}.text();
}

}  // namespace pixledger::http
