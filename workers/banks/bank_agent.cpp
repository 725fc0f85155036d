#include "workers/banks/bank_agent.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/charge.h"
#include "domain/decisions/rejection.h"
#include "domain/pix/payment_ids.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_requests.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using stores::BankWork;
using stores::BankWorkKind;

// The time that an operator may need for an alarm.
constexpr std::chrono::hours kPauseAfterRefusal{1};
// A request without an answer reaches the bank within this time, or never.
constexpr std::int64_t kUnderWayMsMax = 60'000;
// Work that a caller waits for is retried at once.
constexpr milliseconds kHastyPause{200};
// The bank stops taking payments a little before the charge expires here.
constexpr std::int64_t kMarginMsMax = 30'000;
constexpr std::int64_t kLongGoneMs = 24 * 3'600'000LL;
constexpr seconds kRemovalTurn{10};
constexpr seconds kCancelPauseMax{10};

// Returns whether the bank was not asked or did not answer: its state is unknown for now.
template <class Done>
bool is_silence(const BankResult<Done>& result) {
  return std::holds_alternative<Unavailable>(result) || std::holds_alternative<OutcomeUnknown>(result);
}

}  // namespace

// A piece of work about a charge.
struct BankAgent::Task {
  const stores::BankWork& work;
  const domain::Charge charge;
  const ResolvedBank bank;

  BankClient& client() const { return *bank.client; }
};

milliseconds pause_after(unsigned attempts) {
  constexpr seconds kFirstPause{2};
  const auto doubled = kFirstPause * (1 << std::min(attempts, 9U));
  return std::min<milliseconds>(doubled, kLongestPause);
}

BankTurn BankAgent::turn(const BankWork& work, BankPriority priority, milliseconds wait) const {
  return {.priority = priority, .begin_by = boot_time(parts_.clock) + wait, .trace = trace_of(work)};
}

