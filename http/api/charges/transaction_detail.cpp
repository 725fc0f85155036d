#include "http/api/charges/transaction_detail.h"

#include "base/http/images/qr_code.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/values/timestamp.h"
#include "domain/values/names.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/event_cursor.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "projections/generations/generation.h"

namespace pixledger::http {
namespace {

void write_customer(Json& json, const domain::Charge& charge, const std::optional<domain::Customer>& customer,
                    const PersonalJson& personal) {
  json.key("customer").begin_object();
  json.field("id", charge.customer);
  if (customer && customer->details) {
    const auto& details = *customer->details;
    personal.field("name", details.name);
    personal.field("document", details.document);
    personal.field("email", details.email);
    personal.field("phone", details.phone);
  } else {
    json.field("name", domain::kErasedName);
    json.null("document").null("email").null("phone");
  }
  json.end_object();
}

void write_payment(Json& json, const domain::UnappliedPayment& payment) {
  json.begin_object();
  json.field("endToEndId", payment.end_to_end_id);
  json.field("amountCents", payment.amount);
  json.field("paidAt", payment.paid_at);
  json.field("receivedAt", payment.received_at);
  json.field("flag", payment.flag);
  json.field("isReturning", payment.return_id && !payment.returned_at);
  json.field("returnedAt", payment.returned_at);
  json.end_object();
}

// Payments to settle, and those that the bank has returned.
void write_unapplied(Json& json, const domain::Charge& charge) {
  json.key("unappliedPayments").begin_array();
  for (const auto& payment : charge.unapplied) write_payment(json, payment);
  for (const auto& payment : charge.returned)
    if (payment.returned_at) write_payment(json, payment);
  json.end_array();
}

// Payments that count in addition to the first one.
void write_added(Json& json, const domain::Charge& charge) {
  if (charge.added.empty()) return;
  json.key("addedPayments").begin_array();
  for (const auto& payment : charge.added) {
    json.begin_object();
    json.field("endToEndId", payment.end_to_end_id);
    json.field("amountCents", payment.amount);
    json.field("feeCents", payment.fee.value_or(domain::Cents(0)));
    json.field("paidAt", payment.paid_at);
    json.end_object();
  }
  json.end_array();
}

std::string_view status_of(const domain::Charge& charge, const domain::Refund& refund) {
  return is_moved(charge, refund) ? to_string(refund.status) : "recorded";
}

void write_refunds(Json& json, const domain::Charge& charge, bool is_erased, const PersonalJson& personal) {
  json.field("refundsMoveMoney", charge.through_bank);
  json.key("refunds").begin_array();
  for (const auto& refund : charge.refund_list) {
    json.begin_object();
    json.field("id", refund.id);
    json.field("amountCents", refund.amount);
    json.field("status", status_of(charge, refund));
    json.field("moved", is_moved(charge, refund));
    json.field("origin", refund.origin);
    json.field("requestedAt", refund.requested_at);
    json.field("settledAt", refund.settled_at);
    personal.field("reason", is_erased ? std::nullopt : refund.reason);
    if (refund.payment) json.field("endToEndId", *refund.payment);
    json.end_object();
  }
  json.end_array();
}

Answer expire_and_render(const Services& services, const Request& request, const domain::ChargeId& id) {
  return execute(
      request, domain::ExpireOverdueCharge{id}, std::nullopt,
      [&services, &request, id](const eventstore::Completed& completed) {
        // From the stream: the views may lag behind what was just recorded.
        const auto charge =
            eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(id), completed.as_of);
        if (!charge) throw eventstore::LogCorrupt("a charge of the views is not in the ledger");
        return render_transaction(
            *charge, eventstore::find_customer(services.history, charge->customer, completed.as_of),
            personal_data_for(*request.caller));
      });
}

// The parameter `asOf`: a time, a date (its end at the store), or a cursor of events. A future time means
// now.
std::optional<Position> read_as_of(const Services& services, const Caller& caller, Input& input) {
  const auto text = input.parameter("asOf");
  if (!text) return std::nullopt;
  if (const auto given = GivenTime::parse(*text))
    return eventstore::position_at(services.log, zone_of(services, caller).last_of(*given));
  const auto place = find_event_place(services, caller.project, *text);
  if (!place)
    input.violations().push_back(
        {"asOf", "must be a time (2026-01-31T12:00:00Z), a date (2026-01-31) or a cursor of the events"});
  else if (place->is_cut_off)
    input.violations().push_back({"asOf", "names an event that is no longer there: the ledger was restored"});
  else
    return place->position;
  return std::nullopt;
}

// The charge and customer as of then. Records nothing: an overdue charge is shown unexpired.
Reply get_as_of(const Services& services, const Request& request, const domain::ChargeId& id,
                Position as_of) {
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(id), as_of);
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  return render_transaction(*charge, eventstore::find_customer(services.history, charge->customer, as_of),
                            personal_data_for(*request.caller));
}

