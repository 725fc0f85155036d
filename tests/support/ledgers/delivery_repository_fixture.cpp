#include "tests/support/ledgers/delivery_repository_fixture.h"

namespace pixledger::tests {

using projections::Delivery;
using projections::DeliveryStatus;

projections::LogCursor sample_cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, domain::Position(position), eventstore::sha256("leaf")};
}

projections::NewDelivery sample_delivery(std::uint64_t position, std::uint32_t sequence,
                                         const std::string& charge) {
  return {parsed<projections::DeliveryId>("cdelivery" + std::to_string(100 + position)),
          sample_channel_id(),
          sample_project_id(),
          parsed<domain::ChargeId>("ccharge0000" + charge),
          domain::Environment::kSandbox,
          domain::WebhookEvent::kTransactionPaid,
          domain::WebhookVersion::kV2,
          domain::Position(position),
          sequence,
          kStart,
          kStart};
}

projections::AttemptRecord attempt_of(const Delivery& delivery, DeliveryStatus status, std::int64_t at_ms,
                                      std::optional<std::int64_t> next_ms) {
  std::optional<domain::Timestamp> next;
  if (next_ms) next = kStart.plus_millis(*next_ms);
  return {delivery.number,
          delivery.channel,
          delivery.charge,
          {{delivery.attempts + 1, kStart.plus_millis(at_ms), 500, 12, "HTTP 500", "no"}},
          status,
          next,
          delivery.round_start};
}

}  // namespace pixledger::tests
