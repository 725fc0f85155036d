#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "http/api/channels/channels.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/list_filters.h"
#include "http/api/endpoints.h"
#include "http/services/worker_records.h"
#include "projections/generations/generation.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

using projections::ChargeSums;

constexpr DaysRule kDays{.days_default = 30, .days_max = 366};

// Sums by day and in total.
struct Stats {
  std::vector<ChargeSums> days;
  ChargeSums totals;
  projections::UnappliedSum unapplied;
  projections::UnappliedSum unmatched;
};

// Quarters and days are in order.
Stats read_stats(const Services& services, const Request& request, const AskedDays& asked,
                 domain::Environment environment) {
  const auto views = services.views.database();
  const auto& project = request.caller->project;
  Stats stats{.days = std::vector<ChargeSums>(static_cast<std::size_t>(asked.last - asked.first + 1)),
              .totals = {},
              .unapplied = projections::read_unapplied_sum(*views, project, environment),
              .unmatched = projections::read_unmatched_sum(*views, project, environment)};
  std::size_t day = 0;
  auto next = asked.zone.begin_of(asked.first + 1);
  const auto first = projections::quarter_of(asked.begin());
  const auto last = projections::quarter_of(asked.end().plus_millis(-1));
  projections::read_charge_sums(*views, project, environment, first, last, work_check(request),
                                [&](std::uint32_t quarter, const ChargeSums& sums) {
                                  while (projections::begin_of_quarter(quarter) >= next) {
                                    ++day;
                                    next =
                                        asked.zone.begin_of(asked.first + static_cast<std::int64_t>(day) + 1);
                                  }
                                  stats.days[day].add(sums);
                                });
  for (const auto& of_day : stats.days) stats.totals.add(of_day);
  return stats;
}

struct ChannelCounts {
  std::size_t active = 0;
  std::size_t untried = 0;  // active, but nothing has been sent to them
  std::size_t failing = 0;
};

// Counts channels that the caller may see and that subscribe to the environment.
ChannelCounts count_channels(const Services& services, const Caller& caller,
                             domain::Environment environment) {
  ChannelCounts counts;
  for (const auto& channel : channels_of(services, caller)) {
    if (!channel->environments.contains(environment)) continue;
    const auto health = services.deliveries.health(channel->id);
    if (health.failing()) ++counts.failing;
    if (!channel->is_active) continue;
    ++counts.active;
    if (!health.last_success_at && !health.last_failure_at) ++counts.untried;
  }
  return counts;
}

void write_wait(Json& json, JsonKey name, const projections::WaitCounts& waits, unsigned percent) {
  json.field(name, waits.is_empty() ? std::nullopt : std::optional(waits.percentile(percent)));
}

void write_waits(Json& json, const projections::WaitCounts& waits) {
  write_wait(json, "timeToPayP50Seconds", waits, 50);
  write_wait(json, "timeToPayP90Seconds", waits, 90);
}

void write_day(Json& json, std::int64_t day, const ChargeSums& sums) {
  json.begin_object().field("day", date_text(day));
  json.field("created", sums.created).field("createdCents", sums.created_cents);
  json.field("converted", sums.converted).field("paid", sums.paid).field("paidCents", sums.paid_cents);
  json.field("refundedCents", sums.refunded_cents);
  write_waits(json, sums.waits);
  json.end_object();
}

Reply render(const AskedDays& asked, const Stats& stats, const ChannelCounts& channels) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.key("days").begin_array();
  for (std::size_t i = 0; i < stats.days.size(); ++i)
    write_day(json, asked.first + static_cast<std::int64_t>(i), stats.days[i]);
  json.end_array().key("totals").begin_object();
  const auto& totals = stats.totals;
  json.field("created", totals.created).field("createdCents", totals.created_cents);
  json.field("converted", totals.converted).field("paid", totals.paid);
  json.field("paidCents", totals.paid_cents);
  json.field("refundedCents", totals.refunded_cents).key("conversion");
  totals.created == 0 ? json.null() : json.share(totals.converted, totals.created);
  write_waits(json, totals.waits);
  json.field("unappliedCount", stats.unapplied.count).field("unappliedCents", stats.unapplied.cents);
  json.field("unmatchedCount", stats.unmatched.count).field("unmatchedCents", stats.unmatched.cents);
  json.field("failingChannels", channels.failing);
  json.field("activeChannels", channels.active).field("untriedChannels", channels.untried);
  json.end_object().end_object().key("meta").begin_object().field("timezone", asked.zone.name());
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace

Reply get_stats(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  const auto asked = read_days(input, zone_of(services, caller), services.clock.now(), kDays);
  const auto listed = read_listed_environment(input.query(), caller, input.violations());
  if (!input.finish()) return input.refusal();
  Stats stats{.days = std::vector<ChargeSums>(static_cast<std::size_t>(asked.last - asked.first + 1)),
              .totals = {},
              .unapplied = {},
              .unmatched = {}};
  if (!listed.match_nothing) stats = read_stats(services, request, asked, listed.environment);
  return render(asked, stats, count_channels(services, caller, listed.environment));
}

}  // namespace pixledger::http
