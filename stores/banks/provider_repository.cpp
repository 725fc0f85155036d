#include "stores/banks/provider_repository.h"

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

template <class Value>
Value parsed(const std::string& text) {
  auto value = Value::parse(text);
  if (!value) throw DataDamaged("a row of the providers' database is damaged");
  return *std::move(value);
}

void add_count(SqlDatabase& database, const BankCount& count) {
  database.run(
      "INSERT INTO counts VALUES ($1, $2, $3, $4, $5) "
      "ON CONFLICT DO UPDATE SET value = value + excluded.value",
      {count.connection, sql_number(count.counter), count.first, count.second, count.value});
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
void make_tables(SqlDatabase& database) {
  const auto version = database.integer("PRAGMA user_version");
  if (version > kProvidersSchemaVersion) throw DataDamaged("a newer release wrote the providers' database");
  if (version == kProvidersSchemaVersion) return;
  SqlTransaction transaction(database);
  for (const char* table : kBankTables) database.run("DROP TABLE IF EXISTS " + std::string(table));
  for (const char* statement : kBankSchema) database.run(statement);
  database.run("PRAGMA user_version = " + std::to_string(kProvidersSchemaVersion));
  transaction.commit();
}

// Writes one change.
struct Apply {
  SqlDatabase& database;

  void operator()(const WorkBegun& begun) const {
    database.run("INSERT OR IGNORE INTO work VALUES ($1, $2, $3, $4, $5, $5, 0, NULL, '')",
                 {sql_number(begun.id.kind), begun.id.about.text(), begun.id.refund, begun.connection.text(),
                  sql(begun.since)});
  }
  void operator()(const WorkEnded& ended) const {
    database.run("DELETE FROM work WHERE kind = $1 AND about = $2 AND refund = $3",
                 {sql_number(ended.id.kind), ended.id.about.text(), ended.id.refund});
  }
  void operator()(const BankNoted& bank) const {
    database.run("INSERT OR IGNORE INTO banks (connection, project, since) VALUES ($1, $2, $3)",
                 {bank.connection.text(), bank.project.text(), sql(bank.since)});
  }
  void operator()(const WorkHastened& hastened) const {
    // A due time that no work starts with, so that a thread working on it does not postpone it again.
    database.run("UPDATE work SET due_at = min(due_at, since) - 1 WHERE connection = $1",
                 {hastened.connection.text()});
  }
  void operator()(const ChargeWaits& waits) const {
    database.run("INSERT OR IGNORE INTO waiting VALUES ($1, $2)",
                 {waits.charge.text(), waits.connection.text()});
  }
  void operator()(const ChargeClosed& closed) const {
    database.run("DELETE FROM waiting WHERE charge = $1", {closed.charge.text()});
  }
  void operator()(const CodeDecided& code) const {
    add_count(database, {code.connection.text(), BankCounter::kCodes, std::string(code.kind), "", 1});
  }
};

// Matches work unless it was restarted meanwhile; same_work() returns the values.
constexpr const char* kSameWork = " WHERE kind = $1 AND about = $2 AND refund = $3 AND since = $4";

SqlValues same_work(const BankWork& work, std::initializer_list<SqlValue> more = {}) {
  SqlValues values{sql_number(work.id.kind), work.id.about.text(), work.id.refund, sql(work.since)};
  values.insert(values.end(), more);
  return values;
}

}  // namespace

ProviderRepository::ProviderRepository(const std::filesystem::path& file)
    : database_(open_sqlite(file, "rwc")) {
  database_->run("PRAGMA journal_mode = WAL");
  database_->run("PRAGMA synchronous = NORMAL");
  make_tables(*database_);
}

SqlResult ProviderRepository::run(const std::string& statement, const SqlValues& values) const {
  const std::lock_guard lock(mutex_);
  return database_->run(statement, values);
}

std::optional<eventstore::LogCursor> ProviderRepository::cursor() const {
  const std::lock_guard lock(mutex_);
  return select_cursor(*database_);
}

void ProviderRepository::apply(const std::vector<BankChange>& changes, const eventstore::LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  for (const auto& change : changes) std::visit(Apply{*database_}, change);
  save_cursor(*database_, cursor);
  transaction.commit();
}

