#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "tests/crash/load.h"

namespace pixledger::tests {

// Reads a ledger as an auditor would, and compares it with the answers that clients got.
class LedgerAudit {
 public:
  // Reads the events since the last call, and checks: positions have no gap, nor have versions in a stream;
  // the events of one request are together, complete and never recorded twice.
  void read(const eventstore::Log& log);

  // Checks that acknowledged charges and payments exist exactly once, under their ids, refused ones do not,
  // and unknown ones exist at most once.
  void compare(const std::vector<AskedCharge>& charges);

  // Checks that a charge of the load exists, by its id, and is paid if it was shown so.
  void require(const std::string& id, bool is_paid);

  // Acknowledged, but missing in the log.
  const std::vector<std::string>& lost() const { return lost_; }
  // All other problems.
  const std::vector<std::string>& broken() const { return broken_; }
  bool is_clean() const { return lost_.empty() && broken_.empty(); }
  void print() const;

  std::uint64_t events() const { return position_.value(); }

 private:
  struct Found {
    std::string id;
    unsigned created = 0;
    unsigned paid = 0;
  };

  void take(const domain::RecordedEvent& event);
  void take_charge(const domain::RecordedEvent& event, const domain::ChargeEvent& charge);
  void end_request();
  void compare_one(const AskedCharge& charge);
  void say_broken(const std::string& what) { broken_.push_back(what); }

  Position position_;
  std::unordered_map<std::string, std::uint32_t> versions_;  // by stream
  std::unordered_set<std::string> customers_;
  std::unordered_map<std::string, Found> by_label_;
  std::unordered_map<std::string, std::string> label_of_id_;
  std::unordered_set<std::string> requests_;
  std::string request_;  // whose events are being read
  std::vector<std::string> request_events_;
  std::vector<std::string> lost_;
  std::vector<std::string> broken_;
};

}  // namespace pixledger::tests
