#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/ServerSocket.h>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/host_port.h"
#include "base/values/ip_address.h"
#include "workers/banks/api_pix/tls/callback_tls.h"
#include "workers/banks/callback_handler.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

struct CallbackServerOptions {
  HostPort listen;
  CallbackTlsFiles tls{};     // no certificate: callers come through proxies alone
  std::vector<Cidr> proxies;  // whose word on a caller's certificate is taken
};

// Where banks call back: TLS 1.2 or newer, with a certificate of the caller's that is verified before a byte
// of its request is read; plain HTTP from proxies that have ended TLS and say what they verified. One request
// a connection, on a thread of its own, within kCallMax in all. Who is slow or silent has its connection
// ended when another needs the room.
class CallbackServer {
 public:
  static constexpr std::size_t kCallsMax = 128;
  static constexpr std::size_t kOfAddressMax = 32;  // proxies excepted
  static constexpr std::chrono::seconds kCallMax{10};

  // Begins to listen. The handler outlives it. Throws Poco::Exception when the address cannot be listened on,
  // and as make_callback_tls().
  CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler);
  ~CallbackServer();  // as stop()

  std::uint16_t port() const { return port_; }
  // Calls from now on meet what the files of TLS have now; those under way go on. When the certificate ends;
  // nullopt: there are none. Throws as make_callback_tls(); then nothing changes.
  std::optional<Timestamp> read_anew();
  // Ends all calls, and returns when they have ended.
  void stop();
  // Throws what ended the thread that listens, if anything did.
  void check() const { threads_.check(); }

 private:
  struct Call;

  void listen();
  void begin(const Poco::Net::StreamSocket& socket, const IpAddress& peer);
  bool make_room(const IpAddress& peer, bool from_proxy);
  static void cut(Call& call);
  void join_ended();
  void converse(Call& call);
  bool is_proxy(const IpAddress& address) const;
  Poco::Net::Context::Ptr tls() const;

  const CallbackServerOptions options_;
  CallbackHandler& handler_;
  mutable std::mutex tls_mutex_;
  Poco::Net::Context::Ptr tls_;  // null: no TLS
  Poco::Net::ServerSocket socket_;
  const std::uint16_t port_;
  DeadlineWatch watch_;
  std::atomic<bool> stopping_{false};
  std::list<Call> calls_;  // the oldest first; of the thread that listens
  WorkerThreads threads_;
  std::thread listener_;
};

}  // namespace pixledger::workers
