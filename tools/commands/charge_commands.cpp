#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "domain/aggregates/charge.h"
#include "eventstore/reading/payment_search.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/charge_outcome_report.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeId;
using domain::EndToEndId;
using domain::Label;

struct ChargeOptions {
  std::string id;
  std::string end_to_end_id;
  std::int64_t amount_cents = 0;
  std::optional<std::string> paid_at;
  std::optional<std::string> reason;
  bool send_back = false;
  bool recorded_only = false;
  bool add = false;
};

std::optional<GivenTime> parse_paid_at(const ChargeOptions& options, Timestamp now) {
  if (!options.paid_at) return std::nullopt;
  return parse_time("--paid-at", *options.paid_at, now);
}

// The start of a day in the store's zone, but not before the charge's creation.
std::optional<Timestamp> moment_of(const std::optional<GivenTime>& paid_at, const Charge& charge,
                                   const TimeZone& zone) {
  if (!paid_at) return std::nullopt;
  const auto first = zone.first_of(*paid_at);
  const bool began_then = first <= charge.created_at && charge.created_at <= zone.last_of(*paid_at);
  return began_then ? charge.created_at : first;
}

std::optional<Label> parse_reason(const ChargeOptions& options) {
  if (!options.reason) return std::nullopt;
  return parse_option<Label>("--reason", *options.reason);
}

// A bank's clock or zone may be some hours off; a buyer who shows an old receipt is further away.
constexpr std::int64_t kOddMs = 12LL * 60 * 60 * 1000;

void warn_of_odd_time(const EndToEndId& payment, const Charge& charge, Timestamp now) {
  const auto made = domain::minute_of(payment);
  if (!made || (*made >= charge.created_at.plus_millis(-kOddMs) && *made <= now.plus_millis(kOddMs))) return;
  std::cerr << "warning: the end-to-end id says " << to_iso8601(*made) << ", and the charge was created "
            << to_iso8601(charge.created_at) << ": is the receipt that of another payment?\n";
}

// A payment belongs to one charge, and may have been confirmed for a wrong one or with a wrong amount.
void say_who_has_it(const eventstore::Log& log, const domain::ReportPayment& command) {
  const auto holder = eventstore::charge_of_payment(log, command.end_to_end_id);
  if (!holder) return;
  const auto counted = domain::counted_payment(*holder, command.end_to_end_id);
  const auto* aside = find_payment(holder->unapplied, command.end_to_end_id);
  if (!aside) aside = find_payment(holder->returned, command.end_to_end_id);
  if (!counted && !aside) return;
  const auto amount = counted ? counted->payment.amount : aside->amount;
  if (holder->id == command.charge && amount == command.amount) return;
  std::cerr << "It is recorded with " << domain::to_decimal(amount) << " for charge " << holder->id.text()
            << " of project " << holder->project.text()
            << (counted ? ", which it pays" : ", which it does not pay")
            << "; it cannot be moved to another charge.\n";
}

int confirm(CommandContext& context, const ChargeOptions& options) {
  const auto id = parse_option<ChargeId>("--id", options.id);
  const auto payment = parse_option<EndToEndId>("--end-to-end-id", options.end_to_end_id);
  if (!payment.has_usual_form())
    throw UsageError("--end-to-end-id " + std::string(EndToEndId::kUsualFormRule));
  const auto paid_at = parse_paid_at(options, context.clock.now());
  auto ledger = context.open();
  const auto charge = find_charge(*ledger.log, id);
  if (!charge) return say_no(domain::Rejection::kTransactionNotFound);
  if (!paid_at) warn_of_odd_time(payment, *charge, context.clock.now());
  const domain::ReportPayment command{charge->project, id, payment, domain::Cents(options.amount_cents),
                                      moment_of(paid_at, *charge, zone_of(*ledger.log, charge->project))};
  const int code = report_charge(context, ledger, id, command, payment);
  if (code != kExitDone) say_who_has_it(*ledger.log, command);
  return code;
}

