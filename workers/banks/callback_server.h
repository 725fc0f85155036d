#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/transport/server.h"
#include "base/net/http_url.h"
#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "base/values/ip_address.h"
#include "base/values/timestamp.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"

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
  std::string path;
  std::string cn;  // the certificate's common name; empty: it has none
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

  // Returns the status that refuses the head, before the body is read: 404 for a path without a connection
  // and its secret; 405 for a method but POST; 403 for another certificate; 503 if the ledger cannot be read.
  // nullopt: accepted.
  std::optional<int> refusal_of(const CallbackHead& head);
  // Returns the status to answer to a call whose head was accepted: 200 once the named payments are stored;
  // 400 if the body is neither a JSON object nor a list; 503 if no more is stored for that connection now or
  // storing fails. Stores only with 200.
  int store(const std::string& path, const std::string& body);

  // Counts a call whose head was accepted and whose body is too long.
  void note_too_large(const std::string& path);
  // Counts a call that named no connection: it showed no certificate, broke off, or found no room.
  void note_failed(std::string_view result);

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
// verified. Each connection carries one request. A slow or silent client is disconnected when another needs
// the room.
class CallbackServer final : private http::ServerObserver {
 public:
  static constexpr std::size_t kCallsMax = 128;
  static constexpr std::size_t kOfAddressMax = 32;  // proxies excepted

  // Begins to listen. Handler, clock and entropy outlive it. Throws std::runtime_error, which names the
  // cause, if it cannot listen, if a TLS file is unreadable or invalid, or if certificate and key do not
  // match.
  CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler, const Clock& clock,
                 Entropy& entropy);

  std::uint16_t port() const { return server_.port(); }
  // Reads the TLS files again for new calls; calls under way go on. Returns when the certificate ends, or
  // nullopt without TLS. Throws std::runtime_error as above; then nothing changes.
  std::optional<Timestamp> read_anew();
  // Ends all calls, and returns when they have ended.
  void stop();

 private:
  http::ServerServices services(const Clock& clock, Entropy& entropy);
  void request_arrived() override {}
  void request_answered(const http::Request&, int, std::chrono::nanoseconds) override {}
  void request_refused(const http::Request& request, int status) override;
  void connection_broke_off() override { handler_.note_failed("broken_off"); }
  void connection_refused() override { handler_.note_failed("no_room"); }

  CallbackHandler& handler_;
  http::Server server_;  // last: its threads use the handler
};

}  // namespace pixledger::workers
