#include "stores/banks/provider_repository.h"

#include <Poco/Data/Session.h>
#include <Poco/Data/Statement.h>
#include <Poco/Data/Transaction.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "stores/sql/cursor_table.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

template <class Value>
Value parsed(const std::string& text) {
  auto value = Value::parse(text);
  if (!value) throw WorkerDatabaseDamaged("a row of the providers' database is damaged");
  return *std::move(value);
}

// Throws Poco::Exception.
void add_count(Poco::Data::Session& session, const BankCount& count) {
  session << "INSERT INTO counts VALUES (?, ?, ?, ?, ?) "
             "ON CONFLICT DO UPDATE SET value = value + excluded.value",
      bind(count.connection), bind(static_cast<Poco::Int64>(count.counter)), bind(count.first),
      bind(count.second), bind(Poco::Int64{count.value}), now;
}

constexpr std::array<const char*, 9> kBankTables{"work",    "waiting",      "payments", "banks", "looks",
                                                 "misfits", "old_payments", "counts",   "cursor"};

constexpr std::array<const char*, 12> kBankSchema{
    "CREATE TABLE work (kind INTEGER NOT NULL, about TEXT NOT NULL, refund TEXT NOT NULL, "
    "connection TEXT NOT NULL, since INTEGER NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, "
    "sent_at INTEGER, refusal TEXT NOT NULL, PRIMARY KEY (kind, about, refund)) WITHOUT ROWID",
    "CREATE INDEX work_due ON work (due_at)",
    "CREATE TABLE waiting (charge TEXT PRIMARY KEY, connection TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX waiting_of ON waiting (connection)",
    "CREATE TABLE payments (connection TEXT NOT NULL, id TEXT NOT NULL, reason INTEGER NOT NULL, "
    "since INTEGER NOT NULL, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL, told INTEGER NOT NULL, "
    "PRIMARY KEY (connection, id)) WITHOUT ROWID",
    "CREATE INDEX payments_due ON payments (due_at)",
    "CREATE TABLE banks (connection TEXT PRIMARY KEY, project TEXT NOT NULL, since INTEGER NOT NULL, "
    "looked_up_to INTEGER, called_back_at INTEGER, ahead_ms INTEGER, certificate_ends_at INTEGER, "
    "window_ms INTEGER, window_since INTEGER, early_ms INTEGER, early_at INTEGER) WITHOUT ROWID",
    "CREATE TABLE looks (connection TEXT NOT NULL, back_ms INTEGER NOT NULL, every_ms INTEGER NOT NULL, "
    "since INTEGER NOT NULL, seen_at INTEGER, fault TEXT NOT NULL, PRIMARY KEY (connection, back_ms)) "
    "WITHOUT ROWID",
    "CREATE TABLE misfits (connection TEXT NOT NULL, kind TEXT NOT NULL, payments INTEGER NOT NULL, "
    "found INTEGER NOT NULL, at INTEGER NOT NULL, detail TEXT NOT NULL, PRIMARY KEY (connection, kind)) "
    "WITHOUT ROWID",
    "CREATE TABLE old_payments (connection TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (connection, id)) "
    "WITHOUT ROWID",
    "CREATE TABLE counts (connection TEXT NOT NULL, counter INTEGER NOT NULL, first TEXT NOT NULL, "
    "second TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (connection, counter, first, second)) "
    "WITHOUT ROWID",
    kMakeCursorTable};

// Rebuilds an older release's tables: their data comes back from the log and from the banks.
void make_tables(Poco::Data::Session& session) {
  Integer version = 0;
  session << "PRAGMA user_version", into(version), now;
  if (version > kProvidersSchemaVersion)
    throw WorkerDatabaseDamaged("a newer release wrote the providers' database");
  if (version == kProvidersSchemaVersion) return;
  Poco::Data::Transaction transaction(session);
  for (const char* table : kBankTables) session << "DROP TABLE IF EXISTS " + std::string(table), now;
  for (const char* statement : kBankSchema) session << statement, now;
  session << "PRAGMA user_version = " + std::to_string(kProvidersSchemaVersion), now;
  transaction.commit();
}

// The columns that a SELECT fills.
struct BankColumns {
  std::vector<Integer> kind, since, due_at, attempts;
  std::vector<OptionalInteger> sent_at;
  std::vector<std::string> about, refund, connection, refusal;

  BankWork row(std::size_t i) const {
    return {.id = {.kind = static_cast<BankWorkKind>(kind[i]),
                   .about = parsed<domain::StreamName>(about[i]),
                   .refund = refund[i]},
            .connection = parsed<domain::ConnectionId>(connection[i]),
            .since = Timestamp(since[i]),
            .due_at = Timestamp(due_at[i]),
            .attempts = static_cast<unsigned>(attempts[i]),
            .sent_at = to_moment(sent_at[i]),
            .refusal = refusal[i]};
  }
};

