#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/net/connection_pool.h"
#include "base/net/webhook_target.h"
#include "workers/banks/api_pix/bank_network.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::workers {

constexpr std::size_t kBankAnswerBytesMax = 8 * 1024 * 1024;

// Speaks HTTPS with one bank, over connections that it keeps. Redirects are answers. Thread-safe.
class BankHttp final : public BankTransport {
 public:
  // The network outlives it. As BankNetwork::make_context() for certificate and key.
  BankHttp(BankNetwork& network, const std::string& certificate_pem, const std::string& private_key_pem);

  // Within the network's time. What may be repeated is, when a kept connection turns out to be closed.
  CallResult call(const HttpCall& call) override;

 private:
  struct Progress;

  std::variant<PinnedTarget, NotSent> resolve(std::string_view url,
                                              std::chrono::steady_clock::time_point deadline);
  void attempt(const PinnedTarget& target, const HttpCall& call, DeadlineWatch::Watched& watched,
               Progress& progress);
  void exchange(std::unique_ptr<TargetConnection> connection, const WebhookUrl& url, const HttpCall& call,
                Progress& progress);

  BankNetwork& network_;
  ConnectionPool pool_;
};

// Why a bank's URL cannot be used, to be read after the option's name: "must begin with https://".
std::optional<std::string> problem_of_bank_url(std::string_view url, bool allow_http);

}  // namespace pixledger::workers
