#include "workers/providers/bank_agent.h"

#include <algorithm>
#include <functional>

#include "eventstore/reading/state_reader.h"
#include "workers/providers/api_pix/bank_requests.h"
#include "workers/providers/api_pix/pix_code_check.h"

namespace pixledger::workers {
namespace {

using projections::BankWork;
using projections::BankWorkKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
// What somebody waits for is tried again at once, what nobody waits for in growing pauses.
constexpr milliseconds kHastyPause{200};
constexpr seconds kFirstPause{2};
constexpr seconds kLongestPause{600};
constexpr std::chrono::hours kPauseAfterRefusal{1};
// The bank stops taking payments a little before the charge expires here.
constexpr std::int64_t kMarginMsMax = 30'000;
// A code that cannot be taken back for so long is left: money that comes by it is flagged.
constexpr unsigned kRemovalsMax = 40;
// Within which whatever was sent to make a code has been taken by the bank, or never will be.
constexpr std::int64_t kMakingMsMax = 60'000;
constexpr std::int64_t kLongGoneMs = 24 * 3'600'000LL;
// As much as a label holds.
constexpr std::size_t kReasonCharactersMax = 255;
constexpr seconds kRefundTurn{10};
constexpr seconds kRemovalTurn{10};

milliseconds pause_after(unsigned attempts) {
  const auto doubled = kFirstPause * (1 << std::min(attempts, 9U));
  return std::min<milliseconds>(doubled, kLongestPause);
}

bool denies_access(const Refused& refused) {
  return refused.error.status == kUnauthorized || refused.error.status == kForbidden;
}

}  // namespace

struct BankAgent::Task {
  const BankWork& work;
  const domain::Charge charge;
  const BankAtHand bank;

