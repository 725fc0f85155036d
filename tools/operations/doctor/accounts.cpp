#include <Poco/Exception.h>
#include <algorithm>
#include <string>
#include <variant>

#include "stores/databases/account_database.h"
#include "stores/sql/sql_database.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr const char* kCheck = "accounts";
// Users with neither a passkey nor a password with one-time codes, and no invitation to set one.
constexpr const char* kLockedOut =
    "SELECT count(*) FROM users WHERE id NOT IN (SELECT user_id FROM passkeys) AND id NOT IN "
    "(SELECT passwords.user_id FROM passwords JOIN totp ON totp.user_id = passwords.user_id "
    "WHERE totp.sealed IS NOT NULL) AND id NOT IN (SELECT user_id FROM invitations WHERE expires_at > $1)";

bool has_members_now(const eventstore::LedgerOptions& options) {
  const auto teams = states_of(options, "team-");
  return std::any_of(teams.begin(), teams.end(), [](const auto& each) {
    const auto* team = std::get_if<domain::Team>(&each.second);
    return team && !team->members.empty();
  });
}

void look(const eventstore::LedgerOptions& options, Timestamp now, Diagnoses& found) {
  const auto tell = [&](const std::string& problem) {
    found.push_back({kCheck, Severity::kProblem, problem,
                     "stop the server and restore " + options.data.accounts().string() +
                         " from a backup, or delete it and invite everybody anew"});
  };
  const auto has_members = [&options] { return has_members_now(options); };
  if (const auto loss = stores::loss_of_accounts(options.data, has_members)) return tell(*loss);
  const auto accounts = stores::look_at_accounts(options.data);
  if (!accounts) return;
  if (const auto damage = stores::damage_of_accounts(options.data)) return tell("damaged: " + *damage);
  const auto users = accounts->integer("SELECT count(*) FROM users");
  // An earlier release recreated an emptied file.
  if (users == 0 && has_members()) return tell("no users, although the ledger has members: they are lost");
  const auto locked_out = accounts->integer(kLockedOut, {now.millis()});
  const auto told = std::to_string(users) + " users";
  if (locked_out == 0)
    found.push_back({kCheck, Severity::kOk, told, ""});
  else
    found.push_back({kCheck, Severity::kWarning,
                     told + ", of whom " + std::to_string(locked_out) +
                         " cannot sign in: they have set nothing, and their invitations are over",
                     "invite them again (pixledger user invite), or remove them (pixledger user remove)"});
}

}  // namespace

void examine_accounts(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    stores::refuse_open_accounts(options.data);
    look(options, clock.now(), found);
  } catch (const std::exception& error) {
    const auto* by_poco = dynamic_cast<const Poco::Exception*>(&error);
    const auto refused = advice_when_refused(error);
    found.push_back({kCheck, refused ? Severity::kWarning : Severity::kProblem,
                     by_poco ? by_poco->displayText() : error.what(), refused.value_or("")});
  }
}

}  // namespace pixledger::tools
