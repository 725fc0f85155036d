#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "stores/databases/worker_stores.h"

namespace pixledger::http {

// Tells a file from another that has taken its place.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The deliveries as the webhook worker keeps them; none as long as no worker has made their file.
// Thread-safe. Throws what their database does.
class DeliveryRecords {
 public:
  explicit DeliveryRecords(stores::WorkerStores stores) : stores_(std::move(stores)) {}

  // Null when there is no file. Looked for each time: the worker may start later, and its directory may be
  // put away and made anew meanwhile.
  std::shared_ptr<const stores::DeliveryReader> reader() const;

  std::optional<stores::Delivery> find(const domain::DeliveryId& id) const;
  // Of a channel that nothing was sent to yet when there is no file.
  stores::ChannelHealth health(const domain::ChannelId& channel) const;

 private:
  const stores::WorkerStores stores_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const stores::DeliveryReader> reader_;
  mutable std::optional<FileIdentity> opened_;  // what `reader_` reads
};

}  // namespace pixledger::http
