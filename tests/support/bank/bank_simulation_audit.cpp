#include <algorithm>
#include <map>
#include <set>

#include "domain/aggregates/charge.h"
#include "domain/decisions/decide.h"
#include "domain/pix/payment_ids.h"
#include "tests/support/bank/bank_simulation_parts.h"
#include "tests/support/domain/sample_values.h"

// What must add up between the banks and the ledger once all is at rest:
// settled at the bank = paid + unapplied + unmatched + sent back in the ledger, per payment;
// returned at the bank = refunded + reversed + returned in the ledger, each once under its own id.
namespace pixledger::tests {
namespace {

using domain::Charge;
using domain::UnmatchedPayment;

// The ledger's place of a payment.
struct Place {
  const Charge* charge = nullptr;
  const domain::UnappliedPayment* aside = nullptr;  // of the charge, if the payment did not pay it
  domain::Cents amount{};
};

class AccountAudit {
 public:
  // `keys`: by the ids of the connections to that account.
  AccountAudit(const SimulatedBank& bank, std::vector<Charge> charges,
               std::map<std::string, std::string> keys, const eventstore::Log& log)
      : bank_(bank), charges_(std::move(charges)), keys_(std::move(keys)), log_(log) {
    for (const auto& charge : charges_) {
      for (const auto& counted : domain::counted_payments(charge))
        note(counted.payment.end_to_end_id, {&charge, nullptr, counted.payment.amount});
      for (const auto* list : {&charge.unapplied, &charge.returned})
        for (const auto& payment : *list) note(payment.end_to_end_id, {&charge, &payment, payment.amount});
    }
  }

  std::vector<std::string> problems() {
    for (const auto& [id, payment] : bank_.payments()) check(payment);
    for (const auto& [id, place] : places_)
      if (!bank_.payments().contains(id)) say(id + " is paid here and was never paid there");
    for (const auto& charge : charges_) check(charge);
    for (const auto& [txid, cob] : bank_.cobs()) check_cob(txid);
    for (const auto& path : bank_.unasked_repeats()) say(path + " was sent again, and nobody had asked");
    return std::move(problems_);
  }

 private:
  void say(std::string problem) { problems_.push_back(std::move(problem)); }
  void note(const domain::EndToEndId& id, const Place& place) {
    if (!places_.emplace(id.text(), place).second) say(id.text() + " counts twice");
  }

  // --- money in ---

  void check(const SimulatedBank::Payment& payment) {
    const auto& id = payment.end_to_end_id;
    const auto found = places_.find(id);
    const auto unmatched =
        eventstore::fold_as<UnmatchedPayment>(log_, domain::payment_stream(parsed<domain::EndToEndId>(id)));
    const bool is_assigned = unmatched && unmatched->state == domain::UnmatchedState::kAssigned;
    if (found == places_.end() && (!unmatched || is_assigned)) return say(id + " is nowhere");
    const bool is_left = found != places_.end() && unmatched &&
                         unmatched->state == domain::UnmatchedState::kClosed &&
                         unmatched->project != found->second.charge->project;
    if (found != places_.end() && unmatched && !is_assigned && !is_left)
      say(id + " is a charge's and unmatched as well");
    const auto amount = found == places_.end() ? unmatched->amount : found->second.amount;
    if (amount != payment.amount) say(id + " has another amount here");
    if (found == places_.end()) {
      check_project(payment, *unmatched);
      check_returns(payment, *unmatched);
    } else if (found->second.aside) {
      check_returns(payment, *found->second.aside);
    } else {
      check_refunds(payment, *found->second.charge);
    }
  }

  // A payment that names a charge of the key it was sent to may not belong to another project.
  void check_project(const SimulatedBank::Payment& payment, const UnmatchedPayment& unmatched) {
    const auto named = unmatched.txid ? domain::charge_named_by(*unmatched.txid) : std::nullopt;
    const auto charge = std::find_if(charges_.begin(), charges_.end(),
                                     [&](const Charge& candidate) { return candidate.id == named; });
    if (!domain::is_open(unmatched) || charge == charges_.end() || !charge->through_bank) return;
    const bool was_before = payment.at < charge->created_at.plus_millis(-domain::kPaymentBeforeChargeMsMax);
    if (charge->project != unmatched.project && keys_.at(charge->connection.text()) == payment.key &&
        !was_before)
      say(payment.end_to_end_id + " lies with another project than that of its charge");
  }

  // --- money back ---

  template <class Aside>
  void check_returns(const SimulatedBank::Payment& payment, const Aside& here) {
    const auto gone = gone_back(payment);
    const bool is_whole = gone == payment.amount.value();
    if (is_whole && !here.returned_at) say(payment.end_to_end_id + " went back, and nobody here knows");
    if (domain::gone_back(here).value() != gone)
      say(payment.end_to_end_id + ": " + std::to_string(gone) + " went back there, " +
          std::to_string(domain::gone_back(here).value()) + " here");
    if (!here.returned_at) return;
    const bool is_there = std::any_of(
        payment.devolucoes.begin(), payment.devolucoes.end(),
        [&](const auto& there) { return there.id == here.return_id->text() && there.status == "DEVOLVIDO"; });
    if (!is_there) say(payment.end_to_end_id + " went back here alone");
  }