void ProviderRepository::begin_anew(const eventstore::LogCursor& cursor) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  for (const char* table : {"work", "waiting", "payments", "banks", "looks", "misfits", "old_payments"})
    database_->run("DELETE FROM " + std::string(table));
  database_->run("DELETE FROM counts WHERE counter = $1", {sql_number(BankCounter::kCodes)});
  save_cursor(*database_, cursor);
  transaction.commit();
}

void ProviderRepository::begin(const WorkBegun& work) {
  const std::lock_guard lock(mutex_);
  Apply{*database_}(work);
}

std::vector<BankWork> ProviderRepository::due(Timestamp now, std::size_t of_connection_max) const {
  const auto found =
      run("SELECT kind, about, refund, connection, since, due_at, attempts, sent_at, refusal FROM ("
          "SELECT *, row_number() OVER (PARTITION BY connection ORDER BY kind, since, about) AS place "
          "FROM work WHERE due_at <= $1) WHERE place <= $2 ORDER BY kind, since, about",
          {sql(now), sql_number(of_connection_max)});
  std::vector<BankWork> work;
  for (const auto& row : found.rows)
    work.push_back({.id = {.kind = row.as<BankWorkKind>(0),
                           .about = parsed<domain::StreamName>(row.text(1)),
                           .refund = row.text(2)},
                    .connection = parsed<domain::ConnectionId>(row.text(3)),
                    .since = Timestamp(row.integer(4)),
                    .due_at = Timestamp(row.integer(5)),
                    .attempts = row.as<unsigned>(6),
                    .sent_at = row.moment(7),
                    .refusal = row.text(8)});
  return work;
}

std::optional<Timestamp> ProviderRepository::next_due(Timestamp after) const {
  return run("SELECT min(due_at) FROM work WHERE due_at > $1", {sql(after)}).rows.at(0).moment(0);
}

void ProviderRepository::make_all_due() { run("UPDATE work SET due_at = since"); }

void ProviderRepository::postpone(const BankWork& work, Timestamp due_at) {
  run(std::string("UPDATE work SET due_at = CASE WHEN due_at = $5 THEN $6 ELSE due_at END, "
                  "attempts = attempts + 1") +
          kSameWork,
      same_work(work, {sql(work.due_at), sql(due_at)}));
}

void ProviderRepository::drop(const BankWork& work) {
  run(std::string("DELETE FROM work") + kSameWork, same_work(work));
}

void ProviderRepository::note_sent(const BankWork& work, std::optional<Timestamp> at) {
  run(std::string("UPDATE work SET sent_at = $5") + kSameWork, same_work(work, {sql(at)}));
}

void ProviderRepository::note_refused(const BankWork& work, const std::string& refusal) {
  run(std::string("UPDATE work SET refusal = $5") + kSameWork, same_work(work, {refusal}));
}

std::vector<NotedBank> ProviderRepository::banks() const {
  std::vector<NotedBank> banks;
  for (const auto& row : run("SELECT connection, project FROM banks ORDER BY connection").rows)
    banks.push_back({parsed<domain::ConnectionId>(row.text(0)), parsed<domain::ProjectId>(row.text(1))});
  return banks;
}

std::optional<Timestamp> ProviderRepository::looked_up_to(const domain::ConnectionId& connection) const {
  return run("SELECT max(looked_up_to) FROM banks WHERE connection = $1", {connection.text()})
      .rows.at(0)
      .moment(0);
}

void ProviderRepository::note_looked(const domain::ConnectionId& connection, Timestamp up_to) {
  // May also move back: the bank's clock may have been ahead once, and a longer query only sees more.
  run("UPDATE banks SET looked_up_to = $2 WHERE connection = $1", {connection.text(), sql(up_to)});
}

// --- account queries ---

std::optional<BankWindow> ProviderRepository::window(const domain::ConnectionId& connection) const {
  const auto rows = run("SELECT window_ms, window_since FROM banks "
                        "WHERE connection = $1 AND window_ms IS NOT NULL",
                        {connection.text()})
                        .rows;
  if (rows.empty()) return std::nullopt;
  return BankWindow{.length_ms = rows.front().integer(0), .since = Timestamp(rows.front().integer(1))};
}

