#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/platform/clock.h"
#include "base/platform/json.h"
#include "domain/decisions/decide.h"
#include "http/api/channels/channel_lookup.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/delivery_records.h"

namespace pixledger::http {
namespace {

constexpr std::int64_t kHourMs = 60LL * 60 * 1000;
constexpr std::int64_t kHours = 24;
// Their attempts are looked up one delivery after the other: some tens of milliseconds for all of them.
// Nobody else reads deliveries during a step.
constexpr std::size_t kDeliveriesMax = 10'000;
constexpr std::size_t kDeliveriesOfStep = 500;
constexpr std::size_t kErrorsMax = 10;

struct Hour {
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;
};

struct ChannelStats {
  std::int64_t first_hour;  // since 1970
  std::array<Hour, kHours> hours{};
  Hour all{};
  std::vector<std::int64_t> latencies{};  // of the attempts that were answered; ascending
  std::map<std::string, std::uint64_t> errors{};
  std::uint64_t pending = 0;
  Timestamp complete_since{};  // attempts before are of more deliveries than were looked at
};

void count(ChannelStats& stats, const stores::DeliveryAttempt& attempt) {
  const auto hour = attempt.at.millis() / kHourMs - stats.first_hour;
  if (hour < 0 || hour >= kHours) return;
  for (auto* sums : {&stats.hours[static_cast<std::size_t>(hour)], &stats.all})
    ++(attempt.error.empty() ? sums->delivered : sums->failed);
  if (!attempt.error.empty()) ++stats.errors[attempt.error];
  if (attempt.http_status != 0) stats.latencies.push_back(attempt.latency_ms);
}

void count_attempts(ChannelStats& stats, const stores::DeliveryReader& reader,
                    const domain::ChannelId& channel, const WorkBudget& budget) {
  const auto since = stats.complete_since;
  std::optional<stores::OlderThan> older;
  for (std::size_t looked_at = 0; looked_at < kDeliveriesMax; looked_at += kDeliveriesOfStep) {
    budget.check();
    const auto recent = reader.recent_attempts(channel, since, older, kDeliveriesOfStep);
    for (const auto& attempt : recent.attempts) count(stats, attempt);
    older = recent.next;
    if (!older) break;
  }
  if (older) stats.complete_since = std::max(since, older->created_at);
  std::sort(stats.latencies.begin(), stats.latencies.end());
}

// The most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> most_frequent(
    const std::map<std::string, std::uint64_t>& errors) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(errors.begin(), errors.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  sorted.resize(std::min(sorted.size(), kErrorsMax));
  return sorted;
}

std::optional<std::int64_t> percentile(const std::vector<std::int64_t>& ascending, std::size_t percent) {
  if (ascending.empty()) return std::nullopt;
  return ascending[(ascending.size() * percent + 99) / 100 - 1];
}

Reply render(const ChannelStats& stats) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.key("hours").begin_array();
  for (std::size_t i = 0; i < stats.hours.size(); ++i) {
    const Timestamp hour((stats.first_hour + static_cast<std::int64_t>(i)) * kHourMs);
    json.begin_object().field("hour", hour);
    json.field("delivered", stats.hours[i].delivered).field("failed", stats.hours[i].failed).end_object();
  }
  json.end_array();
  json.field("delivered", stats.all.delivered).field("failed", stats.all.failed);
  json.field("pending", stats.pending);
  json.field("latencyP50Ms", percentile(stats.latencies, 50));
  json.field("latencyP95Ms", percentile(stats.latencies, 95));
  json.key("errors").begin_array();
  for (const auto& [error, times] : most_frequent(stats.errors))
    json.begin_object().field("error", error).field("count", times).end_object();
  json.end_array().field("completeSince", stats.complete_since);
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace

Reply get_channel_stats(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  if (!input.finish()) return input.refusal();
  const auto channel = find_channel(services, *request.caller, *id);
  if (const auto rejection = domain::guard_channel(channel.get(), request.caller->on_behalf()))
    return rejection_reply(request, *rejection);
  const auto first_hour = services.clock.now().millis() / kHourMs - (kHours - 1);
  ChannelStats stats{.first_hour = first_hour, .complete_since = Timestamp(first_hour * kHourMs)};
  if (const auto reader = services.deliveries.reader()) {
    count_attempts(stats, *reader, *id, request.budget);
    stats.pending = reader->count(*id, stores::DeliveryStatus::kPending);
  }
  return render(stats);
}

}  // namespace pixledger::http
