#include "http/services/delivery_records.h"

#include <sys/stat.h>

namespace pixledger::http {
namespace {

// Nullopt when there is none, or it may not be looked for, which opening it says.
std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino};
}

}  // namespace

std::shared_ptr<const stores::DeliveryReader> DeliveryRecords::reader() const {
  const std::lock_guard lock(mutex_);
  // Tables stay what they are.
  const auto found =
      stores_.are_shared() ? std::nullopt : identity_of(stores::kWebhookDatabase.in(stores_.workers()));
  if (!reader_ || found != opened_) {
    reader_ = stores_.delivery_reader();
    opened_ = found;
  }
  return reader_;
}

std::optional<stores::Delivery> DeliveryRecords::find(const domain::DeliveryId& id) const {
  const auto found = reader();
  return found ? found->find(id) : std::nullopt;
}

stores::ChannelHealth DeliveryRecords::health(const domain::ChannelId& channel) const {
  const auto found = reader();
  return found ? found->health(channel) : stores::ChannelHealth{};
}

}  // namespace pixledger::http
