#include "base/http/transport/connection.h"

#include <algorithm>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/connection_set.h"

namespace pixledger::http {
// How a connection reads, and its life cycle; connection_reply.cpp has the sending.

namespace {

constexpr std::size_t kSlowestUpload = 64 * 1024;  // bytes a second; extends the deadline of a large body
constexpr std::string_view kLineEnd = "\r\n";
// Limit of pipelined requests served in one turn, for fairness to other connections.
constexpr int kRequestsPerTurn = 32;
constexpr int kReceiptsPerTurn = 8;
constexpr std::size_t kUnsentMax = 64 * 1024;  // bytes of replies to pipelined requests, before they are sent
constexpr std::chrono::seconds kLinger{2};

}  // namespace

Connection::Connection(ConnectionSet& set, Poco::Net::StreamSocket socket, Peer peer)
    : set_(set),
      channel_(std::move(socket), set.context().tls),
      peer_(std::move(peer)),
      accepted_at_(set.loop().now()),
      placed_at_(accepted_at_),
      timer_([this] { on_timer(); }) {
  if (peer_.is_trusted_proxy && set_.context().options.proxies_may_omit_tls) channel_.allow_plain();
}

Connection::~Connection() {
  forget_exchange();
  if (is_counted_) set_.context().counts.remove(peer_.counted());
}

void Connection::begin() {
  enter(channel_.is_tls() ? Phase::kHandshake : Phase::kIdle);
  pump();
}

void Connection::on_ready(SocketReadiness ready) {
  if (phase_ == Phase::kClosed) return;
  // A TLS read may need to write, and a TLS write to read.
  const bool both = channel_.is_tls();
  readable_ = readable_ || ready.readable || (both && ready.writable);
  writable_ = writable_ || ready.writable || (both && ready.readable);
  peer_ended_ = peer_ended_ || ready.peer_ended;
  pump();
}

void Connection::pump() {
  if (is_pumping_) return;
  is_pumping_ = true;
  served_this_turn_ = 0;
  int receipts = 0;
  while (phase_ != Phase::kClosed) {
    if (phase_ == Phase::kHandshake && !shake_hands()) break;
    if (!flush()) break;
    if (phase_ == Phase::kStreaming) {
      if (!pull_source()) break;
    } else if (phase_ == Phase::kLingering) {
      if (!drop_received()) break;
    } else if (phase_ == Phase::kPreparing) {
      break;
    } else if (closes_ && phase_ != Phase::kWorking) {
      end();
    } else if (!is_reading()) {
      note_hang_up();
      break;
    } else if (may_parse_) {
      if (served_this_turn_ >= kRequestsPerTurn) {
        go_on_in_next_turn();
        break;
      }
      read_from({});
    } else if (++receipts > kReceiptsPerTurn) {
      go_on_in_next_turn();
      break;
    } else if (!receive()) {
      break;
    }
  }
  is_pumping_ = false;
}

bool Connection::shake_hands() {
  const auto result = channel_.handshake();
  if (result.kind == Transfer::Kind::kDone) {
    enter(Phase::kIdle);
    return true;
  }
  if (result.kind != Transfer::Kind::kBlocks) close();
  return false;
}

bool Connection::receive() {
  if (!readable_) return false;
  auto& scratch = set_.scratch();
  const auto result = channel_.read(scratch.data(), scratch.size());
  switch (result.kind) {
    case Transfer::Kind::kDone:
      readable_ = !result.drained || peer_ended_;
      read_from({scratch.data(), result.bytes});
      return true;
    case Transfer::Kind::kBlocks:
      readable_ = false;
      return false;
    case Transfer::Kind::kEnded:
      note_end_of_stream();
      return true;
    case Transfer::Kind::kBroken:
      close();
      return false;
  }
  return false;
}

void Connection::note_end_of_stream() {
  readable_ = false;
  if (phase_ == Phase::kIdle)
    close();
  else
    refuse({400, "The request ended before it was complete."});
}

void Connection::note_hang_up() {
  // A client may end its sending side after a POST and still read the reply. Only for GET and HEAD does the
  // end of the stream mean that it left.
  const auto method = exchange_->request.method;
  if (!peer_ended_ || (method != Method::kGet && method != Method::kHead)) return;
  close();
}

void Connection::read_from(std::string_view bytes) {
  const bool is_buffered = !received_.empty();
  if (is_buffered) received_.append(bytes);
  const std::string_view input = is_buffered ? std::string_view(received_) : bytes;
  const std::size_t used = serve_from(input);
  if (is_buffered)
    received_.erase(0, used);
  else
    received_.assign(input.substr(used));
  may_parse_ = !received_.empty() && !needs_bytes_;
  if (received_.empty() && received_.capacity() > 0) received_ = {};
}

bool Connection::may_serve_more() const {
  return is_reading() && !closes_ && rest_.empty() && out_.size() - out_begin_ < kUnsentMax &&
         served_this_turn_ < kRequestsPerTurn;
}

std::size_t Connection::serve_from(std::string_view bytes) {
  std::size_t used = 0;
  needs_bytes_ = false;
  while (may_serve_more() && !needs_bytes_) {
    const std::string_view rest = bytes.substr(used);
    if (phase_ == Phase::kBody) {
      used += read_body(rest);
    } else if (phase_ == Phase::kPrepared) {
      used += admit(rest);
    } else if (rest.starts_with(kLineEnd)) {
      // A client may send an empty line after a body (RFC 9112 §2.2).
      used += kLineEnd.size();
    } else if (rest.empty()) {
      needs_bytes_ = true;
    } else {
      if (phase_ == Phase::kIdle) begin_request();
      used += read_head(rest);
    }
  }
  return used;
}

void Connection::begin_request() {
  is_new_ = false;
  exchange_ = set_.new_exchange();
  exchange_->connection = this;
  // Provisional, until the head names the client of a trusted proxy.
  auto& request = exchange_->request;
  request.caller_address = peer_.address ? peer_.address->text() : peer_.text;
  request.is_from_proxy = peer_.is_trusted_proxy;
  if (!set_.context().options.tls_client_ca_files.empty()) request.certificate_name = channel_.peer_name();
  framing_ = {};
  request_began_ = set_.loop().now();
  enter(Phase::kHead);
}

std::size_t Connection::read_head(std::string_view bytes) {
  const auto limits = set_.context().head_limits();
  const HeadEnd head = find_head_end(bytes, limits);
  auto refusal = head.refusal;
  if (!refusal && head.head_bytes == 0) {
    needs_bytes_ = true;
    return 0;
  }
  auto& request = exchange_->request;
  if (!refusal) refusal = parse_head(bytes.substr(0, head.head_bytes), limits, request, framing_);
  if (refusal) {
    refuse(*refusal);
    return bytes.size();
  }
  ++served_this_turn_;
  if (peer_.is_trusted_proxy)
    request.caller_address =
        forwarded_caller(*peer_.address, request.headers, set_.context().options.trusted_proxies).text();
  return head.head_bytes + judge(bytes.substr(head.head_bytes));
}

std::size_t Connection::admit(std::string_view rest) {
  const auto& context = set_.context();
  if (framing_.chunked || framing_.content_bytes > rest.size()) prepared_from_ = {};
  if (auto refused = refusal_by(context.services.admit)) return refuse_by_head(*std::move(refused), rest);
  // A request with neither Content-Length nor Transfer-Encoding has no body (RFC 9112 §6.3).
  if (!framing_.chunked && framing_.content_bytes == 0) {
    serve();
    return 0;
  }
  if (const auto refusal = refusal_of_length()) {
    refuse(*refusal);
    return rest.size();
  }
  chunks_.reset();
  if (framing_.chunked) chunks_.emplace(context.options.body_bytes_max);
  if (framing_.expects_continue && rest.empty()) out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  enter(Phase::kBody);
  return 0;
}

void Connection::end_for(RoomEnding ending) {
  set_.context().counts.note(ending);
  if (ending != RoomEnding::kSlowRequest || phase_ == Phase::kHandshake) return close();
  refuse({503, kTooManyConnections});
  uncount();
  pump();
}

void Connection::refuse_newcomer() {
  begin_request();
  refuse({503, kTooManyConnections});
  pump();
}

void Connection::stop_receiving() {
  closes_ = true;
  if (phase_ == Phase::kHandshake || phase_ == Phase::kStreaming ||
      (phase_ == Phase::kIdle && !is_blocked_)) {
    close();
  } else if (is_arriving()) {
    refuse({503, "The server is stopping; send the request again."});
    pump();
  }
}

void Connection::cut() { close(); }

void Connection::go_on_in_next_turn() { set_.go_on_in_next_turn(*this); }

void Connection::set_deadline(Clock::time_point deadline) {
  deadline_ = deadline;
  if (timer_.is_set() && timer_due_ <= deadline) return;
  timer_due_ = deadline;
  set_.loop().timers().set(timer_, deadline);
}

void Connection::on_timer() {
  const auto now = set_.loop().now();
  if (now >= deadline_) return on_deadline();
  timer_due_ = deadline_;
  set_.loop().timers().set(timer_, deadline_);
}

void Connection::on_deadline() {
  if (phase_ == Phase::kWorking) {
    look_at_work();
    if (phase_ != Phase::kWorking || !is_blocked_) return;
  }
  if (is_blocked_) return look_at_reader();
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody:
      refuse({408, "The request took too long to arrive."});
      return pump();
    case Phase::kPreparing:
      return prepared();
    case Phase::kIdle:
      // Replies are unacknowledged at the idle timeout: the peer does not read.
      if (channel_.unacknowledged() > 0) channel_.discard_unacknowledged();
      return close();
    case Phase::kHandshake:
    case Phase::kLingering:
      return close();
    case Phase::kPrepared:
    case Phase::kWorking:
    case Phase::kStreaming:
    case Phase::kClosed:
      return;
  }
}

