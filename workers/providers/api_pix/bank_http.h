#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/values/timestamp.h"
#include "eventstore/net/webhook_target.h"
#include "workers/net/connection_pool.h"
#include "workers/providers/api_pix/bank_network.h"

namespace pixledger::workers {

constexpr std::size_t kBankAnswerBytesMax = 8 * 1024 * 1024;

struct HttpCall {
  std::string method;                                        // "PUT"
  std::string url;                                           // with the query
  std::vector<std::pair<std::string, std::string>> headers;  // beside those of HTTP itself
  std::string content_type = {};
  std::string body = {};
};

// The bank said something, whole where the status is below 400.
struct Answered {
  int status = 0;
  std::string body;
  std::string retry_after;                // the header's value; empty: none
  std::optional<domain::Timestamp> date;  // the bank's clock, to the second
};

// The request may have reached the bank, and no answer that can be used came back: what it asked for may be
// done or not.
struct OutcomeUnknown {
  std::string reason;
};

// The bank has seen nothing of it.
struct NotSent {
  std::string reason;
  bool refused_certificate = false;  // the bank ended the handshake over the client's certificate
};

using CallResult = std::variant<Answered, OutcomeUnknown, NotSent>;

// Speaks HTTPS with one bank, over connections that it keeps. Redirects are answers. Thread-safe.
class BankHttp {
 public:
  // The network outlives it. As BankNetwork::make_context() for certificate and key.
  BankHttp(BankNetwork& network, const std::string& certificate_pem, const std::string& private_key_pem);

  // One call, within the network's time. Whatever goes wrong on the way is a result, not an exception. What
  // may be repeated ("GET") is, when a kept connection turns out to be closed.
  CallResult call(const HttpCall& call);

 private:
  struct Progress;

  std::variant<eventstore::PinnedTarget, NotSent> resolve(std::string_view url,
                                                          std::chrono::steady_clock::time_point deadline);
  void attempt(const eventstore::PinnedTarget& target, const HttpCall& call, DeadlineWatch::Watched& watched,
               Progress& progress);
  void exchange(std::unique_ptr<TargetConnection> connection, const domain::WebhookUrl& url,
                const HttpCall& call, Progress& progress);

  BankNetwork& network_;
  ConnectionPool pool_;
};

// Why a bank's URL cannot be used, to be read after the option's name: "must begin with https://".
std::optional<std::string> problem_of_bank_url(std::string_view url, bool allow_http);

}  // namespace pixledger::workers
