#include "stores/sql/sqlite_database.h"

#include <Poco/Data/DataException.h>
#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/SQLite/SQLiteException.h>
#include <Poco/Data/SQLite/Utility.h>
#include <Poco/Data/Session.h>
#include <Poco/URI.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "stores/sql/refusal.h"

namespace pixledger::stores {
namespace {

using Poco::Data::SQLite::Utility;

// Poco would try for a minute. Opening a file waits for no lock, so another try changes nothing.
constexpr std::size_t kRetryOpeningS = 0;
// What Poco waits for a lock unless it is told how long to try to open the file.
constexpr int kWaitForLockMs = 60'000;

// SQLite would number a parameter with a dollar by its first place in the statement.
std::string with_numbers(std::string statement) {
  std::replace(statement.begin(), statement.end(), '$', '?');
  return statement;
}

// Resets a statement at scope end, which releases its resources.
class Reset {
 public:
  explicit Reset(sqlite3_stmt* statement) : statement_(statement) {}
  ~Reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;

 private:
  sqlite3_stmt* const statement_;
};

SqlRow row_of(sqlite3_stmt* statement) {
  std::vector<std::optional<std::string>> columns;
  const int count = sqlite3_column_count(statement);
  columns.reserve(static_cast<std::size_t>(count));
  for (int column = 0; column < count; ++column) {
    const auto* const text = sqlite3_column_text(statement, column);
    if (!text) {
      columns.emplace_back();
      continue;
    }
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    columns.emplace_back(std::in_place, text, text + size);
  }
  return SqlRow(std::move(columns));
}

struct Bind {
  sqlite3_stmt* statement;
  int place;

  int operator()(std::monostate) const { return sqlite3_bind_null(statement, place); }
  int operator()(std::int64_t number) const { return sqlite3_bind_int64(statement, place, number); }
  // The text outlives the statement's run.
  int operator()(const std::string& text) const {
    return sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), nullptr);
  }
};

bool is_refused_write(int extended) {
  switch (extended) {
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_TRUNCATE:
    case SQLITE_IOERR_SHMOPEN:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMMAP:
    case SQLITE_IOERR_NOMEM:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void fail(sqlite3* handle, int result, const std::string& statement = "") {
  const int primary = result & 0xff;
  const bool may_be_refused = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL;
  if (const auto write = may_be_refused ? last_refused_write() : std::nullopt)
    throw std::system_error(write->code, std::generic_category(), "cannot write " + write->file.string());
  const auto* const name = sqlite3_db_filename(handle, "main");
  const std::string file = name ? name : "SQLite";
  const int code = sqlite3_system_errno(handle);
  // SQLite keeps the system's code only until a later call sets another.
  const bool is_told = describe_refusal(code).has_value();
  if (!is_told && is_refused_write(sqlite3_extended_errcode(handle)))
    throw std::system_error(cause_of_short_write(file), std::generic_category(), file);
  if (is_told && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN))
    throw std::system_error(code, std::generic_category(), file);
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB)
    throw Poco::Data::SQLite::CorruptImageException(file + ": " + sqlite3_errmsg(handle));
  Utility::throwException(handle, result, statement);
  std::abort();  // it always throws
}

// POCO opens the file and provides the exceptions. Statements run in SQLite itself, which reports their
// column counts; each is prepared once.
class SqliteDatabase final : public SqlDatabase {
 public:
  explicit SqliteDatabase(Poco::Data::Session session);
  ~SqliteDatabase() override;
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  SqlResult run(const std::string& statement, const SqlValues& values) override;
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows) override;
  bool is_shared() const override { return false; }

 private:
  void begin() override;
  void begin_reading() override;
  void commit() override;
  void roll_back() noexcept override;

  sqlite3_stmt* prepared(const std::string& statement);
  void bind(sqlite3_stmt* statement, const SqlValues& values);
  // Steps to the end, or to the next row and then returns true.
  bool step(sqlite3_stmt* statement);

  Poco::Data::Session session_;
  sqlite3* const handle_;
  std::unordered_map<std::string, sqlite3_stmt*> prepared_;
};

