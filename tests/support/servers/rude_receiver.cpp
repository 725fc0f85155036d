#include "tests/support/servers/rude_receiver.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::tests {
namespace {

constexpr int kLookAroundMs = 20;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::string header(const std::string& head, const std::string& name) {
  const auto at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const auto begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

std::string json_text(const std::string& body, const std::string& field) {
  const auto begin = body.find("\"" + field + "\":\"") + field.size() + 4;
  return body.substr(begin, body.find('"', begin) - begin);
}

unsigned number(const std::string& text) {
  return text.empty() ? 0 : static_cast<unsigned>(std::stoul(text));
}

void send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Connects and leaves again. Doors accept connections in order, so when this returns, every earlier
// connection has been accepted, even if its sender is long dead.
void knock(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) fail("socket");
  const auto address = loopback(port);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  ::shutdown(socket, SHUT_WR);
  char nothing{};
  while (::recv(socket, &nothing, 1, 0) > 0) {
  }
  ::close(socket);
}

// Closing sends RST.
void reset(int socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

// A listening port, and the thread that accepts connections.
struct RudeReceiver::Door {
  int socket = -1;
  std::uint16_t port = 0;
  std::thread thread;
};

RudeReceiver::RudeReceiver(std::size_t ports, std::uint32_t seed) : random_(seed) {
  for (std::size_t i = 0; i < ports; ++i) {
    auto door = std::make_unique<Door>();
    door->socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door->socket < 0) fail("socket");
    auto address = loopback(0);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(door->socket, generic, size) != 0) fail("bind");
    if (::listen(door->socket, 128) != 0) fail("listen");
    ::getsockname(door->socket, generic, &size);
    door->port = ntohs(address.sin_port);
    ports_.push_back(door->port);
    door->thread = std::thread([this, &door = *door] { welcome(door); });
    doors_.push_back(std::move(door));
  }
}

RudeReceiver::~RudeReceiver() {
  stopping_ = true;
  for (const auto& door : doors_) {
    door->thread.join();
    ::close(door->socket);
  }
  std::unique_lock lock(mutex_);
  left_.wait(lock, [this] { return guests_ == 0; });
}

void RudeReceiver::welcome(Door& door) {
  while (!stopping_) {
    pollfd poll_door{door.socket, POLLIN, 0};
    if (::poll(&poll_door, 1, kLookAroundMs) <= 0) continue;
    const int guest = ::accept4(door.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (guest < 0) continue;
    {
      const std::lock_guard lock(mutex_);
      ++guests_;
    }
    std::thread([this, guest, port = door.port] {
      serve(guest, port);
      ::close(guest);
      const std::lock_guard lock(mutex_);
      --guests_;
      left_.notify_all();
    }).detach();
  }
}

void RudeReceiver::serve(int socket, std::uint16_t port) {
  std::string text;
  std::array<char, 8192> buffer{};
  while (!stopping_) {
    const auto head_end = text.find("\r\n\r\n");
    if (head_end != std::string::npos) {
      const std::string head = text.substr(0, head_end + 2);
      const auto size = head_end + 4 + number(header(head, "Content-Length"));
      if (text.size() >= size) {
        if (!treat(socket, port, head, text.substr(head_end + 4))) return;
        text.erase(0, size);
        continue;
      }
    }
    pollfd poll_guest{socket, POLLIN, 0};
    if (::poll(&poll_guest, 1, kLookAroundMs) == 0) continue;
    const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Treatment RudeReceiver::choose() {
  // Silence costs the sender its whole time-out, so it is the rarest.
  const auto dice = random_() % 100;
  if (dice < 56) return Treatment::kAccepts;
  if (dice < 76) return Treatment::kRefuses;
  if (dice < 87) return Treatment::kResets;
  if (dice < 98) return Treatment::kTalksGarbage;
  return Treatment::kKeepsSilent;
}

bool RudeReceiver::treat(int socket, std::uint16_t port, const std::string& head, const std::string& body) {
  Treatment treatment{};
  {
    const std::lock_guard lock(mutex_);
    treatment = choose();
    receptions_.push_back({header(head, "X-Webhook-Id"), number(header(head, "X-Webhook-Attempt")),
                           number(header(head, "X-Webhook-Sequence")), json_text(body, "transactionId"), port,
                           treatment, era_});
  }
  came_.notify_all();
  switch (treatment) {
    case Treatment::kAccepts:
      send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      return true;
    case Treatment::kRefuses:
      send_all(socket, "HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n");
      return true;
    case Treatment::kKeepsSilent: {
      // Until the sender hangs up.
      std::array<char, 64> rest{};
      while (!stopping_) {
        pollfd poll_guest{socket, POLLIN, 0};
        if (::poll(&poll_guest, 1, kLookAroundMs) > 0 && ::recv(socket, rest.data(), rest.size(), 0) <= 0)
          break;
      }
      return false;
    }
    case Treatment::kResets:
      reset(socket);
      return false;
    case Treatment::kTalksGarbage:
      send_all(socket, std::string_view("\0\xff\xfeSSH-2.0 not http\r\n\r\n", 24));
      return false;
  }
  return false;
}

std::size_t RudeReceiver::received() const {
  const std::lock_guard lock(mutex_);
  return receptions_.size();
}

bool RudeReceiver::wait_for(std::size_t count, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return came_.wait_for(lock, timeout, [&] { return receptions_.size() >= count; });
}

std::vector<RudeReception> RudeReceiver::receptions() const {
  const std::lock_guard lock(mutex_);
  return receptions_;
}

void RudeReceiver::begin_era() {
  for (const auto port : ports_) knock(port);
  std::unique_lock lock(mutex_);
  left_.wait(lock, [this] { return guests_ == 0; });
  ++era_;
}

}  // namespace pixledger::tests
