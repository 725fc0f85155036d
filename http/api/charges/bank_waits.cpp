#include "http/api/charges/bank_waits.h"

#include <utility>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "domain/values/stream_name.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"

namespace pixledger::http {
namespace {

using domain::ChargeEvent;
using domain::Rejection;
using eventstore::Completed;

const domain::ChargeCreated& charge_created(const Completed& completed) {
  const auto& event = std::get<ChargeEvent>(completed.events().back().event);
  return std::get<domain::ChargeCreated>(event);
}

Reply render_created(const domain::ChargeCreated& charge, const std::string& pix_code) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("id", charge.id);
  json.field("status", domain::to_string(domain::ChargeStatus::kWaitingPayment));
  json.field("amountCents", charge.amount);
  json.field("pixCode", pix_code);
  json.field("qrCode", qr_path(charge.id));
  json.field("expirationDate", charge.expires_at);
  json.field("environment", charge.environment);
  json.end_object().end_object();
  Reply reply{201, json.take()};
  reply.headers.push_back({"Location", "/api/v1/transactions/" + charge.id.text()});
  return reply;
}

// Reads a charge's events until one of them ends the wait.
class BankWait : public Subscription, public std::enable_shared_from_this<BankWait> {
 public:
  BankWait(const Services& services, const Request& request, const Completed& completed,
           std::chrono::milliseconds wait)
      : Subscription({request.caller->project, request.caller->environment}),
        services_(services),
        request_(request),
        first_request_id_(completed.first_request_id),
        was_replayed_(completed.replayed),
        wait_(wait),
        deadline_(Clock::now() + wait) {}

  Clock::time_point next_look() const override { return ended_at_ ? Clock::time_point::min() : deadline_; }
  std::optional<Reply> begin() override { return std::nullopt; }
  std::chrono::milliseconds wait_max() const override { return wait_; }

  std::optional<Answer> without_waiting() override { return on_deadline(); }
  Looked look(Time time) override {
    if (auto reply = marked_end()) {
      if (!ended_at_) ended_at_ = Clock::now();
      if (shows_customer()) {
        if (auto refused = refuse_ended_caller(services_, request_))
          return {.reply = std::move(refused), .has_ended = true};
        if (time == Time::kGoesOn && !is_caller_confirmed(services_, *request_.caller, *ended_at_)) return {};
      }
      return {.reply = *std::move(reply), .has_ended = true};
    }
    if (time == Time::kIsOver)
      return {.reply = rejection_reply(request_, Rejection::kBankSilent), .has_ended = true};
    if (Clock::now() < deadline_) return {};
    return {.reply = on_deadline(), .has_ended = true};
  }

  // The reply, if the end is there already.
  std::optional<Reply> find_end() const {
    for (const auto& stored : eventstore::StreamEvents(services_.log, stream())) {
      const auto event = eventstore::decode(stored);
      if (auto reply = answer_to(event)) return reply;
    }
    return std::nullopt;
  }

  // The same for a wait, with the header of a repeat.
  std::optional<Reply> marked_end() const {
    auto reply = find_end();
    if (reply && was_replayed_) reply->headers.push_back({"Idempotent-Replayed", "true"});
    return reply;
  }
  const Request& request() const { return request_; }

 protected:
  const Services& services() const { return services_; }
  // A repeat replies with the first request's id.
  Reply reject(Rejection rejection) const {
    if (!was_replayed_) return rejection_reply(request_, rejection);
    Request first = request_;
    first.request_id = first_request_id_;
    return rejection_reply(first, rejection);
  }

 private:
  virtual domain::StreamName stream() const = 0;
  // Whether the reply shows the customer. If so, a caller whose key or sign-in has ended must not get it.
  virtual bool shows_customer() const = 0;
  // nullopt for an event that does not end the wait.
  virtual std::optional<Reply> answer_to(const domain::RecordedEvent& event) const = 0;
  virtual Answer on_deadline() const = 0;

  const Services& services_;
  const Request& request_;
  const std::string first_request_id_;
  const bool was_replayed_;
  const std::chrono::milliseconds wait_;
  const Clock::time_point deadline_;
  std::optional<Clock::time_point> ended_at_;
};

std::chrono::milliseconds code_deadline(const domain::ChargeCreated& created, Timestamp created_at) {
  return std::chrono::milliseconds(created.code_awaited_until->millis() - created_at.millis());
}

class CodeWait final : public BankWait {
 public:
  CodeWait(const Services& services, const Request& request, const Completed& completed,
           BankPresence::Place place)
      : BankWait(services, request, completed,
                 code_deadline(charge_created(completed), completed.decided_at)),
        created_(charge_created(completed)),
        place_(std::move(place)) {}

 private:
  domain::StreamName stream() const override { return domain::charge_stream(created_.id); }
  bool shows_customer() const override { return false; }

