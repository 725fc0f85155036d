#include "http/api/overview/export_source.h"

#include <optional>

#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/environments.h"
#include "http/front/caller.h"
#include "http/services/delivery_records.h"
#include "projections/generations/current_views.h"
#include "projections/generations/projector.h"
#include "projections/views/feed_reader.h"

namespace pixledger::http {
namespace {

using projections::ChargeTable;

// Each event is decoded, and those with a row fold their charge: a millisecond or two together.
constexpr std::size_t kEventsPerLook = 50;
constexpr std::int64_t kDeliveriesPerLook = 2'000;

class ChargesSource final : public ExportSource {
 public:
  ChargesSource(const Services& services, const Request& request, const ChargeTable& table,
                const ExportSpan& span)
      : services_(services),
        table_(table),
        span_(span),
        as_of_(request.caller->arrival.position),
        query_{.project = request.caller->project,
               .sandbox_only = request.caller->sandbox_only(),
               .after = eventstore::position_at(services.log, span.begin.plus_millis(-1)),
               .limit = kEventsPerLook} {}

  const projections::Columns& columns() const override { return table_.columns; }

  bool look(const Take& take) override {
    forget_erased();
    const auto found = projections::read_feed(*services_.views.database(), query_);
    for (const auto position : found.positions) {
      if (position > as_of_) return false;
      const auto event = event_at(position);
      // Times never decrease along the log.
      if (event.recorded_at >= span_.end) return false;
      if (table_.has_row(event)) take(table_.row({span_.zone, *customers_}, event, charge_of(event)));
    }
    query_.after = found.looked_until;
    return !found.at_end && query_.after < as_of_;
  }

 private:
  // Customers who are erased while the table is read are in its further rows no more.
  void forget_erased() {
    const auto erasures = services_.projector.erasures();
    if (customers_ && erasures == erasures_) return;
    erasures_ = erasures;
    customers_.emplace(services_.log, as_of_);
  }
  domain::RecordedEvent event_at(domain::Position position) const {
    const auto stored = services_.log.read_after(domain::Position(position.value() - 1), 1);
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
  const domain::Position as_of_;
  std::uint64_t erasures_ = 0;
  std::optional<projections::CustomerDirectory> customers_;  // as of `erasures_`
  projections::FeedQuery query_;
};

class DeliveriesSource final : public ExportSource {
 public:
  DeliveriesSource(const Services& services, const Request& request, const ExportSpan& span)
      : caller_(*request.caller), span_(span), reader_(services.deliveries.reader()) {}

  const projections::Columns& columns() const override { return projections::delivery_columns(); }

  bool look(const Take& take) override {
    if (!reader_) return false;
    const auto found = reader_->read_after(caller_.project, after_, kDeliveriesPerLook);
    for (const auto& delivery : found.deliveries)
      if (is_shown(delivery)) take(projections::delivery_row(span_.zone, delivery));
    after_ = found.looked_up_to;
    return !found.at_end;
  }

 private:
  bool is_shown(const projections::Delivery& delivery) const {
    return delivery.created_at >= span_.begin && delivery.created_at < span_.end &&
           delivery.position <= caller_.arrival.position && !is_refused(caller_, delivery.environment);
  }

  const Caller& caller_;
  const ExportSpan span_;
  const std::shared_ptr<const projections::DeliveryReader> reader_;
  std::int64_t after_ = 0;
};

}  // namespace

std::unique_ptr<ExportSource> charges_source(const Services& services, const Request& request,
                                             const ChargeTable& table, const ExportSpan& span) {
  return std::make_unique<ChargesSource>(services, request, table, span);
}

std::unique_ptr<ExportSource> deliveries_source(const Services& services, const Request& request,
                                                const ExportSpan& span) {
  return std::make_unique<DeliveriesSource>(services, request, span);
}

}  // namespace pixledger::http
