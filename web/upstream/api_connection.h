#pragma once

#include <Poco/Net/SocketAddress.h>
#include <functional>
#include <optional>
#include <string>

#include "base/http/transport/channel.h"
#include "base/http/transport/event_loop.h"
#include "web/upstream/response_reader.h"

namespace pixledger::web {

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
