#include "stores/sql/postgres_database.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/worker_lease.h"

namespace pixledger::stores {
namespace {

using eventstore::LogUnavailable;
using eventstore::PgClient;

constexpr std::size_t kMessageBytes = 256 * 1024;

std::string storable(std::string_view text) {
  if (is_clean_text(text)) return std::string(text);
  std::string kept;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    auto character = text.substr(0, utf8_size(lead));
    if (lead < 0x80) {
      kept += lead == 0 ? ' ' : text.front();
    } else if (is_clean_text(character)) {
      kept += character;
    } else {
      kept += '?';
      character = text.substr(0, 1);
    }
    text.remove_prefix(character.size());
  }
  return kept;
}

// Every client has standard_conforming_strings: a backslash is literal.
struct Literal {
  std::string& text;

  void operator()(std::monostate) const { text += "NULL"; }
  void operator()(std::int64_t number) const { text += std::to_string(number); }
  void operator()(const std::string& value) const {
    text += '\'';
    for (const char c : storable(value)) {
      if (c == '\'') text += c;
      text += c;
    }
    text += '\'';
  }
};

void append_execution(std::string& text, const std::string& name, const SqlValues& values) {
  text += "EXECUTE ";
  text += name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += i == 0 ? '(' : ',';
    std::visit(Literal{text}, values[i]);
  }
  if (!values.empty()) text += ')';
}

SqlResult to_result(const pqxx::result& found) {
  SqlResult result;
  result.rows.reserve(found.size());
  for (const auto& row : found) {
    std::vector<std::optional<std::string>> columns;
    columns.reserve(row.size());
    for (const auto& field : row)
      columns.push_back(field.is_null() ? std::nullopt : std::optional<std::string>(field.c_str()));
    result.rows.emplace_back(std::move(columns));
  }
  result.changed = found.affected_rows();
  return result;
}

// One lock number for all writers of the same tables, so that they take turns as at a file. Its first half is
// the ledger's lock number, which has another form.
std::string turn_among_writers(const std::string& schema) {
  return "SELECT pg_advisory_xact_lock(1886156908, hashtext('" + schema + "'))";
}

}  // namespace

const std::string& PostgresStatements::prepared(const std::string& statement) {
  auto& name = names_[statement];
  if (!name.empty()) return name;
  auto made = prefix_ + std::to_string(names_.size());
  client_.run("PREPARE " + made + " AS " + statement);
  return name = std::move(made);
}

SqlResult PostgresStatements::run(const std::string& statement, const SqlValues& values) {
  std::string text;
  append_execution(text, prepared(statement), values);
  return to_result(client_.run(text));
}

void PostgresStatements::run_each(const std::string& statement, const std::vector<SqlValues>& rows) {
  if (rows.empty()) return;
  const auto& name = prepared(statement);
  std::string message;
  for (const auto& values : rows) {
    append_execution(message, name, values);
    message += ';';
    if (message.size() < kMessageBytes) continue;
    client_.run(message);
    message.clear();
  }
  if (!message.empty()) client_.run(message);
}

struct PostgresDatabase::Connected {
  explicit Connected(std::unique_ptr<PgClient> made) : client(std::move(made)), statements(*client, "s") {}

  const std::unique_ptr<PgClient> client;
  PostgresStatements statements;
};

PostgresDatabase::PostgresDatabase(eventstore::SharedNode node, std::string schema,
                                   std::optional<eventstore::WorkerFence> fence, std::chrono::seconds rest)
    : node_(std::move(node)), schema_(std::move(schema)), fence_(std::move(fence)), rest_(rest) {}

PostgresDatabase::~PostgresDatabase() = default;

std::unique_ptr<PostgresDatabase::Connected> PostgresDatabase::connect() {
  auto client = eventstore::start_database_client(node_, watch_);
  client->run("SET search_path = " + schema_ + ", pixledger");
  return std::make_unique<Connected>(std::move(client));
}

PostgresDatabase::Connected& PostgresDatabase::connected() {
  if (connected_ && connected_->client->is_usable()) return *connected_;
  connected_.reset();
  if (std::chrono::steady_clock::now() < rests_until_) throw LogUnavailable(fault_);
  try {
    connected_ = connect();
  } catch (const LogUnavailable& unavailable) {
    fault_ = unavailable.what();
    rests_until_ = std::chrono::steady_clock::now() + rest_;
    throw;
  }
  return *connected_;
}

template <class Work>
auto PostgresDatabase::repeatable(const Work& work) {
  if (connected_ && connected_->client->is_usable()) {
    try {
      return work(*connected_);
    } catch (const LogUnavailable&) {
      // The connection may have broken long ago.
    }
  }
  return work(connected());
}

SqlResult PostgresDatabase::run(const std::string& statement, const SqlValues& values) {
  const auto work = [&](Connected& in) { return in.statements.run(statement, values); };
  return is_in_transaction_ ? work(*connected_) : repeatable(work);
}

void PostgresDatabase::run_each(const std::string& statement, const std::vector<SqlValues>& rows) {
  (is_in_transaction_ ? *connected_ : connected()).statements.run_each(statement, rows);
}

void PostgresDatabase::take_turn(Connected& in) {
  const auto begin = "BEGIN; " + turn_among_writers(schema_);
  if (!fence_) {
    in.client->run(begin);
    return;
  }
  const auto held = in.client->run(begin + "; SELECT pg_advisory_xact_lock_shared(" +
                                   eventstore::WorkerLease::lock_of(fence_->worker) +
                                   "); SELECT worker FROM turn WHERE worker = '" + fence_->worker +
                                   "' AND epoch = " + std::to_string(fence_->epoch));
  if (!held.empty()) return;
  in.client->roll_back();
  fence_->lost();
  throw WorkerFenced("another " + fence_->worker + " has taken over");
}

void PostgresDatabase::begin() {
  repeatable([this](Connected& in) { take_turn(in); });
  is_in_transaction_ = true;
}

void PostgresDatabase::begin_reading() {
  repeatable([](Connected& in) { in.client->run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); });
  is_in_transaction_ = true;
}

void PostgresDatabase::commit() {
  connected_->client->commit();
  is_in_transaction_ = false;
}

void PostgresDatabase::roll_back() noexcept {
  is_in_transaction_ = false;
  connected_->client->roll_back();
}

PostgresWithin::PostgresWithin(PgClient& client, const std::string& schema)
    : statements_(client, schema + "_") {
  client.run("SET LOCAL search_path = " + schema + ", pixledger");
}

}  // namespace pixledger::stores
