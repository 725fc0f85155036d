// The part of the agent that is about codes; bank_agent_returns.cpp has the money that goes back.
#include <algorithm>

#include "domain/decisions/rejection_table.h"
#include "domain/pix/charge_txid.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/api_pix/pix_code_check.h"
#include "workers/banks/bank_agent_parts.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using stores::BankWork;
using stores::BankWorkKind;

// What somebody waits for is tried again at once.
constexpr milliseconds kHastyPause{200};
// The bank stops taking payments a little before the charge expires here.
constexpr std::int64_t kMarginMsMax = 30'000;
constexpr std::int64_t kLongGoneMs = 24 * 3'600'000LL;
constexpr seconds kRemovalTurn{10};
constexpr seconds kCancelPauseMax{10};

// Whether it was not asked, or not answered: what is so there is not known, and may be another time.
template <class Done>
bool is_silence(const BankResult<Done>& result) {
  return std::holds_alternative<Unavailable>(result) || std::holds_alternative<OutcomeUnknown>(result);
}

}  // namespace

milliseconds pause_after(unsigned attempts) {
  constexpr seconds kFirstPause{2};
  const auto doubled = kFirstPause * (1 << std::min(attempts, 9U));
  return std::min<milliseconds>(doubled, kLongestPause);
}

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
  if (outcome && outcome->rejection != domain::Rejection::kPaymentInFuture)
    alarm(work, "its word is refused: " + std::string(domain::row_of(*outcome->rejection).told_operator));
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
  const CobOrder order{.txid = domain::cob_txid(charge.id),
                       .amount = charge.amount,
                       .key = task.bank.connection.api_pix->pix_key,
                       .expires_in_s = std::max<std::int64_t>(1, (left_ms - margin_ms) / 1'000),
                       .text_for_payer = charge.product.text()};
  const bool may_be_sent = task.work.attempts > 0 || task.work.since < began_at_;
  auto turn_of_code = turn(BankPriority::kCreate, milliseconds(left_to_wait));
  // Whoever waits has another code then, or none.
  turn_of_code.change_by = turn_of_code.begin_by;
  const auto made =
      task.client().make_cob(order, may_be_sent ? SentBefore::kMaybe : SentBefore::kNo, turn_of_code);
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

// The bank's word ends it: that it has removed its charge, or shows it removed or paid. That it knows none is
// no such word, since it has given the code out: the address or the account may be another, and payers can
// pay.
BankAgent::Again BankAgent::take_back(const Task& task) const {
  if (!task.charge.cancel_requested_at) return std::nullopt;
  if (task.charge.status != domain::ChargeStatus::kWaitingPayment)
    return submit(task.work, domain::DropCancel{task.charge.id});
  const auto txid = domain::cob_txid(task.charge.id);
  const auto turn_of_cancel = turn(BankPriority::kCancel, kRemovalTurn);
  const auto removed = task.client().remove_cob(txid, turn_of_cancel);
  if (std::holds_alternative<BankCob>(removed))
    return submit(task.work, domain::ConfirmCancel{task.charge.id});
  // It may be removed, or paid, or the answer was lost: reading tells.
  const auto found = task.client().get_cob(txid, turn_of_cancel);
  const auto* cob = std::get_if<BankCob>(&found);
  if (!cob) {
    // A merchant waits; and a bank that is down is kept from being asked by its breaker.
    if (is_silence(found)) return std::min<milliseconds>(pause_after(task.work.attempts), kCancelPauseMax);
    alarm(task.work, problem_of(found));
    return pause_after(task.work.attempts);
  }
  switch (cob->status) {
    case CobStatus::kRemovedByReceiver:
    case CobStatus::kRemovedByBank:
      return submit(task.work, domain::ConfirmCancel{task.charge.id});
    case CobStatus::kPaid:
      parts_.payments.report_unusable(task.bank, cob->received.unusable);
      for (const auto& payment : cob->received.payments)
        if (parts_.payments.take(task.bank, task.charge.project, payment) == Taken::kNotNow)
          return pause_after(task.work.attempts);
      return submit(task.work, domain::DropCancel{task.charge.id});
    case CobStatus::kActive:
    case CobStatus::kOther:
      if (!is_silence(removed)) alarm(task.work, problem_of(removed));
      return pause_after(task.work.attempts);
  }
  return std::nullopt;
}

BankAgent::Again BankAgent::remove_code(const Task& task) const {
  const auto now = parts_.clock.now();
  if (now > task.charge.expires_at.plus_millis(kLongGoneMs)) return std::nullopt;
  const auto txid = domain::cob_txid(task.charge.id);
  const auto turn_of_removal = turn(BankPriority::kSweep, kRemovalTurn);
  auto answer = task.client().remove_cob(txid, turn_of_removal);
  const auto* refused = std::get_if<Refused>(&answer);
  const bool will_not = (refused && !denies_access(*refused)) || std::holds_alternative<Duplicate>(answer);
  // The bank takes no payments for it any more, whatever it has of it.
  if (now > task.charge.expires_at && (will_not || std::holds_alternative<NotFound>(answer)))
    return std::nullopt;
  // It is paid or removed already, or the bank did not look at it: reading tells.
  if (will_not) answer = task.client().get_cob(txid, turn_of_removal);
  if (const auto* cob = std::get_if<BankCob>(&answer)) {
    if (cob->status != CobStatus::kActive && cob->status != CobStatus::kOther) return std::nullopt;
    alarm(task.work, "it does not take its code back");
    return kPauseAfterRefusal;
  }
  if (is_silence(answer)) return pause_after(task.work.attempts);
  // What was sent to make one that nobody was given may be under way still; then there is none.
  if (std::holds_alternative<NotFound>(answer) && task.charge.code_kind != domain::CodeKind::kDynamic)
    return now < task.work.since.plus_millis(kUnderWayMsMax) ? Again(pause_after(task.work.attempts))
                                                             : std::nullopt;
  // It can be paid all the while.
  alarm(task.work, problem_of(answer));
  return kPauseAfterRefusal;
}

}  // namespace pixledger::workers
