#include <chrono>

#include "base/platform/json.h"
#include "base/values/timestamp.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/log_scan.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/list_filters.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/sign_in_watch.h"
#include "projections/generations/generation.h"
#include "projections/views/feed_reader.h"
#include "stores/accounting/reconciliation.h"

namespace pixledger::http {
namespace {

using SteadyClock = std::chrono::steady_clock;
using stores::StatementFormat;

constexpr std::size_t kEventsPerPiece = 200;
constexpr std::chrono::milliseconds kStatementPieceTime{20};
constexpr std::chrono::seconds kLookAtCallerEvery{3};
// An occasional blank shows clients that the reply is being made.
constexpr std::chrono::seconds kBlankEvery{5};
constexpr std::chrono::minutes kReconciliationTimeMax{5};
// Each takes some 300 bytes of memory while it is compared.
constexpr std::size_t kPaymentsMax = 100'000;
constexpr std::size_t kItemsOfKindMax = 1'000;  // of each kind

// The events of the caller's project, from the read models.
class FeedEvents final : public stores::ProjectEvents {
 public:
  FeedEvents(const Services& services, const Caller& caller)
      : services_(services),
        as_of_(caller.arrival.position),
        query_{.project = caller.project,
               .sandbox_only = caller.sandbox_only(),
               .after = {},
               .limit = kEventsPerPiece} {}

  void begin_at(Timestamp moment) override {
    query_.after = eventstore::position_at(services_.log, moment.plus_millis(-1));
  }

  bool look(const Visit& visit) override {
    const auto found = projections::read_feed(*services_.views.database(), query_);
    for (const auto position : found.positions) {
      if (position > as_of_) return false;
      const auto stored = services_.log.read_after(Position(position.value() - 1), 1);
      if (stored.empty() || stored.front().position != position)
        throw eventstore::LogCorrupt("the read models list an event that the ledger does not have");
      visit(eventstore::decode(stored.front()));
    }
    query_.after = found.looked_until;
    return !found.at_end && query_.after < as_of_;
  }

 private:
  const Services& services_;
  const Position as_of_;
  projections::FeedQuery query_;
};

class Comparison final : public Pieces {
 public:
  Comparison(const Services& services, const Request& request, stores::ReconcileQuestion question,
             stores::Statement statement, std::string zone)
      : services_(services),
        request_(request),
        zone_(std::move(zone)),
        events_(services, *request.caller),
        reconciler_(services.log, events_, std::move(question), std::move(statement)),
        watch_(request.caller->user ? services.sign_in_watch.hold(request.caller->user->sign_in) : nullptr) {}

  Reply head() const override { return {}; }
  bool is_heavy() const override { return true; }

  Then append_to(std::string& text) override {
    const auto now = SteadyClock::now();
    if (now - began_ >= kReconciliationTimeMax || caller_has_ended(now)) return Then::kCut;
    if (now - blank_at_ >= kBlankEvery) {
      blank_at_ = now;
      text += ' ';
    }
    while (SteadyClock::now() - now < kStatementPieceTime) {
      if (reconciler_.look()) continue;
      text += answer();
      return Then::kEnd;
    }
    return Then::kMore;
  }

 private:
  bool caller_has_ended(SteadyClock::time_point now) {
    if (now - looked_at_ < kLookAtCallerEvery) return false;
    looked_at_ = now;
    return refuse_ended_caller(services_, request_).has_value();
  }

  std::string answer() {
    Json json;
    json.begin_object().field("success", true).key("data").begin_object();
    write_reconciliation(json, reconciler_.take(), kItemsOfKindMax);
    json.end_object().key("meta").begin_object().field("timezone", zone_).end_object();
    return json.end_object().take();
  }

  const Services& services_;
  const Request& request_;
  const std::string zone_;
  FeedEvents events_;
  stores::Reconciler reconciler_;
  const std::shared_ptr<const void> watch_;
  const SteadyClock::time_point began_ = SteadyClock::now();
  SteadyClock::time_point looked_at_ = began_, blank_at_ = began_;
};

// The query's parameters. The body is not JSON, so this is no Input.
class AskedReconciliation {
 public:
  AskedReconciliation(const Services& services, const Request& request) : query_(request.query) {
    const auto given = query_.value("timezone", violations);
    const auto found = given ? TimeZone::parse(*given) : zone_of(services, *request.caller);
    if (!found) violations.push_back({"timezone", std::string(TimeZone::kRule)});
    zone = found.value_or(TimeZone());
    zone_name = given.value_or(std::string(zone.name()));
    const auto from = read_day(query_, "from", violations);
    const auto to = read_day(query_, "to", violations);
    if (from && to && *from > *to) violations.push_back({"from", "must not be after to"});
    if (from) period.from = zone.begin_of(*from);
    if (to) period.until = zone.begin_of(*to + 1);
    period.is_the_statements = !from && !to;
    const auto name = query_.value("format", violations);
    if (name) format = stores::parse_statement_format(*name);
    if (name && !format) violations.push_back({"format", "must be csv, ofx or pix-json"});
    if (!request.is_lenient) query_.refuse_unknown(violations);
    if (request.body.empty())
      violations.push_back({"statement", "must be in the body: the bytes of its file"});
  }

  TimeZone zone{};
  std::string zone_name;
  stores::ReconcilePeriod period{};
  std::optional<StatementFormat> format{};
  Violations violations{};

 private:
  Query query_;
};

}  // namespace

Answer reconcile(const Services& services, const Request& request) {
  AskedReconciliation asked(services, request);
  if (!asked.violations.empty()) return validation_reply(request, std::move(asked.violations));
  const auto format = asked.format.value_or(stores::guess_statement_format(request.body));
  stores::Statement statement;
  try {
    statement = stores::read_statement(request.body, format, asked.zone);
  } catch (const stores::StatementRefused& refused) {
    return validation_reply(request, {{"statement", refused.problem()}});
  }
  const auto& caller = *request.caller;
  return std::make_shared<Comparison>(services, request,
                                      stores::ReconcileQuestion{.project = caller.project,
                                                                .as_of = caller.arrival.position,
                                                                .period = asked.period,
                                                                .zone = asked.zone,
                                                                .environment = caller.environment,
                                                                .payments_max = kPaymentsMax},
                                      std::move(statement), asked.zone_name);
}

}  // namespace pixledger::http
