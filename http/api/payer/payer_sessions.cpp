#include <utility>

#include "base/platform/clock.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/proof/receipt_json.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_body.h"
#include "http/api/common/project_of.h"
#include "http/api/common/store_rules.h"
#include "http/api/endpoints.h"
#include "http/api/payer/payer_view.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/payer_refusals.h"

namespace pixledger::http {
namespace {

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

// Whoever saw another charge than the newest looks again.
Answer add_charge(const Services& services, const Request& request, const Payer& payer, unsigned tries = 1) {
  const auto view = view_for(services, request);
  if (!view) return rejection_reply(request, Rejection::kCheckoutSessionNotFound);
  if (services.payer_refusals.too_many(view->session->id))
    return rejection_reply(request, Rejection::kBlocklisted);
  // Money that came for any of its charges is settled first.
  if (view->state == domain::PageState::kReview) return render(services, request);
  const auto& session = *view->session;
  const auto* newest = domain::newest_charge(session);
  auto token = domain::DocumentToken::parse(
      services.keyring.name_of_document(session.project.text(), payer.details.document.text()));
  const auto place = reserve_code_wait(services, *request.caller, std::nullopt);
  domain::AddCheckoutCharge command{.session = session.id,
                                    .project = session.project,
                                    .environment = session.environment,
                                    .payer = {*std::move(token), payer.details},
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
  // Who pays is said once. (While a code waits, a form that was sent twice is answered with it.)
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
  // Without anybody to make it for: nobody has said who pays, or they have been erased.
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
  // The leaves hold the digests of what is left out.
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

}  // namespace pixledger::http
