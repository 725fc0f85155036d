#include "stores/databases/account_database.h"

#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"
#include "base/platform/faults.h"
#include "eventstore/postgres/node_file.h"
#include "stores/accounts/account_repository.h"
#include "stores/databases/worker_tables.h"
#include "stores/sql/postgres_database.h"
#include "stores/sql/refusal.h"
#include "stores/sql/restorable_database.h"
#include "stores/sql/sqlite_database.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kUsersAtATime = 500;
constexpr const char* kRestoreAccounts = "restore it from a backup, or remove it and invite everybody anew";

void refuse_what_others_may_read(const std::filesystem::path& path, const char* mode) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_on(path, "look at");
  if ((status.st_mode & 0077U) == 0) return;
  throw std::runtime_error(path.string() + " lets others in: run chmod " + mode + " " + path.string());
}

// SQLite creates its additional files with the same mode.
void make_file(const std::filesystem::path& file) {
  const auto directory = file.parent_path();
  if (::mkdir(directory.c_str(), 0700) == 0)
    sync_directory(directory.parent_path());
  else if (errno != EEXIST)
    fail_on(directory, "make");
  refuse_what_others_may_read(directory, "700");
  if (!Descriptor(file, O_RDWR | O_CREAT)) fail_on(file, "open");
  refuse_what_others_may_read(file, "600");
  sync_directory(directory);
}

// A power failure must not restore a used token or a sign-in that was ended.
std::unique_ptr<SqlDatabase> open_file(const std::filesystem::path& file) {
  make_file(file);
  auto database = open_sqlite(file, "rw");
  database->run("PRAGMA journal_mode = WAL");
  database->run("PRAGMA synchronous = FULL");
  database->run("PRAGMA secure_delete = ON");
  make_account_tables(*database);
  return database;
}

std::optional<eventstore::SharedNode> shared_node_of(const DataDirectory& data) {
  const auto node = eventstore::read_node_file(data);
  if (!node) return std::nullopt;
  return eventstore::SharedNode{
      .uri = node->uri, .name = node->name.text, .directory = std::filesystem::absolute(data.root)};
}

std::filesystem::path file_of(const DataDirectory& data) { return data.accounts() / kAccountsFile; }

// True if no tables were created, or a power failure lost them. A damaged file is not empty.
bool is_empty(SqlDatabase& database) {
  try {
    return database.integer("PRAGMA user_version") == 0;
  } catch (const std::exception& error) {
    if (!is_damaged_file(error)) throw;
    return false;
  }
}

// Throws for an empty file, which would be copied as if it were the accounts.
void refuse_empty_file(const std::filesystem::path& file) {
  std::error_code missing;
  if (std::filesystem::file_size(file, missing) == 0 && !missing)
    throw AccountsDamaged(file.string() + " is empty: " + kRestoreAccounts);
}

}  // namespace

std::unique_ptr<AccountRepository> open_accounts(const DataDirectory& data) {
  if (auto node = shared_node_of(data))
    return std::make_unique<AccountRepository>(
        std::make_unique<PostgresDatabase>(*std::move(node), kAccountsSchema));
  return std::make_unique<AccountRepository>(open_file(file_of(data)));
}

std::unique_ptr<AccountRepository> open_accounts_or_go_on(const DataDirectory& data,
                                                          std::function<bool()> has_members,
                                                          std::function<void(const std::string&)> on_fault) {
  if (shared_node_of(data)) return open_accounts(data);
  const auto file = file_of(data);
  auto database = std::make_unique<RestorableDatabase>(
      file.string(),
      [data, file, has_members = std::move(has_members), was_there = false]() mutable {
        // During a restore the file is missing for a moment; a new one would be in the way.
        if (std::exchange(was_there, true) && !std::filesystem::exists(file))
          throw AccountsDamaged(file.string() + " is missing: it is being restored, or was taken away");
        if (const auto loss = loss_of_accounts(data, has_members)) throw AccountsDamaged(*loss);
        return open_file(file);
      },
      std::move(on_fault));
  database->try_open();
  return std::make_unique<AccountRepository>(std::move(database));
}

std::optional<std::string> loss_of_accounts(const DataDirectory& data,
                                            const std::function<bool()>& has_members) {
  if (look_at_accounts(data) || !has_members()) return std::nullopt;
  const auto file = file_of(data);
  return file.string() + (std::filesystem::exists(file) ? " is empty" : " is missing") +
         ", although the ledger has members: the accounts are lost";
}

void refuse_emptied_accounts(const DataDirectory& data, const std::function<bool()>& has_members) {
  if (!std::filesystem::exists(file_of(data))) return;
  if (const auto loss = loss_of_accounts(data, has_members))
    throw AccountsDamaged(*loss + ". Stop the server, and " + kRestoreAccounts);
}

std::unique_ptr<SqlDatabase> look_at_accounts(const DataDirectory& data) {
  if (auto node = shared_node_of(data))
    return std::make_unique<PostgresDatabase>(*std::move(node), kAccountsSchema);
  // Opening an empty file would delete a log that may still be beside it.
  if (!std::filesystem::exists(file_of(data)) || std::filesystem::file_size(file_of(data)) == 0)
    return nullptr;
  auto file = open_sqlite_untouched(file_of(data));
  if (is_empty(*file)) return nullptr;
  return file;
}

std::optional<std::string> damage_of_accounts(const DataDirectory& data) {
  auto database = look_at_accounts(data);
  if (!database) return std::nullopt;
  try {
    if (!database->is_shared()) {
      const auto found = database->run("PRAGMA quick_check(1)");
      if (const auto& text = found.rows.at(0).text(0); text != "ok") return text;
    }
    const AccountRepository accounts(std::move(database));
    std::string after;
    for (auto some = accounts.users(after, kUsersAtATime); !some.empty();
         some = accounts.users(after, kUsersAtATime))
      after = some.back().id.text();
  } catch (const std::exception& error) {
    if (!is_damaged_file(error)) throw;
    return text_of(error);
  }
  return std::nullopt;
}

void refuse_open_accounts(const DataDirectory& data) {
  if (std::filesystem::exists(data.accounts())) refuse_what_others_may_read(data.accounts(), "700");
  if (std::filesystem::exists(file_of(data))) refuse_what_others_may_read(file_of(data), "600");
}

bool export_accounts(const DataDirectory& data, const std::filesystem::path& to) {
  if (!shared_node_of(data)) refuse_empty_file(file_of(data));
  const auto from = look_at_accounts(data);
  if (!from) return false;
  if (!Descriptor(to, O_RDWR | O_CREAT | O_EXCL)) fail_on(to, "open");
  const auto file = open_sqlite(to, "rw");
  make_account_tables(*file);
  const SqlMoment moment(*from);
  SqlTransaction transaction(*file);
  copy_tables(*from, *file);
  transaction.commit();
  return true;
}

void end_all_sign_ins(const DataDirectory& made, Timestamp now) {
  AccountRepository(open_file(file_of(made))).end_everything(now);
}

void import_accounts(eventstore::PgClient& owner, const DataDirectory& from) {
  if (!std::filesystem::exists(file_of(from))) return;
  refuse_empty_file(file_of(from));
  const auto file = open_sqlite(file_of(from), "rw");
  make_account_tables(*file);
  PostgresWithin tables(owner, kAccountsSchema);
  copy_tables(*file, tables);
}

}  // namespace pixledger::stores
