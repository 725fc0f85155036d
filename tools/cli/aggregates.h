#pragma once

#include <string_view>
#include <vector>

#include "base/platform/time_zone.h"
#include "domain/aggregates/api_key.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "stores/exports/export_rows.h"

// Projects, keys, channels, customers and charges, folded from their streams as of the log's head.
namespace pixledger::tools {

// In order of creation.
std::vector<domain::Project> all_projects(const eventstore::Log& log);
std::vector<domain::ApiKey> keys_of(const eventstore::Log& log, const domain::ProjectId& project);
std::vector<domain::Channel> channels_of(const eventstore::Log& log, const domain::ProjectId& project);

// All ever created, in order of creation, of one project or of all.
std::vector<domain::UnmatchedPayment> unmatched_payments_of(const eventstore::Log& log,
                                                            const std::optional<domain::ProjectId>& project,
                                                            Position up_to = eventstore::kNoLimit);

// A payment set aside at its charge, and its state.
struct UnappliedOfCharge {
  enum class Fate { kOpen, kAccepted, kReturned };
  domain::UnappliedPayment payment;
  domain::ChargeId charge;
  domain::Environment environment;
  domain::ConnectionId connection;
  Fate fate;
};
// In order of events. Reads the whole log.
std::vector<UnappliedOfCharge> unapplied_payments_of(const eventstore::Log& log,
                                                     const domain::ProjectId& project);

// Parses --project.
domain::ProjectId parse_project(std::string_view text);
std::optional<domain::Project> find_project(const eventstore::Log& log, const domain::ProjectId& project);

// The time zone of a project's dates. Throws UsageError if this machine does not know the store's zone.
TimeZone zone_of(const domain::Project& project);
TimeZone zone_of(const eventstore::Log& log, const domain::ProjectId& project);
// The given zone, otherwise the project's; UTC if all projects are read together.
TimeZone zone_of(const std::optional<TimeZone>& asked, const std::optional<domain::Project>& project);

// Empty if no member was ever added.
domain::Team team_of(const eventstore::Log& log, const domain::ProjectId& project);

// The charge of an event. Throws LogCorrupt if its stream does not exist.
domain::Charge charge_of(const eventstore::Log& log, const domain::RecordedEvent& event,
                         Position up_to = eventstore::kNoLimit);
std::optional<domain::Charge> find_charge(const eventstore::Log& log, const domain::ChargeId& charge,
                                          Position up_to = eventstore::kNoLimit);

using stores::fact_of;
using stores::may_be_refund;

}  // namespace pixledger::tools
