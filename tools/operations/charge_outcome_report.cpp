#include "tools/operations/charge_outcome_report.h"

#include <algorithm>
#include <iostream>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeId;
using domain::EndToEndId;

bool is_among(const std::vector<domain::UnappliedPayment>& payments,
              const std::optional<EndToEndId>& payment) {
  return payment && std::any_of(payments.begin(), payments.end(), [&](const domain::UnappliedPayment& one) {
           return one.end_to_end_id == *payment;
         });
}

bool is_on_its_way(const Charge& charge, const std::optional<EndToEndId>& payment) {
  return std::any_of(
      charge.unapplied.begin(), charge.unapplied.end(),
      [&](const domain::UnappliedPayment& one) { return one.end_to_end_id == payment && one.return_id; });
}

// Says whether the bank moves the money, or the operator does so elsewhere and it is only recorded.
std::string_view words_of_return(const Charge& charge, const EndToEndId& payment) {
  for (const auto& one : charge.returned)
    if (one.end_to_end_id == payment && one.returned_at)
      return "The bank has sent it back to its payer; it is settled.";
  return "It is recorded as returned, and settled. No money is moved here: send it back at your bank, "
         "unless that is done.";
}

// The missing amount of a charge that was paid with less.
domain::Cents missing_of(const Charge& charge) {
  const bool is_short = charge.payment && charge.payment->amount < charge.amount;
  return is_short ? charge.amount - charge.payment->amount : domain::Cents(0);
}

// The payments added to the charge's payment, and the total.
void print_what_counts(const Charge& charge) {
  if (charge.added.empty()) return;
  std::cout << "\n" << charge.added.size() + 1 << " payments count for the charge:\n";
  for (const auto& counted : domain::counted_payments(charge))
    std::cout << "  " << counted.payment.end_to_end_id.text() << ", "
              << domain::to_decimal(counted.payment.amount) << "\n";
}

// Two payments may cover the amount together.
void print_what_is_missing(const Charge& charge) {
  const auto missing = missing_of(charge);
  if (missing == domain::Cents(0)) return;
  std::cout << "\nIt has paid " << domain::to_decimal(charge.payment->amount) << " of "
            << domain::to_decimal(charge.amount) << "; " << domain::to_decimal(missing) << " is missing.\n";
  for (const auto& other : charge.unapplied)
    std::cout << "Another payment of this charge is kept aside: " << other.end_to_end_id.text() << ", "
              << domain::to_decimal(other.amount) << ".\n";
  if (!charge.unapplied.empty())
    std::cout << "Count it for the charge, too (accept-payment --add), or send it back (return-payment) and "
                 "ask for what is\nmissing with a new charge.\n";
}

void print_json(const Charge& charge, const std::optional<EndToEndId>& payment,
                const std::optional<domain::PaymentFlag>& flag) {
  Json json;
  json.begin_object()
      .field("transactionId", charge.id.text())
      .field("status", domain::to_string(charge.status));
  if (payment) json.field("endToEndId", payment->text());
  if (flag) json.field("flag", domain::to_string(*flag));
  if (is_among(charge.returned, payment)) json.field("settlement", "returned");
  if (is_on_its_way(charge, payment)) json.field("settlement", "returning");
  if (!charge.added.empty()) {
    json.field("paidAmountCents", charge.payment->amount.value()).key("payments").begin_array();
    for (const auto& counted : domain::counted_payments(charge))
      json.begin_object()
          .field("endToEndId", counted.payment.end_to_end_id.text())
          .field("amountCents", counted.payment.amount.value())
          .end_object();
    json.end_array();
  }
  if (const auto missing = missing_of(charge); missing != domain::Cents(0)) {
    json.field("missingCents", missing.value()).key("keptAside").begin_array();
    for (const auto& other : charge.unapplied)
      json.begin_object()
          .field("endToEndId", other.end_to_end_id.text())
          .field("amountCents", other.amount.value())
          .end_object();
    json.end_array();
  }
  std::cout << json.end_object().take_line();
}

void print_facts_of(const Charge& charge, const std::optional<EndToEndId>& payment,
                    const std::optional<domain::PaymentFlag>& flag) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"charge", charge.id.text()}, {"status", std::string(domain::to_string(charge.status))}};
  if (payment) facts.emplace_back("payment", payment->text());
  if (flag) facts.emplace_back("flag", std::string(domain::to_string(*flag)));
  print_facts(std::cout, facts);
  if (is_on_its_way(charge, payment))
    std::cout << "\nThe payment did not pay the charge: the bank is asked to send it back.\n";
  else if (is_among(charge.unapplied, payment))
    std::cout << "\nThe payment did not pay the charge. Settle it with accept-payment or return-payment.\n";
  if (is_among(charge.returned, payment))
    std::cout << "\nThe payment did not pay the charge. " << words_of_return(charge, *payment) << '\n';
  print_what_counts(charge);
  print_what_is_missing(charge);
}

}  // namespace

int report_charge(CommandContext& context, eventstore::Ledger& ledger, const ChargeId& id,
                  domain::Command command, const std::optional<EndToEndId>& payment) {
  const auto completed = execute(context, ledger, std::move(command));
  if (!completed) return kExitNo;
  const auto charge = find_charge(*ledger.log, id, completed->as_of).value();
  const auto& flag = completed->outcome.flag;
  if (context.json) {
    print_json(charge, payment, flag);
  } else {
    print_facts_of(charge, payment, flag);
  }
  return flag ? kExitNo : kExitDone;
}

}  // namespace pixledger::tools
