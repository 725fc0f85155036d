#include "tests/support/servers/channel_service.h"

#include <stdexcept>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/announcements.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

TestServiceOptions with_resolver(const Resolver& resolver) {
  TestServiceOptions options;
  options.resolver = &resolver;
  return options;
}

}  // namespace

ChannelService::ChannelService()
    : resolver({{"shop.example", {"93.184.216.34"}},
                {"other.example", {"93.184.216.35", "2606:2800:220:1::1"}},
                {"inside.example", {"93.184.216.34", "10.0.0.1"}}}),
      service(with_resolver(resolver)),
      project(service.create_project()) {}

domain::Channel ChannelService::state_of(const std::string& id) {
  const auto stream = domain::channel_stream(parsed<domain::ChannelId>(id));
  return eventstore::fold_as<domain::Channel>(service.log(), stream).value();
}

void ChannelService::disable(const std::string& id, domain::ChannelDisabledReason reason) {
  const auto channel = state_of(id);
  service.execute(domain::DisableChannel{channel.id, reason, channel.active_since});
}

std::string ChannelService::deliver(const std::string& channel, const std::string& charge) {
  const auto& log = service.log();
  const auto stored =
      log.read_stream(domain::charge_stream(parsed<domain::ChargeId>(charge)), 0, eventstore::kNoLimit);
  const auto event = eventstore::decode(stored.events.at(0));
  eventstore::StateHistory history(log);
  const auto announcement = stores::announcements_of(history, event).at(0);
  const auto delivery = stores::delivery_for(event, announcement, state_of(channel));
  stores::DeliveryRepository store(service.deliveries_file());
  store.add({delivery}, eventstore::cursor_at(log, event.position));
  return delivery.id.text();
}

void ChannelService::attempt(const std::string& delivery, int http_status, stores::DeliveryStatus then,
                             const std::string& answer) {
  stores::DeliveryRepository store(service.deliveries_file());
  const auto found = store.find(parsed<domain::DeliveryId>(delivery)).value();
  const auto now = service.clock().now();
  const std::string error = then == stores::DeliveryStatus::kDelivered ? "" : "no success";
  const stores::DeliveryAttempt attempt{found.attempts + 1, now, http_status, 12, error, answer};
  std::optional<Timestamp> next;
  if (then == stores::DeliveryStatus::kPending) next = now.plus_millis(5'000);
  store.record({{found.number, found.channel, found.charge, attempt, then, next}}, now);
}

void ChannelService::pass_over_events() {
  const auto& log = service.log();
  stores::DeliveryRepository store(service.deliveries_file());
  store.add({}, eventstore::cursor_at(log, log.head().position));
}

}  // namespace pixledger::tests
