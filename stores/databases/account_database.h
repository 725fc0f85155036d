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

// The accounts of a data directory: the file DATA/accounts/accounts.db, which is made where there is none,
// for its owner alone; or tables in PostgreSQL, where it is a node of a ledger that machines share. The
// server and commands may have it open at once. Throws what the database does, and std::runtime_error where
// the file lets others in, or a newer release wrote it.
std::unique_ptr<AccountRepository> open_accounts(const DataDirectory& data);
// For a service that goes on where the file is damaged, or the accounts are lost: what uses it throws
// AccountsDamaged until it has been restored. `on_damage` is called once with what is wrong.
std::unique_ptr<AccountRepository> open_accounts_or_go_on(
    const DataDirectory& data, std::function<bool()> has_members,
    std::function<void(const std::string& damage)> on_damage);

// Says that the accounts are lost: the file is missing, or was emptied, although the ledger has members,
// which is asked only then. nullopt otherwise, and on a ledger that machines share. Throws what the database
// does.
std::optional<std::string> loss_of_accounts(const DataDirectory& data,
                                            const std::function<bool()>& has_members);
// Throws AccountsDamaged, with what to do, where the file was emptied although the ledger has members. One
// that is missing is made anew by the next invitation.
void refuse_emptied_accounts(const DataDirectory& data, const std::function<bool()>& has_members);

// To look at while others go on; null where nobody has made the file, or it is empty. Throws what the
// database does.
std::unique_ptr<SqlDatabase> look_at_accounts(const DataDirectory& data);
// What is wrong with what is in them: the file as a whole, or a user's row; nothing where all can be read, or
// nobody has made it. Throws what the database does where it cannot be looked at.
std::optional<std::string> damage_of_accounts(const DataDirectory& data);
// Throws std::runtime_error where the file, or its directory, lets others in. They need not be there.
void refuse_open_accounts(const DataDirectory& data);

// The accounts as they are at one moment, as the file that a backup has of them: made anew, for its owner
// alone, not durable on return. False, and no file, where there are none. Throws as above.
bool export_accounts(const DataDirectory& data, const std::filesystem::path& to);
// That file, in a data directory that is being made: whoever was signed in is not any more, and invitations
// are void, since the copy may have been stolen, and they may have ended since. Throws as above.
void end_all_sign_ins(const DataDirectory& made, Timestamp now);

// Within the owner's transaction: a data directory's file into tables that are empty. Nothing where there is
// none.
void import_accounts(eventstore::PgClient& owner, const DataDirectory& from);

}  // namespace pixledger::stores
