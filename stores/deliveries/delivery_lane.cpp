#include "stores/deliveries/delivery_lane.h"

#include <algorithm>
#include <string>

#include "stores/deliveries/delivery_schema.h"

// A lane is what is pending of one charge for one channel, in the order of events. Only its first delivery
// has a time; the others have NULL, which the index of what is due leaves out, so that looking for work never
// meets those that wait. When a delivery ends, or fails for so long that those behind it need not wait any
// more, the times of its lane are set anew in the same transaction.
//
// Lanes are looked up in bulk: their keys drive a join with one look-up in the partial index of pending
// deliveries for each (select_lanes).
namespace pixledger::stores {
namespace {

// A pending delivery; of several lanes, lane by lane, each in order.
struct Row {
  std::int64_t number;
  std::int64_t attempts;  // of this round
  std::string channel, charge;
  std::optional<Timestamp> first_failed_at, next_attempt_at;

  bool is_of_lane_of(const Row& other) const { return channel == other.channel && charge == other.charge; }
};

std::vector<Row> read_lanes(SqlDatabase& database, const LaneKeys& lanes) {
  std::vector<std::pair<std::string, std::string>> keys;
  keys.reserve(lanes.size());
  for (const auto& [channel, charge] : lanes) keys.emplace_back(channel.text(), charge.text());
  std::vector<Row> rows;
  for (const auto& row : select_lanes(database, keys))
    rows.push_back({row.integer(0), row.integer(1), row.text(2), row.text(3), row.moment(4), row.moment(5)});
  return rows;
}

// What is to be written: when deliveries may be attempted.
class NewTimes {
 public:
  void set(const Row& row, Timestamp moment) { times_.push_back({sql(moment), row.number}); }
  void write(SqlDatabase& database) const {
    database.run_each("UPDATE deliveries SET next_attempt_at = $1 WHERE number = $2", times_);
  }
  void clear(const Row& row) { times_.push_back({SqlValue(), row.number}); }

 private:
  std::vector<SqlValues> times_;
};

// Calls `judge` with each row and those before it in its lane.
template <class Judge>
void for_each_of_lanes(const std::vector<Row>& rows, Judge judge) {
  std::vector<LaneEntry> earlier;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && !rows[i].is_of_lane_of(rows[i - 1])) earlier.clear();
    judge(rows[i], earlier);
    earlier.push_back({rows[i].first_failed_at});
  }
}

}  // namespace

std::optional<Timestamp> release_time(const std::vector<LaneEntry>& earlier, Timestamp now) {
  auto release = now;
  for (const auto& entry : earlier) {
    if (!entry.first_failed_at) return std::nullopt;
    release = std::max(release, entry.first_failed_at->plus_millis(kHoldBackMaxMs));
  }
  return release;
}

void hold_back(SqlDatabase& database, const LaneKeys& lanes) {
  if (lanes.empty()) return;
  NewTimes times;
  for_each_of_lanes(read_lanes(database, lanes), [&](const Row& row, const std::vector<LaneEntry>& earlier) {
    if (row.attempts != 0 || !row.next_attempt_at) return;
    const auto release = release_time(earlier, *row.next_attempt_at);
    if (!release)
      times.clear(row);
    else if (*release != *row.next_attempt_at)
      times.set(row, *release);
  });
  times.write(database);
}

void release(SqlDatabase& database, const LaneKeys& lanes, Timestamp now) {
  if (lanes.empty()) return;
  NewTimes times;
  for_each_of_lanes(read_lanes(database, lanes), [&](const Row& row, const std::vector<LaneEntry>& earlier) {
    const auto free_at = release_time(earlier, now);
    if (row.attempts == 0 && free_at && (!row.next_attempt_at || *row.next_attempt_at > *free_at))
      times.set(row, *free_at);
  });
  times.write(database);
}

}  // namespace pixledger::stores
