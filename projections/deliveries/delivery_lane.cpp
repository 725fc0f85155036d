#include "projections/deliveries/delivery_lane.h"

#include <Poco/Data/Statement.h>
#include <Poco/Nullable.h>
#include <algorithm>
#include <string>

// A lane is what is pending of one charge for one channel, in the order of events. Only its first delivery
// has a time; the others have NULL, which the index of what is due leaves out, so that looking for work never
// meets those that wait. When a delivery ends, or fails for so long that those behind it need not wait any
// more, the times of its lane are set anew in the same transaction.
//
// Lanes are looked up in bulk: their keys go into a temporary table, which drives a join (CROSS JOIN keeps
// SQLite from turning it round) with one look-up in the partial index of pending deliveries for each.
namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
using OptionalInteger = Poco::Nullable<Integer>;

// The pending deliveries of several lanes, lane by lane, each in order.
struct Rows {
  std::vector<Integer> number, attempts;  // attempts of this round
  std::vector<std::string> channel, charge;
  std::vector<OptionalInteger> first_failed_at, next_attempt_at;

  bool continues_lane(std::size_t i) const {
    return i > 0 && channel[i] == channel[i - 1] && charge[i] == charge[i - 1];
  }
  LaneEntry entry(std::size_t i) const {
    if (first_failed_at[i].isNull()) return {};
    return {domain::Timestamp(first_failed_at[i].value())};
  }
};

Rows read_lanes(Poco::Data::Session& session, const LaneKeys& lanes) {
  std::vector<std::string> channels, charges;
  for (const auto& [channel, charge] : lanes) {
    channels.push_back(channel.text());
    charges.push_back(charge.text());
  }
  session << "INSERT OR IGNORE INTO touched_lanes VALUES (?, ?)", use(channels), use(charges), now;
  Rows rows;
  // A loop over the lanes with a look-up in the index of each, never the other way round.
  session << "SELECT number, attempts - round_start, d.channel, d.charge, first_failed_at, next_attempt_at "
             "FROM touched_lanes AS l CROSS JOIN deliveries AS d "
             "ON d.channel = l.channel AND d.charge = l.charge AND d.status = 0 "
             "ORDER BY l.channel, l.charge, d.position, d.number",
      into(rows.number), into(rows.attempts), into(rows.channel), into(rows.charge),
      into(rows.first_failed_at), into(rows.next_attempt_at), now;
  session << "DELETE FROM touched_lanes", now;
  return rows;
}

// What is to be written: when deliveries may be attempted.
struct NewTimes {
  std::vector<OptionalInteger> next_attempt_at;
  std::vector<Integer> number;

  void set(Integer delivery, const std::optional<domain::Timestamp>& moment) {
    next_attempt_at.push_back(moment ? OptionalInteger(moment->millis()) : OptionalInteger());
    number.push_back(delivery);
  }
  void write(Poco::Data::Session& session) {
    if (number.empty()) return;
    session << "UPDATE deliveries SET next_attempt_at = ? WHERE number = ?", use(next_attempt_at),
        use(number), now;
  }
};

}  // namespace

std::optional<domain::Timestamp> release_time(const std::vector<LaneEntry>& earlier, domain::Timestamp now) {
  auto release = now;
  for (const auto& entry : earlier) {
    if (!entry.first_failed_at) return std::nullopt;
    release = std::max(release, entry.first_failed_at->plus_millis(kHoldBackMaxMs));
  }
  return release;
}

void hold_back(Poco::Data::Session& session, const LaneKeys& lanes) {
  if (lanes.empty()) return;
  const auto rows = read_lanes(session, lanes);
  NewTimes times;
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < rows.number.size(); ++i) {
    if (!rows.continues_lane(i)) earlier.clear();
    const auto& planned = rows.next_attempt_at[i];
    if (rows.attempts[i] == 0 && !planned.isNull()) {
      const auto release = release_time(earlier, domain::Timestamp(planned.value()));
      if (!release || release->millis() != planned.value()) times.set(rows.number[i], release);
    }
    earlier.push_back(rows.entry(i));
  }
  times.write(session);
}

void release(Poco::Data::Session& session, const LaneKeys& lanes, domain::Timestamp now) {
  if (lanes.empty()) return;
  const auto rows = read_lanes(session, lanes);
  NewTimes times;
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < rows.number.size(); ++i) {
    if (!rows.continues_lane(i)) earlier.clear();
    const auto free_at = release_time(earlier, now);
    const auto& planned = rows.next_attempt_at[i];
    if (rows.attempts[i] == 0 && free_at && (planned.isNull() || planned.value() > free_at->millis()))
      times.set(rows.number[i], free_at);
    earlier.push_back(rows.entry(i));
  }
  times.write(session);
}

}  // namespace pixledger::projections
