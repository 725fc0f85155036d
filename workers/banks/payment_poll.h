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

// Looks at a bank's account, from now backwards: all pages of a window, each payment into the ledger, and
// only then the cursor. A window that the bank refuses or does not manage is narrowed by halves, down to an
// hour; what it takes is remembered, and tried at twice the length once a day. One with very many payments is
// looked at by halves, and one of which a page has more than is looked at down to a minute. Thread-safe.
class PaymentPoll {
 public:
  // All outlive it. `is_stopping` is asked before each page.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    const PaymentIntake& intake;
    std::function<bool()> is_stopping;
  };
  explicit PaymentPoll(Parts parts) : parts_(std::move(parts)) {}

  // From `tier.back` ago, or from where the last look ended if that is longer ago, to now. False when it is
  // to be done again soon: the bank did not show all of it, or the worker is to stop. What a bank refuses
  // only since it is too long ago is not asked for again soon, and counts as unread.
  bool look(const stores::NotedBank& bank, const PollTier& tier, BankPriority priority) const;

 private:
  struct Look {
    const ResolvedBank& bank;
    const domain::ProjectId& project;
    BankPriority priority;
  };
  // What became of a window.
  struct Seen {
    enum class Kind {
      kAll,
      kRefused,  // the bank does not take the question: its length, or its end
      kTooMuch,  // the bank does not manage the answer
      kTooMany,  // a page of it has more than is looked at
      kFailed,
      kStopped,  // the worker is to stop, or the ledger takes nothing for now
    };
    Kind kind;
    std::string problem = {};
  };
  struct Account;  // while it is looked at

  Seen look_at_account(Account& account) const;
  bool ask_about_less(Account& account, bool is_shortest) const;
  Seen look_at(const Look& look, const PixWindow& window) const;
  Seen failure(const Look& look, const BankResult<BankPixPage>& answer) const;
  BankResult<BankPixPage> ask(const Look& look, PixPages& list, std::int64_t page) const;
  Seen look_at_halves(const Look& look, const PixWindow& window) const;
  Seen halved_if_short(const Look& look, const PixWindow& window, Seen seen) const;
  Seen not_shown(const Look& look, const PixWindow& window, const BankResult<BankPixPage>& answer) const;
  // The pages that a bank says to have.
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
