#include "stores/status/provider_state.h"

#include <Poco/Data/SQLite/SQLiteException.h>
#include <Poco/Data/Session.h>
#include <Poco/Data/Statement.h>
#include <utility>

#include "base/platform/owner_lock.h"
#include "stores/banks/provider_repository.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

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

void select_banks(Poco::Data::Session& session, const std::set<std::string>& left_alone, BankStates& states) {
  std::vector<std::string> connections;
  std::vector<Integer> since;
  std::vector<Integer> early_ms;
  std::vector<OptionalInteger> looked_up_to, ahead_ms, certificate_ends_at, window_ms, early_at;
  session << "SELECT connection, since, looked_up_to, ahead_ms, certificate_ends_at, window_ms, "
             "coalesce(early_ms, 0), early_at FROM banks ORDER BY connection",
      into(connections), into(since), into(looked_up_to), into(ahead_ms), into(certificate_ends_at),
      into(window_ms), into(early_ms), into(early_at), now;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    BankState bank{.connection = connections[i],
                   .since = Timestamp(since[i]),
                   .looked_up_to = to_moment(looked_up_to[i]),
                   .ahead_ms = std::nullopt,
                   .certificate_ends_at = to_moment(certificate_ends_at[i]),
                   .window_ms = std::nullopt,
                   .early_ms = early_ms[i],
                   .early_at = to_moment(early_at[i]),
                   .is_left_alone = left_alone.contains(connections[i])};
    if (!ahead_ms[i].isNull()) bank.ahead_ms = ahead_ms[i].value();
    if (!window_ms[i].isNull()) bank.window_ms = window_ms[i].value();
    states.banks.push_back(std::move(bank));
  }
}

void select_looks(Poco::Data::Session& session, BankStates& states) {
  std::vector<std::string> connections, faults;
  std::vector<Integer> back_ms, every_ms, since;
  std::vector<OptionalInteger> seen_at;
  session << "SELECT connection, back_ms, every_ms, since, seen_at, fault FROM looks "
             "ORDER BY connection, back_ms",
      into(connections), into(back_ms), into(every_ms), into(since), into(seen_at), into(faults), now;
  for (std::size_t i = 0; i < connections.size(); ++i)
    states.looks.push_back({.connection = connections[i],
                            .look = {.every_ms = every_ms[i], .back_ms = back_ms[i]},
                            .since = Timestamp(since[i]),
                            .seen_at = to_moment(seen_at[i]),
                            .fault = faults[i]});
}

void select_misfits(Poco::Data::Session& session, BankStates& states) {
  std::vector<std::string> connections, kinds, details;
  std::vector<Integer> payments, found, at;
  session << "SELECT connection, kind, payments, found, at, detail FROM misfits ORDER BY connection, kind",
      into(connections), into(kinds), into(payments), into(found), into(at), into(details), now;
  for (std::size_t i = 0; i < connections.size(); ++i)
    states.misfits.push_back({.connection = connections[i],
                              .kind = kinds[i],
                              .payments = payments[i],
                              .found = found[i],
                              .at = Timestamp(at[i]),
                              .detail = details[i]});
}

template <class Kind>
void select_backlogs(Poco::Data::Session& session, const std::string& sql, BankStates& states) {
  std::vector<std::string> connections;
  std::vector<Integer> kinds, open, oldest;
  session << sql, into(connections), into(kinds), into(open), into(oldest), now;
  for (std::size_t i = 0; i < connections.size(); ++i)
    states.backlogs.push_back({.connection = connections[i],
                               .kind = kind_of(static_cast<Kind>(kinds[i])),
                               .open = static_cast<std::uint64_t>(open[i]),
                               .oldest = Timestamp(oldest[i])});
}

void select_counts(Poco::Data::Session& session, BankStates& states) {
  std::vector<std::string> connections, first, second;
  std::vector<Integer> counters, values;
  session << "SELECT connection, counter, first, second, value FROM counts "
             "ORDER BY connection, counter, first, second",
      into(connections), into(counters), into(first), into(second), into(values), now;
  for (std::size_t i = 0; i < connections.size(); ++i)
    states.counts.push_back({.connection = connections[i],
                             .counter = static_cast<BankCounter>(counters[i]),
                             .first = first[i],
                             .second = second[i],
                             .value = values[i]});
}

// Nullopt if the worker has never run, was stopped while creating the file, or has not migrated another
// release's file yet.
std::optional<Poco::Data::Session> open_tables(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory / kProvidersFile)) return std::nullopt;
  auto session = open_sqlite_untouched(directory / kProvidersFile);
  int version = 0;
  session << "PRAGMA user_version", into(version), now;
  if (version != kProvidersSchemaVersion) return std::nullopt;
  return session;
}

// Returns the result of `read`; adds the file's name to an error about damage.
template <class Read>
auto naming_file(const std::filesystem::path& directory, const Read& read) {
  try {
    return read();
  } catch (const Poco::Data::SQLite::CorruptImageException& error) {
    throw Poco::Data::SQLite::CorruptImageException((directory / kProvidersFile).string() + ": " +
                                                    error.message());
  }
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

BankStates bank_states(const std::filesystem::path& workers) {
  const auto directory = workers / "providers";
  return naming_file(directory, [&] {
    BankStates states;
    auto session = open_tables(directory);
    if (!session) return states;
    const bool is_running = is_locked(directory / "lock");
    select_banks(*session, is_running ? read_open_breakers(directory) : std::set<std::string>{}, states);
    select_looks(*session, states);
    select_misfits(*session, states);
    select_backlogs<BankWorkKind>(
        *session, "SELECT connection, kind, count(*), min(since) FROM work GROUP BY connection, kind",
        states);
    select_backlogs<ReadReason>(
        *session, "SELECT connection, reason, count(*), min(since) FROM payments GROUP BY connection, reason",
        states);
    select_counts(*session, states);
    return states;
  });
}

std::vector<BankState> watched_banks(const std::filesystem::path& workers) {
  const auto directory = workers / "providers";
  if (!is_locked(directory / "lock")) return {};
  return naming_file(directory, [&] {
    BankStates states;
    if (auto session = open_tables(directory)) select_banks(*session, read_open_breakers(directory), states);
    return std::move(states.banks);
  });
}

}  // namespace pixledger::stores