void Connection::set_place() {
  using Place = ConnectionSet::Place;
  if (is_blocked_) return set_.put(*this, Place::kSending);
  if (is_arriving()) return set_.put(*this, Place::kArriving);
  if (phase_ == Phase::kIdle) return set_.put(*this, Place::kIdle);
  place_.unlink();
}

void Connection::enter(Phase phase) {
  const auto& options = set_.context().options;
  const auto now = set_.loop().now();
  const auto before = std::exchange(phase_, phase);
  // While the peer has not accepted the reply, only its read rate is checked.
  if (is_blocked_) return;
  switch (phase) {
    case Phase::kHandshake:
    case Phase::kIdle:
      set_deadline(now +
                   (is_new_ ? std::min(options.idle_timeout, options.head_deadline) : options.idle_timeout));
      break;
    case Phase::kHead:
      set_deadline(request_began_ + std::min(options.head_deadline, options.request_deadline));
      break;
    case Phase::kPreparing:
      set_deadline(now + options.prepare_max);
      break;
    case Phase::kPrepared:
      break;
    case Phase::kBody:
      set_deadline(request_began_ + options.request_deadline +
                   std::chrono::seconds(framing_.content_bytes / kSlowestUpload));
      if (before == Phase::kHead) return;  // it has been arriving since the head
      break;
    case Phase::kWorking:
      set_deadline(now + std::min<Clock::duration>(kLookAtWorkEvery, options.work_max));
      break;
    case Phase::kLingering:
      set_deadline(now + kLinger);
      break;
    case Phase::kStreaming:
    case Phase::kClosed:
      timer_.cancel();
  }
  set_place();
}