void ProviderRepository::note_window(const domain::ConnectionId& connection, const BankWindow& window) {
  run("UPDATE banks SET window_ms = $2, window_since = $3 WHERE connection = $1",
      {connection.text(), window.length_ms, sql(window.since)});
}

void ProviderRepository::keep_looks(const std::vector<AccountLook>& looks) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  for (const auto& row : database_->run("SELECT DISTINCT back_ms FROM looks").rows) {
    const auto back_ms = row.integer(0);
    const bool is_kept = std::any_of(looks.begin(), looks.end(),
                                     [&](const AccountLook& look) { return look.back_ms == back_ms; });
    if (!is_kept) database_->run("DELETE FROM looks WHERE back_ms = $1", {back_ms});
  }
  transaction.commit();
}

void ProviderRepository::begin_look(const domain::ConnectionId& connection, const AccountLook& look,
                                    Timestamp at) {
  run("INSERT INTO looks VALUES ($1, $2, $3, $4, NULL, '') "
      "ON CONFLICT DO UPDATE SET every_ms = excluded.every_ms",
      {connection.text(), look.back_ms, look.every_ms, sql(at)});
}

void ProviderRepository::end_look(const domain::ConnectionId& connection, const AccountLook& look,
                                  const std::optional<std::string>& fault, Timestamp at) {
  run("UPDATE looks SET fault = $3, seen_at = CASE WHEN $3 = '' THEN $4 ELSE seen_at END "
      "WHERE connection = $1 AND back_ms = $2",
      {connection.text(), look.back_ms, fault.value_or(""), sql(at)});
}

void ProviderRepository::note_early(const domain::ConnectionId& connection, std::int64_t early_ms,
                                    Timestamp at) {
  run("UPDATE banks SET early_ms = max(coalesce(early_ms, 0), $2), early_at = $3 WHERE connection = $1",
      {connection.text(), early_ms, sql(at)});
}

std::int64_t ProviderRepository::early_ms(const domain::ConnectionId& connection) const {
  return run("SELECT coalesce(max(early_ms), 0) FROM banks WHERE connection = $1", {connection.text()})
      .rows.at(0)
      .integer(0);
}

void ProviderRepository::note_misfit(const AccountMisfit& misfit) {
  run("INSERT INTO misfits VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO UPDATE SET "
      "payments = payments + excluded.payments, found = found + excluded.found, at = excluded.at, "
      "detail = CASE WHEN excluded.detail = '' THEN detail ELSE excluded.detail END",
      {misfit.connection, misfit.kind, misfit.payments, misfit.found, sql(misfit.at), misfit.detail});
}

void ProviderRepository::end_misfit(const domain::ConnectionId& connection, std::string_view kind) {
  run("DELETE FROM misfits WHERE connection = $1 AND kind = $2", {connection.text(), std::string(kind)});
}

std::vector<domain::ChargeId> ProviderRepository::waiting_charges(const domain::ConnectionId& connection,
                                                                  std::size_t limit) const {
  const auto found = run("SELECT charge FROM waiting WHERE connection = $1 ORDER BY charge DESC LIMIT $2",
                         {connection.text(), sql_number(limit)});
  std::vector<domain::ChargeId> charges;
  for (const auto& row : found.rows) charges.push_back(parsed<domain::ChargeId>(row.text(0)));
  return charges;
}

bool ProviderRepository::note_old_payment(const domain::ConnectionId& connection,
                                          const domain::EndToEndId& id) {
  return run("INSERT OR IGNORE INTO old_payments SELECT $1, $2 "
             "WHERE (SELECT count(*) FROM old_payments WHERE connection = $1) < $3",
             {connection.text(), id.text(), sql_number(kOldPaymentsMax)})
             .changed > 0;
}

// --- payments to read ---

