#include "eventstore/codec/channel_facts.h"

#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/numbers.h"

namespace pixledger::eventstore {

domain::ChannelEvent channel_added(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelAdded>(facts);
  const auto read = reader_of(facts);
  return domain::ChannelAdded{read.parse<domain::ChannelId>(table.id(), "id"),
                              facts.project,
                              read.parse_optional<domain::Label>(table.name(), "name"),
                              std::string(view_of(table.url())),
                              read.known(domain::WebhookEventSet::from_bits(table.events()), "events"),
                              read.known(webhook_version_of(table.webhook_version()), "webhook_version"),
                              {std::string(view_of(*table.secret()))},
                              std::string(view_of(table.secret_hint())),
                              table.sandbox_only()};
}

domain::ChannelEvent channel_changed(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelChanged>(facts);
  const auto read = reader_of(facts);
  return domain::ChannelChanged{
      read.parse_optional<domain::Label>(table.name(), "name"), std::string(view_of(table.url())),
      read.known(domain::WebhookEventSet::from_bits(table.events()), "events"),
      read.known(webhook_version_of(table.webhook_version()), "webhook_version"), table.is_active()};
}

domain::ChannelEvent channel_deleted(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelDeleted>(facts);
  return domain::ChannelDeleted{reader_of(facts).parse<domain::ChannelId>(table.id(), "id"), facts.project};
}

domain::ChannelEvent channel_secret_rotated(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelSecretRotated>(facts);
  return domain::ChannelSecretRotated{{std::string(view_of(*table.secret()))},
                                      std::string(view_of(table.secret_hint())),
                                      reader_of(facts).time(table.grace_ends_at(), "grace_ends_at")};
}

domain::ChannelEvent channel_disabled(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelDisabled>(facts);
  return domain::ChannelDisabled{
      reader_of(facts).known(channel_disabled_reason_of(table.reason()), "reason")};
}

domain::ChannelEvent channel_test_requested(const StoredFacts& facts) {
  const auto& table = table_of<stored::ChannelTestRequested>(facts);
  const auto read = reader_of(facts);
  return domain::ChannelTestRequested{read.parse<domain::DeliveryId>(table.delivery(), "delivery"),
                                      read.known(environment_of(table.environment()), "environment")};
}

domain::ChannelEvent delivery_redelivery_requested(const StoredFacts& facts) {
  const auto& table = table_of<stored::DeliveryRedeliveryRequested>(facts);
  return domain::DeliveryRedeliveryRequested{
      reader_of(facts).parse<domain::DeliveryId>(table.delivery(), "delivery"), table.attempts()};
}

domain::ChannelEvent deliveries_recovery_requested(const StoredFacts& facts) {
  const auto& table = table_of<stored::DeliveriesRecoveryRequested>(facts);
  const auto read = reader_of(facts);
  return domain::DeliveriesRecoveryRequested{read.time(table.since(), "since"),
                                             read.time(table.until(), "until"), table.queued()};
}

}  // namespace pixledger::eventstore
