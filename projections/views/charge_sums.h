#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "domain/aggregates/charge.h"
#include "projections/list/work_check.h"
#include "projections/views/view_database.h"
#include "projections/views/view_tables.h"

// What a project's charges came to, in quarters of an hour: the day of every time zone begins with one.
namespace pixledger::projections {

inline constexpr std::int64_t kQuarterMs = 15LL * 60 * 1000;

// The quarter that a moment is in, counted from 1970; those before and after all time count as the nearest.
std::uint32_t quarter_of(Timestamp moment);
Timestamp begin_of_quarter(std::uint32_t quarter);

// How many waited for how long. A wait is kept as one of its length to a sixteenth, so that the counts are
// few, however many waits there are.
class WaitCounts {
 public:
  void add(std::int64_t seconds) { ++counts_[place_of(seconds)]; }
  void add(const WaitCounts& other);

  bool is_empty() const { return counts_.empty(); }
  // The shortest that no less than `percent` of all have waited at most; not longer than it was, and less
  // than a sixteenth shorter. Asserts that there are any.
  std::int64_t percentile(unsigned percent) const;

  std::string encoded() const;
  // Throws ViewsDamaged.
  static WaitCounts decode(std::string_view bytes);

  friend bool operator==(const WaitCounts&, const WaitCounts&) = default;

 private:
  static std::uint16_t place_of(std::int64_t seconds);
  static std::int64_t shortest_at(std::uint16_t place);

  std::map<std::uint16_t, std::uint64_t> counts_;
};

struct ChargeSums {
  std::uint64_t created = 0;
  std::int64_t created_cents = 0;
  std::uint64_t converted = 0;      // of those created then: how many have been paid, whenever that was
  std::uint64_t paid = 0;           // by when they were paid, as their payments say
  std::int64_t paid_cents = 0;      // with what was added, each by its own time
  std::int64_t refunded_cents = 0;  // by when that was recorded
  WaitCounts waits{};               // of those paid then: seconds since they were created

  void add(const ChargeSums& other);
  friend bool operator==(const ChargeSums&, const ChargeSums&) = default;
};

// Money that arrived, paid no charge and is not settled, as it is now.
struct UnappliedSum {
  std::uint64_t count = 0;
  std::int64_t cents = 0;
};

// What of a charge's state the sums are made from.
struct ChargeMark {
  bool is_paid = false;
  std::size_t added = 0;  // payments beside the first
  std::int64_t refunded = 0;
  UnappliedSum unapplied{};
};
ChargeMark mark_of(const domain::Charge& charge);

// What the events of one batch add.
class ChargeSumsBatch {
 public:
  // Of each event of a charge, in their order. `before`: without the event; nothing of a new charge.
  void add(const ChargeMark& before, const domain::Charge& after, Timestamp recorded_at, bool is_new);
  void write(const ViewTables& tables, MDB_txn* transaction) const;

 private:
  ChargeSums& at(const domain::Charge& charge, Timestamp moment);

  std::map<std::string, ChargeSums> sums_;  // by key
};

// A project's sums of one environment, from one quarter to another, both inclusive; quarters in which nothing
// happened are left out. `check` is asked now and then.
using VisitSums = std::function<void(std::uint32_t quarter, const ChargeSums& sums)>;
void read_charge_sums(const ViewDatabase& database, const domain::ProjectId& project,
                      domain::Environment environment, std::uint32_t first, std::uint32_t last,
                      const WorkCheck& check, const VisitSums& visit);

// Of each project and environment that has any, by "<project id>/<environment>". Of a generation's directory,
// beside whoever uses it.
std::map<std::string, UnappliedSum> peek_unapplied_sums(const std::filesystem::path& directory,
                                                        eventstore::LmdbOptions options);
UnappliedSum read_unapplied_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment);
// Of payments that fit no charge and are open: less what their banks have sent back by themselves.
UnappliedSum read_unmatched_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment);

}  // namespace pixledger::projections
