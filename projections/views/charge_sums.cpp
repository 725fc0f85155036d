#include "projections/views/charge_sums.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "base/platform/faults.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "projections/views/ordinal_rows.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kNumbers = 6;
constexpr std::size_t kWaitBytes = 2 + kNumberBytes;
constexpr unsigned kFractionBits = 4;  // sixteenths

std::string prefix_of(const domain::ProjectId& project, domain::Environment environment) {
  return ordinal_key_prefix(project) + (environment == domain::Environment::kLive ? 'l' : 's');
}

std::string key_of(const domain::ProjectId& project, domain::Environment environment, std::uint32_t quarter) {
  return prefix_of(project, environment) + big_endian32(quarter);
}

std::string encode(const ChargeSums& sums) {
  std::string row;
  for (const auto number :
       {sums.created, static_cast<std::uint64_t>(sums.created_cents), sums.converted, sums.paid,
        static_cast<std::uint64_t>(sums.paid_cents), static_cast<std::uint64_t>(sums.refunded_cents)})
    row += big_endian(number);
  return row += sums.waits.encoded();
}

ChargeSums decode(std::string_view row) {
  if (row.size() < kNumbers * kNumberBytes) throw DataDamaged("a row of sums ends too early");
  const auto number = [&](std::size_t i) {
    return from_big_endian(row.substr(i * kNumberBytes, kNumberBytes));
  };
  const auto cents = [&](std::size_t i) { return static_cast<std::int64_t>(number(i)); };
  return {.created = number(0),
          .created_cents = cents(1),
          .converted = number(2),
          .paid = number(3),
          .paid_cents = cents(4),
          .refunded_cents = cents(5),
          .waits = WaitCounts::decode(row.substr(kNumbers * kNumberBytes))};
}

template <class KeyOf>
UnappliedSum read_sum(const ViewDatabase& database, const KeyOf& key_of) {
  const eventstore::LmdbRead read(database.environment());
  const auto number = [&](UnappliedPart part) -> std::uint64_t {
    const auto stored = eventstore::lmdb_get(read.get(), database.tables().meta, key_of(part));
    return stored ? from_big_endian(*stored) : 0;
  };
  return {number(UnappliedPart::kCount), static_cast<std::int64_t>(number(UnappliedPart::kCents))};
}

}  // namespace

std::uint32_t quarter_of(Timestamp moment) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max() - 1;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(moment.millis(), 0, kMax * kQuarterMs) /
                                    kQuarterMs);
}

Timestamp begin_of_quarter(std::uint32_t quarter) { return Timestamp(std::int64_t{quarter} * kQuarterMs); }

void WaitCounts::add(const WaitCounts& other) {
  for (const auto& [place, count] : other.counts_) counts_[place] += count;
}

// The first sixteen seconds have a place each; each later power of two has sixteen places.
std::uint16_t WaitCounts::place_of(std::int64_t seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0));
  const auto bits = static_cast<unsigned>(std::bit_width(whole));
  if (bits <= kFractionBits) return static_cast<std::uint16_t>(whole);
  const unsigned shift = bits - kFractionBits - 1;
  return static_cast<std::uint16_t>(((shift + 1) << kFractionBits) + ((whole >> shift) & 0xf));
}

std::int64_t WaitCounts::shortest_at(std::uint16_t place) {
  const unsigned row = place >> kFractionBits;
  const std::int64_t fraction = place & 0xf;
  return row == 0 ? fraction : (fraction + 16) << (row - 1);
}

std::int64_t WaitCounts::percentile(unsigned percent) const {
  assert(!counts_.empty());
  std::uint64_t all = 0;
  for (const auto& [place, count] : counts_) all += count;
  const auto wanted = (all * percent + 99) / 100;
  std::uint64_t so_far = 0;
  for (const auto& [place, count] : counts_) {
    so_far += count;
    if (so_far >= wanted) return shortest_at(place);
  }
  return shortest_at(counts_.rbegin()->first);
}

std::string WaitCounts::encoded() const {
  std::string bytes;
  for (const auto& [place, count] : counts_)
    bytes.append(big_endian32(place).substr(2)).append(big_endian(count));
  return bytes;
}

WaitCounts WaitCounts::decode(std::string_view bytes) {
  if (bytes.size() % kWaitBytes != 0) throw DataDamaged("a row of sums has half a count of waits");
  WaitCounts waits;
  for (; !bytes.empty(); bytes.remove_prefix(kWaitBytes)) {
    const auto place = from_big_endian(bytes.substr(0, 2));
    if (place > place_of(std::numeric_limits<std::int64_t>::max()))
      throw DataDamaged("a row of sums counts a wait that is longer than any");
    waits.counts_.emplace_hint(waits.counts_.end(), static_cast<std::uint16_t>(place),
                               from_big_endian(bytes.substr(2, kNumberBytes)));
  }
  return waits;
}

