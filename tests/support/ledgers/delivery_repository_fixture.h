#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "projections/deliveries/delivery_reader.h"
#include "projections/deliveries/delivery_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

projections::LogCursor sample_cursor(std::uint64_t position);

// The event at a position, which is the n-th of a charge, for the first channel.
projections::NewDelivery sample_delivery(std::uint64_t position, std::uint32_t sequence = 1,
                                         const std::string& charge = "a");

// An attempt, at a time after kStart, that was answered 500 and means this for the delivery.
projections::AttemptRecord attempt_of(const projections::Delivery& delivery,
                                      projections::DeliveryStatus status, std::int64_t at_ms,
                                      std::optional<std::int64_t> next_ms = std::nullopt);

// A store of deliveries on a disk.
struct DeliveryDatabaseFixture {
  // The positions of those that are due to the first channel, at a time after kStart.
  std::vector<std::uint64_t> due(std::int64_t after_ms = 0) const;

  TemporaryDirectory directory;
  std::filesystem::path file = directory.path() / projections::kDeliveriesFile;
  projections::DeliveryRepository store{file};
};

}  // namespace pixledger::tests
