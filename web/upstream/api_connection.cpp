#include "web/upstream/api_connection.h"

#include <limits>

#include "base/http/message/syntax.h"
#include "base/net/http_status.h"
#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

constexpr std::size_t kHeadBytesMax = 16 * 1024;
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

}  // namespace

void ResponseReader::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  is_untouched_ = false;
  unread_.append(bytes);
  if (state_ == State::kHead) read_head();
  if (state_ == State::kBody) read_body();
  // Data after the response, without a request.
  if (state_ == State::kDone && !unread_.empty()) keeps_alive_ = false;
}

void ResponseReader::end_of_stream() {
  keeps_alive_ = false;
  if (state_ == State::kDone) return;
  const bool is_whole = state_ == State::kBody && framing_ == Framing::kUntilClose;
  state_ = is_whole ? State::kDone : State::kBroken;
}

void ResponseReader::read_head() {
  const auto end = unread_.find(kHeadEnd);
  if (end == std::string::npos) {
    if (unread_.size() > kHeadBytesMax) state_ = State::kBroken;
    return;
  }
  std::string_view head = std::string_view(unread_).substr(0, end);
  const auto next_line = [&head] {
    const auto at = head.find(kLineEnd);
    const auto line = head.substr(0, at);
    head = at == std::string_view::npos ? std::string_view() : head.substr(at + kLineEnd.size());
    return line;
  };
  bool is_good = read_status_line(next_line());
  while (is_good && !head.empty()) is_good = read_header(next_line());
  unread_.erase(0, end + kHeadEnd.size());
  if (is_good)
    begin_body();
  else
    state_ = State::kBroken;
}

// "HTTP/1.1 200 OK". Interim responses are invalid, since none was asked for.
bool ResponseReader::read_status_line(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = 9, kStatusDigits = 3;
  constexpr int kFirstFinal = 200, kLast = 599;
  if (!line.starts_with(kVersion) || line.size() < kStatusAt + kStatusDigits || line[kStatusAt - 1] != ' ')
    return false;
  keeps_alive_ = line[kVersion.size()] != '0';
  const auto status = whole_number<int>(line.substr(kStatusAt, kStatusDigits));
  if (!status || *status < kFirstFinal || *status > kLast) return false;
  reply_.status = *status;
  return true;
}

bool ResponseReader::read_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const auto name = line.substr(0, colon);
  const auto value = http::without_blanks(line.substr(colon + 1));
  if (equal_without_case(name, "Content-Type")) {
    reply_.content_type = value;
  } else if (equal_without_case(name, "Connection")) {
    if (equal_without_case(value, "close")) keeps_alive_ = false;
  } else if (equal_without_case(name, "Content-Length")) {
    const auto length = whole_number<std::size_t>(value);
    if (!length || length_) return false;
    length_ = length;
  } else if (equal_without_case(name, "Transfer-Encoding")) {
    if (!equal_without_case(value, "chunked") || chunks_) return false;
    chunks_.emplace(kNoLimit);
  } else {
    keep(name, value);
  }
  return true;
}

void ResponseReader::keep(std::string_view name, std::string_view value) {
  for (const auto kept : options_.kept_headers) {
    if (equal_without_case(name, kept)) reply_.headers.emplace_back(kept, value);
  }
}

void ResponseReader::begin_body() {
  if (chunks_ && length_) {
    state_ = State::kBroken;
    return;
  }
  if (reply_.status == kNoContent || reply_.status == kNotModified) length_ = 0;
  framing_ = chunks_ ? Framing::kChunks : length_ ? Framing::kLength : Framing::kUntilClose;
  const bool is_too_long = length_ && !options_.is_taken_off && *length_ > options_.body_bytes_max;
  state_ = is_too_long ? State::kBroken : State::kBody;
}

void ResponseReader::read_body() {
  auto& body = reply_.body;
  switch (framing_) {
    case Framing::kLength: {
      const auto taken = std::min(*length_, unread_.size());
      body.append(unread_, 0, taken);
      unread_.erase(0, taken);
      *length_ -= taken;
      if (*length_ == 0) state_ = State::kDone;
      break;
    }
    case Framing::kChunks: {
      unread_.erase(0, chunks_->feed(unread_, body));
      if (chunks_->state() == http::ChunkedBody::State::kDone) state_ = State::kDone;
      if (chunks_->state() == http::ChunkedBody::State::kMalformed) state_ = State::kBroken;
      break;
    }
    case Framing::kUntilClose:
      body.append(unread_);
      unread_.clear();
      break;
  }
  if (body.size() > options_.body_bytes_max) state_ = State::kBroken;
}

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

// False if the connection broke. Reading goes on if not all bytes could be written.
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

// False if there is nothing to read now.
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
