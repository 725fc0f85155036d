#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/ServerSocket.h>
#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "domain/values/ip_address.h"
#include "eventstore/net/host_port.h"
#include "workers/common/worker_threads.h"
#include "workers/net/deadline_watch.h"
#include "workers/providers/callback_desk.h"

namespace pixledger::workers {

struct CallbackServerOptions {
  eventstore::HostPort listen;
  std::string certificate_file{};            // PEM with its chain; empty: callers come through proxies alone
  std::string key_file{};                    // PEM
  std::vector<std::string> client_ca_files;  // PEM; whose certificates callers have to show
  std::vector<domain::Cidr> proxies;         // whose word on a caller's certificate is taken
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

  // Begins to listen. The desk outlives it. Throws Poco::Exception when the address cannot be listened on or
  // a file cannot be used.
  CallbackServer(const CallbackServerOptions& options, CallbackDesk& desk);
  ~CallbackServer();  // as stop()

  std::uint16_t port() const { return port_; }
  // Ends all calls, and returns when they have ended.
  void stop();
  // Throws what ended the thread that listens, if anything did.
  void check() const { threads_.check(); }

 private:
  struct Call;

  void listen();
  void begin(const Poco::Net::StreamSocket& socket, const domain::IpAddress& peer);
  bool make_room(const domain::IpAddress& peer, bool from_proxy);
  static void cut(Call& call);
  void join_ended();
  void converse(Call& call);
  bool is_proxy(const domain::IpAddress& address) const;

  const CallbackServerOptions options_;
  CallbackDesk& desk_;
  const Poco::Net::Context::Ptr tls_;  // null: no TLS
  Poco::Net::ServerSocket socket_;
  const std::uint16_t port_;
  DeadlineWatch watch_;
  std::atomic<bool> stopping_{false};
  std::list<Call> calls_;  // the oldest first; of the thread that listens
  WorkerThreads threads_;
  std::thread listener_;
};

}  // namespace pixledger::workers
