#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/origin_host.h"
#include "domain/values/timestamp.h"
#include "projections/list/list_version.h"

// Pure functions of a version and a filter; any thread, no lock.

namespace pixledger::projections {

// What is absent does not restrict. A value that no charge of the project has matches nothing, and so does a
// minimum above its maximum.
struct ListFilter {
  std::optional<domain::ChargeStatus> status;
  std::optional<domain::Environment> environment;
  std::optional<domain::ConnectionId> connection;
  std::optional<domain::OriginHost> origin_host;
  // Ordinals, any of which; in any order, repeated ones count once, unknown ones match nothing. Empty:
  // nobody.
  std::optional<std::vector<std::uint32_t>> customers;
  std::optional<domain::Cents> amount_min;  // Inclusive, as all bounds.
  std::optional<domain::Cents> amount_max;
  std::optional<domain::Timestamp> created_from;
  std::optional<domain::Timestamp> created_to;
  // As the caller typed it: found anywhere in the customer's name or e-mail or in an external id, whatever
  // the case and accents. One of which folding leaves nothing (combining marks only) is found nowhere.
  std::optional<std::string> search;
  // Charges which match `search` besides, such as the one whose whole id it is; all other filters still
  // apply to them. Means nothing without `search`.
  std::vector<std::uint32_t> search_exact;
};

struct ListPage {
  std::uint64_t total = 0;              // Of all that match, on any page.
  std::vector<std::uint32_t> ordinals;  // Newest first.
};

// `limit` charges after the first `offset` of those that match. Past the end: no ordinals, a true total.
ListPage find_charges(const ListVersion& version, const ListFilter& filter, std::uint64_t offset,
                      std::uint32_t limit);

// What is absent does not restrict; bounds are inclusive.
struct CustomerFilter {
  std::optional<domain::Environment> environment{};
  std::optional<domain::Timestamp> created_from{};
  std::optional<domain::Timestamp> created_to{};
};

// The same for customers.
ListPage find_customers(const ListVersion& version, const CustomerFilter& filter, std::uint64_t offset,
                        std::uint32_t limit);

}  // namespace pixledger::projections
