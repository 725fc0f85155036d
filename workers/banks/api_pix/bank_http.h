#pragma once

#include <Poco/Net/Context.h>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/net/deadline_watch.h"
#include "base/net/http_client.h"
#include "base/net/resolver.h"
#include "base/net/webhook_target.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::workers {

struct BankNetworkOptions {
  std::string ca_file = {};  // PEM; trusted beside the system's
  bool allow_http = false;   // for development: allows URLs without TLS
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds call_timeout{5'000};  // resolving, connecting, handshake, sending and answer
};

// Shared by all bank connections of a process. Outlives them. Thread-safe.
class BankNetwork final : public BankTransports {
 public:
  // The resolver outlives it. Throws Poco::Exception when the CA file cannot be read.
  BankNetwork(const Resolver& resolver, BankNetworkOptions options);

  std::unique_ptr<BankTransport> connect(const std::string& certificate_pem,
                                         const std::string& private_key_pem) override;

  const BankNetworkOptions& options() const { return options_; }
  BoundedResolver& resolver() { return resolver_; }
  DeadlineWatch& watch() { return watch_; }

  // Makes a context for TLS 1.2 or newer that verifies the bank, and shows it this certificate (PEM, its own
  // first, then its issuers) unless that is empty. The trusted certificates are held in memory once for all.
  // Throws std::invalid_argument if certificate or key is unusable.
  Poco::Net::Context::Ptr make_context(const std::string& certificate_pem,
                                       const std::string& private_key_pem) const;

 private:
  const BankNetworkOptions options_;
  const Poco::Net::Context::Ptr trust_;
  BoundedResolver resolver_;
  DeadlineWatch watch_;
};

constexpr std::size_t kBankAnswerBytesMax = 8 * 1024 * 1024;

// Speaks HTTPS with one bank over kept connections. Does not follow redirects. Thread-safe.
class BankHttp final : public BankTransport {
 public:
  // The network outlives it. As BankNetwork::make_context() for certificate and key.
  BankHttp(BankNetwork& network, const std::string& certificate_pem, const std::string& private_key_pem);

  // Takes at most the network's time. Repeats an idempotent request if a kept connection turns out to be
  // closed.
  CallResult call(const HttpCall& call) override;

 private:
  std::variant<PinnedTarget, NotSent> resolve(std::string_view url,
                                              std::chrono::steady_clock::time_point deadline);

  BankNetwork& network_;
  HttpClient client_;
};

// Returns why a bank's URL is unusable, to be read after the option's name: "must begin with https://".
std::optional<std::string> problem_of_bank_url(std::string_view url, bool allow_http);

}  // namespace pixledger::workers
