#include "http/delivery_records.h"

namespace pixledger::http {

std::shared_ptr<const projections::DeliveryReader> DeliveryRecords::reader() const {
  const std::lock_guard lock(mutex_);
  if (!reader_) reader_ = projections::DeliveryReader::open(file_);
  return reader_;
}

projections::ChannelHealth DeliveryRecords::health(const domain::ChannelId& channel) const {
  const auto found = reader();
  return found ? found->health(channel) : projections::ChannelHealth{};
}

}  // namespace pixledger::http