SqliteDatabase::SqliteDatabase(Poco::Data::Session session)
    : session_(std::move(session)), handle_(Utility::dbHandle(session_)) {
  sqlite3_busy_timeout(handle_, kWaitForLockMs);
}

SqliteDatabase::~SqliteDatabase() {
  for (const auto& [text, statement] : prepared_) sqlite3_finalize(statement);
}

sqlite3_stmt* SqliteDatabase::prepared(const std::string& statement) {
  const auto found = prepared_.find(statement);
  if (found != prepared_.end()) return found->second;
  const auto text = with_numbers(statement);
  sqlite3_stmt* made = nullptr;
  const int result = sqlite3_prepare_v2(handle_, text.data(), static_cast<int>(text.size()), &made, nullptr);
  if (result != SQLITE_OK) fail(handle_, result, statement);
  prepared_.emplace(statement, made);
  return made;
}

void SqliteDatabase::bind(sqlite3_stmt* statement, const SqlValues& values) {
  int place = 0;
  for (const auto& value : values) {
    const int result = std::visit(Bind{statement, ++place}, value);
    if (result != SQLITE_OK) fail(handle_, result);
  }
}

bool SqliteDatabase::step(sqlite3_stmt* statement) {
  const int result = sqlite3_step(statement);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  fail(handle_, result);
}

SqlResult SqliteDatabase::run(const std::string& statement, const SqlValues& values) {
  auto* const made = prepared(statement);
  const Reset reset(made);
  bind(made, values);
  SqlResult result;
  while (step(made)) result.rows.push_back(row_of(made));
  result.changed = static_cast<std::size_t>(sqlite3_changes(handle_));
  return result;
}

void SqliteDatabase::run_each(const std::string& statement, const std::vector<SqlValues>& rows) {
  if (rows.empty()) return;
  auto* const made = prepared(statement);
  for (const auto& values : rows) {
    const Reset reset(made);
    bind(made, values);
    while (step(made)) continue;
  }
}

// SQLite waits for another writer only here: a transaction that has already read fails at its first change.
void SqliteDatabase::begin() { run("BEGIN IMMEDIATE", {}); }

void SqliteDatabase::begin_reading() { run("BEGIN", {}); }

void SqliteDatabase::commit() { run("COMMIT", {}); }

void SqliteDatabase::roll_back() noexcept {
  // If SQLite has rolled back by itself, the error is being thrown already.
  sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace

std::unique_ptr<SqlDatabase> open_sqlite(const std::filesystem::path& file, const char* mode) {
  Poco::Data::SQLite::Connector::registerConnector();
  watch_sqlite_writes();
  std::string path;
  Poco::URI::encode(std::filesystem::absolute(file).string(), "?#%", path);
  try {
    return std::make_unique<SqliteDatabase>(Poco::Data::Session(
        Poco::Data::SQLite::Connector::KEY, "file:" + path + "?mode=" + mode, kRetryOpeningS));
  } catch (const Poco::Data::ConnectionFailedException&) {
    // It tells neither the file nor the system's reason.
    const std::string_view right = mode;
    const int flags = right == "rwc" ? O_RDWR | O_CREAT : right == "rw" ? O_RDWR : O_RDONLY;
    if (!Descriptor(file, flags)) fail_on(file, "open");
    throw;
  }
}

std::unique_ptr<SqlDatabase> open_sqlite_to_read(const std::filesystem::path& file) {
  const auto name = file.filename().string();
  const auto log = name + "-wal";
  const auto index = name + "-shm";
  const auto directory = file.parent_path();
  // With a log there is more than one file, and its index must exist too.
  const bool stands_alone =
      !std::filesystem::exists(directory / log) && !may_write(directory, {log.c_str(), index.c_str()});
  return open_sqlite(file, stands_alone ? "ro&immutable=1" : "ro");
}

std::unique_ptr<SqlDatabase> open_sqlite_untouched(const std::filesystem::path& file) {
  auto log = file;
  log += "-wal";
  return open_sqlite(file, std::filesystem::exists(log) ? "ro" : "ro&immutable=1");
}

}  // namespace pixledger::stores