// Reading a request's body.

std::optional<Refusal> Connection::refusal_of_length() {
  auto& context = set_.context();
  const auto& request = exchange_->request;
  const auto usual = context.options.body_bytes_max;
  if (framing_.content_bytes <= usual) return std::nullopt;
  const auto most = context.services.body_bytes_max ? context.services.body_bytes_max(request) : usual;
  if (framing_.content_bytes > most) return Refusal{413, "The body is too large."};
  auto share = context.large_bodies.take(request.caller_address, framing_.content_bytes);
  if (!share)
    return Refusal{503, "Too many files are being received, from this address or from all; try again."};
  exchange_->body_share = *std::move(share);
  return std::nullopt;
}

std::size_t Connection::read_body(std::string_view bytes) {
  if (chunks_) return read_chunks(bytes);
  std::string& body = exchange_->request.body;
  const std::size_t missing = framing_.content_bytes - body.size();
  if (body.empty() && missing <= bytes.size()) body.reserve(missing + kBodyPaddingBytes);
  const std::size_t used = std::min(missing, bytes.size());
  body.append(bytes.substr(0, used));
  if (used == missing)
    serve();
  else
    needs_bytes_ = true;
  return used;
}

std::size_t Connection::read_chunks(std::string_view bytes) {
  const std::size_t used = chunks_->feed(bytes, exchange_->request.body);
  switch (chunks_->state()) {
    case ChunkedBody::State::kIncomplete:
      needs_bytes_ = true;
      return used;
    case ChunkedBody::State::kDone:
      serve();
      return used;
    case ChunkedBody::State::kMalformed:
      refuse({400, "The chunked body is malformed."});
      return bytes.size();
    case ChunkedBody::State::kTooLarge:
      refuse({413, "The body is too large."});
      return bytes.size();
  }
  return used;
}

}  // namespace pixledger::http
