#include "web/upstream/api_address.h"

#include <Poco/Net/IPAddress.h>
#include <fstream>
#include <utility>

#include "base/net/resolver.h"
#include "base/values/ip_address.h"

namespace pixledger::web {
namespace {

// nullopt while there is none.
std::optional<std::uint16_t> port_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint16_t port = 0;
  if (!(stream >> port) || port == 0) return std::nullopt;
  return port;
}

}  // namespace

ApiAddress::ApiAddress(HttpUrl url, std::filesystem::path port_file)
    : url_(std::move(url)), port_file_(std::move(port_file)), addresses_(look()) {
  thread_ = std::thread([this] { run(); });
}

ApiAddress::~ApiAddress() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_all();
  thread_.join();
}

std::optional<Poco::Net::SocketAddress> ApiAddress::current() const {
  const std::lock_guard lock(mutex_);
  if (addresses_.empty()) return std::nullopt;
  return addresses_[tried_ % addresses_.size()];
}

void ApiAddress::look_again() {
  {
    const std::lock_guard lock(mutex_);
    looks_ = true;
    ++tried_;
  }
  asked_.notify_all();
}

ApiAddress::Addresses ApiAddress::look() const {
  const auto port = port_file_.empty() ? url_.port : port_in(port_file_);
  Addresses addresses;
  if (!port) return addresses;
  for (const auto& address : SystemResolver().resolve(url_.host))
    addresses.emplace_back(Poco::Net::IPAddress(address.text()), *port);
  return addresses;
}

void ApiAddress::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    asked_.wait(lock, [this] { return looks_ || stopping_; });
    if (stopping_) return;
    looks_ = false;
    lock.unlock();
    auto found = look();
    lock.lock();
    // A name server that has no answer for once takes nothing away.
    if (!found.empty()) addresses_ = std::move(found);
  }
}

}  // namespace pixledger::web
