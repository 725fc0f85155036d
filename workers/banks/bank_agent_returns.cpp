// The part of the agent that is about money which goes back to payers.
#include <algorithm>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/charge_payments.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/bank_agent_parts.h"

namespace pixledger::workers {
namespace {

using std::chrono::seconds;
using stores::BankWork;

// As much as a label holds.
constexpr std::size_t kReasonCharactersMax = 255;
constexpr seconds kRefundTurn{10};
// So many other banks are asked at a time for a payment that one does not know.
constexpr std::size_t kAskedMax = 4;

// Where a payment lies that the bank of `asked` does not know: the first of the project's other connections
// in the same world whose bank shows it, as a charge of one may have been paid to another. The next attempt
// goes on with others. nullopt: none of those does.
std::optional<BankAtHand> find_account_of(const domain::EndToEndId& payment, const BankAtHand& asked,
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

// Of money that lies aside, what can go back under that id: its bank may have sent back parts by itself, and
// refuses more than is left. What it was asked for before stays as it is. Where others have taken all, or are
// about to, nothing is to be sent, and what became of the order is given.
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

// What is recorded when it has gone back, and when it will not.
struct BankAgent::Return {
  RefundOrder order;
  std::function<domain::Command(Timestamp returned_at)> done;
  std::function<domain::Command(std::optional<domain::Label> reason)> failed;
  bool is_aside = false;  // it paid nothing, and all that is left goes back
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

BankAgent::Again BankAgent::send_back(const BankWork& work, const BankAtHand& bank,
                                      const Return& wanted) const {
  // When the last two left that were sent: the bank's answer is about the last.
  std::optional<Timestamp> sent_before = work.sent_at;
  std::optional<Timestamp> sent_last = work.sent_at;
  const auto note_sending = [&] {
    sent_before = sent_last;
    sent_last = parts_.clock.now();
    parts_.database.note_sent(work, sent_last);
  };
  const auto turn_of_refund = turn(BankPriority::kRefund, kRefundTurn);
  const auto ask = [&](const BankAtHand& asked) -> BankResult<BankRefund> {
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
    // It was refused before: what is there is read, and nothing is sent again.
    if (!work.refusal.empty()) return asked.client->get_refund(order, turn_of_refund);
    // Whoever was killed in the middle has left no word of what was sent.
    return asked.client->make_refund(order, SentBefore::kMaybe, turn_of_refund, note_sending);
  };
  const auto set_free = [&](const std::string& refusal) -> Again {
    // What was sent before the one that was refused, by whoever died here, too, may be under way still: the
    // amount is free only when that cannot come any more.
    const auto free_at = std::max(began_at_, sent_before.value_or(began_at_)).plus_millis(kUnderWayMsMax);
    const auto now = parts_.clock.now();
    if (now < free_at) return std::chrono::milliseconds(free_at.millis() - now.millis());
    return submit(work, wanted.failed(domain::Label::parse(refusal)));
  };
  auto made = ask(bank);
  if (std::holds_alternative<NotFound>(made)) {
    // Another connection of the project may have told of the payment: its bank has the money.
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
      parts_.meters.on_misfit(bank.connection.id, "denied_return", wanted.order.id);
      return kPauseAfterRefusal;
    }
    if (!work.refusal.empty()) return kPauseAfterRefusal;
    // The one that is refused will not come, and is not sent again.
    const std::string refusal(first_characters(to_string(refused->error), kReasonCharactersMax));
    parts_.database.note_sent(work, sent_before);
    parts_.database.note_refused(work, refusal);
    return refused->is_unread ? pause_after(work.attempts) : set_free(refusal);
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
