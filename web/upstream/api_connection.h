#pragma once

#include <Poco/Net/SocketAddress.h>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/http/transport/channel.h"
#include "base/http/transport/event_loop.h"
#include "base/http/transport/message_reader.h"

namespace pixledger::web {

// A reply of the API.
struct ApiReply {
  int status = 0;
  std::string content_type;
  std::string body;
  // The kept headers, under the names in ReadOptions, in the reply's order.
  std::vector<std::pair<std::string_view, std::string>> headers{};
};

// How a reply is read.
struct ReadOptions {
  // The limit of the body. If the body is consumed while it arrives, the limit of what is unconsumed.
  std::size_t body_bytes_max;
  bool is_taken_off = false;
  // Besides Content-Type; the names outlive all readers.
  std::span<const std::string_view> kept_headers{};
};

// Parses one HTTP/1.1 response (RFC 9112) from pieces as they arrive, without I/O.
class ResponseReader {
 public:
  enum class State {
    kHead,
    kBody,
    kDone,
    kBroken  // no valid response, or one over the limits
  };

  explicit ResponseReader(ReadOptions options) : options_(options) {}

  void feed(std::string_view bytes);
  // The peer has closed, which ends a body without a length.
  void end_of_stream();

  State state() const { return state_; }
  // Whether nothing of a response has arrived.
  bool is_untouched() const { return is_untouched_; }
  // Whether the connection can be reused; valid once kDone.
  bool keeps_alive() const { return keeps_alive_; }

  // What has arrived; the head is complete from kBody on. Consuming a stream's body makes room in it.
  ApiReply& reply() { return reply_; }
  const ApiReply& reply() const { return reply_; }

 private:
  enum class Framing { kLength, kChunks, kUntilClose };

  void read_head();
  bool read_status_line(std::string_view line);
  bool read_header(std::string_view line);
  void keep(std::string_view name, std::string_view value);
  void begin_body();
  void read_body();

  const ReadOptions options_;
  State state_ = State::kHead;
  bool is_untouched_ = true;
  bool keeps_alive_ = true;
  Framing framing_ = Framing::kUntilClose;
  std::optional<std::size_t> length_;  // bytes left of the body
  std::optional<http::ChunkedBody> chunks_;
  std::string unread_;
  ApiReply reply_;
};

// One connection to the API for one request after the other. Lives on its loop's thread while the loop runs;
// never blocks. It may be inside a callback, so it is destroyed at the end of a turn of the loop
// (at_end_of_turn).
class ApiConnection final : public http::PollHandler {
 public:
  struct Target {
    Poco::Net::SocketAddress address;
    std::string host;  // must match its certificate
    ssl_ctx_st* tls;   // null: without TLS
    ReadOptions read;
  };

  // `told` is called when data has arrived or the connection broke. Throws Poco::Exception or
  // std::system_error if it cannot start to connect.
  ApiConnection(http::EventLoop& loop, const Target& target, std::function<void()> told);
  ~ApiConnection() override;
  ApiConnection(const ApiConnection&) = delete;
  ApiConnection& operator=(const ApiConnection&) = delete;

  // Sends a request; call it after the last one was answered. The connection may be broken afterwards,
  // without a call of `told`. Reading pauses while `pause_at` bytes of the body are unconsumed; 0: it never
  // pauses.
  void send(std::string request, std::size_t pause_at = 0);
  // Call after consuming some of the body: resumes reading, without a call of `told`.
  void go_on() { pump(); }

  // Whether a request may have reached the API.
  bool has_opened() const { return phase_ == Phase::kOpen; }
  bool is_broken() const { return phase_ == Phase::kBroken; }
  // The response to the last request.
  ResponseReader& response() { return *response_; }
  const ResponseReader& response() const { return *response_; }

  void on_ready(http::SocketReadiness ready) override;

 private:
  enum class Phase { kConnecting, kHandshake, kOpen, kBroken };

  void pump();
  bool connect();
  bool shake_hands();
  bool flush();
  bool receive();
  bool is_paused() const;
  void fail();

  http::EventLoop& loop_;
  const ReadOptions read_;
  std::size_t pause_at_ = 0;
  const std::function<void()> told_;
  Poco::Net::StreamSocket socket_;
  std::optional<http::Channel> channel_;
  Phase phase_ = Phase::kConnecting;
  bool readable_ = false;
  bool writable_ = false;
  std::string out_;
  std::optional<ResponseReader> response_;
};

}  // namespace pixledger::web
