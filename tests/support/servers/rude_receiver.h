#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace pixledger::tests {

// How a rude receiver treats a webhook.
enum class Treatment { kAccepts, kRefuses, kKeepsSilent, kResets, kTalksGarbage };

// A webhook as received, in order of arrival.
struct RudeReception {
  std::string id;
  unsigned attempt;
  std::uint32_t sequence;
  std::string charge;
  std::uint16_t port;
  Treatment treatment;
  unsigned era;  // how many times begin_era() had been called
};

// Merchants' receivers without TLS, on many ports, that behave at random: 200, 500, no answer, a reset, bytes
// that are not HTTP. Thread-safe.
class RudeReceiver {
 public:
  RudeReceiver(std::size_t ports, std::uint32_t seed);
  ~RudeReceiver();
  RudeReceiver(const RudeReceiver&) = delete;
  RudeReceiver& operator=(const RudeReceiver&) = delete;

  const std::vector<std::uint16_t>& ports() const { return ports_; }
  std::size_t received() const;
  // Waits for `count` webhooks. Returns false at the time-out.
  bool wait_for(std::size_t count, std::chrono::milliseconds timeout) const;
  std::vector<RudeReception> receptions() const;
  // Waits until no client is connected or connecting, then begins the next era. Called between two senders.
  void begin_era();

 private:
  struct Door;
  void welcome(Door& door);
  void serve(int socket, std::uint16_t port);
  bool treat(int socket, std::uint16_t port, const std::string& head, const std::string& body);
  Treatment choose();

  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::condition_variable left_;
  std::mt19937 random_;
  std::vector<RudeReception> receptions_;
  unsigned era_ = 0;
  std::size_t guests_ = 0;
  std::atomic<bool> stopping_ = false;
  std::vector<std::uint16_t> ports_;
  std::vector<std::unique_ptr<Door>> doors_;
};

}  // namespace pixledger::tests
