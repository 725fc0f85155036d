#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stores/deliveries/delivery_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/database_engines.h"

namespace pixledger::tests {

eventstore::LogCursor sample_cursor(std::uint64_t position);

// The event at a position, which is the n-th of a charge, for the first channel.
stores::NewDelivery sample_delivery(std::uint64_t position, std::uint32_t sequence = 1,
                                    const std::string& charge = "a");

// An attempt, at a time after kStart, that was answered 500 and leaves the delivery in this status.
stores::AttemptRecord attempt_of(const stores::Delivery& delivery, stores::DeliveryStatus status,
                                 std::int64_t at_ms, std::optional<std::int64_t> next_ms = std::nullopt);

// A database of deliveries, on disk or in PostgreSQL, with one contract.
template <class Engine>
struct DeliveryDatabaseFixture {
  // The positions of the first channel's deliveries that are due, at a time after kStart.
  std::vector<std::uint64_t> due(std::int64_t after_ms = 0) const {
    std::vector<std::uint64_t> positions;
    for (const auto& each : store.due(sample_channel_id(), kStart.plus_millis(after_ms), 100))
      positions.push_back(each.position.value());
    return positions;
  }

  Engine engine;
  std::unique_ptr<stores::DeliveryRepository> opened = engine.deliveries();
  stores::DeliveryRepository& store = *opened;
};

}  // namespace pixledger::tests