int start_processing(CommandContext& context, const ChargeOptions& options) {
  const auto id = parse_option<ChargeId>("--id", options.id);
  auto ledger = context.open();
  return report_charge(context, ledger, id, domain::StartProcessing{id});
}

int fail(CommandContext& context, const ChargeOptions& options) {
  const auto id = parse_option<ChargeId>("--id", options.id);
  const domain::FailCharge command{id, parse_reason(options)};
  auto ledger = context.open();
  return report_charge(context, ledger, id, command);
}

int say_why_none(const eventstore::Log& log, const EndToEndId& payment) {
  const bool is_unmatched =
      eventstore::fold_as<domain::UnmatchedPayment>(log, domain::payment_stream(payment)).has_value();
  return say_no(is_unmatched ? domain::Rejection::kPaymentUnmatched : domain::Rejection::kPaymentNotFound);
}

bool is_unapplied(const Charge& charge, const EndToEndId& payment) {
  return std::any_of(charge.unapplied.begin(), charge.unapplied.end(),
                     [&](const domain::UnappliedPayment& one) { return one.end_to_end_id == payment; });
}

// For a payment that is no longer set aside.
int say_what_it_is(const Charge& charge, const EndToEndId& payment) {
  const auto of_charge = "charge " + charge.id.text();
  if (domain::counted_payment(charge, payment))
    return say_no("the payment is accepted already: it pays " + of_charge +
                  "; what is to go back of it is a refund of that");
  for (const auto& one : charge.returned) {
    if (one.end_to_end_id != payment) continue;
    if (one.returned_at)
      return say_no("the bank has sent the payment back already, at " + to_iso8601(*one.returned_at) +
                    "; it is settled at " + of_charge);
    return say_no(
        "the payment is recorded as returned by other hands already, at " + of_charge +
        ": the bank is not asked to send it any more. If it has not gone, send it back in your bank's "
        "application; reconcile tells whether the account's statement has it");
  }
  return say_no(domain::Rejection::kPaymentNotFound);
}

// Prints the obstacle and the remedy, if the charge shows them.
void say_why_not_accepted(const eventstore::Log& log, const ChargeId& id, bool add) {
  const auto charge = find_charge(log, id);
  if (!charge) return;
  if (add && !charge->payment)
    std::cerr << "Charge " << id.text()
              << " is not paid, so there is nothing to add to: accept a payment without --add first.\n";
  else if (charge->status == domain::ChargeStatus::kRefunded)
    std::cerr << "What had paid charge " << id.text()
              << " has gone back. Send this payment back, too: charge return-payment.\n";
  else if (charge->payment && charge->added.size() + 1 >= domain::kCountedPaymentsMax)
    std::cerr << domain::kCountedPaymentsMax << " payments count for charge " << id.text()
              << ", which is the most there can be. Send this one back: charge return-payment.\n";
  else if (!add && charge->payment)
    std::cerr << "Charge " << id.text() << " is paid already. To count this payment for it, too, give --add; "
              << "else send it back: charge return-payment.\n";
}

int accept_payment(CommandContext& context, const ChargeOptions& options) {
  const auto payment = parse_option<EndToEndId>("--end-to-end-id", options.end_to_end_id);
  auto ledger = context.open();
  const auto charge = eventstore::charge_of_payment(*ledger.log, payment);
  if (!charge) return say_why_none(*ledger.log, payment);
  const bool counts = options.add && domain::counted_payment(*charge, payment).has_value();
  if (!counts && !is_unapplied(*charge, payment)) return say_what_it_is(*charge, payment);
  const domain::AcceptUnappliedPayment command{charge->project, charge->id, payment, options.add};
  const int code = report_charge(context, ledger, charge->id, command, payment);
  if (code != kExitDone) say_why_not_accepted(*ledger.log, charge->id, options.add);
  return code;
}

