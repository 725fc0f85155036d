#include "web/upstream/api_connection.h"

#include <utility>

namespace pixledger::web {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
using Kind = http::Transfer::Kind;

Poco::Net::StreamSocket connecting_to(const Poco::Net::SocketAddress& address) {
  Poco::Net::StreamSocket socket;
  socket.connectNB(address);
  socket.setNoDelay(true);
  return socket;
}

}  // namespace

ApiConnection::ApiConnection(http::EventLoop& loop, const Target& target, std::function<void()> told)
    : loop_(loop),
      read_(target.read),
      told_(std::move(told)),
      socket_(connecting_to(target.address)),
      response_(std::in_place, read_) {
  channel_.emplace(socket_, target.tls, target.host);
  loop_.poller().add(channel_->socket(), *this);
}

ApiConnection::~ApiConnection() { loop_.poller().remove(channel_->socket()); }

void ApiConnection::send(std::string request, std::size_t pause_at) {
  pause_at_ = pause_at;
  response_.emplace(read_);
  out_ = std::move(request);
  pump();
}

void ApiConnection::on_ready(http::SocketReadiness ready) {
  if (phase_ == Phase::kBroken) return told_();
  const bool both = channel_->is_tls();
  readable_ = readable_ || ready.readable || (both && ready.writable);
  writable_ = writable_ || ready.writable || (both && ready.readable);
  pump();
  told_();
}

void ApiConnection::pump() {
  if (phase_ == Phase::kConnecting && !connect()) return;
  if (phase_ == Phase::kHandshake && !shake_hands()) return;
  while (phase_ == Phase::kOpen && flush() && receive()) {
  }
}

bool ApiConnection::connect() {
  if (!writable_) return false;
  if (socket_.impl()->socketError() != 0) {
    fail();
    return false;
  }
  phase_ = channel_->is_tls() ? Phase::kHandshake : Phase::kOpen;
  return true;
}

bool ApiConnection::shake_hands() {
  const auto result = channel_->handshake();
  if (result.kind == Kind::kDone) phase_ = Phase::kOpen;
  if (result.kind == Kind::kBlocks) readable_ = writable_ = false;
  if (result.kind == Kind::kEnded || result.kind == Kind::kBroken) fail();
  return phase_ == Phase::kOpen;
}

// False when it has broken. What does not fit now does not keep it from reading.
bool ApiConnection::flush() {
  while (!out_.empty() && writable_) {
    const auto result = channel_->write(out_, false);
    if (result.kind == Kind::kDone) {
      out_.erase(0, result.bytes);
    } else if (result.kind == Kind::kBlocks) {
      writable_ = false;
    } else {
      fail();
      return false;
    }
  }
  return true;
}

// False when there is no more for now.
bool ApiConnection::receive() {
  if (!readable_ || is_paused()) return false;
  char bytes[kReadBytes];
  const auto result = channel_->read(bytes, sizeof bytes);
  switch (result.kind) {
    case Kind::kDone:
      response_->feed({bytes, result.bytes});
      return true;
    case Kind::kBlocks:
      readable_ = false;
      return false;
    case Kind::kEnded:
    case Kind::kBroken:
      response_->end_of_stream();
      fail();
      return false;
  }
  return false;
}

bool ApiConnection::is_paused() const {
  return pause_at_ != 0 && response_->reply().body.size() >= pause_at_;
}

void ApiConnection::fail() {
  phase_ = Phase::kBroken;
  out_.clear();
}

}  // namespace pixledger::web
