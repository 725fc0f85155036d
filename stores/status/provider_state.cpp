#include "stores/status/provider_state.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/platform/owner_lock.h"
#include "stores/banks/provider_repository.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

std::string kind_of(BankWorkKind kind) {
  switch (kind) {
    case BankWorkKind::kMakeCode:
      return "code";
    case BankWorkKind::kTakeBack:
      return "cancel";
    case BankWorkKind::kRefund:
      return "refund";
    case BankWorkKind::kRemoveCode:
      return "removal";
    case BankWorkKind::kSendBack:
      return "send_back";
  }
  return "other";
}

std::string kind_of(ReadReason reason) {
  switch (reason) {
    case ReadReason::kCalledBack:
      return "callback";
    case ReadReason::kInFuture:
      return "future";
    case ReadReason::kRefused:
      return "refused";
  }
  return "other";
}

std::optional<std::int64_t> number_at(const SqlRow& row, std::size_t column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

void select_banks(SqlDatabase& database, const std::set<std::string>& left_alone, BankStates& states) {
  const auto found = database.run(
      "SELECT connection, since, looked_up_to, ahead_ms, certificate_ends_at, window_ms, "
      "coalesce(early_ms, 0), early_at FROM banks ORDER BY connection");
  for (const auto& row : found.rows)
    states.banks.push_back({.connection = row.text(0),
                            .since = Timestamp(row.integer(1)),
                            .looked_up_to = row.moment(2),
                            .ahead_ms = number_at(row, 3),
                            .certificate_ends_at = row.moment(4),
                            .window_ms = number_at(row, 5),
                            .early_ms = row.integer(6),
                            .early_at = row.moment(7),
                            .is_left_alone = left_alone.contains(row.text(0))});
}

void select_looks(SqlDatabase& database, BankStates& states) {
  const auto found = database.run(
      "SELECT connection, back_ms, every_ms, since, seen_at, fault FROM looks ORDER BY connection, back_ms");
  for (const auto& row : found.rows)
    states.looks.push_back({.connection = row.text(0),
                            .look = {.every_ms = row.integer(2), .back_ms = row.integer(1)},
                            .since = Timestamp(row.integer(3)),
                            .seen_at = row.moment(4),
                            .fault = row.text(5)});
}

void select_misfits(SqlDatabase& database, BankStates& states) {
  const auto found = database.run(
      "SELECT connection, kind, payments, found, at, detail FROM misfits ORDER BY connection, kind");
  for (const auto& row : found.rows)
    states.misfits.push_back({.connection = row.text(0),
                              .kind = row.text(1),
                              .payments = row.integer(2),
                              .found = row.integer(3),
                              .at = Timestamp(row.integer(4)),
                              .detail = row.text(5)});
}

template <class Kind>
void select_backlogs(SqlDatabase& database, const std::string& statement, BankStates& states) {
  for (const auto& row : database.run(statement).rows)
    states.backlogs.push_back({.connection = row.text(0),
                               .kind = kind_of(row.as<Kind>(1)),
                               .open = row.as<std::uint64_t>(2),
                               .oldest = Timestamp(row.integer(3))});
}

void select_counts(SqlDatabase& database, BankStates& states) {
  const auto found = database.run(
      "SELECT connection, counter, first, second, value FROM counts "
      "ORDER BY connection, counter, first, second");
  for (const auto& row : found.rows)
    states.counts.push_back({.connection = row.text(0),
                             .counter = row.as<BankCounter>(1),
                             .first = row.text(2),
                             .second = row.text(3),
                             .value = row.integer(4)});
}

// Null if the worker has never run, was stopped while creating the file, or has not migrated another
// release's file yet.
std::unique_ptr<SqlDatabase> open_tables(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory / kProvidersFile)) return nullptr;
  auto database = open_sqlite_untouched(directory / kProvidersFile);
  if (database->integer("PRAGMA user_version") != kProvidersSchemaVersion) return nullptr;
  return database;
}

}  // namespace

std::string back_of(const AccountLook& look) {
  constexpr std::pair<std::int64_t, char> kUnits[] = {{86'400'000, 'd'}, {3'600'000, 'h'}, {60'000, 'm'}};
  // A single unit is written in smaller ones, as in the usual plans: 24h.
  for (const auto& [unit_ms, name] : kUnits)
    if (look.back_ms % unit_ms == 0 && look.back_ms > unit_ms)
      return std::to_string(look.back_ms / unit_ms) + name;
  return std::to_string(look.back_ms / 1'000) + "s";
}

namespace {

constexpr std::int64_t kDayMs = 86'400'000LL;
constexpr std::int64_t kToldMs = 30 * kDayMs;

// Noted again on each day on which queries find them.
bool is_noted_daily(std::string_view kind) {
  return kind == "unreadable_payment" || kind == "uncounted_pages" || kind == "unread_list" ||
         kind == "missing_payments";
}

}  // namespace

bool can_be_settled(const AccountMisfit& misfit) {
  const auto& kind = misfit.kind;
  return is_noted_daily(kind) || kind == "payment_ahead" || kind == "refused_payment" || kind == "no_txid";
}

bool BankStates::is_settled(const AccountMisfit& misfit) const {
  // A further callback about a payment that waits for another reason names that as the reason, and may be
  // about this one if the payment waited before.
  const auto has_open = [&](std::string_view kind) {
    return std::any_of(backlogs.begin(), backlogs.end(), [&](const BankBacklog& backlog) {
      return backlog.connection == misfit.connection &&
             (backlog.kind == kind || (backlog.kind == "callback" && backlog.oldest <= misfit.at));
    });
  };
  if (misfit.kind == "payment_ahead") return !has_open("future");
  if (misfit.kind == "refused_payment") return !has_open("refused");
  if (!is_noted_daily(misfit.kind)) return false;
  const BankLook* longest = nullptr;
  for (const auto& look : looks)
    if (look.connection == misfit.connection && (!longest || look.look.back_ms > longest->look.back_ms))
      longest = &look;
  // What a shorter one finds may be too old for it a day later.
  if (!longest || longest->look.back_ms < kToldMs) return false;
  // A query takes no longer than until the next one. If this one had found it, it would be noted again.
  return longest->seen_at && *longest->seen_at > misfit.at.plus_millis(kDayMs + longest->look.every_ms);
}

bool BankStates::is_told(const AccountMisfit& misfit, Timestamp now) const {
  return now.millis() - misfit.at.millis() < kToldMs && !is_settled(misfit);
}

BankStates bank_states(const std::filesystem::path& workers) {
  const auto directory = workers / "providers";
  BankStates states;
  const auto database = open_tables(directory);
  if (!database) return states;
  const bool is_running = is_locked(directory / "lock");
  select_banks(*database, is_running ? read_open_breakers(directory) : std::set<std::string>{}, states);
  select_looks(*database, states);
  select_misfits(*database, states);
  select_backlogs<BankWorkKind>(
      *database, "SELECT connection, kind, count(*), min(since) FROM work GROUP BY connection, kind", states);
  select_backlogs<ReadReason>(
      *database, "SELECT connection, reason, count(*), min(since) FROM payments GROUP BY connection, reason",
      states);
  select_counts(*database, states);
  return states;
}

std::vector<BankState> watched_banks(const std::filesystem::path& workers) {
  const auto directory = workers / "providers";
  if (!is_locked(directory / "lock")) return {};
  BankStates states;
  if (const auto database = open_tables(directory))
    select_banks(*database, read_open_breakers(directory), states);
  return std::move(states.banks);
}

}  // namespace pixledger::stores