// Writes one change.
struct Apply {
  Poco::Data::Session& session;

  void operator()(const WorkBegun& begun) const {
    session << "INSERT OR IGNORE INTO work VALUES (?, ?, ?, ?, ?, ?, 0, NULL, '')",
        bind(static_cast<Integer>(begun.id.kind)), bind(begun.id.about.text()), bind(begun.id.refund),
        bind(begun.connection.text()), bind(Integer{begun.since.millis()}),
        bind(Integer{begun.since.millis()}), now;
  }
  void operator()(const WorkEnded& ended) const { remove(session, ended.id); }
  void operator()(const BankNoted& bank) const {
    session << "INSERT OR IGNORE INTO banks (connection, project, since) VALUES (?, ?, ?)",
        bind(bank.connection.text()), bind(bank.project.text()), bind(Integer{bank.since.millis()}), now;
  }
  void operator()(const WorkHastened& hastened) const {
    // A due time that no work starts with, so that a thread working on it does not postpone it again.
    session << "UPDATE work SET due_at = min(due_at, since) - 1 WHERE connection = ?",
        bind(hastened.connection.text()), now;
  }
  void operator()(const ChargeWaits& waits) const {
    session << "INSERT OR IGNORE INTO waiting VALUES (?, ?)", bind(waits.charge.text()),
        bind(waits.connection.text()), now;
  }
  void operator()(const ChargeClosed& closed) const {
    session << "DELETE FROM waiting WHERE charge = ?", bind(closed.charge.text()), now;
  }
  void operator()(const CodeDecided& code) const {
    add_count(session, {code.connection.text(), BankCounter::kCodes, std::string(code.kind), "", 1});
  }

  static void remove(Poco::Data::Session& session, const BankWorkId& id) {
    session << "DELETE FROM work WHERE kind = ? AND about = ? AND refund = ?",
        bind(static_cast<Integer>(id.kind)), bind(id.about.text()), bind(id.refund), now;
  }
};

Integer select_number(Poco::Data::Session& session, const std::string& sql, const std::string& connection) {
  Integer number = 0;
  session << sql, into(number), bind(connection), now;
  return number;
}

}  // namespace

ProviderRepository::ProviderRepository(const std::filesystem::path& file)
    : session_(std::make_unique<Poco::Data::Session>(open_sqlite(file, "rwc"))) {
  std::string mode;
  *session_ << "PRAGMA journal_mode = WAL", into(mode), now;
  *session_ << "PRAGMA synchronous = NORMAL", now;
  make_tables(*session_);
}

ProviderRepository::~ProviderRepository() = default;

std::optional<eventstore::LogCursor> ProviderRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*session_);
}

void ProviderRepository::apply(const std::vector<BankChange>& changes, const eventstore::LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  for (const auto& change : changes) std::visit(Apply{*session_}, change);
  save_cursor(*session_, cursor);
  transaction.commit();
}

void ProviderRepository::begin_anew(const eventstore::LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  for (const char* table : {"work", "waiting", "payments", "banks", "looks", "misfits", "old_payments"})
    *session_ << "DELETE FROM " + std::string(table), now;
  *session_ << "DELETE FROM counts WHERE counter = ?", bind(static_cast<Integer>(BankCounter::kCodes)), now;
  save_cursor(*session_, cursor);
  transaction.commit();
}

void ProviderRepository::begin(const WorkBegun& work) {
  const std::lock_guard lock(mutex_);
  Apply{*session_}(work);
}

std::vector<BankWork> ProviderRepository::due(Timestamp moment, std::size_t of_connection_max) const {
  const std::lock_guard lock(mutex_);
  BankColumns columns;
  Poco::Data::Statement statement(*session_);
  statement << "SELECT kind, about, refund, connection, since, due_at, attempts, sent_at, refusal "
               "FROM ("
               "SELECT *, row_number() OVER (PARTITION BY connection ORDER BY kind, since, about) AS place "
               "FROM work WHERE due_at <= ?) WHERE place <= ? ORDER BY kind, since, about",
      into(columns.kind), into(columns.about), into(columns.refund), into(columns.connection),
      into(columns.since), into(columns.due_at), into(columns.attempts), into(columns.sent_at),
      into(columns.refusal), bind(Integer{moment.millis()}), bind(static_cast<Integer>(of_connection_max)),
      now;
  std::vector<BankWork> work;
  for (std::size_t i = 0; i < columns.kind.size(); ++i) work.push_back(columns.row(i));
  return work;
}

