#pragma once

#include <atomic>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/https_receiver.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_http.h"

namespace pixledger::tests {

// Resolves only the bank's name.
class BankResolver final : public Resolver {
 public:
  std::vector<IpAddress> resolve(const std::string& host) const override {
    if (host != "bank.example") return {};
    return {parsed<IpAddress>("127.0.0.1")};
  }
};

inline std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A bank behind TLS that demands client certificates of its own authority. It issues tokens, and answers
// everything else with the next answer set for "GET /pix/E1", the method and the whole path, else for "GET
// /pix", with the first word of the path, or with 404. Records all requests except those for tokens.
class FakeBank {
 public:
  FakeBank()
      : client_files(authority.issue("Loja")),
        receiver_(authority.issue("bank.example"), authority.ca_file(),
                  [this](const ReceivedWebhook& request, std::size_t) { return answer(request); }) {}

  void will_answer(const std::string& what, int status, const std::string& body = "") {
    will_answer(what, ReceiverAnswer{.status = status, .headers = {}, .body = body});
  }
  void will_answer(const std::string& what, ReceiverAnswer answer) {
    const std::lock_guard lock(mutex_);
    answers_[what].push_back(std::move(answer));
  }

  // "PUT /cob, GET /cob", with a token's number where that is not the first.
  std::string asked() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& each : asked_) all += (all.empty() ? "" : ", ") + each;
    return all;
  }
  ReceivedWebhook last() const {
    const auto all = receiver_.received();
    return all.at(all.size() - 1);
  }
  int tokens() const { return tokens_; }
  int connections() const { return receiver_.connections(); }
  std::string url() const { return "https://bank.example:" + std::to_string(receiver_.port()); }

  workers::BankAccess access() const {
    return {.profile = workers::find_bank_profile("generic"),
            .base_url = url() + "/v2",
            .token_url = url() + "/token",
            .client_id = "id",
            .client_secret = "secret",
            .certificate_pem = content_of(client_files.cert_file),
            .private_key_pem = content_of(client_files.key_file),
            .pix_key = parsed<domain::PixKey>("loja@example.com"),
            .rate = 1'000};
  }

  const TestAuthority authority;
  const CertificateFiles client_files;

 private:
  ReceiverAnswer answer(const ReceivedWebhook& request) {
    const auto first = request.path.find('/', 1);
    if (request.path == "/token") {
      const std::lock_guard lock(mutex_);
      auto& told = answers_["token"];
      if (!told.empty()) return next(told);
      return {.status = 200,
              .headers = {},
              .body = R"({"access_token":"t)" + std::to_string(++tokens_) + R"(","expires_in":3600})"};
    }
    const auto word = request.path.substr(first, request.path.find_first_of("/?", first + 1) - first);
    const std::lock_guard lock(mutex_);
    const auto what = request.method + " " + word;
    const auto& token = request.header("authorization");
    asked_.push_back(token == "Bearer t1" ? what : what + " " + token.substr(7));
    const auto whole = answers_.find(request.method + " " + request.path.substr(first));
    auto& told = whole != answers_.end() && !whole->second.empty() ? whole->second : answers_[what];
    return told.empty() ? ReceiverAnswer{.status = 404, .headers = {}, .body = ""} : next(told);
  }
  static ReceiverAnswer next(std::deque<ReceiverAnswer>& told) {
    auto answer = std::move(told.front());
    told.pop_front();
    return answer;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::deque<ReceiverAnswer>> answers_;
  std::vector<std::string> asked_;
  std::atomic<int> tokens_ = 0;
  HttpsReceiver receiver_;
};

// A client of a fake bank, which must outlive it, at a fixed time.
struct ClientOfFakeBank {
  explicit ClientOfFakeBank(const FakeBank& bank,
                            std::chrono::milliseconds call_timeout = std::chrono::minutes(1))
      : ClientOfFakeBank(bank, bank.access(), call_timeout) {}
  ClientOfFakeBank(const FakeBank& bank, workers::BankAccess access,
                   std::chrono::milliseconds call_timeout = std::chrono::minutes(1))
      : network(resolver, {.ca_file = bank.authority.ca_file(), .call_timeout = call_timeout}),
        client(std::move(access), {clock, entropy, network,
                                   [this](const workers::BankCallReport& report) {
                                     const std::lock_guard lock(reporting);
                                     reported += std::string(to_string(report.operation)) + ":" +
                                                 std::string(report.outcome) + " ";
                                   },
                                   [this] { return stopping.load(); }}) {}

  workers::BankTurn turn() const { return {workers::BankPriority::kCreate, workers::boot_time(clock)}; }

  FixedClock clock{kStart};
  SeededEntropy entropy{1};
  BankResolver resolver;
  workers::BankNetwork network;
  std::mutex reporting;
  std::string reported;
  std::atomic<bool> stopping{false};
  workers::BankClient client;
};

}  // namespace pixledger::tests
