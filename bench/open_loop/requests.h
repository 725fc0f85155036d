#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pixledger::bench {

enum class Kind : std::uint8_t { kCreate, kPay, kStatus };

// The requests of bench/load/create.lua and status.lua, as bytes, and payments in the sandbox; each create
// with an external id of its own.
class Requests {
 public:
  // `ids`: the charges of status checks.
  Requests(std::string host, std::string key, std::vector<std::string> ids);

  // The bytes of the request of that number.
  std::string create(std::uint64_t number) const;
  std::string pay(const std::string& id) const;
  std::string status(std::uint64_t number) const;

 private:
  std::string head_;  // what follows the first line, without the length
  std::vector<std::string> ids_;
  std::string run_;  // what tells external ids of this run from those of others
};

// The 200,000 payers of bench/load/people.lua, the same ones. As the customer of a create's body.
std::string payer_json(std::uint64_t payer);

}  // namespace pixledger::bench