std::optional<Timestamp> ProviderRepository::next_due(Timestamp after) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> next;
  *session_ << "SELECT due_at FROM work WHERE due_at > ? ORDER BY due_at LIMIT 1", into(next),
      bind(Integer{after.millis()}), now;
  if (next.empty()) return std::nullopt;
  return Timestamp(next.front());
}

void ProviderRepository::make_all_due() {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE work SET due_at = since", now;
}

void ProviderRepository::postpone(const BankWork& work, Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE work SET due_at = CASE WHEN due_at = ? THEN ? ELSE due_at END, "
               "attempts = attempts + 1 WHERE kind = ? AND about = ? AND refund = ? AND since = ?",
      bind(Integer{work.due_at.millis()}), bind(Integer{due_at.millis()}),
      bind(static_cast<Integer>(work.id.kind)), bind(work.id.about.text()), bind(work.id.refund),
      bind(Integer{work.since.millis()}), now;
}

void ProviderRepository::drop(const BankWork& work) {
  const std::lock_guard lock(mutex_);
  *session_ << "DELETE FROM work WHERE kind = ? AND about = ? AND refund = ? AND since = ?",
      bind(static_cast<Integer>(work.id.kind)), bind(work.id.about.text()), bind(work.id.refund),
      bind(Integer{work.since.millis()}), now;
}

void ProviderRepository::note_sent(const BankWork& work, std::optional<Timestamp> at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE work SET sent_at = nullif(?, 0) "
               "WHERE kind = ? AND about = ? AND refund = ? AND since = ?",
      bind(Integer{at ? at->millis() : 0}), bind(static_cast<Integer>(work.id.kind)),
      bind(work.id.about.text()), bind(work.id.refund), bind(Integer{work.since.millis()}), now;
}

void ProviderRepository::note_refused(const BankWork& work, const std::string& refusal) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE work SET refusal = ? WHERE kind = ? AND about = ? AND refund = ? AND since = ?",
      bind(refusal), bind(static_cast<Integer>(work.id.kind)), bind(work.id.about.text()),
      bind(work.id.refund), bind(Integer{work.since.millis()}), now;
}

std::vector<NotedBank> ProviderRepository::banks() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> connections, projects;
  *session_ << "SELECT connection, project FROM banks ORDER BY connection", into(connections), into(projects),
      now;
  std::vector<NotedBank> banks;
  for (std::size_t i = 0; i < connections.size(); ++i)
    banks.push_back({parsed<domain::ConnectionId>(connections[i]), parsed<domain::ProjectId>(projects[i])});
  return banks;
}

std::optional<Timestamp> ProviderRepository::looked_up_to(const domain::ConnectionId& connection) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> moment;
  *session_ << "SELECT looked_up_to FROM banks WHERE connection = ? AND looked_up_to IS NOT NULL",
      into(moment), bind(connection.text()), now;
  if (moment.empty()) return std::nullopt;
  return Timestamp(moment.front());
}

void ProviderRepository::note_looked(const domain::ConnectionId& connection, Timestamp up_to) {
  const std::lock_guard lock(mutex_);
  // May also move back: the bank's clock may have been ahead once, and a longer query only sees more.
  *session_ << "UPDATE banks SET looked_up_to = ? WHERE connection = ?", bind(Integer{up_to.millis()}),
      bind(connection.text()), now;
}

// --- account queries ---

std::optional<BankWindow> ProviderRepository::window(const domain::ConnectionId& connection) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> lengths, since;
  *session_ << "SELECT window_ms, window_since FROM banks WHERE connection = ? AND window_ms IS NOT NULL",
      into(lengths), into(since), bind(connection.text()), now;
  if (lengths.empty()) return std::nullopt;
  return BankWindow{.length_ms = lengths.front(), .since = Timestamp(since.front())};
}

void ProviderRepository::note_window(const domain::ConnectionId& connection, const BankWindow& window) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET window_ms = ?, window_since = ? WHERE connection = ?",
      bind(Integer{window.length_ms}), bind(Integer{window.since.millis()}), bind(connection.text()), now;
}

void ProviderRepository::keep_looks(const std::vector<AccountLook>& looks) {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> there;
  Poco::Data::Transaction transaction(*session_);
  *session_ << "SELECT DISTINCT back_ms FROM looks", into(there), now;
  for (const auto back_ms : there) {
    const bool is_kept = std::any_of(looks.begin(), looks.end(),
                                     [&](const AccountLook& look) { return look.back_ms == back_ms; });
    if (!is_kept) *session_ << "DELETE FROM looks WHERE back_ms = ?", bind(Integer{back_ms}), now;
  }
  transaction.commit();
}

