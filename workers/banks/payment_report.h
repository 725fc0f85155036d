#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "domain/pix/pix_key.h"
#include "domain/values/cuid.h"
#include "eventstore/log/log.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/command_submitter.h"
#include "workers/banks/payment_returns.h"

namespace pixledger::workers {

// Returns whether `written` is that key; case, punctuation and a phone's +55 may differ.
bool is_key(const domain::PixKey& key, std::string_view written);

// The Pix keys of connections to banks, including earlier ones: codes outlive the key that they were made
// for. Each call reads the new events of the project's stream. Thread-safe.
class ConnectionKeys {
 public:
  // The log outlives it.
  explicit ConnectionKeys(const eventstore::Log& log) : log_(log) {}

  // Returns whether the connection has or had that key, as a bank writes it; false if it is no connection to
  // a bank.
  bool has(const domain::ProjectId& project, const domain::ConnectionId& connection, std::string_view key);
  // Returns its keys, oldest first; the last is the current one.
  std::vector<domain::PixKey> all(const domain::ProjectId& project, const domain::ConnectionId& connection);

 private:
  using Keys = std::map<domain::ConnectionId, std::vector<domain::PixKey>>;
  struct Known {
    std::uint32_t version = 0;  // of the project's stream: read up to there
    Keys keys{};
  };
  void refresh(const domain::ProjectId& project, Known& known) const;

  const eventstore::Log& log_;
  std::mutex mutex_;
  std::map<domain::ProjectId, Known> known_;
};

// Records in the ledger the payments that a bank has shown, and what was returned of them. Each may be
// reported any number of times and counts once. Thread-safe.
//
// Which project a payment belongs to, whichever connection of a shared account reads it first:
// 1. It counts only if a connection of the project itself has read it. A payer who uses another merchant's
//    txid on their own account pays none of that merchant's charges.
// 2. It belongs to the charge with its txid if it came to a key that the connection has or had, and the
//    charge goes through a bank in the same environment. A bank that names no key is assumed to mean one of
//    them.
// 3. A charge of another project gets it through that project's own connection. It is left to that connection
//    if both surely read one account: the key is the other's, or no key is named and they share a key or the
//    bank's credentials. If no key is named and only the bank is the same, the other has an hour.
// 4. Other payments to the connection's keys are recorded as unmatched, once. If connections of several
//    projects have that key today, the project whose connection was added first has it; the others have their
//    turn after an hour. A project whose charge rule 2 names takes the payment from another's unmatched ones,
//    unless it is being returned.
// 5. The bank's clock decides none of this. A payment cannot be older than its txid: if it claims to be, it
//    is recorded and the clock is reported. A payment from before the connection, by the bank's clock and by
//    the end-to-end id, is left aside and counted. One that shows up later with a time of the day before may
//    be new, and is recorded.
class PaymentReport {
 public:
  // All outlive it.
  struct Parts {
    const eventstore::Log& log;
    const Clock& clock;
    Logger& logger;
    BankMeters& meters;
    const CommandSubmitter& ledger;
    stores::ProviderRepository& database;
  };
  explicit PaymentReport(const Parts& parts)
      : parts_(parts),
        began_at_(parts.clock.now()),
        keys_(parts.log),
        returns_({.clock = parts.clock,
                  .logger = parts.logger,
                  .meters = parts.meters,
                  .ledger = parts.ledger,
                  .database = parts.database}) {}

  // Returns whether the ledger has it, as a charge's or as unmatched.
  bool is_known(const BankPayment& payment) const;

  // Returns whether it is new, names no charge, and lacks only a txid to match one.
  bool lacks_only_its_txid(const ResolvedBank& bank, const domain::ProjectId& project,
                           const BankPayment& payment) const;

  // Returns whether all connections that read the account with these credentials have one Pix key between
  // them, and had no other: money with an unreadable key belongs to that key's connection.
  bool has_one_key(const ResolvedBank& bank) const;

  // Records a payment of that connection's account.
  Told report(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& payment) const;

 private:
  struct NotOurs {};
  struct WaitForOther {};  // it may belong to another project, which has not reported it yet
  using Match = std::variant<NotOurs, WaitForOther, domain::Charge, domain::UnmatchedReason>;
  enum class SameAccount { kNo, kPerhaps, kSurely };

  Match match(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& payment) const;
  // Whose key the money was sent to, as the bank writes it.
  enum class Key {
    kOwn,       // the connection's, or the bank does not say
    kSiblings,  // of another of the project's connections, in the same world
    kForeign,
  };
  Key whose_key(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& payment) const;
  Match to_foreign_key(const ResolvedBank& bank, const domain::Charge& charge,
                       const BankPayment& payment) const;
  Match match_of_other(const ResolvedBank& bank, const domain::Charge& charge,
                       const BankPayment& payment) const;
  // Compares the connection's account with that of another project's charge.
  SameAccount compare_accounts(const ResolvedBank& bank, const domain::Charge& charge,
                               const BankPayment& payment) const;
  Told report_known(const ResolvedBank& bank, const domain::ProjectId& project,
                    const domain::StreamName& holder, const BankPayment& payment) const;
  // Returns nullopt once another project no longer has it, so that it can be recorded for the charge.
  std::optional<Told> take_over(const ResolvedBank& bank, const domain::UnmatchedPayment& unmatched,
                                const BankPayment& payment) const;
  Told report_paid(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  Told report_unmatched(const ResolvedBank& bank, const domain::ProjectId& project,
                        const BankPayment& payment, domain::UnmatchedReason reason) const;
  // Returns whether it is older than the connection, by all that is known of its time.
  bool is_old(const domain::BankConnection& connection, const BankPayment& payment) const;
  // Returns whether to leave such a payment aside; it may be new all the same.
  bool leaves_aside(const domain::BankConnection& connection, const BankPayment& payment) const;
  void note_early(const ResolvedBank& bank, const BankPayment& payment, std::int64_t early_ms,
                  std::string_view about) const;
  // Does what remains for a payment that the charge has now.
  Told follow_up(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  void take_banks_code_away(const domain::Charge& charge, const BankPayment& payment) const;
  // For money that names no charge of the connection's project.
  bool is_for_older_connection(const ResolvedBank& bank, const BankPayment& payment) const;
  bool is_others_turn(const BankPayment& payment) const;
  void compare(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  Told refused(const ResolvedBank& bank, const BankPayment& payment, domain::Rejection rejection) const;
  // Returns whether the alarm is new, and records it for the tools if so.
  bool is_news(const ResolvedBank& bank, std::string_view kind, const BankPayment& payment) const;

  const Parts parts_;
  const Timestamp began_at_;
  mutable ConnectionKeys keys_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> codes_taken_away_;        // charges, since the process began
  mutable std::map<std::string, std::int64_t> early_ms_;  // by connection, as logged
  const PaymentReturns returns_;
};

}  // namespace pixledger::workers
