#include "http/api/payer/payer_view.h"

#include <algorithm>
#include <vector>

#include "base/platform/clock.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"
#include "http/api/checkout/session_states.h"
#include "http/api/common/personal_json.h"
#include "http/api/common/transaction_json.h"
#include "http/services/checkout_links.h"
#include "http/services/logo_digests.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

using domain::ChargeStatus;
using domain::CheckoutStatus;
using domain::PageState;
using Charges = std::vector<std::shared_ptr<const domain::Charge>>;

Charges charges_of(const Services& services, Head head, const domain::CheckoutSession& session) {
  Charges charges;
  for (const auto& charge : session.charges) {
    auto found = find_charge(services, head, charge.id);
    if (!found) throw eventstore::LogCorrupt("a session's charge is not in the ledger");
    charges.push_back(std::move(found));
  }
  return charges;
}

// The one that was paid; else one with money to settle; else the newest.
std::shared_ptr<const domain::Charge> charge_to_show(const domain::CheckoutSession& session,
                                                     const Charges& charges) {
  for (const auto& charge : charges)
    if (charge->id == session.paid) return charge;
  for (const auto& charge : charges)
    if (!charge->unapplied.empty()) return charge;
  return charges.empty() ? nullptr : charges.back();
}

PageState state_of_paid(const domain::Charge& charge) {
  if (charge.status == ChargeStatus::kRefunded) return PageState::kRefunded;
  return charge.refunded > domain::Cents(0) ? PageState::kPartiallyRefunded : PageState::kPaid;
}

PageState state_of_charge(const domain::Charge& charge, Timestamp now) {
  switch (charge.status) {
    case ChargeStatus::kWaitingPayment:
      return domain::is_overdue(charge, now) ? PageState::kExpired : PageState::kWaiting;
    case ChargeStatus::kProcessing:
      return PageState::kProcessing;
    case ChargeStatus::kPaid:
    case ChargeStatus::kRefunded:
      return state_of_paid(charge);
    case ChargeStatus::kExpired:
      return PageState::kExpired;
    case ChargeStatus::kCancelled:
      return PageState::kCancelled;
    case ChargeStatus::kFailed:
      return PageState::kFailed;
  }
  return PageState::kFailed;
}

PageState state_of(const domain::CheckoutSession& session, const domain::Charge* charge, bool knows_payer,
                   Timestamp now) {
  if (charge && charge->payment) return state_of_paid(*charge);
  if (charge && !charge->unapplied.empty()) return PageState::kReview;
  if (charge && charge->status == ChargeStatus::kProcessing) return PageState::kProcessing;
  const auto status = domain::status_at(session, now);
  if (status == CheckoutStatus::kCancelled) return PageState::kCancelled;
  if (status == CheckoutStatus::kExpired) return PageState::kExpired;
  if (!charge) return PageState::kForm;
  const auto state = state_of_charge(*charge, now);
  return knows_payer || state == PageState::kWaiting ? state : PageState::kForm;
}

bool can_have_another(PageState state) {
  return state == PageState::kExpired || state == PageState::kCancelled || state == PageState::kFailed;
}

std::uint64_t version_of(const Services& services, const domain::CheckoutSession& session) {
  std::uint64_t version = services.log.version_of(domain::checkout_stream(session.id));
  for (const auto& charge : session.charges)
    version += services.log.version_of(domain::charge_stream(charge.id));
  return version;
}

// Of all that counts as refunded. Nullopt where nothing is.
std::optional<bool> is_refund_moved(const domain::Charge& charge) {
  if (charge.refunded == domain::Cents(0)) return std::nullopt;
  return std::all_of(charge.refund_list.begin(), charge.refund_list.end(), [&](const domain::Refund& refund) {
    return refund.status != domain::RefundStatus::kDone || is_moved(charge, refund);
  });
}

void write_charge(Json& json, const PayerView& view) {
  json.key("charge");
  if (!view.charge) {
    json.null();
    return;
  }
  const auto& charge = *view.charge;
  const bool shows_code = view.state == PageState::kWaiting && !domain::awaits_code(charge);
  const auto* payment = charge.payment ? &*charge.payment : nullptr;
  json.begin_object().field("id", charge.id).field("status", charge.status);
  json.field("pixCode", shows_code ? std::optional(charge.pix_code) : std::nullopt);
  json.field("createdAt", charge.created_at).field("expiresAt", charge.expires_at);
  json.field("paidAt", payment ? std::optional(payment->paid_at) : std::nullopt);
  json.field("endToEndId", payment ? std::optional(payment->end_to_end_id.text()) : std::nullopt);
  json.field("paidAmountCents", payment ? std::optional(payment->amount) : std::nullopt);
  json.field("unappliedAmountCents", projections::mark_of(charge).unapplied.cents);
  json.field("refundedAmountCents", charge.refunded);
  json.field("refundMoved", is_refund_moved(charge));
  json.end_object();
}

