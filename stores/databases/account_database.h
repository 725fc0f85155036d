#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/data_directory.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::eventstore {
class PgClient;
}  // namespace pixledger::eventstore

namespace pixledger::stores {

// Opens the accounts of a data directory: the file DATA/accounts/accounts.db, or tables in PostgreSQL on a
// node of a shared ledger. Creates a missing file, readable by its owner only. The server and commands may
// have it open at once. Throws the database's errors. Throws std::runtime_error if other users may access the
// file or a newer release wrote it.
std::unique_ptr<AccountRepository> open_accounts(const DataDirectory& data);
// For a service that keeps running if the file is damaged or cannot be opened, or the accounts are lost:
// using them throws AccountsDamaged or AccountsUnreadable until they are restored. Calls `on_fault` once with
// the problem.
std::unique_ptr<AccountRepository> open_accounts_or_go_on(
    const DataDirectory& data, std::function<bool()> has_members,
    std::function<void(const std::string& fault)> on_fault);

// Returns a message if the accounts are lost: the file is missing or empty although the ledger has members.
// Calls `has_members` only if needed. Nullopt otherwise, and on a shared ledger. Throws the database's
// errors.
std::optional<std::string> loss_of_accounts(const DataDirectory& data,
                                            const std::function<bool()>& has_members);
// Throws AccountsDamaged, with advice, if the file is empty although the ledger has members. The next
// invitation recreates a missing file.
void refuse_emptied_accounts(const DataDirectory& data, const std::function<bool()>& has_members);

// Opens it for reading while others run; null if the file is missing or empty. Throws the database's errors.
std::unique_ptr<SqlDatabase> look_at_accounts(const DataDirectory& data);
// Returns damage of the file as a whole or of a user's row; nullopt if all is readable or the file is
// missing. Throws the database's errors if it cannot be checked.
std::optional<std::string> damage_of_accounts(const DataDirectory& data);
// Throws std::runtime_error if other users may access the file or its directory. They need not exist.
void refuse_open_accounts(const DataDirectory& data);

// The name of the next one's file in a backup.
inline constexpr const char* kAccountsInBackup = "accounts.sqlite";
// Writes a snapshot of the accounts as a backup's file: new, readable by its owner only, not durable on
// return. Returns false, without a file, if there are no accounts. Throws as above.
bool export_accounts(const DataDirectory& data, const std::filesystem::path& to);
// Prepares that file in a data directory under construction: ends all sign-ins and invitations. The copy may
// have been stolen, and they may have ended since the backup. Throws as above.
void end_all_sign_ins(const DataDirectory& made, Timestamp now);

// Copies a data directory's file into empty tables, within the owner's transaction. Does nothing if there is
// no file.
void import_accounts(eventstore::PgClient& owner, const DataDirectory& from);

}  // namespace pixledger::stores
