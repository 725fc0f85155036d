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

// The customers of a document in both environments.
std::vector<domain::StreamName> customers_of_document(const Services& services,
                                                      const domain::ProjectId& project,
                                                      const domain::Document& document);

// The same of a text that is searched for; empty when it is no document as people write one.
std::vector<domain::StreamName> customers_named(const Services& services, const domain::ProjectId& project,
                                                std::string_view text);

// From one day to another, both inclusive, in a time zone.
struct AskedDays {
  std::int64_t first = 0;  // since 1970-01-01
  std::int64_t last = 0;
  TimeZone zone{};

  Timestamp begin() const { return zone.begin_of(first); }
  Timestamp end() const { return zone.begin_of(last + 1); }  // not of them any more
};

// The parameters `from`, `to` and `timezone`, which is the store's where there is none. Without `from` they
// begin so many days before the end, and without `to` they end today. Violations where they are not dates, in
// the wrong order or more than `days_max`.
struct DaysRule {
  std::int64_t days_default;
  std::int64_t days_max;
};
AskedDays read_days(Input& input, const TimeZone& store_zone, Timestamp now, const DaysRule& rule);

// What long reads of the views ask: throws WorkGivenUp when the request's time is over or its caller has
// gone. Lives no longer than the request.
inline projections::WorkCheck work_check(const Request& request) {
  return projections::WorkCheck([&budget = request.budget] { budget.check(); });
}

}  // namespace pixledger::http
