#pragma once

#include <Poco/Net/Context.h>
#include <chrono>
#include <string>

#include "base/net/bounded_resolver.h"
#include "base/net/deadline_watch.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::workers {

struct BankNetworkOptions {
  std::string ca_file = {};  // PEM; trusted beside the system's
  bool allow_http = false;   // for development: URLs without TLS
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds call_timeout{5'000};  // resolving, connecting, handshake, sending and answer
};

// What the connections to all banks share in a process. Outlives them. Thread-safe.
class BankNetwork final : public BankTransports {
 public:
  // The resolver outlives it. Throws Poco::Exception when the CA file cannot be read.
  BankNetwork(const Resolver& resolver, BankNetworkOptions options);

  std::unique_ptr<BankTransport> connect(const std::string& certificate_pem,
                                         const std::string& private_key_pem) override;

  const BankNetworkOptions& options() const { return options_; }
  BoundedResolver& resolver() { return resolver_; }
  DeadlineWatch& watch() { return watch_; }

  // TLS 1.2 or newer that verifies the bank, and shows it this certificate (PEM, its own first, then those
  // that it was issued by) unless that is empty. The trusted certificates are held in memory once for all.
  // Throws std::invalid_argument when certificate and key cannot be used.
  Poco::Net::Context::Ptr make_context(const std::string& certificate_pem,
                                       const std::string& private_key_pem) const;

 private:
  const BankNetworkOptions options_;
  const Poco::Net::Context::Ptr trust_;
  BoundedResolver resolver_;
  DeadlineWatch watch_;
};

}  // namespace pixledger::workers