  BankClient& client() const { return *bank.client; }
};

BankTurn BankAgent::turn(BankPriority priority, milliseconds wait) const {
  return {priority, boot_time(parts_.clock) + wait};
}

void BankAgent::alarm(const BankWork& work, std::string_view what) const {
  const auto& about = work.id.about;
  if (about.kind() == domain::StreamKind::kPayment)
    parts_.logger.error(
        "a bank did not do what it was asked",
        {{"connection", work.connection.text()}, {"endToEndId", about.key()}, {"fault", what}});
  else
    parts_.logger.error(
        "a bank did not do what it was asked",
        {{"connection", work.connection.text()}, {"transaction", about.key()}, {"fault", what}});
}

// What the ledger refuses for now, such as a bank's word from the future, is told again.
BankAgent::Again BankAgent::submit(const BankWork& work, domain::Command command) const {
  const auto outcome = parts_.ledger.submit(std::move(command));
  if (outcome && outcome->done()) return std::nullopt;
  // The bank would be asked again each time; only a code is waited for.
  if (!outcome && work.id.kind == BankWorkKind::kMakeCode) return kHastyPause;
  return pause_after(work.attempts);
}

BankAgent::Again BankAgent::carry_out(const BankWork& work) const {
  if (work.id.about.kind() == domain::StreamKind::kPayment) return send_unmatched_back(work);
  auto charge = eventstore::fold_as<domain::Charge>(parts_.log, work.id.about);
  if (!charge) return std::nullopt;
  auto bank = parts_.banks.find(charge->project, work.connection);
  if (!bank && work.id.kind == BankWorkKind::kMakeCode) return submit(work, domain::EndCodeWait{charge->id});
  if (!bank) return kLongestPause;
  const Task task{work, *std::move(charge), *std::move(bank)};
  switch (work.id.kind) {
    case BankWorkKind::kMakeCode:
      return make_code(task);
    case BankWorkKind::kTakeBack:
      return take_back(task);
    case BankWorkKind::kRefund:
      return refund(task);
    case BankWorkKind::kRemoveCode:
      return remove_code(task);
    case BankWorkKind::kSendBack:
      return send_unapplied_back(task);
  }
  return std::nullopt;
}

// --- codes ---

BankAgent::Again BankAgent::make_code(const Task& task) const {
  const auto& charge = task.charge;
  if (!domain::awaits_code(charge)) return std::nullopt;
  const auto now = parts_.clock.now();
  const auto left_to_wait = charge.code_awaited_until->millis() - now.millis();
  if (left_to_wait <= 0) return end_code_wait(task);
  const auto left_ms = charge.expires_at.millis() - now.millis();
  const auto margin_ms = std::min(kMarginMsMax, left_ms / 10);
  const CobOrder order{.txid = cob_txid(charge.id),
                       .amount = charge.amount,
                       .key = task.bank.connection.api_pix->pix_key,
                       .expires_in_s = std::max<std::int64_t>(1, (left_ms - margin_ms) / 1'000),
                       .text_for_payer = charge.product.text()};
  const bool may_be_sent = task.work.attempts > 0 || task.work.since < began_at_;
  const auto made = task.client().make_cob(order, may_be_sent ? SentBefore::kMaybe : SentBefore::kNo,
                                           turn(BankPriority::kCreate, milliseconds(left_to_wait)));
  if (const auto* cob = std::get_if<BankCob>(&made)) {
    const auto chosen = choose_pix_code(*cob, {task.bank.merchant_name, task.bank.merchant_city});
    if (const auto* bad = std::get_if<BadAnswer>(&chosen)) {
      alarm(task.work, bad->reason);
      return end_code_wait(task);
    }
    const auto& code = std::get<CheckedPixCode>(chosen);
    if (code.complaint) alarm(task.work, "its code " + *code.complaint);
    return submit(task.work, domain::SetChargeCode{charge.id, code.code});
  }
  if (std::holds_alternative<Refused>(made) || std::holds_alternative<Unusable>(made)) {
    alarm(task.work, problem_of(made));
    return end_code_wait(task);
  }
  return kHastyPause;
}

BankAgent::Again BankAgent::end_code_wait(const Task& task) const {
  return submit(task.work, domain::EndCodeWait{task.charge.id});
}

BankAgent::Again BankAgent::take_back(const Task& task) const {
  if (!task.charge.cancel_requested_at) return std::nullopt;
  if (task.charge.status != domain::ChargeStatus::kWaitingPayment)
    return submit(task.work, domain::DropCancel{task.charge.id});
  const auto txid = cob_txid(task.charge.id);
  const auto turn_of_cancel = turn(BankPriority::kCancel, kRemovalTurn);
  const auto removed = task.client().remove_cob(txid, turn_of_cancel);
  if (std::holds_alternative<BankCob>(removed) || std::holds_alternative<NotFound>(removed))
    return submit(task.work, domain::ConfirmCancel{task.charge.id});
  // It may be removed, or paid, or the answer was lost: reading tells.
  const auto found = task.client().get_cob(txid, turn_of_cancel);
  const auto* cob = std::get_if<BankCob>(&found);
  if (!cob) return pause_after(task.work.attempts);
  switch (cob->status) {
    case CobStatus::kRemovedByReceiver:
    case CobStatus::kRemovedByBank:
      return submit(task.work, domain::ConfirmCancel{task.charge.id});
    case CobStatus::kPaid:
      for (const auto& payment : cob->received.payments)
        if (parts_.payments.take(task.bank, task.charge.project, payment) == Taken::kNotNow)
          return pause_after(task.work.attempts);
      return submit(task.work, domain::DropCancel{task.charge.id});
    case CobStatus::kActive:
    case CobStatus::kOther:
      return pause_after(task.work.attempts);
  }
  return std::nullopt;
}

BankAgent::Again BankAgent::remove_code(const Task& task) const {
  // The bank takes no payments for it any more, whether it was removed or not.
  if (parts_.clock.now() > task.charge.expires_at.plus_millis(kLongGoneMs)) return std::nullopt;
  const auto removed =
      task.client().remove_cob(cob_txid(task.charge.id), turn(BankPriority::kSweep, kRemovalTurn));
  // What was sent to make it may be under way still.
  const bool may_come_yet = std::holds_alternative<NotFound>(removed) &&
                            parts_.clock.now() < task.work.since.plus_millis(kMakingMsMax);
  const bool may_be_there = may_come_yet || std::holds_alternative<OutcomeUnknown>(removed) ||
                            std::holds_alternative<Unavailable>(removed);
  if (!may_be_there || task.work.attempts >= kRemovalsMax) return std::nullopt;
  return pause_after(task.work.attempts);
}

// --- money that goes back ---

// What is recorded when it has gone back, and when it will not.
struct BankAgent::Return {
  RefundOrder order;
  std::function<domain::Command(domain::Timestamp returned_at)> done;
  std::function<domain::Command(std::optional<domain::Label> reason)> failed;
};

BankAgent::Again BankAgent::refund(const Task& task) const {
  const auto& id = task.work.id.refund;
  const auto& list = task.charge.refund_list;
  const auto wanted = std::find_if(list.begin(), list.end(), [&](const auto& refund) {
    return refund.id.text() == id && refund.status == domain::RefundStatus::kPending;
  });
  if (wanted == list.end() || !task.charge.payment) return std::nullopt;
  return send_back(
      task.work, task.client(),
      {.order = {.payment = task.charge.payment->end_to_end_id, .id = id, .amount = wanted->amount},
       .done =
           [&](auto at) {
             return domain::SettleRefund{task.charge.id, wanted->id, at};
           },
       .failed =
           [&](const auto&) {
             return domain::FailRefund{task.charge.id, wanted->id};
           }});
}

BankAgent::Again BankAgent::send_unapplied_back(const Task& task) const {
  const auto& id = task.work.id.refund;
  const auto& list = task.charge.unapplied;
  const auto wanted = std::find_if(list.begin(), list.end(), [&](const auto& payment) {
    return payment.return_id && payment.return_id->text() == id;
  });
  if (wanted == list.end()) return std::nullopt;
  const auto& charge = task.charge.id;
  return send_back(
      task.work, task.client(),
      {.order = {.payment = wanted->end_to_end_id, .id = id, .amount = wanted->amount},
       .done =
           [&](auto at) {
             return domain::SettleUnappliedReturn{charge, wanted->end_to_end_id, *wanted->return_id, at};
           },
       .failed =
           [&](auto reason) {
             return domain::FailUnappliedReturn{charge, wanted->end_to_end_id, *wanted->return_id,
                                                std::move(reason)};
           }});
}

BankAgent::Again BankAgent::send_unmatched_back(const BankWork& work) const {
  const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(parts_.log, work.id.about);
  if (!payment || payment->state != domain::UnmatchedState::kReturning ||
      payment->return_id->text() != work.id.refund)
    return std::nullopt;
  const auto bank = parts_.banks.find(payment->project, work.connection);
  if (!bank) return kLongestPause;
  const auto& id = payment->end_to_end_id;
  return send_back(work, *bank->client,
                   {.order = {.payment = id, .id = work.id.refund, .amount = payment->amount},
                    .done =
                        [&](auto at) {
                          return domain::SettlePaymentReturn{id, *payment->return_id, at};
                        },
                    .failed =
                        [&](auto reason) {
                          return domain::FailPaymentReturn{id, *payment->return_id, std::move(reason)};
                        }});
}

BankAgent::Again BankAgent::send_back(const BankWork& work, BankClient& client, const Return& wanted) const {
  const auto made =
      // Whoever was killed in the middle has left no word of what was sent.
      client.make_refund(wanted.order, SentBefore::kMaybe, turn(BankPriority::kRefund, kRefundTurn));
  if (const auto* refund = std::get_if<BankRefund>(&made)) {
    switch (refund->status) {
      case BankRefundStatus::kReturned:
        return submit(work, wanted.done(refund->settled_at.value_or(parts_.clock.now())));
      case BankRefundStatus::kNotDone:
        return submit(work, wanted.failed(domain::Label::parse(refund->reason)));
      case BankRefundStatus::kProcessing:
        return pause_after(work.attempts);
    }
  }
  if (const auto* refused = std::get_if<Refused>(&made)) {
    alarm(work, to_string(refused->error));
    if (denies_access(*refused)) return kPauseAfterRefusal;
    // What was sent before, by whoever died here, too, may be under way still: its amount is free only when
    // it cannot come any more.
    if (parts_.clock.now() < std::max(work.since, began_at_).plus_millis(kMakingMsMax))
      return pause_after(work.attempts);
    return submit(work, wanted.failed(domain::Label::parse(
                            domain::first_characters(problem_of(made), kReasonCharactersMax))));
  }
  // A payment that there is cannot be unknown: an address or an account is wrong, and its amount stays taken.
  if (std::holds_alternative<NotFound>(made)) {
    alarm(work, "it does not know the payment");
    return kPauseAfterRefusal;
  }
  if (std::holds_alternative<Unusable>(made)) alarm(work, problem_of(made));
  return pause_after(work.attempts);
}

}  // namespace pixledger::workers
