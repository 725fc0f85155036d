#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/request.h"
#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "domain/values/stream_name.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "projections/list/work_check.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {

// A span of time; an absent end is open.
struct DateRange {
  std::optional<Timestamp> from;  // inclusive
  std::optional<Timestamp> to;    // inclusive
};

// Reads `dateFrom` and `dateTo`: a time, or a date, which means the whole day in the zone.
DateRange read_dates(const Query& query, const TimeZone& zone, Violations& violations);

// The filters of transactions, the same in both path groups.
struct TransactionFilters {
  projections::ChargeQuery query;
  std::optional<domain::EndToEndId> transaction_code;  // resolved to a charge by the ledger
  bool match_nothing = false;                          // the filters contradict each other
};
// Adds a violation for each invalid parameter.
TransactionFilters read_transaction_filters(const Query& query, const TimeZone& zone, Violations& violations);

// The filters of customers.
struct CustomerFilters {
  DateRange dates;
  std::optional<domain::Document> document;
  std::optional<EmailAddress> email;
  std::optional<std::string> search;
  std::optional<bool> is_blocked;
};
CustomerFilters read_customer_filters(const Query& query, const TimeZone& zone, Violations& violations);

// Adds a violation for each filter on personal data if the caller is a viewer. With such filters a viewer
// could guess masked values one by one.
void refuse_personal_filters(const TransactionFilters& filters, const Caller& caller, Violations& violations);
void refuse_personal_filters(const CustomerFilters& filters, const Caller& caller, Violations& violations);

// Reads a required search text of 1 to 200 characters from this parameter. nullopt with a violation.
std::optional<std::string> read_search_text(const Query& query, std::string_view name,
                                            Violations& violations);

// The reply if this parameter would scan too many rows (Page::too_wide); it says how to narrow the search.
Reply too_wide_reply(const Request& request, std::string_view parameter);

// The customers of a document in both environments.
std::vector<domain::StreamName> customers_of_document(const Services& services,
                                                      const domain::ProjectId& project,
                                                      const domain::Document& document);

// The same for a search text; empty if it is not a document as commonly written.
std::vector<domain::StreamName> customers_named(const Services& services, const domain::ProjectId& project,
                                                std::string_view text);

// A range of days, both inclusive, in a time zone.
struct AskedDays {
  std::int64_t first = 0;  // since 1970-01-01
  std::int64_t last = 0;
  TimeZone zone{};

  Timestamp begin() const { return zone.begin_of(first); }
  Timestamp end() const { return zone.begin_of(last + 1); }  // exclusive
};

// A date, in days since 1970-01-01. Adds a violation if it is invalid.
std::optional<std::int64_t> read_day(const Query& query, std::string_view name, Violations& violations);

// Reads `from`, `to` and `timezone` (by default the store's). `from` defaults to `days_default` days before
// the end, `to` to today. Adds violations for invalid dates, a wrong order or more than `days_max` days.
struct DaysRule {
  std::int64_t days_default;
  std::int64_t days_max;
};
AskedDays read_days(Input& input, const TimeZone& store_zone, Timestamp now, const DaysRule& rule);

// The check for long reads of the views: throws WorkGivenUp when the request's time is over or its client has
// gone. The request outlives it.
inline projections::WorkCheck work_check(const Request& request) {
  return projections::WorkCheck([&budget = request.budget] { budget.check(); });
}

}  // namespace pixledger::http
