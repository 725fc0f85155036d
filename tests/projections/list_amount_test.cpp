#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "projections/columns/amount_column.h"
#include "projections/list/list_query.h"
#include "projections/list/transaction_list.h"
#include "tests/support/ledgers/random_list.h"

namespace {

using namespace pixledger;
using projections::AmountColumn;

AmountColumn ranked(const std::vector<std::int64_t>& amounts) {
  AmountColumn column;
  for (const std::int64_t amount : amounts) column.push_back(amount, amounts.size());
  column.rank();
  return column;
}

void require_holds(const AmountColumn& column, const std::vector<std::int64_t>& amounts) {
  REQUIRE(column.size() == amounts.size());
  for (std::size_t row = 0; row < amounts.size(); ++row) REQUIRE(column[row] == amounts[row]);
}

// The rows whose rank the range holds are those whose amount lies between the bounds.
void require_same_rows(const AmountColumn& column, const std::vector<std::int64_t>& amounts, std::int64_t min,
                       std::int64_t max) {
  const auto ranks = column.ranks_between(min, max);
  for (std::size_t row = 0; row < amounts.size(); ++row) {
    const bool in_ranks = ranks && column.rank_at(row) >= ranks->min && column.rank_at(row) <= ranks->max;
    REQUIRE(in_ranks == (amounts[row] >= min && amounts[row] <= max));
  }
}

}  // namespace

TEST_CASE("ranked amounts are the amounts, however many and however far apart", "[list]") {
  constexpr std::uint64_t kSeed = 71;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  for (const std::uint64_t distinct : {1U, 2U, 255U, 256U, 257U, 1'000U, 60'000U, 0xffffffffU}) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{300}, std::size_t{4'000}}) {
      CAPTURE(distinct, rows);
      std::vector<std::int64_t> amounts(rows);
      for (auto& amount : amounts) amount = static_cast<std::int64_t>(random() % distinct);
      if (rows == 4'000 && distinct == 1'000) amounts[17] = kMost;
      if (rows == 4'000 && distinct == 257) amounts[18] = kLeast;
      const AmountColumn column = ranked(amounts);
      require_holds(column, amounts);
      for (int i = 0; i < 20; ++i)
        require_same_rows(column, amounts, static_cast<std::int64_t>(random() % distinct),
                          static_cast<std::int64_t>(random() % distinct));
      require_same_rows(column, amounts, kLeast, kMost);
      require_same_rows(column, amounts, kMost, kMost);
    }
  }
}

TEST_CASE("as many different amounts as a segment has rows have ranks of their own", "[list]") {
  std::vector<std::int64_t> amounts(65'536);
  for (std::size_t row = 0; row < amounts.size(); ++row)
    amounts[row] = static_cast<std::int64_t>(row * 40'503 % amounts.size() * 1'000'003);
  const AmountColumn column = ranked(amounts);
  require_holds(column, amounts);
  require_same_rows(column, amounts, 77'000'000, 9'000'000'000);
}

TEST_CASE("a range of amounts finds the same charges in full segments of few and of many amounts", "[list]") {
  constexpr std::uint64_t kSeed = 72;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  constexpr std::uint32_t kSegmentRows = 16'384;
  constexpr std::uint32_t kCharges = kSegmentRows * 3 + 5'000;
  projections::TransactionList list({kSegmentRows, 4'096, 16, 16});
  list.add_customer({Timestamp(1), "Ana", "ana@example.com"});
  std::vector<std::int64_t> amounts;
  std::vector<domain::ChargeStatus> statuses;
  for (std::uint32_t i = 0; i < kCharges; ++i) {
    const std::uint32_t segment = i / kSegmentRows;
    const std::uint64_t below = segment == 0 ? 200 : segment == 1 ? 50'000 : 20'000'000'000;
    amounts.push_back(static_cast<std::int64_t>(random() % below));
    // Few of one status, some of another, most of a third.
    const std::uint64_t fate = random() % 1'000;
    statuses.push_back(fate < 2    ? domain::ChargeStatus::kFailed
                       : fate < 50 ? domain::ChargeStatus::kRefunded
                                   : domain::ChargeStatus::kPaid);
    list.add_charge({Timestamp(1 + i), statuses.back(), domain::Environment::kLive,
                     tests::sample_connection(1), tests::sample_host(1), domain::Cents(amounts.back()), 0,
                     std::nullopt});
  }
  const auto version = list.version();
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t below = i % 3 == 0 ? 200 : i % 3 == 1 ? 50'000 : 20'000'000'000;
    projections::ListFilter filter;
    const auto min = static_cast<std::int64_t>(random() % below);
    const auto max = min + static_cast<std::int64_t>(random() % below);
    if (i % 5 != 0) filter.amount_min = domain::Cents(min);
    if (i % 7 != 0) filter.amount_max = domain::Cents(max);
    if (i % 4 == 1) filter.status = domain::ChargeStatus::kFailed;
    if (i % 4 == 2) filter.status = domain::ChargeStatus::kRefunded;
    if (i % 2 == 1) filter.created_from = Timestamp(1 + static_cast<std::int64_t>(random() % kCharges));
    std::vector<std::uint32_t> expected;
    for (std::uint32_t charge = kCharges; charge-- > 0;) {
      if (filter.status && !filter.status->contains(statuses[charge])) continue;
      if (filter.created_from && 1 + charge < filter.created_from->millis()) continue;
      if (filter.amount_min && amounts[charge] < min) continue;
      if (filter.amount_max && amounts[charge] > max) continue;
      expected.push_back(charge);
    }
    const auto page = find_charges(*version, filter, 0, kCharges);
    REQUIRE(page.total == expected.size());
    REQUIRE(page.ordinals == expected);
  }
}
