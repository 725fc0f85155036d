#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"
#include "projections/list/list_version.h"

// Start here: the charges and customers of one project as columns in memory, from which list_query.h answers
// every filter with an exact total.

namespace pixledger::projections {

struct ListedCustomer {
  Timestamp created_at;
  // Clean text (is_clean_text); all are empty after an erasure.
  std::string_view name;
  std::string_view email;
  std::string_view phone{};
  domain::Environment environment = domain::Environment::kLive;
};

struct ListedCharge {
  Timestamp created_at;
  domain::ChargeStatus status;
  domain::Environment environment;
  const domain::ConnectionId& connection;
  const OriginHost& origin_host;
  domain::Cents amount;
  std::uint32_t customer;
  // The merchant's own; absent if the id is ours, because such an id is found only whole
  // (ListFilter::search_exact).
  const std::optional<domain::ExternalId>& external_id;

  PerCodedColumn<std::string_view> coded_texts() const {
    return std::array{std::string_view(connection.text()), std::string_view(origin_host.text())};
  }
};

// Builds a new charge from its event or row; the result refers to it.
template <class Charge>
ListedCharge listed_charge(const Charge& charge, Timestamp created_at, std::uint32_t customer) {
  return {.created_at = created_at,
          .status = domain::ChargeStatus::kWaitingPayment,
          .environment = charge.environment,
          .connection = charge.connection,
          .origin_host = charge.origin_host,
          .amount = charge.amount,
          .customer = customer,
          .external_id = charge.external_id};
}

struct MemoryUse {
  std::uint64_t column_bytes = 0;  // Everything but text.
  std::uint64_t text_bytes = 0;    // Folded external ids, customers' texts, and the dictionaries.
};

// Charges and customers have ordinals 0, 1, 2… each, in order of insertion.
//
// The caller serialises all calls with its own mutex, including version(). Any number of threads may read a
// returned version without a lock while the list changes. A call that throws std::bad_alloc may be partly
// applied: rebuild the list then.
class TransactionList {
 public:
  explicit TransactionList(const ListShape& shape = {});
  // Continues from a version that has no other owner (project_lists.h).
  explicit TransactionList(ListVersion content);
  TransactionList(TransactionList&&) = default;
  TransactionList& operator=(TransactionList&&) = default;
  TransactionList(const TransactionList&) = delete;
  TransactionList& operator=(const TransactionList&) = delete;

  // Changes come from rows, which may be damaged: an invalid change throws DataDamaged and has no effect.

  // Not created before the previous customer. Throws std::length_error after 2^32 - 2 customers.
  std::uint32_t add_customer(const ListedCustomer& customer);
  // The customer must exist. Texts as in ListedCustomer.
  void change_customer(std::uint32_t customer, std::string_view name, std::string_view email,
                       std::string_view phone);

  // Not created before the previous charge; its customer must exist. Throws std::length_error after 2^32 - 2
  // charges.
  std::uint32_t add_charge(const ListedCharge& charge);
  void set_status(std::uint32_t charge, domain::ChargeStatus status);

  // Returns the current list. Costs microseconds, and nothing until the list changes again.
  std::shared_ptr<const ListVersion> version() const;

  std::uint32_t charge_count() const { return content_.charge_count(); }
  std::uint32_t customer_count() const { return content_.customer_count(); }
  MemoryUse memory_use() const;

 private:
  void seal_tail_if_full();
  std::uint32_t place_in_tail(std::size_t column, std::uint32_t code);

  ListVersion content_;
  // Place of each code in the tail's code columns.
  PerCodedColumn<std::unordered_map<std::uint32_t, std::uint32_t>> places_;
  mutable std::uint64_t epoch_ = 1;
  mutable std::shared_ptr<const ListVersion> version_;
};

}  // namespace pixledger::projections
