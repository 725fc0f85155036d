#include "tests/support/ledgers/delivery_repository_fixture.h"

namespace pixledger::tests {

using stores::Delivery;
using stores::DeliveryStatus;

eventstore::LogCursor sample_cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, Position(position), sha256("leaf")};
}

stores::NewDelivery sample_delivery(std::uint64_t position, std::uint32_t sequence,
                                    const std::string& charge) {
  return {parsed<domain::DeliveryId>("cdelivery" + std::to_string(100 + position)),
          sample_channel_id(),
          sample_project_id(),
          parsed<domain::ChargeId>("ccharge0000" + charge),
          domain::Environment::kSandbox,
          domain::WebhookEvent::kTransactionPaid,
          domain::WebhookVersion::kV2,
          Position(position),
          sequence,
          kStart,
          kStart};
}

stores::AttemptRecord attempt_of(const Delivery& delivery, DeliveryStatus status, std::int64_t at_ms,
                                 std::optional<std::int64_t> next_ms) {
  std::optional<Timestamp> next;
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
