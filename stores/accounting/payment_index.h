#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/platform/time_zone.h"
#include "stores/accounting/ledger_payments.h"

namespace pixledger::stores {

std::string in_small(std::string_view text);
// The charge of this ledger that a statement's txid names by its form.
std::optional<domain::ChargeId> charge_of_txid(std::string_view txid);

// The payments of a ledger, by what a statement may name them by, and which of them it has named.
class PaymentIndex {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  // The zone outlives it.
  PaymentIndex(std::vector<LedgerPayment> payments, const TimeZone& zone);

  std::size_t size() const { return payments_.size(); }
  const LedgerPayment& at(std::size_t index) const { return payments_[index]; }
  bool is_used(std::size_t index) const { return is_used_[index]; }
  void use(std::size_t index) { is_used_[index] = true; }

  // Case matters in an id, and not every bank keeps it: then the one that is spelt so goes before.
  std::size_t find(const domain::EndToEndId& id) const;
  // Of the payments that a txid names, one of that amount before others.
  std::size_t find_named(const std::string& txid, domain::Cents amount) const;
  // The nearest one of that amount on that day which is not used.
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

}  // namespace pixledger::stores
