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

// Sums of a project's charges by quarter of an hour: in every time zone a day begins on a quarter.
namespace pixledger::projections {

inline constexpr std::int64_t kQuarterMs = 15LL * 60 * 1000;

// The quarter of a moment, counted from 1970, clamped to the valid range.
std::uint32_t quarter_of(Timestamp moment);
Timestamp begin_of_quarter(std::uint32_t quarter);

// A histogram of waits. Lengths are rounded down within a sixteenth, so that few counters are needed.
class WaitCounts {
 public:
  void add(std::int64_t seconds) { ++counts_[place_of(seconds)]; }
  void add(const WaitCounts& other);

  bool is_empty() const { return counts_.empty(); }
  // Returns the shortest wait that at least `percent` of all waits do not exceed. Rounded down by less than a
  // sixteenth. Asserts that there is a wait.
  std::int64_t percentile(unsigned percent) const;

  std::string encoded() const;
  // Throws DataDamaged.
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
  std::uint64_t converted = 0;      // charges created in this quarter that have been paid at any time
  std::uint64_t paid = 0;           // by payment time
  std::int64_t paid_cents = 0;      // with additional payments, each by its own time
  std::int64_t refunded_cents = 0;  // by the time of recording
  WaitCounts waits{};               // charges paid in this quarter: seconds from creation to payment

  void add(const ChargeSums& other);
  friend bool operator==(const ChargeSums&, const ChargeSums&) = default;
};

// Money that arrived, paid no charge and is not settled, as of now.
struct UnappliedSum {
  std::uint64_t count = 0;
  std::int64_t cents = 0;
};

// The parts of a charge's state that the sums depend on.
struct ChargeMark {
  bool is_paid = false;
  std::size_t added = 0;  // payments after the first
  std::int64_t refunded = 0;
  UnappliedSum unapplied{};
};
ChargeMark mark_of(const domain::Charge& charge);

// Sums that the events of one batch add.
class ChargeSumsBatch {
 public:
  // Call for each event of a charge, in order. `before` is the state before the event; empty for a new
  // charge.
  void add(const ChargeMark& before, const domain::Charge& after, Timestamp recorded_at, bool is_new);
  void write(const ViewTables& tables, MDB_txn* transaction) const;

 private:
  ChargeSums& at(const domain::Charge& charge, Timestamp moment);

  std::map<std::string, ChargeSums> sums_;  // by key
};

// Visits a project's sums of one environment, from one quarter to another, both inclusive; skips empty
// quarters. Calls `check` periodically.
using VisitSums = std::function<void(std::uint32_t quarter, const ChargeSums& sums)>;
void read_charge_sums(const ViewDatabase& database, const domain::ProjectId& project,
                      domain::Environment environment, std::uint32_t first, std::uint32_t last,
                      const WorkCheck& check, const VisitSums& visit);

// Returns the sum of each project and environment that has one, by "<project id>/<environment>". Reads a
// generation's directory, even while its owner is running.
std::map<std::string, UnappliedSum> peek_unapplied_sums(const std::filesystem::path& directory,
                                                        eventstore::LmdbOptions options);
UnappliedSum read_unapplied_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment);
// Open payments that match no charge, less what their banks have returned by themselves.
UnappliedSum read_unmatched_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment);

}  // namespace pixledger::projections
