#include <Poco/Exception.h>
#include <string>

#include "stores/databases/account_store.h"
#include "stores/sql/sql_database.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr const char* kCheck = "accounts";
// Who has neither a passkey nor a password with one-time codes, and no invitation to set one.
constexpr const char* kLockedOut =
    "SELECT count(*) FROM users WHERE id NOT IN (SELECT user_id FROM passkeys) AND id NOT IN "
    "(SELECT passwords.user_id FROM passwords JOIN totp ON totp.user_id = passwords.user_id "
    "WHERE totp.sealed IS NOT NULL) AND id NOT IN (SELECT user_id FROM invitations WHERE expires_at > $1)";

void look(const eventstore::LedgerOptions& options, Timestamp now, Diagnoses& found) {
  const auto accounts = stores::look_at_accounts(options.data);
  if (!accounts) return;
  if (const auto damage = stores::damage_of_accounts(options.data)) {
    found.push_back({kCheck, Severity::kProblem, "damaged: " + *damage,
                     "stop the server and restore " + options.data.accounts().string() +
                         " from a backup, or delete it and invite everybody anew"});
    return;
  }
  const auto users = accounts->integer("SELECT count(*) FROM users");
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
