#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/decisions/command.h"
#include "domain/decisions/rejection.h"

namespace pixledger::tests {

// A second model of the ledger, independent of the domain's decide and apply: transitions from a table, money
// by counting. It is fed with each command and its outcome; every sentence in problems() is a violation.
class LedgerModel {
 public:
  void observe(const domain::Command& command, const domain::Outcome& outcome,
               const std::vector<domain::RecordedEvent>& events);
  // Compares the domain's folded charge with the model's.
  void compare(const domain::Charge& charge);
  // At the end: no payment of any charge is lost.
  void audit();

  const std::vector<std::string>& problems() const { return problems_; }
  // How often each kind of event and rejection was seen, by the name of its kind.
  const std::map<std::string, unsigned>& seen() const { return seen_; }

 private:
  enum class Fate { kApplied, kUnapplied, kReturned };
  struct PaymentFact {
    domain::Cents amount;
    Timestamp paid_at;
    Fate fate;
  };
  struct ChargeFacts {
    domain::ChargeStatus status;
    domain::Environment environment;
    domain::ProjectId project;
    Timestamp expires_at;
    Timestamp updated_at;
    std::optional<Timestamp> expired_at;
    domain::Cents amount;
    domain::Cents refunded{0};
    std::map<std::string, PaymentFact> payments;  // by end-to-end id
    domain::Cents pending{0};                     // refunds requested from a bank
  };
  struct ConnectionFact {
    std::string id;
    domain::Environment environment;
    std::string alias;
    bool is_enabled = true;
    bool is_default = false;  // was chosen
  };
  struct Payer {
    std::string document;
    std::optional<std::optional<Timestamp>> blocked_until;  // if blocked: permanently, or until that time
  };
  struct Observe;

  void problem(std::string text) { problems_.push_back(std::move(text)); }
  void check_outcome(const domain::Command& command, const domain::Outcome& outcome,
                     const std::vector<domain::RecordedEvent>& events);
  void check_creation(const domain::CreateCharge& command, const domain::Outcome& outcome,
                      const std::vector<domain::RecordedEvent>& events);
  void check_connection(const domain::CreateCharge& command, const domain::RecordedEvent& created);
  bool has_full_day(const domain::CreateCharge& command) const;
  bool is_barred(const domain::CreateCharge& command, Timestamp now) const;

  std::map<std::string, ChargeFacts> charges_;
  std::set<std::string> end_to_end_ids_;
  std::map<std::string, Payer> payers_;                                             // by stream
  std::set<std::tuple<std::string, domain::Environment, std::string>> registered_;  // with their documents
  std::map<std::string, std::map<std::string, domain::BlocklistValue>> listed_;     // by stream and entry
  std::set<std::string> callbacks_;                                                 // streams that have one
  std::map<std::string, std::vector<ConnectionFact>> connections_;                  // by project, in order
  std::map<std::string, std::map<std::string, bool>> channels_;  // by project and channel: active or not
  std::map<std::string, unsigned> refused_;                      // by stream: payer and day
  std::map<std::string, unsigned> seen_;
  Timestamp last_time_;
  std::vector<std::string> problems_;
};

}  // namespace pixledger::tests
