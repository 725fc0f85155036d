#pragma once

#include "eventstore/codec/facts.h"

// Stored facts of channels as the domain's events, one function a table. For the codec's sources only.
namespace pixledger::eventstore {

domain::ChannelEvent channel_added(const StoredFacts& facts);
domain::ChannelEvent channel_changed(const StoredFacts& facts);
domain::ChannelEvent channel_deleted(const StoredFacts& facts);
domain::ChannelEvent channel_secret_rotated(const StoredFacts& facts);
domain::ChannelEvent channel_disabled(const StoredFacts& facts);
domain::ChannelEvent channel_test_requested(const StoredFacts& facts);
domain::ChannelEvent delivery_redelivery_requested(const StoredFacts& facts);
domain::ChannelEvent deliveries_recovery_requested(const StoredFacts& facts);

}  // namespace pixledger::eventstore
