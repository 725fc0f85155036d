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

// Whether a bank means that key: case, punctuation and a phone's +55 may differ.
bool is_key(const domain::PixKey& key, std::string_view written);

// The Pix keys of connections to banks, those that they had before included: codes outlive the key that they
// were made for. Reads of a project's stream what is new since the last question. Thread-safe.
class ConnectionKeys {
 public:
  // The log outlives it.
  explicit ConnectionKeys(const eventstore::Log& log) : log_(log) {}

  // Whether it has or had that key, as a bank writes it. False for what is no connection to a bank.
  bool has(const domain::ProjectId& project, const domain::ConnectionId& connection, std::string_view key);
  // In the order in which it had them; the last is today's.
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

// Tells the ledger of payments that a bank has shown, and of what went back of them: all of it may be told
// any number of times, and counts once. Thread-safe.
//
// To whom a payment belongs, no matter which of the connections that share an account reads it first:
// 1. It counts only where a connection of the project itself has read it. A payer who uses another
//    merchant's txid on an account of his own pays none of that merchant's charges.
// 2. It is a charge's whose txid it has, when it came to a key that the connection has or had (a bank that
//    names no key is believed to mean one of them), and the charge goes through a bank, in the same world.
// 3. A charge of another project gets it through that project's own connection. It is left to that one where
//    both surely are one account: the key is the other's, or none is named and they have a key or the bank's
//    credentials in common. Where no key is named and only the bank is the same, the other has an hour.
// 4. What else came to the connection's keys is recorded as unmatched, once. Where connections of several
//    projects have that key today, it is the project's whose connection was added first; the others have
//    their turn after an hour. A project whose charge rule 2 names takes it from another's unmatched ones,
//    unless it is on its way back.
// 5. The bank's clock decides nothing of that. A payment cannot be older than the txid that it has: one that
//    claims to be is taken, and the bank's clock told of. What came before the connection was there, by the
//    bank's clock and by the end-to-end id, is left aside, and counted; but what shows up later with a time
//    of the day before may be new, and is recorded.
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

  // Whether the ledger has it, as a charge's or as unmatched.
  bool is_known(const BankPayment& payment) const;

  // Whether it is new, names no charge, and nothing but a txid is missing for it to be a charge's.
  bool lacks_only_its_txid(const ResolvedBank& bank, const domain::ProjectId& project,
                           const BankPayment& payment) const;

  // Whether all connections that read the account with the connection's credentials have one Pix key between
  // them, and had no other: money whose key cannot be read belongs to that one.
  bool has_one_key(const ResolvedBank& bank) const;

  // Of the account of that connection.
  Told report(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& payment) const;

 private:
  struct NotOurs {};
  struct WaitForOther {};  // it may belong to another project, which has not reported it yet
  using Match = std::variant<NotOurs, WaitForOther, domain::Charge, domain::UnmatchedReason>;
  enum class SameAccount { kNo, kPerhaps, kSurely };

  Match match(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& payment) const;
  // Where money was sent to, as the bank writes it.
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
  // The connection's and that of another project's charge.
  SameAccount compare_accounts(const ResolvedBank& bank, const domain::Charge& charge,
                               const BankPayment& payment) const;
  Told report_known(const ResolvedBank& bank, const domain::ProjectId& project,
                    const domain::StreamName& holder, const BankPayment& payment) const;
  // Nothing: it is no longer another project's, and can be told for the charge.
  std::optional<Told> take_over(const ResolvedBank& bank, const domain::UnmatchedPayment& unmatched,
                                const BankPayment& payment) const;
  Told report_paid(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  Told report_unmatched(const ResolvedBank& bank, const domain::ProjectId& project,
                        const BankPayment& payment, domain::UnmatchedReason reason) const;
  // What came before the connection was there, by all that is known of its time.
  bool is_old(const domain::BankConnection& connection, const BankPayment& payment) const;
  // Whether that is to be left aside; it may be new all the same.
  bool leaves_aside(const domain::BankConnection& connection, const BankPayment& payment) const;
  void note_early(const ResolvedBank& bank, const BankPayment& payment, std::int64_t early_ms,
                  std::string_view about) const;
  // What is to be done about a payment that the charge has now.
  Told follow_up(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  void take_banks_code_away(const domain::Charge& charge, const BankPayment& payment) const;
  // Of money that names no charge of the connection's project.
  bool is_for_older_connection(const ResolvedBank& bank, const BankPayment& payment) const;
  bool is_others_turn(const BankPayment& payment) const;
  void compare(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;
  Told refused(const ResolvedBank& bank, const BankPayment& payment, domain::Rejection rejection) const;
  // Whether the alarm is news.
  bool is_news(const ResolvedBank& bank, std::string_view kind, const BankPayment& payment) const;

  const Parts parts_;
  const Timestamp began_at_;
  mutable ConnectionKeys keys_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> codes_taken_away_;        // of these charges, since the process began
  mutable std::map<std::string, std::int64_t> early_ms_;  // of these connections' banks, as it was logged
  const PaymentReturns returns_;
};

}  // namespace pixledger::workers
