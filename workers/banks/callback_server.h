#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/ServerSocket.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/http_url.h"
#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "base/values/ip_address.h"
#include "base/values/timestamp.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

// Certificate and key of the callback listener, and the authorities that it trusts.
struct CallbackTlsFiles {
  std::string certificate{};              // PEM with its chain; empty: no TLS
  std::string key{};                      // PEM
  std::vector<std::string> client_cas{};  // PEM; authorities of callers' certificates
};

constexpr std::size_t kCallbackBytesMax = 256 * 1024;

// The head of a request that claims to be a bank's. Its sender has shown a certificate of a trusted
// authority.
struct CallbackHead {
  std::string method;
  std::string target;  // path and query
  std::string cn;      // the certificate's common name; empty: it has none
};

// Validates banks' callbacks, and stores which payments they name until those have been read at the bank: a
// callback alone proves nothing. Thread-safe.
class CallbackHandler {
 public:
  // All outlive it. `when_kept` is called after payments were stored for reading.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    BankMeters& meters;
    std::function<void()> when_kept;
  };
  explicit CallbackHandler(Parts parts) : parts_(std::move(parts)) {}

  // Returns the body, or nullopt if it is longer than kCallbackBytesMax.
  using ReadBody = std::function<std::optional<std::string>()>;

  // Returns the status to answer: 200 once the named payments are stored; 404 for a path without a connection
  // and its secret; 405 for a method but POST; 403 for another certificate; 413 for a body that is too long;
  // 400 if it is neither a JSON object nor a list; 503 if no more is stored for that connection now or
  // storing fails. Stores only with 200. Calls `read_body` at most once, after path, method and certificate
  // were accepted.
  int answer(const CallbackHead& head, const ReadBody& read_body);

  // Counts a call that never reached answer(): it showed no certificate, or broke off.
  void note_failed(std::string_view result) { parts_.meters.on_callback("none", result); }

 private:
  std::optional<std::string_view> keep(const domain::ConnectionId& connection,
                                       const std::vector<domain::EndToEndId>& ids);
  int refuse(int status, const std::string& connection, std::string_view result);

  const Parts parts_;
  AtMostEvery refusal_due_{std::chrono::seconds(1)};
};

struct CallbackServerOptions {
  HostPort listen;
  CallbackTlsFiles tls{};     // without a certificate only proxies may call
  std::vector<Cidr> proxies;  // trusted to report a caller's certificate
};

// The server that banks call back. It speaks TLS 1.2 or newer, and verifies the caller's certificate before
// it reads a byte of the request. It speaks plain HTTP with proxies that have ended TLS and report what they
// verified. Each connection carries one request, has its own thread and takes at most kCallMax. A slow or
// silent client is disconnected when another needs the room.
class CallbackServer {
 public:
  static constexpr std::size_t kCallsMax = 128;
  static constexpr std::size_t kOfAddressMax = 32;  // proxies excepted
  static constexpr std::chrono::seconds kCallMax{10};

  // Begins to listen. The handler outlives it. Throws std::runtime_error, which names the cause, if it cannot
  // listen, if a TLS file is unreadable or invalid, or if certificate and key do not match.
  CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler);
  ~CallbackServer();  // as stop()

  std::uint16_t port() const { return port_; }
  // Reads the TLS files again for new calls; calls under way go on. Returns when the certificate ends, or
  // nullopt without TLS. Throws std::runtime_error as above; then nothing changes.
  std::optional<Timestamp> read_anew();
  // Ends all calls, and returns when they have ended.
  void stop();
  // Rethrows the exception that ended the listening thread, if any.
  void check() const { threads_.check(); }

 private:
  struct Call;

  void listen();
  void begin(const Poco::Net::StreamSocket& socket, const IpAddress& peer);
  bool make_room(const IpAddress& peer, bool from_proxy);
  static void cut(Call& call);
  void join_ended();
  void converse(Call& call);
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
