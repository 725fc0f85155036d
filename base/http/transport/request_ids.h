#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace pixledger::http {

// Makes request ids: "req_" and 24 characters of [0-9a-z]. They tell requests apart in logs and guard
// nothing, so a fast generator (xoshiro256**, Blackman and Vigna) seeded once from real entropy will do. Not
// for several threads: each connection has its own.
class RequestIds {
 public:
  explicit RequestIds(const std::function<void(std::span<std::byte>)>& entropy);

  // Writes the next id into `id`, whose storage it reuses.
  void next(std::string& id);

 private:
  std::uint64_t random();

  std::array<std::uint64_t, 4> state_;
};

}  // namespace pixledger::http
