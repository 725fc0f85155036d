#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/platform/time_zone.h"
#include "domain/aggregates/event.h"

namespace pixledger::tools {

// The settings before an event changed them. Absent: they did not exist, or the event is of another type.
struct SettingsBefore {
  std::optional<domain::StoreSettings> store;
  std::map<domain::ConnectionId, domain::Connection> connections;
  std::optional<domain::Channel> channel;
  std::optional<domain::BankConnection> bank;
};

// Describes an event for people: "paid 19.90 at 2026-… with E123…", with times in the zone. Contains no
// personal data, except the reasons that operators and merchants wrote.
std::string sentence_of(const domain::Event& event, const TimeZone& zone, const SettingsBefore& before);

}  // namespace pixledger::tools
