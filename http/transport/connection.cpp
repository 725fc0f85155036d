#include "http/transport/connection.h"

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/Utility.h>
#include <algorithm>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/json/error_reply.h"
#include "http/message/caller_address.h"
#include "http/transport/chunked_body.h"

namespace pixledger::http {
namespace {

using Clock = ConnectionRegistry::Clock;

// As proxies call it in their logs; not a status of HTTP, and nobody reads it.
constexpr int kCallerHasGone = 499;

// nullopt for an address with a zone (fe80::1%eth0).
std::optional<domain::IpAddress> address_of(const Poco::Net::SocketAddress& address) {
  const auto parsed = domain::IpAddress::parse(address.host().toString());
  if (!parsed) return std::nullopt;
  return parsed->unmapped();
}

}  // namespace

Connection::Connection(const Poco::Net::StreamSocket& socket, ServerContext& context)
    : TCPServerConnection(socket),
      context_(context),
      watch_(context.registry, socket.impl()->sockfd()),
      request_ids_(context.services.entropy),
      buffer_(context.options.head_bytes_max) {}

void Connection::run() {
  // OpenSSL keeps errors per thread, and this thread served others before.
  if (context_.is_tls()) Poco::Net::Utility::clearErrorStack();
  try {
    // A connection that was accepted while the server stops was not there yet to be told.
    if (context_.stopping) return;
    const auto peer = socket().peerAddress();
    peer_ = address_of(peer);
    peer_is_trusted_ = peer_ && is_within(*peer_, context_.options.trusted_proxies);
    request_.caller_address = peer_ ? peer_->text() : peer.host().toString();
    while (serve_one()) {
    }
  } catch (const Poco::Exception&) {
    // The peer has gone or does not speak TLS: there is nobody to answer.
  }
}

bool Connection::serve_one() {
  begin_request();
  Arrival arrival = receive_head();
  if (arrival == Arrival::kComplete) arrival = receive_body();
  if (arrival == Arrival::kGone) return false;
  if (arrival == Arrival::kRefused) {
    if (auto* observer = context_.services.observer) observer->request_refused(request_, refusal_.status);
    send(transport_error_reply(request_, refusal_.status, refusal_.message), Then::kClose);
    linger();
    return false;
  }
  watch_.wait_no_longer();
  name_caller();
  // A client may end its side behind a POST without a length, and reads the answer all the same: only of
  // reads is the end of the stream the end of the interest.
  const bool is_read = request_.method == Method::kGet || request_.method == Method::kHead;
  request_.budget = WorkBudget(Clock::now() + context_.options.work_max,
                               [this, is_read] { return is_read && caller_has_gone(); });
  Reply reply = answer();
  const bool keep_alive = framing_.keep_alive && !context_.stopping;
  send(std::move(reply), keep_alive ? Then::kKeepAlive : Then::kClose);
  if (!keep_alive) close();
  return keep_alive;
}

void Connection::begin_request() {
  request_.method = Method::kOther;
  request_.headers.clear();
  request_.body.clear();
  request_.route_pattern = {};
  request_.route_number = 0;
  request_.path_parameters.clear();
  request_.caller.reset();
  request_.reply_headers.clear();
  // Until the head says for whom a trusted proxy speaks.
  if (peer_is_trusted_) request_.caller_address = peer_->text();
  request_ids_.next(request_.request_id);
  framing_ = {};
}

void Connection::name_caller() {
  if (!peer_is_trusted_) return;
  request_.caller_address =
      forwarded_caller(*peer_, request_.headers, context_.options.trusted_proxies).text();
}

std::string_view Connection::buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }

void Connection::await_request() {
  const auto& options = context_.options;
  const auto patience =
      is_new_ ? std::min(options.keep_alive_timeout, options.head_deadline) : options.keep_alive_timeout;
  is_new_ = false;
  watch_.wait(Waiting::kForRequest, Clock::now(), patience);
}

Connection::Arrival Connection::receive_head() {
  const auto& options = context_.options;
  std::optional<Clock::time_point> begun;
  if (begin_ == end_) await_request();
  for (;;) {
    // A client may send an empty line after a body (RFC 9112 §2.2).
    while (buffered().starts_with("\r\n")) begin_ += 2;
    if (!begun && begin_ != end_) {
      begun = Clock::now();
      watch_.wait(Waiting::kForBytes, *begun, std::min(options.head_deadline, options.request_deadline));
    }
    const HeadEnd head = find_head_end(buffered(), context_.head_limits());
    if (head.refusal) return refuse(*head.refusal);
    if (head.head_bytes > 0) {
      const std::string_view bytes = buffered().substr(0, head.head_bytes);
      begin_ += head.head_bytes;
      const std::optional<Refusal> refusal = parse_head(bytes, context_.head_limits(), request_, framing_);
      if (refusal) return refuse(*refusal);
      watch_.wait(Waiting::kForBytes, *begun, options.request_deadline);
      return Arrival::kComplete;
    }
    if (!receive_more()) return begin_ == end_ ? Arrival::kGone : refuse_incomplete();
  }
}