// True if the bank returns the payment: whenever it can, unless it was returned by other means; as in the
// API.
bool sends_back(const eventstore::Log& log, const Charge& charge, const EndToEndId& payment,
                const ChargeOptions& options) {
  if (options.send_back || options.recorded_only) return options.send_back;
  return charge.through_bank ||
         eventstore::fold_as<domain::UnmatchedPayment>(log, domain::payment_stream(payment)).has_value();
}

int return_payment(CommandContext& context, const ChargeOptions& options) {
  if (options.send_back && options.recorded_only)
    throw UsageError("--send-back and --recorded-only exclude each other");
  const auto payment = parse_option<EndToEndId>("--end-to-end-id", options.end_to_end_id);
  const auto reason = parse_reason(options);
  auto ledger = context.open();
  const auto charge = eventstore::charge_of_payment(*ledger.log, payment);
  if (!charge) return say_why_none(*ledger.log, payment);
  if (!is_unapplied(*charge, payment)) return say_what_it_is(*charge, payment);
  const auto send_back = sends_back(*ledger.log, *charge, payment, options);
  return report_charge(context, ledger, charge->id,
                       domain::ReturnUnappliedPayment{charge->id, payment, reason, send_back}, payment);
}

void add_id(CommandLine& command, ChargeOptions& options) {
  command.add_option("--id", options.id, "The charge's id").required();
}
void add_payment(CommandLine& command, ChargeOptions& options) {
  command.add_option("--end-to-end-id", options.end_to_end_id, "The payment's end-to-end id").required();
}
void add_reason(CommandLine& command, ChargeOptions& options) {
  command.add_option("--reason", options.reason, "Kept with the event");
}

}  // namespace

void add_charge_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "charge", "What a gateway or an operator reports of a charge");
  const auto options = std::make_shared<ChargeOptions>();

  CommandLine command = add_command(group, context, "confirm", "A payment arrived",
                                    [&context, options] { return confirm(context, *options); });
  add_id(command, *options);
  add_payment(command, *options);
  command.add_option("--amount-cents", options->amount_cents, "What was paid")
      .required()
      .range(std::int64_t{1}, domain::kAmountCentsMax);
  command.add_option("--paid-at", options->paid_at,
                     "When it was paid: a time, a date (its beginning at the store, or the charge's if that "
                     "was on that day), "
                     "or 2h for so long ago; now unless given. Not before the charge, but for five minutes");
  add_json_option(command, context);

  command = add_command(group, context, "processing", "A payment was seen and is being checked",
                        [&context, options] { return start_processing(context, *options); });
  add_id(command, *options);
  add_json_option(command, context);

  command = add_command(group, context, "fail", "The payment failed",
                        [&context, options] { return fail(context, *options); });
  add_id(command, *options);
  add_reason(command, *options);
  add_json_option(command, context);

  command =
      add_command(group, context, "accept-payment", "Let a payment that did not fit pay its charge after all",
                  [&context, options] { return accept_payment(context, *options); });
  add_payment(command, *options);
  command.add_flag("--add", options->add,
                   "Count it for a charge that is paid, beside the payment that it has");
  add_json_option(command, context);

  command = add_command(group, context, "return-payment", "A payment that did not fit goes back to its payer",
                        [&context, options] { return return_payment(context, *options); });
  add_payment(command, *options);
  command.add_flag("--send-back", options->send_back,
                   "The bank is to send it: so it is wherever the money came through one, unless "
                   "--recorded-only is given");
  command.add_flag("--recorded-only", options->recorded_only,
                   "It went back by other hands: no money moves, and the bank cannot be asked later");
  add_reason(command, *options);
  add_json_option(command, context);
}

void add_qr_command(CommandLine& program, CommandContext& context) {
  const auto text = std::make_shared<std::string>();
  CommandLine command = add_command(program, context, "qr", "Show a text as a QR code", [text] {
    print_qr(std::cout, *text, ::isatty(STDOUT_FILENO) != 0);
    return kExitDone;
  });
  command.add_option("TEXT", *text, "What the code says, such as a charge's pixCode").required();
}

}  // namespace pixledger::tools
