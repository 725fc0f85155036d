#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "eventstore/log/log.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/payment_report.h"

namespace pixledger::workers {

// Finds the charges of payments whose txid a bank leaves out of its list of payments, or names otherwise.
// Such payments look as if they matched no charge. The payment read by its id may have the txid, or a paid
// charge at the bank may list the payment. A charge is never guessed: only one that the bank names counts.
// Thread-safe.
class TxidSearch {
 public:
  // All outlive it.
  struct Parts {
    const eventstore::Log& log;
    const Clock& clock;
    Logger& logger;
    stores::ProviderRepository& database;
    BankMeters& meters;
  };
  explicit TxidSearch(const Parts& parts) : parts_(parts) {}

  // Records that the bank has shown this payment.
  void note_shown(const ResolvedBank& bank, const BankPayment& payment) const;
  // Returns whether the account's list has had a txid since this process began.
  bool lists_txids(const ResolvedBank& bank) const;
  // Records that no charge was found for a new payment without a txid.
  void note_none(const ResolvedBank& bank) const;

  struct None {};
  struct NotYet {};  // the bank did not answer everything: retried, a limited number of times
  using Result = std::variant<domain::Txid, None, NotYet>;
  Result find(const ResolvedBank& bank, const BankPayment& payment) const;

 private:
  struct Try {
    unsigned tries = 0;
    bool is_over = false;  // nothing was found
    Timestamp again_at{};
    std::set<std::string> answered{};  // answered by the bank: the payment's id, and txids of charges
  };
  struct InVain {
    unsigned payments = 0;  // in a row
    Timestamp again_at{};
  };
  // New payments of an account without a txid, for which no charge was found.
  struct WithoutTxid {
    unsigned payments = 0;
    unsigned noted = 0;       // of these, already in the database
    std::string paid_charge;  // paid at the bank, which names no payment of it; empty: none
  };
  void note_paid(const ResolvedBank& bank, const domain::ChargeId& charge) const;
  void note_found(const ResolvedBank& bank, const BankPayment& payment) const;
  // Returns whether to read a payment by its id now, and records that.
  bool asks_for_itself(const ResolvedBank& bank, bool is_like_a_charge) const;
  void note_itself(const ResolvedBank& bank, bool has_txid) const;
  std::vector<domain::Charge> charges_like(const ResolvedBank& bank, const BankPayment& payment) const;
  // Asks what is not in `answered` yet; stops at the first question without an answer.
  Result ask(const ResolvedBank& bank, const BankPayment& payment, std::set<std::string>& answered) const;

  const Parts parts_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Try> tries_;                 // by end-to-end id
  mutable std::set<std::string> listing_txids_;              // connections
  mutable std::map<std::string, InVain> in_vain_;            // asked for by their ids, by connection
  mutable std::map<std::string, WithoutTxid> without_txid_;  // by connection
};

// What became of a payment that a bank has shown.
enum class Taken {
  kYes,       // the ledger has all of it
  kInFuture,  // its time lies too far ahead; stored, to be read again then
  kLater,     // not all of it was recorded; stored, to be read again
  kNotNow,    // no commands are taken, or no room to store it; the bank must show it again
};

// Records payments in the ledger, whether they were seen in an account's list, after a callback or in another
// answer. Thread-safe.
class PaymentIntake {
 public:
  // All outlive it.
  struct Parts {
    const eventstore::Log& log;
    const Clock& clock;
    Logger& logger;
    stores::ProviderRepository& database;
    const PaymentReport& report;
    BankMeters& meters;
  };
  explicit PaymentIntake(const Parts& parts)
      : parts_(parts),
        search_({.log = parts.log,
                 .clock = parts.clock,
                 .logger = parts.logger,
                 .database = parts.database,
                 .meters = parts.meters}) {}

  Taken take(const ResolvedBank& bank, const domain::ProjectId& project, const BankPayment& shown) const;
  // Report to operators what cannot be recorded, once a day while polls find it: unreadable payments, and
  // payments that the bank counts and does not show.
  void report_unusable(const ResolvedBank& bank, const std::vector<BankPayments::Unusable>& unusable) const;
  void report_missing(const ResolvedBank& bank, const PixWindow& window, std::int64_t missing) const;
  // Reports to operators a page that has more payments than requested, does not count them, or has payments
  // beside its list.
  void report_page(const ResolvedBank& bank, const BankPixPage& page) const;

  // Returns when to read a payment with this time again: once it may be recorded, and in an hour at the
  // latest, as this machine's clock may be wrong.
  Timestamp again_at(Timestamp paid_at) const;

 private:
  // Payments that a bank counts and does not show. They lie within all windows for which it has counted them.
  struct Loss {
    domain::ConnectionId connection;
    std::int64_t missing;
    PixWindow window;
    std::string day;  // of the last report
  };
  // Returns whether it was reported today.
  bool is_known(const Loss& loss) const;
  // Returns true once a day for each subject, so that lasting problems are reported again.
  bool is_news_of_today(const ResolvedBank& bank, std::string_view kind, std::string_view about) const;
  Told report(const ResolvedBank& bank, const domain::ProjectId& project, BankPayment payment) const;
  void note_misfit(const ResolvedBank& bank, std::string_view kind, std::size_t payments,
                   std::string_view detail) const;

  const Parts parts_;
  const TxidSearch search_;
  mutable std::mutex mutex_;
  mutable std::deque<Loss> losses_;
};

}  // namespace pixledger::workers