void write_customer(Json& json, const PayerView& view) {
  json.key("customer");
  if (!view.customer || !view.customer->details) {
    json.null();
    return;
  }
  const auto& details = *view.customer->details;
  json.begin_object().field("name", masked_name(details.name.text()));
  json.field("document", masked_document(details.document.text())).end_object();
}

void write_store(Json& json, const domain::Project& project, LogoDigests& logos) {
  const auto& settings = project.settings;
  json.key("store").begin_object().field("name", settings.name);
  json.field("timezone", settings.time_zone ? settings.time_zone->text() : domain::kTimeZoneDefault);
  json.field("color", settings.color).field("supportContact", settings.contact);
  json.key("logo");
  if (settings.logo) {
    const auto logo = logos.of(project.id, *settings.logo);
    json.begin_object().field("digest", logo.sha256);
    json.field("type", settings.logo->type()).field("bytes", logo.bytes).end_object();
  } else {
    json.null();
  }
  json.key("embedOrigins").begin_array();
  if (settings.embed_origins)
    for (const auto origin : settings.embed_origins->list()) json.value(origin);
  json.end_array().field("payerProofs", settings.payer_proofs).end_object();
}

}  // namespace

std::optional<PayerView> payer_view(const Services& services, const domain::CheckoutSessionId& id) {
  // Counted before anything is read: with the number of what came later, a page would take an older state
  // for that. The other way round it only looks once more.
  const auto earlier = find_checkout(services, services.log.head(), id);
  if (!earlier) return std::nullopt;
  const auto version = version_of(services, *earlier);
  const auto head = services.log.head();
  auto session = find_checkout(services, head, id);
  if (!session) return std::nullopt;
  const auto now = services.clock.now();
  auto charge = charge_to_show(*session, charges_of(services, head, *session));
  std::optional<domain::Customer> customer;
  if (charge) customer = eventstore::find_customer(services.history, charge->customer, head.position);
  const bool knows_payer = customer && customer->details;
  const auto state = state_of(*session, charge.get(), knows_payer, now);
  const bool is_open = domain::status_at(*session, now) == CheckoutStatus::kOpen;
  const bool has_room = is_open && session->charges.size() < domain::kChargesPerCheckoutMax;
  return PayerView{.session = std::move(session),
                   .charge = std::move(charge),
                   .customer = std::move(customer),
                   .state = state,
                   .version = version,
                   .may_have_another_charge = has_room && knows_payer && can_have_another(state)};
}

bool code_wait_is_over(const PayerView& view, Timestamp now) {
  return view.charge && domain::awaits_code(*view.charge) && now >= *view.charge->code_awaited_until;
}

std::string payer_json(const Services& services, const PayerView& view, const domain::Project& project) {
  const auto& session = *view.session;
  const auto now = services.clock.now();
  const bool is_open = domain::status_at(session, now) == CheckoutStatus::kOpen;
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("id", session.id);
  json.field("environment", session.environment == domain::Environment::kLive ? "live" : "test");
  json.field("state", to_string(view.state)).field("locale", session.locale).field("version", view.version);
  json.key("payment").begin_object().field("amountCents", session.amount);
  json.field("description", session.product).end_object();
  write_charge(json, view);
  json.field("chargesLeft", is_open ? domain::kChargesPerCheckoutMax - session.charges.size() : 0);
  json.field("canRenew", view.may_have_another_charge).field("expiresAt", session.expires_at);
  write_customer(json, view);
  write_store(json, project, services.logos);
  std::optional<std::string> return_url;
  if (domain::is_paid(view.state) && session.success_url)
    return_url = services.checkout.signed_return(session.success_url->text(), session, *view.charge, now);
  json.field("returnUrl", return_url).field("cancelUrl", session.cancel_url);
  json.end_object().end_object();
  return json.take();
}

}  // namespace pixledger::http
