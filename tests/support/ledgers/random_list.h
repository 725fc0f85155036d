#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "domain/values/contact.h"
#include "projections/list/list_query.h"
#include "projections/list/transaction_list.h"

namespace pixledger::tests {

// Small enough that some hundred charges fill many segments, blocks and chunks.
inline constexpr projections::ListShape kSmallShape{64, 16, 8, 4};

struct ModelCustomer {
  Timestamp created_at;
  std::string name;
  std::string email;
  std::string phone{};
};

struct ModelCharge {
  Timestamp created_at;
  domain::ChargeStatus status;
  domain::Environment environment;
  domain::ConnectionId connection;
  OriginHost origin_host;
  domain::Cents amount;
  std::uint32_t customer;
  std::optional<domain::ExternalId> external_id;
};

// The correct answers of a list, computed by testing every charge.
struct ListModel {
  std::vector<ModelCustomer> customers;
  std::vector<ModelCharge> charges;

  bool matches_search(std::uint32_t ordinal, const projections::ListFilter& filter) const {
    const std::string needle = search_form(*filter.search);
    const auto has_needle = [&needle](const std::string& text) {
      return !needle.empty() && search_form(text).find(needle) != std::string::npos;
    };
    const ModelCharge& charge = charges[ordinal];
    const ModelCustomer& customer = customers[charge.customer];
    const auto phone = domain::TypedPhone::parse(*filter.search);
    return has_needle(customer.name) || has_needle(customer.email) ||
           (phone && customer.phone.find(phone->digits) != std::string::npos) ||
           (charge.external_id && has_needle(charge.external_id->text())) ||
           std::count(filter.search_exact.begin(), filter.search_exact.end(), ordinal) != 0;
  }

  bool matches(std::uint32_t ordinal, const projections::ListFilter& filter) const {
    const ModelCharge& charge = charges[ordinal];
    if (filter.status && !filter.status->contains(charge.status)) return false;
    if (filter.environment && charge.environment != *filter.environment) return false;
    if (filter.connection && charge.connection != *filter.connection) return false;
    if (filter.origin_host && charge.origin_host != *filter.origin_host) return false;
    if (filter.customers &&
        std::count(filter.customers->begin(), filter.customers->end(), charge.customer) == 0)
      return false;
    if (filter.charges && std::count(filter.charges->begin(), filter.charges->end(), ordinal) == 0)
      return false;
    if (filter.amount_min && charge.amount < *filter.amount_min) return false;
    if (filter.amount_max && charge.amount > *filter.amount_max) return false;
    if (filter.created_from && charge.created_at < *filter.created_from) return false;
    if (filter.created_to && charge.created_at > *filter.created_to) return false;
    return !filter.search || matches_search(ordinal, filter);
  }

  // All that match, newest first.
  std::vector<std::uint32_t> find(const projections::ListFilter& filter) const {
    std::vector<std::uint32_t> found;
    for (auto ordinal = static_cast<std::uint32_t>(charges.size()); ordinal-- > 0;)
      if (matches(ordinal, filter)) found.push_back(ordinal);
    return found;
  }
};

// A list and its model, changed alike by random operations.
class RandomList {
 public:
  explicit RandomList(std::uint64_t seed, const projections::ListShape& shape = kSmallShape)
      : list(shape), random_(seed) {}

  void step();
  // About every second filter of a random kind is set, most to something that some charge has.
  projections::ListFilter filter();
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  projections::TransactionList list;
  ListModel model;
  // The number of hosts and of connections that charges are spread over.
  std::size_t host_count = 5;
  // The average number of successive charges in one environment.
  std::size_t environment_run = 1;

 private:
  bool one_in(std::size_t n) { return below(n) == 0; }
  Timestamp tick();
  std::string name();
  std::string phone();
  domain::Cents amount();
  void add_customer();
  void add_charge();
  std::string some_text();

  std::mt19937_64 random_;
  domain::Environment environment_ = domain::Environment::kSandbox;
  std::int64_t now_ms_ = 1'700'000'000'000;
};

domain::ConnectionId sample_connection(std::size_t number);
OriginHost sample_host(std::size_t number);

}  // namespace pixledger::tests
