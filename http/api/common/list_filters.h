#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "http/front/caller.h"
#include "http/routing/query.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {

// A span of time; an end that is absent is open.
struct DateRange {
  std::optional<Timestamp> from;  // inclusive
  std::optional<Timestamp> to;    // inclusive
};

// The parameters `dateFrom` and `dateTo`: a time, or a date, which means the whole day in the zone.
DateRange read_dates(const Query& query, const TimeZone& zone, Violations& violations);

// What a caller may filter transactions by; the same in both path groups.
struct TransactionFilters {
  projections::ChargeQuery query;
  std::optional<domain::EndToEndId> transaction_code;  // the ledger knows whose payment it is
  bool match_nothing = false;                          // they contradict each other
};
// Adds a violation for each parameter that is not valid.
TransactionFilters read_transaction_filters(const Query& query, const TimeZone& zone, Violations& violations);

// The same for customers.
struct CustomerFilters {
  DateRange dates;
  std::optional<domain::Document> document;
  std::optional<EmailAddress> email;
  std::optional<std::string> search;
  std::optional<bool> is_blocked;
};
CustomerFilters read_customer_filters(const Query& query, const TimeZone& zone, Violations& violations);

// What a viewer sees masked would be found out by asking for one value after the other: adds a violation for
// each filter that looks at personal data.
void refuse_personal_filters(const TransactionFilters& filters, const Caller& caller, Violations& violations);
void refuse_personal_filters(const CustomerFilters& filters, const Caller& caller, Violations& violations);

// A text to search for that has to be there, in this parameter: 1 to 200 characters. Nullopt with a
// violation.
std::optional<std::string> read_search_text(const Query& query, std::string_view name,
                                            Violations& violations);

// To a list of which this parameter would have to look at too much (Page::too_wide): says what narrows it.
Reply too_wide_reply(const Request& request, std::string_view parameter);

}  // namespace pixledger::http