void ProviderRepository::begin_look(const domain::ConnectionId& connection, const AccountLook& look,
                                    Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "INSERT INTO looks VALUES (?, ?, ?, ?, NULL, '') "
               "ON CONFLICT DO UPDATE SET every_ms = excluded.every_ms",
      bind(connection.text()), bind(Integer{look.back_ms}), bind(Integer{look.every_ms}),
      bind(Integer{at.millis()}), now;
}

void ProviderRepository::end_look(const domain::ConnectionId& connection, const AccountLook& look,
                                  const std::optional<std::string>& fault, Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE looks SET fault = ?1, seen_at = CASE WHEN ?1 = '' THEN ?2 ELSE seen_at END "
               "WHERE connection = ?3 AND back_ms = ?4",
      bind(fault.value_or("")), bind(Integer{at.millis()}), bind(connection.text()),
      bind(Integer{look.back_ms}), now;
}

void ProviderRepository::note_early(const domain::ConnectionId& connection, std::int64_t early_ms,
                                    Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET early_ms = max(coalesce(early_ms, 0), ?), early_at = ? WHERE connection = ?",
      bind(Integer{early_ms}), bind(Integer{at.millis()}), bind(connection.text()), now;
}

std::int64_t ProviderRepository::early_ms(const domain::ConnectionId& connection) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> early;
  *session_ << "SELECT early_ms FROM banks WHERE connection = ? AND early_ms IS NOT NULL", into(early),
      bind(connection.text()), now;
  return early.empty() ? 0 : early.front();
}

void ProviderRepository::note_misfit(const AccountMisfit& misfit) {
  const std::lock_guard lock(mutex_);
  *session_ << "INSERT INTO misfits VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
               "payments = payments + excluded.payments, found = found + excluded.found, at = excluded.at, "
               "detail = CASE WHEN excluded.detail = '' THEN detail ELSE excluded.detail END",
      bind(misfit.connection), bind(misfit.kind), bind(Integer{misfit.payments}), bind(Integer{misfit.found}),
      bind(Integer{misfit.at.millis()}), bind(misfit.detail), now;
}

void ProviderRepository::end_misfit(const domain::ConnectionId& connection, std::string_view kind) {
  const std::lock_guard lock(mutex_);
  *session_ << "DELETE FROM misfits WHERE connection = ? AND kind = ?", bind(connection.text()),
      bind(std::string(kind)), now;
}

std::vector<domain::ChargeId> ProviderRepository::waiting_charges(const domain::ConnectionId& connection,
                                                                  std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  *session_ << "SELECT charge FROM waiting WHERE connection = ? ORDER BY charge DESC LIMIT ?", into(ids),
      bind(connection.text()), bind(static_cast<Integer>(limit)), now;
  std::vector<domain::ChargeId> charges;
  for (const auto& id : ids) charges.push_back(parsed<domain::ChargeId>(id));
  return charges;
}

bool ProviderRepository::note_old_payment(const domain::ConnectionId& connection,
                                          const domain::EndToEndId& id) {
  const std::lock_guard lock(mutex_);
  Integer known = 0, there = 0;
  *session_ << "SELECT count(*), coalesce(sum(id = ?), 0) FROM old_payments WHERE connection = ?",
      into(known), into(there), bind(id.text()), bind(connection.text()), now;
  if (there > 0 || known >= static_cast<Integer>(kOldPaymentsMax)) return false;
  *session_ << "INSERT INTO old_payments VALUES (?, ?)", bind(connection.text()), bind(id.text()), now;
  return true;
}

// --- payments to read ---

std::optional<std::size_t> ProviderRepository::keep_payments(const domain::ConnectionId& connection,
                                                             const std::vector<domain::EndToEndId>& ids,
                                                             ReadReason reason, Timestamp since,
                                                             Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  const auto count = [&] {
    return select_number(*session_, "SELECT count(*) FROM payments WHERE connection = ?", connection.text());
  };
  Poco::Data::Transaction transaction(*session_);
  const auto before = count();
  const std::string if_there =
      reason == ReadReason::kCalledBack
          ? "UPDATE SET reason = excluded.reason, due_at = min(due_at, excluded.due_at), attempts = 0, "
            "told = told + 1"
          : "NOTHING";
  for (const auto& id : ids)
    *session_ << "INSERT INTO payments VALUES (?, ?, ?, ?, ?, 0, 1) ON CONFLICT DO " + if_there,
        bind(connection.text()), bind(id.text()), bind(static_cast<Integer>(reason)),
        bind(Integer{since.millis()}), bind(Integer{due_at.millis()}), now;
  const auto after = count();
  if (after > static_cast<Integer>(kPaymentsMax) && after > before) return std::nullopt;
  transaction.commit();
  return static_cast<std::size_t>(after - before);
}