  void check_refunds(const SimulatedBank::Payment& payment, const Charge& charge) {
    const auto id = parsed<domain::EndToEndId>(payment.end_to_end_id);
    const auto here = domain::counted_payment(charge, id).value();
    const auto done = (here.gone_back + here.by_hand).value();
    for (const auto& there : payment.devolucoes)
      if (!there.is_by_hand) check_refund(there, charge, id);
    // For a charge outside banks no record says which of its payments was returned by hand.
    if (charge.through_bank) check_sums(charge, done, gone_back(payment));
    std::int64_t all = 0;
    for (const auto& refund : charge.refund_list)
      if (refund.status == domain::RefundStatus::kDone) all += refund.amount.value();
    if (all != charge.refunded.value()) say(charge.id.text() + ": its refunds do not add up");
    if (done > payment.amount.value()) say(charge.id.text() + ": more went back than came");
  }

  static std::int64_t gone_back(const SimulatedBank::Payment& payment) {
    std::int64_t gone = 0;
    for (const auto& there : payment.devolucoes)
      if (there.status == "DEVOLVIDO") gone += there.amount.value();
    return gone;
  }

  void check_sums(const Charge& charge, std::int64_t here, std::int64_t there) {
    if (here != there)
      say(charge.id.text() + ": " + std::to_string(here) + " refunded here, " + std::to_string(there) +
          " there");
  }

  void check_refunds(const Charge& charge) {
    std::int64_t here = 0;
    std::int64_t there = 0;
    for (const auto& counted : domain::counted_payments(charge)) {
      here += (counted.gone_back + counted.by_hand).value();
      const auto payment = bank_.payments().find(counted.payment.end_to_end_id.text());
      if (payment != bank_.payments().end()) there += gone_back(payment->second);
    }
    check_sums(charge, here, there);
  }

  void check_refund(const SimulatedBank::Devolucao& there, const Charge& charge,
                    const domain::EndToEndId& payment) {
    const auto here =
        std::find_if(charge.refund_list.begin(), charge.refund_list.end(), [&](const auto& refund) {
          return refund.id.text() == there.id && domain::payment_of(charge, refund.payment) == payment;
        });
    if (here == charge.refund_list.end()) {
      // A return that failed needs no counterpart: its payment was accepted afterwards.
      if (there.status == "DEVOLVIDO") say(there.id + " went back and is unknown here");
      return;
    }
    const bool is_ours = here->origin == domain::RefundOrigin::kMerchant;
    if (is_ours != there.is_ours) say(there.id + " is told to be somebody else's");
    const auto expected =
        there.status == "DEVOLVIDO" ? domain::RefundStatus::kDone : domain::RefundStatus::kFailed;
    if (here->status != expected) say(there.id + " is " + there.status + " there, and not so here");
  }

  // --- charges and codes ---

  void check(const Charge& charge) {
    check_refunds(charge);
    if (domain::awaits_code(charge)) say(charge.id.text() + " awaits its code for ever");
    if (charge.cancel_requested_at) say(charge.id.text() + " is about to be cancelled for ever");
    for (const auto& refund : charge.refund_list)
      if (refund.status == domain::RefundStatus::kPending) say(refund.id.text() + " is pending for ever");
  }

  void check_cob(const std::string& txid) {
    if (!bank_.takes_payments_for(txid)) return;
    const auto charge = std::find_if(charges_.begin(), charges_.end(), [&](const Charge& candidate) {
      return "p" + candidate.id.text() == txid;
    });
    if (charge == charges_.end()) return say(txid + " is nobody's, and can be paid");
    const bool is_shown = charge->status == domain::ChargeStatus::kWaitingPayment &&
                          charge->code_kind == domain::CodeKind::kDynamic;
    if (!is_shown) say(txid + " can be paid, and no charge shows it");
  }

  const SimulatedBank& bank_;
  const std::vector<Charge> charges_;
  const std::map<std::string, std::string> keys_;
  const eventstore::Log& log_;
  std::map<std::string, Place> places_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> BankSimulation::problems() const {
  std::vector<std::string> all;
  for (const auto& bank : banks_) {
    std::vector<Charge> charges;
    std::map<std::string, std::string> keys;
    for (const auto& merchant : merchants_) {
      if (&merchant->bank != bank.get()) continue;
      keys.emplace(merchant->connection.text(), merchant->key);
      for (const auto& id : merchant->charges) charges.push_back(*charge_in(log_, id));
    }
    for (auto& problem : AccountAudit(*bank, std::move(charges), std::move(keys), log_).problems())
      all.push_back(std::move(problem));
  }
  return all;
}

}  // namespace pixledger::tests
