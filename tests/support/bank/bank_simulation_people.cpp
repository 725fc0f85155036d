// Actions of merchants, their payers and their operators.
#include "domain/aggregates/charge.h"
#include "domain/pix/payment_ids.h"
#include "tests/support/bank/bank_simulation_parts.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using domain::Cents;

}  // namespace

void BankSimulation::create(Merchant& merchant) {
  auto creation = sample_creation(domain::Environment::kLive);
  creation.project = merchant.project;
  // Now and then a charge without a bank, whose payments operators must find.
  if (draw(8) != 0) creation.connection = merchant.connection;
  creation.amount = Cents(100 + static_cast<std::int64_t>(draw(100'000)));
  creation.may_await_code = draw(10) != 0;
  const auto created = execute(std::move(creation));
  if (!created) return;
  for (const auto& event : created->events())
    if (const auto* change = std::get_if<domain::ChargeEvent>(&event.event))
      if (const auto* charge = std::get_if<domain::ChargeCreated>(change))
        merchant.charges.push_back(charge->id);
}

// Pays with the code that the payer was shown, or with something else.
void BankSimulation::pay(Merchant& merchant) {
  const auto lag =
      static_cast<std::int64_t>(draw(4) == 0 ? draw(static_cast<std::uint64_t>(options_.lag_ms_max)) : 0);
  if (draw(12) == 0) {
    const auto& other = *merchants_[draw(merchants_.size())];
    const bool foreign = &other != &merchant && !other.charges.empty() && draw(2) == 0;
    const auto txid = foreign
                          ? std::optional(domain::cob_txid(other.charges[draw(other.charges.size())]).text())
                          : std::nullopt;
    merchant.bank.pay(txid, merchant.key, Cents(1 + static_cast<std::int64_t>(draw(10'000))), lag);
    return;
  }
  if (merchant.charges.empty()) return;
  const auto charge = *charge_in(log_, merchant.charges[draw(merchant.charges.size())]);
  const auto cob = domain::cob_txid(charge.id).text();
  const bool by_cob = charge.code_kind == domain::CodeKind::kDynamic;
  if (charge.code_awaited_until) return;  // the payer has no code yet
  // Banks do accept payments for removed or expired charges, now and then.
  if (by_cob && !merchant.bank.takes_payments_for(cob) && draw(10) != 0) return;
  const auto amount = draw(15) == 0 ? Cents(1 + static_cast<std::int64_t>(draw(200'000))) : charge.amount;
  merchant.bank.pay(by_cob ? cob : charge.id.text(), merchant.key, amount, lag);
}

void BankSimulation::ask_for_refund(Merchant& merchant) {
  if (merchant.charges.empty()) return;
  const auto any_charge = [&] { return *charge_in(log_, merchant.charges[draw(merchant.charges.size())]); };
  auto charge = any_charge();
  for (int tries = 0; tries < 4 && charge.status != domain::ChargeStatus::kPaid; ++tries)
    charge = any_charge();
  if (!charge.through_bank) return refund_by_hand(merchant, charge);
  domain::RefundCharge refund{{merchant.project, false}, charge.id, std::nullopt, std::nullopt};
  if (draw(2) == 0)
    refund.amount =
        Cents(1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(charge.amount.value()))));
  execute(std::move(refund));
}

// Refunds a charge outside banks, whose money is at a bank, in that bank's app.
void BankSimulation::refund_by_hand(Merchant& merchant, const domain::Charge& charge) {
  if (charge.status != domain::ChargeStatus::kPaid) return;
  // Any of its payments: the ledger does not record which.
  const auto payments = domain::counted_payments(charge);
  const auto& counted = payments[draw(payments.size())];
  const auto& payment = counted.payment;
  const auto open = counted.left();
  if (open <= Cents(0)) return;
  const auto amount =
      draw(2) == 0 ? open
                   : Cents(1 + static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(open.value()))));
  if (!merchant.bank.send_back_by_hand(payment.end_to_end_id.text(), amount)) return;
  execute(domain::RefundCharge{{merchant.project, false}, charge.id, amount, std::nullopt});
}

// The operator who settles unapplied money.
void BankSimulation::operate(Merchant& merchant) {
  for (const auto& id : merchant.charges) {
    const auto charge = *charge_in(log_, id);
    if (charge.unapplied.empty() || draw(3) != 0) continue;
    const auto& payment = charge.unapplied.front().end_to_end_id;
    if (draw(2) == 0)
      execute(domain::AcceptUnappliedPayment{merchant.project, id, payment, charge.payment.has_value()});
    else
      execute(domain::ReturnUnappliedPayment{id, payment, std::nullopt, true});
    return;
  }
  for (const auto& [id, there] : merchant.bank.payments()) {
    const auto payment = parsed<domain::EndToEndId>(id);
    const auto known = eventstore::fold_as<domain::UnmatchedPayment>(log_, domain::payment_stream(payment));
    if (known && known->state == domain::UnmatchedState::kClosed && draw(8) == 0) {
      execute(domain::ClosePayment{merchant.project, payment, true, std::nullopt});
      return;
    }
    if (!known || !domain::is_open(*known) || draw(3) != 0) continue;
    const auto named = known->txid ? domain::charge_named_by(*known->txid) : std::nullopt;
    if (draw(2) == 0 && !merchant.charges.empty())
      execute(domain::AssignPayment{
          merchant.project, payment,
          named && draw(4) != 0 ? *named : merchant.charges[draw(merchant.charges.size())]});
    else
      execute(domain::ClosePayment{merchant.project, payment, draw(3) != 0, std::nullopt});
    return;
  }
}

}  // namespace pixledger::tests