Connection::Arrival Connection::receive_body() {
  if (framing_.chunked) return receive_chunks();
  // A request with neither Content-Length nor Transfer-Encoding has no body (RFC 9112 §6.3).
  const std::size_t promised = framing_.content_bytes;
  if (promised == 0) return Arrival::kComplete;
  if (promised > context_.options.body_bytes_max) return refuse({413, "The body is too large."});
  std::string& body = request_.body;
  body.reserve(promised + kBodyPaddingBytes);
  body.assign(buffered().substr(0, promised));
  begin_ += body.size();
  if (body.size() == promised) return Arrival::kComplete;

  if (body.empty()) send_continue();
  std::size_t received = body.size();
  body.resize(promised);
  while (received < promised) {
    const std::size_t bytes = receive(body.data() + received, promised - received);
    if (bytes == 0) return refuse_incomplete();
    received += bytes;
  }
  return Arrival::kComplete;
}

Connection::Arrival Connection::receive_chunks() {
  if (begin_ == end_) send_continue();
  ChunkedBody chunks(context_.options.body_bytes_max);
  for (;;) {
    begin_ += chunks.feed(buffered(), request_.body);
    switch (chunks.state()) {
      case ChunkedBody::State::kDone:
        request_.body.reserve(request_.body.size() + kBodyPaddingBytes);
        return Arrival::kComplete;
      case ChunkedBody::State::kMalformed:
        return refuse({400, "The chunked body is malformed."});
      case ChunkedBody::State::kTooLarge:
        return refuse({413, "The body is too large."});
      case ChunkedBody::State::kIncomplete:
        break;
    }
    if (!receive_more()) return refuse_incomplete();
  }
}

Connection::Arrival Connection::refuse(const Refusal& refusal) {
  refusal_ = refusal;
  return Arrival::kRefused;
}

Connection::Arrival Connection::refuse_incomplete() {
  if (watch_.timed_out()) return refuse({408, "The request took too long to arrive."});
  if (watch_.has_made_room()) return refuse({503, kTooManyConnections});
  if (context_.stopping) return refuse({503, "The server is stopping; send the request again."});
  return refuse({400, "The request ended before it was complete."});
}

bool Connection::receive_more() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t bytes = receive(buffer_.data() + end_, buffer_.size() - end_);
  end_ += bytes;
  return bytes > 0;
}

std::size_t Connection::receive(char* to, std::size_t bytes_max) {
  try {
    const int bytes = socket().receiveBytes(to, static_cast<int>(bytes_max));
    return static_cast<std::size_t>(std::max(bytes, 0));
  } catch (const Poco::Net::SSLException&) {
    // A TLS stream that ends without its closing alert, as when the registry shut it down.
    return 0;
  }
}

Reply Connection::answer() {
  auto* observer = context_.services.observer;
  if (!observer) return answer_within_budget();
  observer->request_arrived();
  const auto arrived = Clock::now();
  Reply reply = answer_within_budget();
  observer->request_answered(request_, reply.status, Clock::now() - arrived);
  return reply;
}

Reply Connection::answer_within_budget() {
  Reply reply = answer_or_fault();
  auto share = context_.replies.take(reply.body.size());
  if (!share)
    return transport_error_reply(request_, 503,
                                 "Too many large answers are being read slowly; try again, or ask for less.");
  reply_share_ = *std::move(share);
  return reply;
}

Reply Connection::answer_or_fault() {
  const auto fault = [&](std::string_view what) {
    context_.services.log_fault(request_, what);
    return transport_error_reply(request_, 503, "The server could not process the request; try again.");
  };
  try {
    return context_.services.application(request_);
  } catch (const WorkGivenUp& given_up) {
    if (given_up.caller_has_gone)
      return transport_error_reply(request_, kCallerHasGone, "The connection was closed before the answer.");
    return transport_error_reply(request_, 503,
                                 "The request took too long and was given up. Whether it was recorded is not "
                                 "known: repeat it with the same Idempotency-Key, or ask for less.");
  } catch (const Poco::Exception& error) {
    return fault(error.displayText());
  } catch (const std::exception& error) {
    return fault(error.what());
  }
}

// What has arrived and was not read yet may hide the end of the stream, and the registry may have shut it:
// the peer's own end shows in the state alone.
bool Connection::caller_has_gone() {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(socket().impl()->sockfd(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return false;
  return info.tcpi_state != TCP_ESTABLISHED;
}

void Connection::send_continue() {
  if (framing_.expects_continue) send_bytes("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::send(Reply reply, Then then) {
  ReplyFraming framing;
  framing.request_id = request_.request_id;
  framing.date = date_.at(context_.services.unix_time_s());
  framing.without_body = request_.method == Method::kHead;
  framing.keep_alive = then == Then::kKeepAlive;
  framing.say_keep_alive = framing_.is_http_1_0;
  framing.more_headers = request_.reply_headers;
  write_reply(reply, framing, reply_bytes_);
  reply.body = {};  // or it would be held twice until it is sent
  watch_.wait(Waiting::kToSend, Clock::now(), context_.options.request_deadline);
  send_bytes(reply_bytes_);
  if (reply_bytes_.capacity() > ReplyBudget::kSmallBytes) reply_bytes_ = {};
  reply_share_.release();
}

void Connection::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const int sent = socket().sendBytes(bytes.data(), static_cast<int>(bytes.size()), MSG_NOSIGNAL);
    bytes.remove_prefix(static_cast<std::size_t>(std::max(sent, 0)));
  }
}

void Connection::close() {
  if (begin_ == end_) {
    socket().shutdown();
  } else {
    linger();
  }
}

void Connection::linger() {
  const bool shut_for_receiving = watch_.timed_out() || watch_.has_made_room() || context_.stopping;
  using Receiving = ConnectionRegistry::Receiving;
  context_.registry.linger(socket(), shut_for_receiving ? Receiving::kShut : Receiving::kOpen);
}

}  // namespace pixledger::http