  std::optional<Reply> answer_to(const domain::RecordedEvent& event) const override {
    const auto& of_charge = std::get<ChargeEvent>(event.event);
    if (const auto* set = std::get_if<domain::ChargeCodeSet>(&of_charge))
      return render_created(created_, set->pix_code);
    if (std::holds_alternative<domain::ChargeFailed>(of_charge)) return reject(Rejection::kNoCode);
    return std::nullopt;
  }

  // The first event decides: this timeout or the worker's reply.
  Answer on_deadline() const override {
    return execute(
        request(), domain::EndCodeWait{created_.id}, std::nullopt,
        [wait = shared_from_this()](const Completed&) -> Answer {
          return wait->marked_end().value_or(rejection_reply(wait->request(), Rejection::kBankSilent));
        });
  }

  const domain::ChargeCreated created_;
  const BankPresence::Place place_;
};

class CancelWait final : public BankWait {
 public:
  CancelWait(const Services& services, const Request& request, domain::ChargeId id,
             const Completed& completed, std::chrono::milliseconds wait)
      : BankWait(services, request, completed, wait), id_(std::move(id)), as_of_(completed.as_of) {}

 private:
  domain::StreamName stream() const override { return domain::charge_stream(id_); }
  bool shows_customer() const override { return true; }

  std::optional<Reply> answer_to(const domain::RecordedEvent& event) const override {
    if (event.position <= as_of_) return std::nullopt;
    const auto& of_charge = std::get<ChargeEvent>(event.event);
    if (std::holds_alternative<domain::ChargeCancelled>(of_charge))
      return render_as_of(services(), id_, event.position);
    if (std::holds_alternative<domain::ChargeCancelDropped>(of_charge) ||
        std::holds_alternative<domain::ChargePaid>(of_charge) ||
        std::holds_alternative<domain::ChargeExpired>(of_charge) ||
        std::holds_alternative<domain::ChargeFailed>(of_charge))
      return reject(Rejection::kTransactionStatus);
    return std::nullopt;
  }

  // The cancellation stays recorded: a repeat gets its outcome.
  Answer on_deadline() const override { return rejection_reply(request(), Rejection::kBankSilent); }

  const domain::ChargeId id_;
  const Position as_of_;
};

// Replies if the end is there already, else waits.
Answer end_or_wait(std::shared_ptr<BankWait> wait) {
  if (auto reply = wait->find_end()) return *std::move(reply);
  return wait;
}

// The same deadline as for creations on this connection.
std::chrono::milliseconds bank_deadline(const Services& services, const domain::Charge& charge) {
  const auto state = services.states.find(domain::project_stream(charge.project), services.log.head());
  const auto* project = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  const auto* connection = project ? domain::connection_of(*project, charge.connection) : nullptr;
  if (!connection || !connection->api_pix) return std::chrono::milliseconds(domain::kCodeDeadlineMsDefault);
  return std::chrono::milliseconds(connection->api_pix->code_deadline_ms);
}

}  // namespace

bool creations_need_no_bank(const Services& services) { return !services.banks.is_worker_there(); }

BankPresence::Place reserve_code_wait(const Services& services, const Caller& caller,
                                      const std::optional<domain::ConnectionId>& id) {
  if (creations_need_no_bank(services)) return nullptr;
  const auto project = project_of(services, caller);
  const auto* connection = domain::find_connection(*project, caller.environment, id);
  if (!connection || !connection->api_pix || connection->api_pix->code != domain::CodeKind::kDynamic)
    return nullptr;
  return services.banks.take_place(connection->id);
}

Reply render_as_of(const Services& services, const domain::ChargeId& id, Position as_of,
                   std::optional<domain::PaymentFlag> flag) {
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(id), as_of);
  if (!charge) throw eventstore::LogCorrupt("a charge that was just changed is not in the ledger");
  return render_transaction(*charge, eventstore::find_customer(services.history, charge->customer, as_of),
                            PersonalData::kShown, flag);
}

Answer answer_creation(const Services& services, const Request& request, const Completed& completed,
                       BankPresence::Place place) {
  const auto& created = charge_created(completed);
  if (!created.code_awaited_until) return render_created(created, created.pix_code);
  return end_or_wait(std::make_shared<CodeWait>(services, request, completed, std::move(place)));
}

Answer answer_cancellation(const Services& services, const Request& request, const domain::ChargeId& id,
                           const Completed& completed) {
  const auto charge =
      eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(id), completed.as_of);
  if (!charge || !charge->cancel_requested_at) return render_as_of(services, id, completed.as_of);
  // Starts watching the caller's sign-in.
  if (auto refused = refuse_ended_caller(services, request)) return *std::move(refused);
  return end_or_wait(
      std::make_shared<CancelWait>(services, request, id, completed, bank_deadline(services, *charge)));
}

}  // namespace pixledger::http
