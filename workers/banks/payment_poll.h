#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/payment_intake.h"
#include "workers/banks/poll_plan.h"

namespace pixledger::workers {

// Polls a bank's account from now backwards. Reads all pages of a window, records each payment in the ledger,
// and only then moves the cursor. A window that the bank refuses or fails to answer is halved, down to an
// hour; the length that works is remembered, and twice that length is tried once a day. A window with very
// many payments is read by halves, and one with an oversized page by halves down to a minute. Thread-safe.
class PaymentPoll {
 public:
  // All outlive it. `is_stopping` is called before each page.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    const PaymentIntake& intake;
    std::function<bool()> is_stopping;
  };
  explicit PaymentPoll(Parts parts) : parts_(std::move(parts)) {}

  // Polls from `tier.back` ago, or from the end of the last poll if that is earlier, to now. Returns false if
  // it must be repeated soon: the bank did not show everything, or the worker is stopping. A window that the
  // bank refuses only for its age is not repeated soon, and counts as unread.
  bool look(const stores::NotedBank& bank, const PollTier& tier, BankPriority priority) const;

 private:
  struct Look {
    const ResolvedBank& bank;
    const domain::ProjectId& project;
    BankPriority priority;
  };
  // The outcome of a window.
  struct Seen {
    enum class Kind {
      kAll,
      kRefused,  // the bank refuses the window's length or end
      kTooMuch,  // the bank fails to answer
      kTooMany,  // a page has more entries than are read
      kFailed,
      kStopped,  // the worker is stopping, or the ledger takes no commands
    };
    Kind kind;
    std::string problem = {};
  };
  struct Account;  // the state of a poll

  Seen look_at_account(Account& account) const;
  bool ask_about_less(Account& account, bool is_shortest) const;
  Seen look_at(const Look& look, const PixWindow& window) const;
  Seen failure(const Look& look, const BankResult<BankPixPage>& answer) const;
  BankResult<BankPixPage> ask(const Look& look, PixPages& list, std::int64_t page) const;
  Seen look_at_halves(const Look& look, const PixWindow& window) const;
  Seen halved_if_short(const Look& look, const PixWindow& window, Seen seen) const;
  Seen not_shown(const Look& look, const PixWindow& window, const BankResult<BankPixPage>& answer) const;
  // What a bank has shown of a window so far.
  struct Shown {
    std::int64_t next_page;
    std::int64_t missing;  // payments that it counts and has not shown
    BankPixPage last;
  };
  Seen look_beyond(const Look& look, const PixWindow& window, PixPages& list, Shown shown) const;
  bool take(const Look& look, const BankPixPage& page) const;

  const Parts parts_;
};

}  // namespace pixledger::workers
