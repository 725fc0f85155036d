#include "base/net/resolver.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace pixledger {
namespace {

std::optional<IpAddress> address_of(const addrinfo& entry) {
  if (entry.ai_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &address.sin_addr, bytes.size());
    return IpAddress::from_v4(bytes);
  }
  if (entry.ai_family == AF_INET6) {
    sockaddr_in6 address{};
    std::memcpy(&address, entry.ai_addr, sizeof address);
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
    return IpAddress::from_v6(bytes);
  }
  return std::nullopt;
}

}  // namespace

std::vector<IpAddress> SystemResolver::resolve(const std::string& host) const {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<IpAddress> addresses;
  for (const auto* entry = list; entry; entry = entry->ai_next) {
    const auto address = address_of(*entry);
    if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end())
      addresses.push_back(*address);
  }
  return addresses;
}

BoundedResolver::~BoundedResolver() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::vector<IpAddress> BoundedResolver::resolve(const std::string& host, Time deadline,
                                                const std::string& asker) {
  const auto question = std::make_shared<Question>();
  question->host = host;
  question->asker = asker;
  std::unique_lock lock(mutex_);
  waiting_.push_back(question);
  if (waiting_.size() > idle_ && threads_.size() < limits_.questions_max)
    threads_.emplace_back([this] { answer(); });
  else
    asked_.notify_one();
  if (!answered_.wait_until(lock, deadline, [&] { return question->answered; })) {
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), question), waiting_.end());
    throw ResolveTimeout("the name server did not answer in time");
  }
  return std::move(question->addresses);
}

// The oldest queued query whose asker is below its limit; null if no query qualifies.
std::shared_ptr<BoundedResolver::Question> BoundedResolver::take_next() {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [this](const auto& question) {
    const auto asking = asking_.find(question->asker);
    return asking == asking_.end() || asking->second < limits_.of_one_asker_max;
  });
  if (found == waiting_.end()) return nullptr;
  auto question = std::move(*found);
  waiting_.erase(found);
  ++asking_[question->asker];
  return question;
}

void BoundedResolver::give_back(const Question& question) {
  const auto asking = asking_.find(question.asker);
  if (--asking->second == 0) asking_.erase(asking);
}

// A thread that finishes a query looks for the next, which may have waited for its asker's limit.
void BoundedResolver::answer() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::shared_ptr<Question> question;
    ++idle_;
    asked_.wait(lock, [&] { return stopping_ || (question = take_next()); });
    --idle_;
    if (stopping_) return;
    lock.unlock();
    auto addresses = resolver_.resolve(question->host);
    lock.lock();
    give_back(*question);
    question->addresses = std::move(addresses);
    question->answered = true;
    answered_.notify_all();
  }
}

}  // namespace pixledger
