#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "eventstore/codec/codec.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/reading/erasure.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/checkout/checkout_sessions.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_fields.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/routing/stream_body.h"
#include "http/services/payer_pages.h"
#include "http/services/services.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

// What a payer's page shows of a session.

struct PayerView {
  std::shared_ptr<const domain::CheckoutSession> session;
  std::shared_ptr<const domain::Charge> charge;  // shown by the page; null before the first
  std::optional<domain::Customer> customer;      // the charge's; without details once erased
  domain::PageState state;
  std::uint64_t version;  // grows with every event of the session and its charges
  bool may_have_another_charge;
};

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

// The paid charge; else one with money to settle; else the newest.
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

// Of all completed refunds. nullopt if there are none.
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

// nullopt if there is no such session.
std::optional<PayerView> payer_view(const Services& services, const domain::CheckoutSessionId& id) {
  // Counted before the state is read. With a later version number, a page would take an older state for the
  // newer one; with an earlier one it only reads again.
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

// Whether the wait for the bank's code is over, but not yet recorded so.
bool code_wait_is_over(const PayerView& view, Timestamp now) {
  return view.charge && domain::awaits_code(*view.charge) && now >= *view.charge->code_awaited_until;
}

// The whole reply.
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
  json.field("description", session.product).field("externalId", session.external_id).end_object();
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

using domain::Rejection;
using eventstore::Completed;

constexpr unsigned kPayerTriesMax = 2 * domain::kChargesPerCheckoutMax;

std::optional<PayerView> view_for(const Services& services, const Request& request) {
  return payer_view(services, *request.caller->payer_of);
}

Reply render(const Services& services, const Request& request) {
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  return {200, payer_json(services, *view, *project_of(services, *request.caller, services.log.head()))};
}

bool is_of_payer(Rejection rejection) {
  return rejection == Rejection::kCustomerBlocked || rejection == Rejection::kBlocklisted;
}

struct Payer {
  domain::CustomerDetails details;
  std::optional<IpAddress> address;
};

// Retries if the newest charge is not the one that was read.
Answer add_charge(const Services& services, const Request& request, const Payer& payer, unsigned tries = 1) {
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  if (services.payer_refusals.too_many(view->session->id))
    return rejection_reply(request, Rejection::kBlocklisted);
  // Money received for any of its charges is settled first.
  if (view->state == domain::PageState::kReview) return render(services, request);
  const auto& session = *view->session;
  const auto* newest = domain::newest_charge(session);
  auto token = services.keyring.token_of(session.project, payer.details.document);
  const auto place = reserve_code_wait(services, *request.caller, std::nullopt);
  domain::AddCheckoutCharge command{.session = session.id,
                                    .project = session.project,
                                    .environment = session.environment,
                                    .payer = {std::move(token), payer.details},
                                    .customer_ip = payer.address,
                                    .newest = newest ? std::optional(newest->id) : std::nullopt,
                                    .may_await_code = place != nullptr};
  return execute(
      request, std::move(command), std::nullopt,
      [&services, &request](const Completed&) { return render(services, request); },
      [&services, payer, tries](const Request& asked, Rejection rejection) -> Answer {
        if (is_of_payer(rejection)) services.payer_refusals.note(*asked.caller->payer_of);
        if (rejection != Rejection::kCheckoutSessionChangedMeanwhile || tries > kPayerTriesMax)
          return rejection_reply(asked, rejection);
        return add_charge(services, asked, payer, tries + 1);
      });
}

using SteadyClock = Subscription::Clock;

constexpr std::chrono::seconds kCommentEvery{15};
// Bytes of unread events. Above this no more are made, and a session's changes meanwhile become one event.
constexpr std::size_t kUnreadChangesMax = 24 * 1024;
// Events read in one turn.
constexpr std::size_t kChangesPerLook = 256;
// Changed sessions that a slow reader may have waiting; beyond that its stream ends and it starts again.
constexpr std::size_t kChangedMax = 65'536;

class PayerChanges final : public Subscription {
 public:
  PayerChanges(const Services& services, const Request& request)
      : Subscription({std::nullopt, domain::Environment::kLive}),
        services_(services),
        after_(request.caller->arrival.position) {}

  SteadyClock::time_point next_look() const override {
    return is_behind_ ? looked_at_ + kBehindPause : written_at_ + kCommentEvery;
  }
  std::chrono::milliseconds wait_max() const override { return {}; }
  std::optional<Reply> begin() override { return stream_reply(body_); }

  Looked look(Time time) override {
    try {
      if (time == Time::kGoesOn && look_on()) return {};
    } catch (...) {
      body_->end();
      throw;
    }
    body_->end();
    return {.reply = {}, .has_ended = true};
  }

 private:
  static constexpr std::chrono::milliseconds kBehindPause{10};

  // False if the reader is too far behind.
  bool look_on() {
    looked_at_ = SteadyClock::now();
    const auto events = services_.log.read_after(after_, kChangesPerLook);
    for (const auto& stored : events) {
      if (const auto session = session_of(eventstore::decode(stored))) changed_.insert(session->text());
      after_ = stored.position;
    }
    std::string text;
    while (!changed_.empty() && body_->unread() + text.size() < kUnreadChangesMax) {
      append(text, *domain::CheckoutSessionId::parse(*changed_.begin()));
      changed_.erase(changed_.begin());
    }
    if (changed_.size() > kChangedMax) return false;
    is_behind_ = !changed_.empty() || events.size() == kChangesPerLook;
    if (text.empty() && looked_at_ - written_at_ < kCommentEvery) return true;
    written_at_ = looked_at_;
    body_->write(text.empty() ? kStreamComment : std::string_view(text));
    return true;
  }

  // nullopt for an event that no page shows.
  std::optional<domain::CheckoutSessionId> session_of(const domain::RecordedEvent& event) const {
    if (event.stream.kind() == domain::StreamKind::kCheckoutSession)
      return domain::CheckoutSessionId::parse(event.stream.key());
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    if (!of_charge) return std::nullopt;
    if (const auto* created = std::get_if<domain::ChargeCreated>(of_charge)) return created->checkout_session;
    const auto id = domain::ChargeId::parse(event.stream.key());
    const auto charge = id ? find_charge(services_, services_.log.head(), *id) : nullptr;
    return charge ? charge->checkout_session : std::nullopt;
  }

  void append(std::string& text, const domain::CheckoutSessionId& id) const {
    const auto view = payer_view(services_, id);
    if (!view) return;
    Json json;
    json.begin_object().field("session", id).field("version", view->version);
    json.field("state", to_string(view->state)).end_object();
    text.append("event: session\ndata: ").append(json.take()).append("\n\n");
  }

  const Services& services_;
  Position after_;
  std::set<std::string> changed_;
  const std::shared_ptr<StreamBody> body_ = std::make_shared<StreamBody>();
  bool is_behind_ = false;
  SteadyClock::time_point looked_at_ = SteadyClock::now();
  SteadyClock::time_point written_at_ = looked_at_;
};

}  // namespace

