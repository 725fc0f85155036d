#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "projections/list/list_version.h"
#include "projections/list/work_check.h"

// Pure functions of a version and a filter; any thread, no lock.

namespace pixledger::projections {

// Some of the statuses; one converts to the set of it alone.
class StatusSet {
 public:
  constexpr StatusSet(domain::ChargeStatus status) { add(status); }

  constexpr void add(domain::ChargeStatus status) { bits_ |= 1U << static_cast<unsigned>(status); }
  constexpr bool contains(domain::ChargeStatus status) const {
    return (bits_ >> static_cast<unsigned>(status) & 1U) != 0;
  }
  // The status of a set of one.
  constexpr std::optional<domain::ChargeStatus> single() const {
    if (!std::has_single_bit(bits_)) return std::nullopt;
    return static_cast<domain::ChargeStatus>(std::countr_zero(bits_));
  }

 private:
  unsigned bits_ = 0;
};

// Ordinals that follow each other: from `first` up to but without `last`.
struct OrdinalRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  std::uint32_t size() const { return last - first; }
  bool contains(std::uint32_t ordinal) const { return ordinal >= first && ordinal < last; }
};

// Conditions on the charges' own values. An absent field does not filter. A value that no charge of the
// project has matches nothing, as does a minimum above its maximum.
struct ColumnFilter {
  std::optional<StatusSet> status;
  std::optional<domain::Environment> environment;
  std::optional<domain::ConnectionId> connection;
  std::optional<OriginHost> origin_host;
  std::optional<domain::Cents> amount_min;  // Inclusive, like all bounds.
  std::optional<domain::Cents> amount_max;
  std::optional<Timestamp> created_from;
  std::optional<Timestamp> created_to;
  // The caller's text: matches anywhere in the customer's name or e-mail or in an external id, ignoring case
  // and accents; a TypedPhone also in the customer's phone. Matches nothing if folding leaves nothing
  // (combining marks only).
  std::optional<std::string> search;

  PerCodedColumn<std::optional<std::string_view>> coded_texts() const {
    const auto text_of = [](const auto& value) {
      return value ? std::optional(std::string_view(value->text())) : std::nullopt;
    };
    return std::array{text_of(connection), text_of(origin_host)};
  }
};

struct ListFilter : ColumnFilter {
  // Ordinals, any of which may match; unordered. Repeated ones count once, unknown ones match nothing. Empty:
  // matches nothing.
  std::optional<std::vector<std::uint32_t>> customers{};
  std::optional<std::vector<std::uint32_t>> charges{};  // the same for charges
  // Charges that also match `search`, such as the one with that whole id; all other filters still apply.
  // Ignored without `search`.
  std::vector<std::uint32_t> search_exact{};
  // Called by slow operations only: scanning texts, or collecting the charges of many customers.
  WorkCheck check{};
};

struct ListPage {
  std::uint64_t total = 0;              // All matches, on any page.
  std::vector<std::uint32_t> ordinals;  // Newest first.
};

// Charges created between the times, inclusive.
OrdinalRange charges_created(const ListVersion& version, std::optional<Timestamp> from,
                             std::optional<Timestamp> to);

// Charges whose external id equals this one, ignoring case and accents, ascending. Merchants' own ids only.
std::vector<std::uint32_t> charges_with_external_id(const ListVersion& version, std::string_view external_id,
                                                    const WorkCheck& check = {});

// Returns `limit` charges after the first `offset` matches. Past the end: no ordinals, but the exact total.
ListPage find_charges(const ListVersion& version, const ListFilter& filter, std::uint64_t offset,
                      std::uint32_t limit);

// An absent field does not filter; bounds are inclusive.
struct CustomerFilter {
  std::optional<domain::Environment> environment{};
  std::optional<Timestamp> created_from{};
  std::optional<Timestamp> created_to{};
  std::optional<std::vector<std::uint32_t>> customers{};  // as ListFilter::customers
  std::vector<std::uint32_t> without{};                   // exclude these
  std::optional<std::string> search{};                    // as ColumnFilter::search, of customers alone
  std::vector<std::uint32_t> search_exact{};              // customers who also match `search`
  WorkCheck check{};                                      // as ListFilter::check
};

// The same for customers.
OrdinalRange customers_created(const ListVersion& version, std::optional<Timestamp> from,
                               std::optional<Timestamp> to);
ListPage find_customers(const ListVersion& version, const CustomerFilter& filter, std::uint64_t offset,
                        std::uint32_t limit);

}  // namespace pixledger::projections
