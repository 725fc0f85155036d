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

// What the API answered.
struct ApiReply {
  int status = 0;
  std::string content_type;
  std::string body;
  // Those that were to be kept, by the names that they were asked for with, in the order of the answer.
  std::vector<std::pair<std::string_view, std::string>> headers{};
};

// How an answer is read.
struct ReadOptions {
  // More of a body than that is not taken. Where it is taken off as it comes, this counts what is left.
  std::size_t body_bytes_max;
  bool is_taken_off = false;
  // Beside Content-Type; what is named outlives all readers.
  std::span<const std::string_view> kept_headers{};
};

// Reads one answer of HTTP/1.1 (RFC 9112) from the pieces that arrive, without I/O.
class ResponseReader {
 public:
  enum class State {
    kHead,
    kBody,
    kDone,
    kBroken  // no answer, or one over the limits
  };

  explicit ResponseReader(ReadOptions options) : options_(options) {}

  void feed(std::string_view bytes);
  // The peer sends no more, which ends a body without a length.
  void end_of_stream();

  State state() const { return state_; }
  // Nothing of an answer has come.
  bool is_untouched() const { return is_untouched_; }
  // Whether another request may follow on the connection; once it is kDone.
  bool keeps_alive() const { return keeps_alive_; }

  // As far as it has come: the head from kBody on. What is taken off the body of a stream makes room in it.
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
  std::optional<std::size_t> length_;  // what is left of it
  std::optional<http::ChunkedBody> chunks_;
  std::string unread_;
  ApiReply reply_;
};

// One connection to the API, on which one request after the other is sent. Made while a loop runs, and of
// that loop's thread; nothing here blocks. It is destroyed at the end of a turn of the loop (at_end_of_turn),
// since it may be what is being told something.
class ApiConnection final : public http::PollHandler {
 public:
  struct Target {
    Poco::Net::SocketAddress address;
    std::string host;  // that its certificate has to name
    ssl_ctx_st* tls;   // null: without
    ReadOptions read;
  };

  // `told`: something has come, or the connection is broken. Throws Poco::Exception or std::system_error when
  // it cannot even try.
  ApiConnection(http::EventLoop& loop, const Target& target, std::function<void()> told);
  ~ApiConnection() override;
  ApiConnection(const ApiConnection&) = delete;
  ApiConnection& operator=(const ApiConnection&) = delete;

  // The bytes of a request; once the last one was answered. It may be broken afterwards, untold. Nothing is
  // read for as long as `pause_at` bytes of the answer's body have not been taken off; 0: it always is.
  void send(std::string request, std::size_t pause_at = 0);
  // After something was taken off the body: reads on, untold.
  void go_on() { pump(); }

  // Whether a request can be on its way to the API.
  bool has_opened() const { return phase_ == Phase::kOpen; }
  bool is_broken() const { return phase_ == Phase::kBroken; }
  // Of the request that was sent last.
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