Answer get_payer_session(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  if (!code_wait_is_over(*view, services.clock.now()))
    return Reply{200,
                 payer_json(services, *view, *project_of(services, *request.caller, services.log.head()))};
  return execute(request, domain::EndCodeWait{view->charge->id}, std::nullopt,
                 [&services, &request](const Completed&) { return render(services, request); });
}

Answer add_payer_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto body = input.body();
  auto details = read_payer(body);
  auto address = body.optional<IpAddress>("customerIp");
  add_violations_of_payer(input, input.violations());
  if (!input.finish()) return input.refusal();
  // The payer is set once. (While a code is awaited, a repeated form gets it.)
  const auto view = view_for(services, request);
  if (view && view->may_have_another_charge)
    return rejection_reply(request, Rejection::kCheckoutSessionNotOpen);
  return add_charge(services, request, {std::move(*details), std::move(address)});
}

Answer add_payer_charge(const Services& services, const Request& request) {
  Input input(request);
  auto address = input.optional_body().optional<IpAddress>("customerIp");
  if (!input.finish()) return input.refusal();
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  // Without a payer: none was set, or the customer was erased.
  if (!view->customer || !view->customer->details)
    return rejection_reply(request, Rejection::kCheckoutSessionNotOpen);
  return add_charge(services, request, {*view->customer->details, std::move(address)});
}

Answer simulate_payer_payment(const Services& services, const Request& request) {
  Input input(request);
  input.optional_body();
  if (!input.finish()) return input.refusal();
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  if (view->session->environment != domain::Environment::kSandbox)
    return rejection_reply(request, Rejection::kNotSandbox);
  if (!view->charge) return rejection_reply(request, Rejection::kTransactionStatus);
  return execute(request, domain::PaySandboxCharge{request.caller->on_behalf(), view->charge->id},
                 std::nullopt, [&services, &request](const Completed&) { return render(services, request); });
}

Reply get_payer_proof(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto view = view_for(services, request);
  const auto& settings = project_of(services, *request.caller, services.log.head())->settings;
  if (!view || !view->charge || !view->charge->payment || !settings.payer_proofs)
    return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  auto receipt = eventstore::make_receipt(services.log, services.keyring.signing_key(), view->charge->id,
                                          [&request] { request.budget.check(); });
  if (!receipt) throw eventstore::LogCorrupt("a charge has vanished from the ledger");
  // The leaves contain the digests of the omitted data.
  for (auto& event : receipt->events) event.stored.personal.clear();
  Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_receipt(json, *receipt);
  json.end_object();
  return {200, json.take()};
}

Reply get_payer_logo(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto project = project_of(services, *request.caller, services.log.head());
  const auto& logo = project->settings.logo;
  if (!logo) return transport_error_reply(request, 404, "The store has no logo.");
  Reply reply{200, logo->image()};
  reply.content_type = logo->type() == "image/png" ? "image/png" : "image/webp";
  return reply;
}

Answer stream_payer_changes(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  return std::make_shared<PayerChanges>(services, request);
}

}  // namespace pixledger::http
