#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/crash/api_client.h"

namespace pixledger::tests {

// One creation that a client requested, and its outcome as far as the client knows.
struct AskedCharge {
  std::string label;     // its external id, idempotency key and request id; unique
  std::string document;  // of its customer
  int status = 0;        // of the answer; 0: the connection broke, so it is unknown
  std::string id;        // if it was answered 201
  bool pay_asked = false;
  int pay_status = 0;  // as `status`

  bool acknowledged() const { return status == 201; }
  std::string body() const;
  std::string headers(const std::string& request_suffix = "") const;
};

// Prefix of every request id of this load; the rest names the charge.
inline constexpr const char* kLabelPrefix = "crash-";
inline constexpr const char* kPaySuffix = "-pay";
inline constexpr const char* kAgainSuffix = "-again";

// Half of the charges are for customers with the documents of 0 … kRegulars - 1.
inline constexpr unsigned kRegulars = 40;
std::string document_of(std::uint64_t number);

struct LoadOptions {
  std::string name;  // prefix of labels, unique among the loads of a ledger
  std::size_t connections = 8;
  std::uint32_t seed = 0;
  unsigned pays_percent = 50;    // of the acknowledged charges
  std::size_t refusals_max = 1;  // a connection ends after so many answers that are not 201 or 200
};

// Clients that create and pay charges over keep-alive connections as fast as they are answered, until stop()
// or until their connections break.
class Load {
 public:
  Load(std::uint16_t port, std::string api_key, LoadOptions options);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Returns false if all connections ended before.
  bool wait_for_acknowledged(std::size_t count);
  std::size_t acknowledged() const;
  // Sends no more requests; those under way are answered.
  void stop();
  // Ends the load. Returns all requested charges, in no order.
  std::vector<AskedCharge> finish();

 private:
  void run(std::size_t connection);
  AskedCharge ask(ApiClient& client, std::string label, std::mt19937& random);
  bool note(const AskedCharge& charge, std::size_t& refusals);

  const std::uint16_t port_;
  const std::string api_key_;
  const LoadOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t acknowledged_ = 0;
  std::size_t running_;
  bool stopping_ = false;
  std::vector<AskedCharge> asked_;
  std::vector<std::thread> threads_;
};

// Repeats every creation without an answer under its idempotency key, after which it exists exactly once, and
// some acknowledged ones. Returns false if the connection broke or a repeat got another answer than the
// first.
bool ask_again(ApiClient& client, std::vector<AskedCharge>& charges);

// Counts acknowledged charges whose status check is wrong, and prints them to stdout.
std::size_t count_wrong_answers(std::uint16_t port, const std::string& api_key,
                                const std::vector<AskedCharge>& charges);

}  // namespace pixledger::tests
