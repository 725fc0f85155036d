#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "projections/delivery_reader.h"

namespace pixledger::http {

// The deliveries as the webhook worker keeps them; none as long as no worker has made their file.
// Thread-safe. Throws Poco::Exception when SQLite fails.
class DeliveryRecords {
 public:
  explicit DeliveryRecords(std::filesystem::path file) : file_(std::move(file)) {}

  // Null when there is no file yet. Looked for again each time, so that the worker may start later.
  std::shared_ptr<const projections::DeliveryReader> reader() const;

  // Of a channel that nothing was sent to yet when there is no file.
  projections::ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  const std::filesystem::path file_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const projections::DeliveryReader> reader_;
};

}  // namespace pixledger::http
