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

// Whether an account names charges at all, and which ones it names elsewhere: a bank that leaves out every
// txid in its list of payments, or calls it otherwise, makes all of them look as if they fitted no charge.
// The payment itself may say it, read by its id, or that charge which the bank holds and has been paid. No
// charge is guessed: only one that the bank itself names counts. Thread-safe.
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

  // The bank has shown it.
  void note_shown(const ResolvedBank& bank, const BankPayment& payment) const;
  // Whether the account's list has had a txid, since this process began.
  bool lists_txids(const ResolvedBank& bank) const;
  // No charge was found for a new payment without a txid.
  void note_none(const ResolvedBank& bank) const;

  struct None {};
  struct NotYet {};  // the bank could not be asked all of it: to be tried again, not for ever
  using Result = std::variant<domain::Txid, None, NotYet>;
  Result find(const ResolvedBank& bank, const BankPayment& payment) const;

 private:
  struct Try {
    unsigned tries = 0;
    bool is_over = false;  // nothing was found
    Timestamp again_at{};
    std::set<std::string> answered{};  // what the bank has said all of: the payment itself, and cobs by txid
  };
  struct InVain {
    unsigned payments = 0;  // in a row
    Timestamp again_at{};
  };
  // New payments of an account that had no txid, and for which no charge was found.
  struct WithoutTxid {
    unsigned payments = 0;
    unsigned noted = 0;       // of these: in the database
    std::string paid_charge;  // the bank says that it is paid, and by none of its payments; empty: none is
  };
  void note_paid(const ResolvedBank& bank, const domain::ChargeId& charge) const;
  void note_found(const ResolvedBank& bank, const BankPayment& payment) const;
  // Whether a payment is asked for by its id now; notes that it is.
  bool asks_for_itself(const ResolvedBank& bank, bool is_like_a_charge) const;
  void note_itself(const ResolvedBank& bank, bool has_txid) const;
  std::vector<domain::Charge> charges_like(const ResolvedBank& bank, const BankPayment& payment) const;
  // Goes on behind what is answered already; ends at the first question that is not.
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
  kYes,       // the ledger knows what there is to know
  kInFuture,  // it claims a time that may not be recorded yet, and was kept to be read again then
  kLater,     // not all of it was taken: it was kept to be read again
  kNotNow,    // the ledger takes no commands, or there is no room to keep it: it has to be shown again
};

// How payments come into the ledger, wherever they were seen: by looking at an account, after a callback, in
// the answer to something else. Thread-safe.
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
  // What cannot be taken is reported to operators: payments that cannot be read, each once a day while looks
  // find them, and those that the bank says to have and does not show.
  void report_unusable(const ResolvedBank& bank, const std::vector<BankPayments::Unusable>& unusable) const;
  void report_missing(const ResolvedBank& bank, const PixWindow& window, std::int64_t missing) const;
  // What operators are to know of a page: it has more payments than it was asked for, does not count them, or
  // has others beside its list.
  void report_page(const ResolvedBank& bank, const BankPixPage& page) const;

  // When one that claims this time is to be read again: as soon as it may be recorded, and in an hour at the
  // latest, since it may be this machine's clock that is wrong.
  Timestamp again_at(Timestamp paid_at) const;

 private:
  // Payments that a bank says to have and does not show. They were made within all the windows of which it
  // has said so.
  struct Loss {
    domain::ConnectionId connection;
    std::int64_t missing;
    PixWindow window;
  };
  bool is_known(const Loss& loss) const;
  // Reported again each day, so that what lasts stays known.
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