std::optional<std::size_t> ProviderRepository::keep_payments(const domain::ConnectionId& connection,
                                                             const std::vector<domain::EndToEndId>& ids,
                                                             ReadReason reason, Timestamp since,
                                                             Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  const auto count = [&] {
    return database_->integer("SELECT count(*) FROM payments WHERE connection = $1", {connection.text()});
  };
  SqlTransaction transaction(*database_);
  const auto before = count();
  const std::string if_there =
      reason == ReadReason::kCalledBack
          ? "UPDATE SET reason = excluded.reason, due_at = min(due_at, excluded.due_at), attempts = 0, "
            "told = told + 1"
          : "NOTHING";
  for (const auto& id : ids)
    database_->run("INSERT INTO payments VALUES ($1, $2, $3, $4, $5, 0, 1) ON CONFLICT DO " + if_there,
                   {connection.text(), id.text(), sql_number(reason), sql(since), sql(due_at)});
  const auto after = count();
  if (after > static_cast<std::int64_t>(kPaymentsMax) && after > before) return std::nullopt;
  transaction.commit();
  return static_cast<std::size_t>(after - before);
}

std::vector<PaymentToRead> ProviderRepository::payments_due(Timestamp now,
                                                            std::size_t of_connection_max) const {
  const auto found =
      run("SELECT connection, id, reason, since, due_at, attempts, told FROM ("
          "SELECT *, row_number() OVER (PARTITION BY connection ORDER BY due_at, id) AS place "
          "FROM payments WHERE due_at <= $1) WHERE place <= $2 ORDER BY due_at, id",
          {sql(now), sql_number(of_connection_max)});
  std::vector<PaymentToRead> payments;
  for (const auto& row : found.rows)
    payments.push_back({.connection = parsed<domain::ConnectionId>(row.text(0)),
                        .id = parsed<domain::EndToEndId>(row.text(1)),
                        .reason = row.as<ReadReason>(2),
                        .since = Timestamp(row.integer(3)),
                        .due_at = Timestamp(row.integer(4)),
                        .attempts = row.as<unsigned>(5),
                        .told = row.as<std::uint64_t>(6)});
  return payments;
}

void ProviderRepository::postpone(const PaymentToRead& payment, ReadReason reason, Timestamp due_at) {
  run("UPDATE payments SET reason = $4, due_at = $5, attempts = attempts + 1 "
      "WHERE connection = $1 AND id = $2 AND told = $3",
      {payment.connection.text(), payment.id.text(), sql_number(payment.told), sql_number(reason),
       sql(due_at)});
}

void ProviderRepository::drop(const PaymentToRead& payment) {
  run("DELETE FROM payments WHERE connection = $1 AND id = $2 AND told = $3",
      {payment.connection.text(), payment.id.text(), sql_number(payment.told)});
}

// --- state of a connection ---

void ProviderRepository::note_called_back(const domain::ConnectionId& connection, Timestamp at) {
  run("UPDATE banks SET called_back_at = $2 WHERE connection = $1", {connection.text(), sql(at)});
}

bool ProviderRepository::is_quiet(const domain::ConnectionId& connection, Timestamp called_back_since) const {
  const auto found =
      run("SELECT 1 FROM banks WHERE connection = $1 AND called_back_at >= $2 "
          "AND NOT EXISTS (SELECT 1 FROM waiting WHERE connection = $1) "
          "AND NOT EXISTS (SELECT 1 FROM work WHERE connection = $1) "
          "AND NOT EXISTS (SELECT 1 FROM payments WHERE connection = $1)",
          {connection.text(), sql(called_back_since)});
  return !found.rows.empty();
}

void ProviderRepository::note_clock(const domain::ConnectionId& connection, std::int64_t ahead_ms) {
  run("UPDATE banks SET ahead_ms = $2 WHERE connection = $1", {connection.text(), ahead_ms});
}

void ProviderRepository::note_certificate(const domain::ConnectionId& connection,
                                          std::optional<Timestamp> ends_at) {
  run("UPDATE banks SET certificate_ends_at = $2 WHERE connection = $1", {connection.text(), sql(ends_at)});
}

void ProviderRepository::add(const std::vector<BankCount>& counts) {
  const std::lock_guard lock(mutex_);
  SqlTransaction transaction(*database_);
  for (const auto& count : counts) add_count(*database_, count);
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