void ChargeSums::add(const ChargeSums& other) {
  created += other.created;
  created_cents += other.created_cents;
  converted += other.converted;
  paid += other.paid;
  paid_cents += other.paid_cents;
  refunded_cents += other.refunded_cents;
  waits.add(other.waits);
}

ChargeMark mark_of(const domain::Charge& charge) {
  ChargeMark mark{.is_paid = charge.payment.has_value(),
                  .added = charge.added.size(),
                  .refunded = charge.refunded.value()};
  for (const auto& payment : charge.unapplied) {
    ++mark.unapplied.count;
    mark.unapplied.cents += payment.amount.value() - domain::gone_back(payment).value();
  }
  return mark;
}

ChargeSums& ChargeSumsBatch::at(const domain::Charge& charge, Timestamp moment) {
  return sums_[key_of(charge.project, charge.environment, quarter_of(moment))];
}

void ChargeSumsBatch::add(const ChargeMark& before, const domain::Charge& after, Timestamp recorded_at,
                          bool is_new) {
  if (is_new) {
    auto& sums = at(after, recorded_at);
    ++sums.created;
    sums.created_cents += after.amount.value();
  }
  if (after.payment && !before.is_paid) {
    const auto& payment = *after.payment;
    ++at(after, after.created_at).converted;
    auto& sums = at(after, payment.paid_at);
    ++sums.paid;
    sums.paid_cents += payment.amount.value();
    sums.waits.add((payment.paid_at.millis() - after.created_at.millis()) / 1000);
  }
  for (auto i = before.added; i < after.added.size(); ++i)
    at(after, after.added[i].paid_at).paid_cents += after.added[i].amount.value();
  if (const auto refunded = after.refunded.value() - before.refunded; refunded != 0)
    at(after, recorded_at).refunded_cents += refunded;
}

void ChargeSumsBatch::write(const ViewTables& tables, MDB_txn* transaction) const {
  for (const auto& [key, added] : sums_) {
    auto sums = added;
    if (const auto stored = eventstore::lmdb_get(transaction, tables.charge_sums, key))
      sums.add(decode(*stored));
    eventstore::lmdb_put(transaction, tables.charge_sums, key, encode(sums));
  }
}

void read_charge_sums(const ViewDatabase& database, const domain::ProjectId& project,
                      domain::Environment environment, std::uint32_t first, std::uint32_t last,
                      const WorkCheck& check, const VisitSums& visit) {
  const eventstore::LmdbRead read(database.environment());
  visit_ordinals(read.get(), database.tables().charge_sums, prefix_of(project, environment),
                 {first, last + 1}, std::numeric_limits<std::size_t>::max(), check,
                 [&](std::uint32_t quarter, std::string_view row) { visit(quarter, decode(row)); });
}

UnappliedSum read_unapplied_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment) {
  return read_sum(database,
                  [&](UnappliedPart part) { return unapplied_of_project_key(project, environment, part); });
}

UnappliedSum read_unmatched_sum(const ViewDatabase& database, const domain::ProjectId& project,
                                domain::Environment environment) {
  return read_sum(database,
                  [&](UnappliedPart part) { return unmatched_of_project_key(project, environment, part); });
}

std::map<std::string, UnappliedSum> peek_unapplied_sums(const std::filesystem::path& directory,
                                                        eventstore::LmdbOptions options) {
  options.read_only = true;
  return eventstore::read_or_damaged([&] {
    std::map<std::string, UnappliedSum> sums;
    const eventstore::LmdbEnvironment environment(directory, options);
    const eventstore::LmdbRead read(environment);
    MDB_dbi meta = 0;
    const int code = mdb_dbi_open(read.get(), "meta", 0, &meta);
    if (code == MDB_NOTFOUND) return sums;
    eventstore::check_lmdb(code, "mdb_dbi_open");
    eventstore::LmdbCursor cursor(read.get(), meta);
    for (bool more = cursor.seek(kUnappliedKeys); more && cursor.key().starts_with(kUnappliedKeys);
         more = cursor.move(MDB_NEXT)) {
      const std::string key(cursor.key().substr(kUnappliedKeys.size()));
      const auto number = from_big_endian(cursor.value());
      const auto slash = key.rfind('/');
      if (slash == std::string::npos || slash + 2 != key.size() || number == 0) continue;
      auto& sum = sums[key.substr(0, slash)];
      if (key.back() == static_cast<char>(UnappliedPart::kCount)) sum.count = number;
      if (key.back() == static_cast<char>(UnappliedPart::kCents))
        sum.cents = static_cast<std::int64_t>(number);
    }
    return sums;
  });
}

}  // namespace pixledger::projections
