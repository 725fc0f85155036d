#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/unmatched_payment.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

// The ledger's payments: of charges, and unmatched ones.

struct LedgerReturn {
  std::string id;         // the devolução's; empty if it was recorded without one
  std::string return_id;  // the payments system's, if the bank stated it
  domain::Cents amount;
  std::optional<Timestamp> at;  // when it went; else when it was requested or recorded
  bool is_done = true;          // false: the bank has not confirmed it yet
  bool moved = true;            // by a bank; false: recorded as returned another way
};

struct LedgerPayment {
  domain::EndToEndId end_to_end_id;
  domain::Environment environment;
  std::optional<domain::ChargeId> charge{};  // absent: it matched none
  std::optional<domain::Cents> charge_amount{};
  domain::Cents amount;
  Timestamp paid_at;
  std::optional<domain::PaymentFlag> unsettled{};
  bool is_unmatched = false;  // and unsettled
  bool is_counted = false;    // towards its charge
  bool was_assigned = false;  // by a person, regardless of its txid
  std::string txid{};         // of an unmatched payment
  std::vector<LedgerReturn> returns{};
};

// Facts about returns in a charge's events that its state lacks.
struct ReturnFacts {
  std::map<std::string, Timestamp> recorded_at{};   // the last event of each payment that is to be returned
  std::map<std::string, std::string> return_ids{};  // the payments system's id by the refund's own

  void add(const domain::ChargeEvent& event, Timestamp recorded_at);
};

// Returns all payments for a charge.
std::vector<LedgerPayment> payments_of(const domain::Charge& charge, const ReturnFacts& facts);
LedgerPayment payment_of(const domain::UnmatchedPayment& payment);

// Whether a charge's event is about money that came or went.
bool moves_money(const domain::ChargeEvent& event);

std::string in_small(std::string_view text);
// The charge of this ledger that a statement's txid names by its form.
std::optional<domain::ChargeId> charge_of_txid(std::string_view txid);

// The payments of a ledger, indexed by what a statement may name them by. Tracks which of them the statement
// has named.
class PaymentIndex {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The zone outlives it.
  PaymentIndex(std::vector<LedgerPayment> payments, const TimeZone& zone);

  std::size_t size() const { return payments_.size(); }
  const LedgerPayment& at(std::size_t index) const { return payments_[index]; }
  bool is_used(std::size_t index) const { return is_used_[index]; }
  void use(std::size_t index) { is_used_[index] = true; }

  // Case matters in an id, but some banks lose it: an exact match is preferred.
  std::size_t find(const domain::EndToEndId& id) const;
  // Of the payments with that txid, prefers one of that amount.
  std::size_t find_named(const std::string& txid, domain::Cents amount) const;
  // Returns the nearest unused payment of that amount on that day.
  std::size_t find_alike(Timestamp moment, bool has_time, domain::Cents amount,
                         domain::Environment environment) const;

 private:
  std::optional<std::size_t> first_unused(const std::vector<std::size_t>& among) const;

  const std::vector<LedgerPayment> payments_;
  std::vector<bool> is_used_;
  const TimeZone& zone_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_id_, by_name_;
  std::map<std::pair<std::int64_t, domain::Cents>, std::vector<std::size_t>> by_day_;
};

// The events of charges of one project, in order, a few at a time.
class ProjectEvents {
 public:
  using Visit = std::function<void(const domain::RecordedEvent&)>;
  virtual ~ProjectEvents() = default;

  // Events recorded since `moment` are needed; others may come, too. Called once, first.
  virtual void begin_at(Timestamp moment) = 0;
  // False once there are no more.
  virtual bool look(const Visit& visit) = 0;
};

// Reads them from the log, without events of other projects.
class LoggedProjectEvents final : public ProjectEvents {
 public:
  LoggedProjectEvents(const eventstore::Log& log, domain::ProjectId project, Position as_of)
      : log_(log), project_(std::move(project)), as_of_(as_of) {}

  void begin_at(Timestamp moment) override;
  bool look(const Visit& visit) override;

 private:
  const eventstore::Log& log_;
  const domain::ProjectId project_;
  const Position as_of_;
  Position after_;
};

}  // namespace pixledger::stores
