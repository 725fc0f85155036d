#pragma once

#include <deque>
#include <mutex>

#include "base/platform/clock.h"
#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/payment_report.h"
#include "workers/banks/txid_search.h"

namespace pixledger::workers {

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
  // What cannot be taken is told to operators: payments that cannot be read, each once, and those that the
  // bank says to have and does not show.
  void report_unusable(const ResolvedBank& bank, const std::vector<BankPayments::Unusable>& unusable) const;
  void report_missing(const ResolvedBank& bank, const PixWindow& window, std::int64_t missing) const;
  // It shows more of them on a page than it was asked for.
  void report_long_page(const ResolvedBank& bank, std::int64_t payments) const;

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
  Told report(const ResolvedBank& bank, const domain::ProjectId& project, BankPayment payment) const;
  void note_misfit(const ResolvedBank& bank, std::string_view kind, std::size_t payments,
                   std::string_view detail) const;

  const Parts parts_;
  const TxidSearch search_;
  mutable std::mutex mutex_;
  mutable std::deque<Loss> losses_;
};

}  // namespace pixledger::workers
