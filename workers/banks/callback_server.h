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

// Who a listener for callbacks is, and whom it lets in.
struct CallbackTlsFiles {
  std::string certificate{};              // PEM with its chain; empty: there is no TLS
  std::string key{};                      // PEM
  std::vector<std::string> client_cas{};  // PEM; whose certificates callers have to show
};

constexpr std::size_t kCallbackBytesMax = 256 * 1024;

// A request that says to be a bank's, as far as its head tells. Its sender has shown a certificate of a
// trusted authority.
struct CallbackHead {
  std::string method;
  std::string target;  // path and query
  std::string cn;      // the certificate's common name; empty: it has none
};

// Judges callbacks of banks, and keeps which payments they name until those have been read at the bank: that
// one has called proves nothing. Thread-safe.
class CallbackHandler {
 public:
  // All outlive it. `when_kept` is called after there is more to read.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    BankMeters& meters;
    std::function<void()> when_kept;
  };
  explicit CallbackHandler(Parts parts) : parts_(std::move(parts)) {}

  // The rest of the request; nullopt: it is longer than kCallbackBytesMax.
  using ReadBody = std::function<std::optional<std::string>()>;

  // The status that is answered: 200 once what it names is stored; 404 for a path that is no connection's
  // with its secret, 405, 403 for another's certificate, 413, 400 for what is no JSON object, 503 where no
  // more is kept of that connection for now. Nothing is stored but with 200. `read_body` is called once at
  // most, for what may be taken.
  int answer(const CallbackHead& head, const ReadBody& read_body);

  // Counts one that never came to answer(): it showed no certificate, or broke off.
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
  CallbackTlsFiles tls{};     // no certificate: callers come through proxies alone
  std::vector<Cidr> proxies;  // whose word on a caller's certificate is taken
};

// Where banks call back: TLS 1.2 or newer, with a certificate of the caller's that is verified before a byte
// of its request is read; plain HTTP from proxies that have ended TLS and say what they verified. One request
// a connection, on a thread of its own, within kCallMax in all. A slow or silent client is
// disconnected when another needs the room.
class CallbackServer {
 public:
  static constexpr std::size_t kCallsMax = 128;
  static constexpr std::size_t kOfAddressMax = 32;  // proxies excepted
  static constexpr std::chrono::seconds kCallMax{10};

  // Begins to listen. The handler outlives it. Throws Poco::Exception when the address cannot be listened on,
  // and std::runtime_error, which names the file and the reason, when a file of TLS cannot be read or is
  // none, or certificate and key do not belong together.
  CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler);
  ~CallbackServer();  // as stop()

  std::uint16_t port() const { return port_; }
  // Calls from now on meet what the files of TLS have now; those under way go on. When the certificate ends;
  // nullopt: there are none. Throws std::runtime_error as above; then nothing changes.
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