std::vector<PaymentToRead> ProviderRepository::payments_due(Timestamp moment,
                                                            std::size_t of_connection_max) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> connections, ids;
  std::vector<Integer> reasons, since, due_at, attempts, told;
  *session_ << "SELECT connection, id, reason, since, due_at, attempts, told FROM ("
               "SELECT *, row_number() OVER (PARTITION BY connection ORDER BY due_at, id) AS place "
               "FROM payments WHERE due_at <= ?) WHERE place <= ? ORDER BY due_at, id",
      into(connections), into(ids), into(reasons), into(since), into(due_at), into(attempts), into(told),
      bind(Integer{moment.millis()}), bind(static_cast<Integer>(of_connection_max)), now;
  std::vector<PaymentToRead> payments;
  for (std::size_t i = 0; i < ids.size(); ++i)
    payments.push_back({.connection = parsed<domain::ConnectionId>(connections[i]),
                        .id = parsed<domain::EndToEndId>(ids[i]),
                        .reason = static_cast<ReadReason>(reasons[i]),
                        .since = Timestamp(since[i]),
                        .due_at = Timestamp(due_at[i]),
                        .attempts = static_cast<unsigned>(attempts[i]),
                        .told = static_cast<std::uint64_t>(told[i])});
  return payments;
}

void ProviderRepository::postpone(const PaymentToRead& payment, ReadReason reason, Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE payments SET reason = ?, due_at = ?, attempts = attempts + 1 "
               "WHERE connection = ? AND id = ? AND told = ?",
      bind(static_cast<Integer>(reason)), bind(Integer{due_at.millis()}), bind(payment.connection.text()),
      bind(payment.id.text()), bind(static_cast<Integer>(payment.told)), now;
}

void ProviderRepository::drop(const PaymentToRead& payment) {
  const std::lock_guard lock(mutex_);
  *session_ << "DELETE FROM payments WHERE connection = ? AND id = ? AND told = ?",
      bind(payment.connection.text()), bind(payment.id.text()), bind(static_cast<Integer>(payment.told)), now;
}

// --- state of a connection ---

void ProviderRepository::note_called_back(const domain::ConnectionId& connection, Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET called_back_at = ? WHERE connection = ?", bind(Integer{at.millis()}),
      bind(connection.text()), now;
}

bool ProviderRepository::is_quiet(const domain::ConnectionId& connection, Timestamp called_back_since) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> quiet;
  *session_ << "SELECT 1 FROM banks WHERE connection = ?1 AND called_back_at >= ?2 "
               "AND NOT EXISTS (SELECT 1 FROM waiting WHERE connection = ?1) "
               "AND NOT EXISTS (SELECT 1 FROM work WHERE connection = ?1) "
               "AND NOT EXISTS (SELECT 1 FROM payments WHERE connection = ?1)",
      into(quiet), bind(connection.text()), bind(Integer{called_back_since.millis()}), now;
  return !quiet.empty();
}

void ProviderRepository::note_clock(const domain::ConnectionId& connection, std::int64_t ahead_ms) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET ahead_ms = ? WHERE connection = ?", bind(Integer{ahead_ms}),
      bind(connection.text()), now;
}

void ProviderRepository::note_certificate(const domain::ConnectionId& connection,
                                          std::optional<Timestamp> ends_at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET certificate_ends_at = nullif(?, 0) WHERE connection = ?",
      bind(Integer{ends_at ? ends_at->millis() : 0}), bind(connection.text()), now;
}

void ProviderRepository::add(const std::vector<BankCount>& counts) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  for (const auto& count : counts) add_count(*session_, count);
  transaction.commit();
}

void write_open_breakers(const std::filesystem::path& directory, const std::set<std::string>& connections) {
  const auto file = directory / kOpenBreakersFile;
  auto beside = file;
  beside += ".new";
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    for (const auto& connection : connections) stream << connection << '\n';
    stream.close();
    if (!stream) fail_on(beside, "write");
  }
  std::filesystem::rename(beside, file);
}

std::set<std::string> read_open_breakers(const std::filesystem::path& directory) {
  std::istringstream lines(read_if_there(directory / kOpenBreakersFile).value_or(""));
  std::set<std::string> connections;
  for (std::string line; std::getline(lines, line);) connections.insert(line);
  return connections;
}

}  // namespace pixledger::stores
