#include "http/api/overview/export_source.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/environments.h"
#include "http/front/caller.h"
#include "http/services/delivery_records.h"
#include "projections/generations/current_views.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {
namespace {

using stores::ChargeTable;
using stores::ExportBy;

// Each event is decoded, and those with a row fold their charge: a millisecond or two together.
constexpr std::size_t kEventsPerExportLook = 50;
constexpr std::int64_t kDeliveriesPerLook = 2'000;

// A payment may be a little ahead of the ledger's clock.
Timestamp earliest_record(const ExportSpan& span) {
  const auto earlier = span.by == ExportBy::kPaid ? domain::kPaymentAheadMsMax : 0;
  return span.begin.plus_millis(-1 - earlier);
}

class ChargesSource : public ExportSource {
 public:
  ChargesSource(const Services& services, const Request& request, const ChargeTable& table,
                const ExportSpan& span)
      : services_(services),
        table_(table),
        span_(span),
        as_of_(request.caller->arrival.position),
        query_{.project = request.caller->project,
               .sandbox_only = request.caller->sandbox_only(),
               .after = eventstore::position_at(services.log, earliest_record(span)),
               .limit = kEventsPerExportLook} {}

  const stores::Table& table() const override { return table_.table; }

  bool look(const Take& take) override {
    const auto found = projections::read_feed(*services_.views.database(), query_);
    for (const auto position : found.positions) {
      if (position > as_of_) return false;
      const auto event = event_at(position);
      // Times never decrease along the log.
      if (span_.by == ExportBy::kRecorded && event.recorded_at >= span_.end) return false;
      add(event, take);
    }
    query_.after = found.looked_until;
    return !found.at_end && query_.after < as_of_;
  }

 protected:
  const Services& services() const { return services_; }
  const ExportSpan& span() const { return span_; }
  const domain::ProjectId& project() const { return query_.project; }
  Position as_of() const { return as_of_; }

 private:
  void add(const domain::RecordedEvent& event, const Take& take) {
    const bool is_asked_by_record = span_.by == ExportBy::kRecorded;
    if (!(is_asked_by_record ? table_.has_row(event) : stores::may_be_payment(event))) return;
    const auto charge = charge_of(event);
    if (span_.environment && charge.environment != *span_.environment) return;
    if (!is_asked_by_record) {
      const auto paid_at = table_.paid_at(event, charge);
      if (!paid_at || !span_.contains(*paid_at)) return;
    }
    take(table_.row({span_.zone, customers_}, event, charge));
  }
  domain::RecordedEvent event_at(Position position) const {
    const auto stored = services_.log.read_after(Position(position.value() - 1), 1);
    if (stored.empty() || stored.front().position != position)
      throw eventstore::LogCorrupt("the read models list an event that the ledger does not have");
    return eventstore::decode(stored.front());
  }
  domain::Charge charge_of(const domain::RecordedEvent& event) const {
    auto charge = eventstore::fold_as<domain::Charge>(services_.log, event.stream, as_of_);
    if (!charge) throw eventstore::LogCorrupt("a charge that has events was never created");
    return *std::move(charge);
  }

  const Services& services_;
  const ChargeTable& table_;
  const ExportSpan span_;
  const Position as_of_;
  stores::CustomerDirectory customers_{services_.log, as_of_};
  projections::FeedQuery query_;
};

class PaymentsSource final : public ChargesSource {
 public:
  PaymentsSource(const Services& services, const Request& request, const ExportSpan& span)
      : ChargesSource(services, request, stores::payment_table(), span), caller_(*request.caller) {}

  bool look(const Take& take) override {
    if (!unmatched_) {
      if (!ChargesSource::look(take))
        unmatched_ = services().log.claims_with_prefix(domain::unmatched_claim_prefix(project()));
      return true;
    }
    const auto end = std::min(next_ + kEventsPerExportLook, unmatched_->size());
    for (; next_ < end; ++next_) add(unmatched_->at(next_).second, take);
    return next_ < unmatched_->size();
  }

 private:
  // An assigned payment is a row of its charge.
  void add(const domain::StreamName& stream, const Take& take) const {
    const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(services().log, stream, as_of());
    if (!payment || payment->state == domain::UnmatchedState::kAssigned) return;
    if (is_refused(caller_, payment->environment)) return;
    if (span().environment && payment->environment != *span().environment) return;
    if (span().contains(span().by == ExportBy::kPaid ? payment->paid_at : payment->recorded_at))
      take(stores::unmatched_row(span().zone, *payment));
  }

  const Caller& caller_;
  std::optional<std::vector<std::pair<domain::ClaimName, domain::StreamName>>> unmatched_;
  std::size_t next_ = 0;
};

class DeliveriesSource final : public ExportSource {
 public:
  DeliveriesSource(const Services& services, const Request& request, const ExportSpan& span)
      : caller_(*request.caller), span_(span), reader_(services.deliveries.reader()) {}

  const stores::Table& table() const override { return stores::delivery_table(); }

  bool look(const Take& take) override {
    if (!reader_) return false;
    const auto found = reader_->read_after(caller_.project, after_, kDeliveriesPerLook);
    for (const auto& delivery : found.deliveries)
      if (is_shown(delivery)) take(stores::delivery_row(span_.zone, delivery));
    after_ = found.looked_up_to;
    return !found.at_end;
  }

 private:
  bool is_shown(const stores::Delivery& delivery) const {
    return span_.contains(delivery.created_at) && delivery.position <= caller_.arrival.position &&
           !is_refused(caller_, delivery.environment) &&
           (!span_.environment || delivery.environment == *span_.environment);
  }

  const Caller& caller_;
  const ExportSpan span_;
  const std::shared_ptr<const stores::DeliveryReader> reader_;
  std::int64_t after_ = 0;
};

}  // namespace

std::unique_ptr<ExportSource> charges_source(const Services& services, const Request& request,
                                             const ChargeTable& table, const ExportSpan& span) {
  return std::make_unique<ChargesSource>(services, request, table, span);
}

std::unique_ptr<ExportSource> payments_source(const Services& services, const Request& request,
                                              const ExportSpan& span) {
  return std::make_unique<PaymentsSource>(services, request, span);
}

std::unique_ptr<ExportSource> deliveries_source(const Services& services, const Request& request,
                                                const ExportSpan& span) {
  return std::make_unique<DeliveriesSource>(services, request, span);
}

}  // namespace pixledger::http
