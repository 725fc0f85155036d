#include <algorithm>
#include <iostream>
#include <set>
#include <variant>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/charge_outcome_report.h"

namespace pixledger::tools {
namespace {

using domain::EndToEndId;
using domain::UnmatchedPayment;
using domain::UnmatchedState;

struct PaymentOptions {
  std::string project;
  std::string state = "open";
  std::string end_to_end_id;
  std::string id;
  bool send_back = false;
  std::optional<std::string> reason;
};

std::string_view open_or_closed(const UnmatchedPayment& payment) {
  return domain::is_open(payment) ? "open" : "closed";
}

std::string_view open_or_closed(const UnappliedOfCharge& listed) {
  return listed.fate == UnappliedOfCharge::Fate::kOpen ? "open" : "closed";
}

std::optional<std::string_view> resolution_of(const UnappliedOfCharge& listed) {
  switch (listed.fate) {
    case UnappliedOfCharge::Fate::kOpen:
      return std::nullopt;
    case UnappliedOfCharge::Fate::kReturned:
      return "returned";
    case UnappliedOfCharge::Fate::kAccepted:
      break;
  }
  return "accepted";
}

// Why it is, or was, open.
std::string_view reason_of(const UnmatchedPayment& payment) {
  const bool came_back = domain::is_open(payment) && payment.return_id;
  return came_back ? "return_failed" : domain::to_string(payment.reason);
}

void write_payment(Json& json, const UnmatchedPayment& payment) {
  std::optional<std::string_view> resolution;
  if (!domain::is_open(payment)) resolution = domain::to_string(payment.state);
  json.begin_object()
      .field("endToEndId", payment.end_to_end_id)
      .field("amountCents", payment.amount)
      .field("paidAt", payment.paid_at)
      .field("connectionId", payment.connection)
      .field("state", open_or_closed(payment))
      .field("reason", reason_of(payment))
      .field("environment", payment.environment)
      .field("txid", payment.txid)
      .field("recordedAt", payment.recorded_at)
      .field("resolution", resolution)
      .field("transactionId", payment.charge)
      .field("returnId", payment.return_id)
      .field("returnedAt", payment.returned_at)
      .field("returnedCents", domain::gone_back(payment).value())
      .field("returnFailure", payment.return_failure)
      .field("closeReason", payment.close_reason)
      .field("kind", "unmatched")
      .end_object();
}

// Unmatched payments use the fields that they share with unapplied ones.
void write_payment(Json& json, const UnappliedOfCharge& listed) {
  const auto& payment = listed.payment;
  json.begin_object()
      .field("endToEndId", payment.end_to_end_id)
      .field("amountCents", payment.amount)
      .field("paidAt", payment.paid_at)
      .field("connectionId", listed.connection)
      .field("state", open_or_closed(listed))
      .field("reason", payment.flag)
      .field("environment", listed.environment)
      .null("txid")
      .field("recordedAt", payment.received_at)
      .field("resolution", resolution_of(listed))
      .field("transactionId", listed.charge)
      .field("returnId", payment.return_id)
      .field("returnedAt", payment.returned_at)
      .field("returnedCents", domain::gone_back(payment).value())
      .null("returnFailure")
      .null("closeReason")
      .field("kind", "unapplied")
      .end_object();
}

Row row_of(const UnmatchedPayment& payment) {
  const auto what =
      domain::is_open(payment) ? std::string("open") : std::string(domain::to_string(payment.state));
  return {payment.end_to_end_id.text(),
          domain::to_decimal(payment.amount),
          to_iso8601(payment.paid_at),
          payment.connection.text(),
          std::string(domain::to_string(payment.environment)),
          what,
          std::string(reason_of(payment)),
          payment.charge ? payment.charge->text() : "-"};
}

Row row_of(const UnappliedOfCharge& listed) {
  return {listed.payment.end_to_end_id.text(),
          domain::to_decimal(listed.payment.amount),
          to_iso8601(listed.payment.paid_at),
          listed.connection.text(),
          std::string(domain::to_string(listed.environment)),
          std::string(resolution_of(listed).value_or("open")),
          std::string(domain::to_string(listed.payment.flag)),
          listed.charge.text()};
}

// An assigned payment that did not pay its charge is listed once, with the charge.
using ListedPayment = std::variant<UnmatchedPayment, UnappliedOfCharge>;

Timestamp paid_at_of(const ListedPayment& listed) {
  const auto* unmatched = std::get_if<UnmatchedPayment>(&listed);
  return unmatched ? unmatched->paid_at : std::get<UnappliedOfCharge>(listed).payment.paid_at;
}

// Oldest first.
std::vector<ListedPayment> payments_of(const eventstore::Log& log, const domain::ProjectId& project,
                                       const std::string& state) {
  std::vector<ListedPayment> payments;
  const auto add = [&](const auto& payment) {
    if (state == "all" || state == open_or_closed(payment)) payments.emplace_back(payment);
  };
  const auto unapplied = unapplied_payments_of(log, project);
  std::set<std::string> of_charges;
  for (const auto& listed : unapplied) {
    add(listed);
    of_charges.insert(listed.payment.end_to_end_id.text());
  }
  for (const auto& payment : unmatched_payments_of(log, project))
    if (!of_charges.contains(payment.end_to_end_id.text())) add(payment);
  std::stable_sort(payments.begin(), payments.end(),
                   [](const auto& left, const auto& right) { return paid_at_of(left) < paid_at_of(right); });
  return payments;
}

int list_payments(const CommandContext& context, const PaymentOptions& options) {
  const auto project = parse_project(options.project);
  const auto log = context.open_log();
  if (!find_project(*log, project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto payments = payments_of(*log, project, options.state);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& payment : payments)
      std::visit([&json](const auto& listed) { write_payment(json, listed); }, payment);
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  if (payments.empty()) {
    std::cout << "There are no such payments.\n";
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const auto& payment : payments)
    rows.push_back(std::visit([](const auto& listed) { return row_of(listed); }, payment));
  print_table(std::cout,
              {"PAYMENT", "AMOUNT", "PAID AT", "CONNECTION", "ENVIRONMENT", "STATE", "WHY", "CHARGE"}, rows);
  return kExitDone;
}

// The location of an assigned payment, which is then handled with its charge; empty if not assigned.
std::string where_assigned(const eventstore::Log& log, const domain::ProjectId& project,
                           const EndToEndId& id) {
  const auto payment = eventstore::fold_as<UnmatchedPayment>(log, domain::payment_stream(id));
  if (!payment || payment->project != project || payment->state != UnmatchedState::kAssigned) return {};
  const auto charge = find_charge(log, *payment->charge).value();
  const auto of_charge = "charge " + charge.id.text();
  for (const auto& one : charge.unapplied)
    if (one.end_to_end_id == id)
      return "the payment was assigned to " + of_charge + " and is kept aside there (" +
             std::string(domain::to_string(one.flag)) +
             (one.return_id ? "), on its way back to its payer"
                            : "): settle it with pixledger charge accept-payment or return-payment");
  if (domain::counted_payment(charge, id))
    return "the payment was assigned to " + of_charge + " and pays it; what is to go back of it is a refund";
  return "the payment was assigned to " + of_charge + ", and has gone back from there";
}

int assign(CommandContext& context, const PaymentOptions& options) {
  const auto project = parse_project(options.project);
  const auto payment = parse_option<EndToEndId>("--end-to-end-id", options.end_to_end_id);
  const auto id = parse_option<domain::ChargeId>("--id", options.id);
  auto ledger = context.open();
  if (!find_project(*ledger.log, project)) return say_no(domain::Rejection::kProjectNotFound);
  if (const auto where = where_assigned(*ledger.log, project, payment); !where.empty()) return say_no(where);
  return report_charge(context, ledger, id, domain::AssignPayment{project, payment, id}, payment);
}

int close(CommandContext& context, const PaymentOptions& options) {
  const auto project = parse_project(options.project);
  const auto id = parse_option<EndToEndId>("--end-to-end-id", options.end_to_end_id);
  domain::ClosePayment command{project, id, options.send_back, std::nullopt};
  if (options.reason) command.reason = parse_option<domain::Label>("--reason", *options.reason);
  auto ledger = context.open();
  if (!find_project(*ledger.log, project)) return say_no(domain::Rejection::kProjectNotFound);
  if (const auto where = where_assigned(*ledger.log, project, id); !where.empty()) return say_no(where);
  const auto completed = execute(context, ledger, std::move(command));
  if (!completed) return kExitNo;
  const auto payment =
      eventstore::fold_as<UnmatchedPayment>(*ledger.log, domain::payment_stream(id), completed->as_of)
          .value();
  if (context.json) {
    Json json;
    write_payment(json, payment);
    std::cout << json.take_line();
    return kExitDone;
  }
  if (payment.state == UnmatchedState::kReturning)
    std::cout << "The bank is asked to send the payment back. If it will not, the payment is open again.\n";
  else
    std::cout << "The payment is closed. No money was moved.\n";
  return kExitDone;
}

void add_project(CommandLine& command, PaymentOptions& options) {
  command.add_option("--project", options.project, "The project's id").required();
}
void add_payment(CommandLine& command, PaymentOptions& options) {
  add_project(command, options);
  command.add_option("--end-to-end-id", options.end_to_end_id, "The payment's end-to-end id").required();
}

}  // namespace

void add_payment_commands(CommandLine& program, CommandContext& context) {
  CommandLine group =
      add_group(program, "payment",
                "Money that arrived and is to be settled: it fits no charge, or was kept aside at one");
  const auto options = std::make_shared<PaymentOptions>();

  CommandLine command = add_command(group, context, "list",
                                    "What there is of a project, oldest first; what is kept aside at a "
                                    "charge, charge accept-payment or return-payment settles",
                                    [&context, options] { return list_payments(context, *options); });
  add_project(command, *options);
  command.add_option("--state", options->state, "open, closed or all")
      .show_default()
      .one_of({"open", "closed", "all"}, InHelp::kShown);
  add_json_option(command, context);

  command = add_command(group, context, "assign", "It is a charge's: as if the bank had said so",
                        [&context, options] { return assign(context, *options); });
  add_payment(command, *options);
  command.add_option("--id", options->id, "The charge's id").required();
  add_json_option(command, context);

  command = add_command(group, context, "close", "It is no charge's: close the matter, or send it back",
                        [&context, options] { return close(context, *options); });
  add_payment(command, *options);
  command.add_flag("--send-back", options->send_back,
                   "Have its bank send it back to the payer, also when it is closed already");
  command.add_option("--reason", options->reason, "Kept with the event");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
