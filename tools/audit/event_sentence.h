#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/platform/time_zone.h"
#include "domain/aggregates/event.h"

namespace pixledger::tools {

// What an event changed: as it was before. Absent: there was nothing, or it is of another kind.
struct SettingsBefore {
  std::optional<domain::StoreSettings> store;
  std::map<domain::ConnectionId, domain::Connection> connections;
  std::optional<domain::Channel> channel;
  std::optional<domain::BankConnection> bank;
};

// What happened, for people: "paid 19.90 at 2026-… with E123…", times as the zone has them. Without personal
// data, but for the texts that operators and merchants gave as reasons.
std::string sentence_of(const domain::Event& event, const TimeZone& zone, const SettingsBefore& before);

}  // namespace pixledger::tools