// The trace of the event that made the work.
std::optional<TraceContext> BankAgent::trace_of(const BankWork& work) const {
  if (!parts_.traces || !parts_.traces->are_any()) return std::nullopt;
  for (const auto& stored : eventstore::StreamEvents(parts_.log, work.id.about)) {
    if (eventstore::decode(stored).recorded_at != work.since) continue;
    if (auto trace = parts_.traces->find(stored.position, work.since)) return trace;
  }
  return std::nullopt;
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

// What the ledger refuses for now, such as a payment dated in the future, is submitted again.
BankAgent::Again BankAgent::submit(const BankWork& work, domain::Command command) const {
  const auto outcome = parts_.ledger.submit(std::move(command));
  if (outcome && outcome->done()) return std::nullopt;
  if (outcome && outcome->rejection != domain::Rejection::kPaymentInFuture)
    alarm(work, "its word is refused: " + std::string(domain::row_of(*outcome->rejection).told_operator));
  // Each retry asks the bank again; only a code has a caller who waits.
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
  auto turn_of_code = turn(task.work, BankPriority::kCreate, milliseconds(left_to_wait));
  // After that the waiting caller has another code, or none.
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

// Ends once the bank says that it has removed the charge, or shows it removed or paid. "Unknown" does not end
// it, since the bank has given out the code: the address or the account may be wrong, and payers can still
// pay.
BankAgent::Again BankAgent::take_back(const Task& task) const {
  if (!task.charge.cancel_requested_at) return std::nullopt;
  if (task.charge.status != domain::ChargeStatus::kWaitingPayment)
    return submit(task.work, domain::DropCancel{task.charge.id});
  const auto txid = domain::cob_txid(task.charge.id);
  const auto turn_of_cancel = turn(task.work, BankPriority::kCancel, kRemovalTurn);
  const auto removed = task.client().remove_cob(txid, turn_of_cancel);
  if (std::holds_alternative<BankCob>(removed))
    return submit(task.work, domain::ConfirmCancel{task.charge.id});
  // It may be removed or paid, or the answer was lost: read to find out.
  const auto found = task.client().get_cob(txid, turn_of_cancel);
  const auto* cob = std::get_if<BankCob>(&found);
  if (!cob) {
    // A merchant waits, and the breaker protects a bank that is down.
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
  const auto turn_of_removal = turn(task.work, BankPriority::kSweep, kRemovalTurn);
  auto answer = task.client().remove_cob(txid, turn_of_removal);
  const auto* refused = std::get_if<Refused>(&answer);
  const bool will_not = (refused && !denies_access(*refused)) || std::holds_alternative<Duplicate>(answer);
  // The bank takes no payments for an expired charge.
  if (now > task.charge.expires_at && (will_not || std::holds_alternative<NotFound>(answer)))
    return std::nullopt;
  // It is paid or removed already, or the bank did not process the request: read to find out.
  if (will_not) answer = task.client().get_cob(txid, turn_of_removal);
  if (const auto* cob = std::get_if<BankCob>(&answer)) {
    if (cob->status != CobStatus::kActive && cob->status != CobStatus::kOther) return std::nullopt;
    alarm(task.work, "it does not take its code back");
    return kPauseAfterRefusal;
  }
  if (is_silence(answer)) return pause_after(task.work.attempts);
  // A request for a code that no payer was given may be under way still; the bank has no such code yet.
  if (std::holds_alternative<NotFound>(answer) && task.charge.code_kind != domain::CodeKind::kDynamic)
    return now < task.work.since.plus_millis(kUnderWayMsMax) ? Again(pause_after(task.work.attempts))
                                                             : std::nullopt;
  // Payers can pay it meanwhile.
  alarm(task.work, problem_of(answer));
  return kPauseAfterRefusal;
}

// The part of the agent that returns money to payers.

namespace {

// As much as a label holds.
constexpr std::size_t kReasonCharactersMax = 255;
constexpr seconds kRefundTurn{10};
// How many other banks one attempt asks for a payment.
constexpr std::size_t kAskedMax = 4;

// Finds the account of a payment that the bank of `asked` does not know: the first of the project's other
// connections in the same environment whose bank shows it. A charge of one connection may be paid to another.
// Each attempt asks other connections. Returns nullopt if none of them shows it.
std::optional<ResolvedBank> find_account_of(const domain::EndToEndId& payment, const ResolvedBank& asked,
                                            const eventstore::Log& log, BankDirectory& banks,
                                            const BankTurn& turn, unsigned attempt) {
  const auto project = eventstore::fold_as<domain::Project>(log, domain::project_stream(asked.project));
  if (!project) return std::nullopt;
  std::vector<domain::ConnectionId> others;
  for (const auto& connection : project->connections)
    if (connection.api_pix && connection.environment == asked.connection.environment &&
        connection.id != asked.connection.id)
      others.push_back(connection.id);
  for (std::size_t i = 0; i < std::min(others.size(), kAskedMax); ++i) {
    auto bank = banks.find(asked.project, others[(attempt * kAskedMax + i) % others.size()]);
    if (bank && std::holds_alternative<BankPayment>(bank->client->get_pix(payment, turn))) return bank;
  }
  return std::nullopt;
}

// Returns how much of unapplied money can be returned under that id. The bank may have returned parts by
// itself, and refuses more than is left. An earlier request keeps its amount. If other returns have taken
// everything, or are about to, nothing may be sent; returns the order's outcome then.
std::variant<domain::Cents, BankRefund> left_to_return(const BankPayment& payment, const RefundOrder& order) {
  auto left = order.amount;
  auto not_back = order.amount;
  for (const auto& back : payment.refunds) {
    if (equal_without_case(back.id, order.id)) return back.amount;
    if (back.status == BankRefundStatus::kNotDone) continue;
    left = left - std::min(left, back.amount);
    if (back.status == BankRefundStatus::kReturned) not_back = not_back - std::min(not_back, back.amount);
  }
  if (left > domain::Cents(0)) return left;
  const bool is_over = not_back == domain::Cents(0);
  return BankRefund{.id = order.id,
                    .rtr_id = std::nullopt,
                    .amount = order.amount,
                    .status = is_over ? BankRefundStatus::kNotDone : BankRefundStatus::kProcessing,
                    .requested_at = std::nullopt,
                    .settled_at = std::nullopt,
                    .why_not = "nothing of the payment is left"};
}

}  // namespace

// A return, and the commands that record its success or failure.
struct BankAgent::Return {
  RefundOrder order;
  std::function<domain::Command(Timestamp returned_at)> done;
  std::function<domain::Command(std::optional<domain::Label> reason)> failed;
  bool is_aside = false;  // the payment paid nothing; all that is left is returned
};

BankAgent::Again BankAgent::refund(const Task& task) const {
  const auto& id = task.work.id.refund;
  const auto& list = task.charge.refund_list;
  const auto wanted = std::find_if(list.begin(), list.end(), [&](const auto& refund) {
    return refund.id.text() == id && refund.status == domain::RefundStatus::kPending;
  });
  if (wanted == list.end() || !task.charge.payment) return std::nullopt;
  return send_back(task.work, task.bank,
                   {.order = {.payment = domain::payment_of(task.charge, wanted->payment),
                              .id = id,
                              .amount = wanted->amount},
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
      task.work, task.bank,
      {.order = {.payment = wanted->end_to_end_id, .id = id, .amount = wanted->amount},
       .done =
           [&](auto at) {
             return domain::SettleUnappliedReturn{charge, wanted->end_to_end_id, *wanted->return_id, at};
           },
       .failed =
           [&](auto reason) {
             return domain::FailUnappliedReturn{charge, wanted->end_to_end_id, *wanted->return_id,
                                                std::move(reason)};
           },
       .is_aside = true});
}

BankAgent::Again BankAgent::send_unmatched_back(const BankWork& work) const {
  const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(parts_.log, work.id.about);
  if (!payment || payment->state != domain::UnmatchedState::kReturning ||
      payment->return_id->text() != work.id.refund)
    return std::nullopt;
  const auto bank = parts_.banks.find(payment->project, work.connection);
  if (!bank) return kLongestPause;
  const auto& id = payment->end_to_end_id;
  return send_back(work, *bank,
                   {.order = {.payment = id, .id = work.id.refund, .amount = payment->amount},
                    .done =
                        [&](auto at) {
                          return domain::SettlePaymentReturn{id, *payment->return_id, at};
                        },
                    .failed =
                        [&](auto reason) {
                          return domain::FailPaymentReturn{id, *payment->return_id, std::move(reason)};
                        },
                    .is_aside = true});
}

BankAgent::Again BankAgent::send_back(const BankWork& work, const ResolvedBank& bank,
                                      const Return& wanted) const {
  // When the last two requests were sent; the bank's answer is about the last.
  std::optional<Timestamp> sent_before = work.sent_at;
  std::optional<Timestamp> sent_last = work.sent_at;
  const auto note_sending = [&] {
    sent_before = sent_last;
    sent_last = parts_.clock.now();
    parts_.database.note_sent(work, sent_last);
  };
  const auto turn_of_refund = turn(work, BankPriority::kRefund, kRefundTurn);
  const auto ask = [&](const ResolvedBank& asked) -> BankResult<BankRefund> {
    auto order = wanted.order;
    if (wanted.is_aside) {
      const auto shown = asked.client->get_pix(order.payment, turn_of_refund);
      if (const auto* silence = std::get_if<Unavailable>(&shown)) return *silence;
      if (const auto* payment = std::get_if<BankPayment>(&shown)) {
        auto left = left_to_return(*payment, order);
        if (auto* ended = std::get_if<BankRefund>(&left)) return std::move(*ended);
        order.amount = std::get<domain::Cents>(left);
      }
    }
    // After a refusal only reads, and sends nothing again.
    if (!work.refusal.empty()) return asked.client->get_refund(order, turn_of_refund);
    // A process that was killed midway has left no record of what it sent.
    return asked.client->make_refund(order, SentBefore::kMaybe, turn_of_refund, note_sending);
  };
  const auto set_free = [&](const std::string& refusal) -> Again {
    // Earlier requests, also those of a process that was killed, may be under way still. The amount is free
    // only when none of them can arrive any more.
    const auto free_at = std::max(began_at_, sent_before.value_or(began_at_)).plus_millis(kUnderWayMsMax);
    const auto now = parts_.clock.now();
    if (now < free_at) return std::chrono::milliseconds(free_at.millis() - now.millis());
    return submit(work, wanted.failed(domain::Label::parse(refusal)));
  };
  auto made = ask(bank);
  if (std::holds_alternative<NotFound>(made)) {
    // Another connection of the project may have reported the payment: its bank has the money.
    const auto other =
        find_account_of(wanted.order.payment, bank, parts_.log, parts_.banks, turn_of_refund, work.attempts);
    if (other) made = ask(*other);
  }
  if (!work.refusal.empty() && std::holds_alternative<NotFound>(made)) return set_free(work.refusal);
  if (const auto* refund = std::get_if<BankRefund>(&made)) {
    switch (refund->status) {
      case BankRefundStatus::kReturned:
        return submit(work, wanted.done(refund->settled_at.value_or(parts_.clock.now())));
      case BankRefundStatus::kNotDone:
        if (refund->why_not == kNotCarriedOut) alarm(work, kNotCarriedOut);
        return submit(work, wanted.failed(domain::Label::parse(refund->why_not)));
      case BankRefundStatus::kProcessing:
        return pause_after(work.attempts);
    }
  }
  if (const auto* refused = std::get_if<Refused>(&made)) {
    alarm(work, to_string(refused->error));
    if (denies_access(*refused)) {
      if (parts_.meters.report_discrepancy(bank.connection.id, "denied_return", wanted.order.id))
        parts_.database.note_misfit({.connection = bank.connection.id.text(),
                                     .kind = "denied_return",
                                     .payments = 1,
                                     .at = parts_.clock.now(),
                                     .detail = wanted.order.id});
      return kPauseAfterRefusal;
    }
    if (!work.refusal.empty()) return kPauseAfterRefusal;
    // The refused request will not be carried out and is not sent again.
    const std::string refusal(first_characters(to_string(refused->error), kReasonCharactersMax));
    parts_.database.note_sent(work, sent_before);
    parts_.database.note_refused(work, refusal);
    return refused->is_unread ? pause_after(work.attempts) : set_free(refusal);
  }
  // The payment exists, so an address or account is wrong. The amount stays reserved.
  if (std::holds_alternative<NotFound>(made)) {
    alarm(work, "it does not know the payment");
    return kPauseAfterRefusal;
  }
  if (std::holds_alternative<Unusable>(made)) alarm(work, problem_of(made));
  return pause_after(work.attempts);
}

}  // namespace pixledger::workers
