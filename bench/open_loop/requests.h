#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pixledger::bench {

// The requests of bench/load/create.lua and status.lua, as bytes; each create with an external id of its own.
class Requests {
 public:
  // `ids`: charges to look at. Empty: the requests are creates.
  Requests(std::string host, std::string key, std::vector<std::string> ids);

  // The bytes of the request of that number.
  std::string make(std::uint64_t number) const;

 private:
  std::string create(std::uint64_t number) const;

  std::string head_;  // what follows the first line, without the length
  std::vector<std::string> ids_;
  std::string run_;  // what tells external ids of this run from those of others
};

// The 200,000 payers of bench/load/people.lua, the same ones. As the customer of a create's body.
std::string payer_json(std::uint64_t payer);

}  // namespace pixledger::bench