// In pixels: more than the modules of the longest code, so that the smallest image can hold it.
constexpr std::uint64_t kSideMin = 192;
constexpr std::uint64_t kSideMax = 1024;
constexpr int kSideDefault = 512;

std::optional<domain::Rejection> guard_code(const domain::Charge& charge, Timestamp now) {
  if (charge.status != domain::ChargeStatus::kWaitingPayment || domain::is_overdue(charge, now))
    return domain::Rejection::kTransactionStatus;
  if (domain::awaits_code(charge)) return domain::Rejection::kBankSilent;
  return std::nullopt;
}

Reply draw(const Services& services, const Request& request, std::string_view type,
           std::string (*draw_code)(const QrCode&, int)) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  const auto side = input.integer("size", kSideMin, kSideMax);
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  if (const auto rejection = guard_code(*charge, services.clock.now()))
    return rejection_reply(request, *rejection);
  const int pixels = side ? static_cast<int>(*side) : kSideDefault;
  return {.body = draw_code(QrCode(charge->pix_code), pixels), .content_type = type};
}

}  // namespace

std::optional<domain::Rejection> guard_charge(const std::optional<domain::Charge>& charge,
                                              const Caller& caller) {
  if (!charge) return domain::Rejection::kTransactionNotFound;
  if (charge->project != caller.project) return domain::Rejection::kTransactionOfAnotherProject;
  if (is_refused(caller, charge->environment)) return domain::Rejection::kLiveForTestKey;
  return std::nullopt;
}

Answer get_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  const auto as_of = read_as_of(services, *request.caller, input);
  if (!input.finish()) return input.refusal();
  if (as_of) return get_as_of(services, request, *id, *as_of);
  const auto views = services.views.database();
  const auto rows = views->read();
  const auto charge = views->find_charge(rows, *id);
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  if (domain::is_overdue(*charge, services.clock.now())) return expire_and_render(services, request, *id);
  const auto customer = views->find_customer(rows, charge->customer);
  const auto personal = personal_data_for(*request.caller);
  // The reasons of refunds are only in the ledger, from which an erasure removes them.
  if (!charge->refund_list.empty()) {
    const auto folded = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
    if (folded) return render_transaction(*folded, customer, personal);
  }
  return render_transaction(*charge, customer, personal);
}

Reply render_transaction(const domain::Charge& charge, const std::optional<domain::Customer>& customer,
                         PersonalData personal_data, std::optional<domain::PaymentFlag> flag) {
  Json json;
  const PersonalJson personal(json, personal_data);
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("id", charge.id);
  write_references(json, charge);
  json.field("pixCode", charge.pix_code);
  json.field("expirationDate", charge.expires_at);
  json.field("status", charge.status);
  json.field("environment", charge.environment);
  write_purchase(json, charge);
  write_money(json, charge);
  json.field("refundedAt", charge.refunded_at);
  json.field("createdAt", charge.created_at);
  json.field("updatedAt", charge.updated_at);
  write_customer(json, charge, customer, personal);
  write_unapplied(json, charge);
  write_added(json, charge);
  // The merchant's texts about a customer are erased with the customer.
  const bool is_erased = !customer || !customer->details;
  write_refunds(json, charge, is_erased, personal);
  personal.field("metadata", is_erased ? domain::Metadata() : charge.metadata);
  if (flag) json.field("flag", *flag);
  json.end_object().end_object();
  return {200, json.take()};
}

Reply get_receipt(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  auto receipt = eventstore::make_receipt(services.log, services.keyring.signing_key(), *id,
                                          [&request] { request.budget.check(); });
  if (!receipt) throw eventstore::LogCorrupt("a charge has vanished from the ledger");
  // The leaves contain the digests of the omitted data.
  if (request.caller->masks_personal_data())
    for (auto& event : receipt->events) event.stored.personal.clear();
  Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_receipt(json, *receipt);
  json.end_object();
  return {200, json.take()};
}

std::string qr_path(const domain::ChargeId& id) { return "/api/v1/transactions/" + id.text() + "/qr.svg"; }

Reply get_qr_svg(const Services& services, const Request& request) {
  return draw(services, request, "image/svg+xml", qr_svg);
}

Reply get_qr_png(const Services& services, const Request& request) {
  return draw(services, request, "image/png", qr_png);
}

}  // namespace pixledger::http
