#include "http/api/common/list_filters.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "base/text/text.h"
#include "base/values/timestamp.h"
#include "domain/values/document.h"
#include "domain/values/environment.h"
#include "eventstore/keys/keyring.h"
#include "http/api/common/body_fields.h"

namespace pixledger::http {
namespace {

// Strips surrounding blanks, or the link around an e-mail address, which come with pasted text.
struct SearchText : BoundedText<1, 200> {
  static constexpr std::string_view kRule = "must be 1 to 200 characters without control characters";
  static std::optional<SearchText> parse(std::string_view text) {
    auto parsed = parse_stored(bare_search(text));
    if (!parsed) return std::nullopt;
    return SearchText{*std::move(parsed)};
  }
};

constexpr const char* kPersonal = "is for people who may see personal data";

// For a value that may contain a plus but no blank.
std::string rule_for(std::string_view sent, std::string_view rule) {
  const bool has_blank = sent.find(' ') != std::string_view::npos;
  return std::string(rule) + (has_blank ? "; a + in a query means a blank, write it as %2B" : "");
}

// The statuses that lists can be filtered by: all but `failed`.
std::optional<domain::ChargeStatus> listed_status(std::string_view text) {
  const auto status = domain::parse_charge_status(text);
  return status != domain::ChargeStatus::kFailed ? status : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    items.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  items.push_back(text);
  return items;
}

// Reads the filters of a request and collects violations.
class Reader {
 public:
  Reader(const Query& query, Violations& violations) : query_(query), violations_(violations) {}

  template <class T>
  std::optional<T> value(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    auto parsed = T::parse(*text);
    if (!parsed) violation(name, std::string(T::kRule));
    return parsed;
  }
  // A value that may be pasted with surrounding blanks.
  template <class T>
  std::optional<T> pasted(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    auto parsed = T::parse(without_outer_blanks(*text));
    if (!parsed) violation(name, std::string(T::kRule));
    return parsed;
  }
  // Accepts ids that were recorded under an earlier, wider rule.
  std::optional<domain::ExternalId> external_id(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    auto parsed = domain::ExternalId::parse_stored(*text);
    if (!parsed) violation(name, std::string(domain::ExternalId::kRule));
    return parsed;
  }

  std::optional<EmailAddress> email(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    auto parsed = EmailAddress::parse(bare_address(*text));
    if (!parsed) violation(name, rule_for(*text, EmailAddress::kRule));
    return parsed;
  }

  // Numbers beyond the range count as its maximum: no charge has that amount.
  std::optional<domain::Cents> cents(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    std::int64_t cents = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, cents);
    if (error == std::errc::result_out_of_range)
      cents = text->front() == '-' ? -1 : std::numeric_limits<std::int64_t>::max();
    if (error != std::errc::invalid_argument && stop == end && cents >= 0) return domain::Cents(cents);
    violation(name, "must be an integer of cents, 0 or more");
    return std::nullopt;
  }

  // One or several, separated by commas.
  std::optional<projections::StatusSet> statuses(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    std::optional<projections::StatusSet> statuses;
    for (const auto item : split(*text, ',')) {
      const auto status = listed_status(item);
      if (!status) {
        violation(name,
                  "must be one or several, with commas, of waiting_payment, processing, paid, expired, "
                  "cancelled, refunded");
        return std::nullopt;
      }
      if (statuses)
        statuses->add(*status);
      else
        statuses = *status;
    }
    return statuses;
  }

  // `search`, or its alias `q`.
  std::optional<std::string> search() const {
    auto search = value<SearchText>("search");
    if (const auto alias = value<SearchText>("q"); alias && !search) search = alias;
    return search ? std::optional(search->text()) : std::nullopt;
  }

  std::optional<bool> truth(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    if (*text != "true" && *text != "false") violation(name, "must be true or false");
    return *text == "true";
  }

  // A filter that is either absent or `true`.
  bool only_true(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (text && *text != "true") violation(name, "must be true");
    return text == "true";
  }

  std::optional<domain::Environment> environment(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    const auto environment = domain::parse_environment(*text);
    if (!environment) violation(name, "must be live or sandbox");
    return environment;
  }

  std::optional<GivenTime> time(std::string_view name) const {
    const auto text = query_.value(name, violations_);
    if (!text) return std::nullopt;
    const auto given = GivenTime::parse(*text);
    if (!given) violation(name, rule_for(*text, GivenTime::kRule));
    return given;
  }

 private:
  void violation(std::string_view name, std::string rule) const {
    violations_.push_back({std::string(name), std::move(rule)});
  }

  const Query& query_;
  Violations& violations_;
};

// How to narrow the parameter; for transactions unless it is one of customers.
std::string_view narrowing_of(std::string_view parameter) {
  if (parameter == "customerEmail") return "customers: narrow it with customerId";
  if (parameter == "email" || parameter == "isBlocked") return "customers: narrow it with dateFrom or dateTo";
  if (parameter == "metadata") return "transactions: narrow it with dateFrom, dateTo or customerId";
  return "transactions: narrow it with dateFrom or dateTo";
}

TimeZone read_zone(Input& input, const TimeZone& store_zone) {
  return input.parsed<TimeZone>("timezone").value_or(store_zone);
}

}  // namespace

Reply too_wide_reply(const Request& request, std::string_view parameter) {
  const auto reason = "would have to look at too many " + std::string(narrowing_of(parameter));
  return validation_reply(request, {{std::string(parameter), reason}});
}

std::optional<std::string> read_search_text(const Query& query, std::string_view name,
                                            Violations& violations) {
  const auto before = violations.size();
  const auto text = Reader(query, violations).value<SearchText>(name);
  if (text) return text->text();
  if (violations.size() == before) violations.push_back({std::string(name), std::string(SearchText::kRule)});
  return std::nullopt;
}

DateRange read_dates(const Query& query, const TimeZone& zone, Violations& violations) {
  const Reader reader(query, violations);
  DateRange dates;
  if (const auto from = reader.time("dateFrom")) dates.from = zone.first_of(*from);
  if (const auto to = reader.time("dateTo")) dates.to = zone.last_of(*to);
  return dates;
}

TransactionFilters read_transaction_filters(const Query& query, const TimeZone& zone,
                                            Violations& violations) {
  const Reader reader(query, violations);
  TransactionFilters filters;
  auto& wanted = filters.query;
  wanted.status = reader.statuses("status");
  wanted.environment = reader.environment("environment");
  wanted.connection = reader.pasted<domain::ConnectionId>("connectionId");
  wanted.customer = reader.pasted<domain::CustomerId>("customerId");
  wanted.customer_email = reader.email("customerEmail");
  wanted.amount_min = reader.cents("amountMin");
  wanted.amount_max = reader.cents("amountMax");
  const auto dates = read_dates(query, zone, violations);
  wanted.created_from = dates.from;
  wanted.created_to = dates.to;

  // Two parameters for the same filter.
  wanted.origin_host = reader.value<OriginHost>("originDomain");
  const auto domain_host = reader.value<OriginHost>("domain");
  if (domain_host) {
    filters.match_nothing = wanted.origin_host && *wanted.origin_host != *domain_host;
    wanted.origin_host = domain_host;
  }
  wanted.search = reader.search();
  wanted.external_id = reader.external_id("externalId");
  if (auto typed = reader.value<domain::TypedEndToEndId>("transactionCode"))
    filters.transaction_code = std::move(typed->id);
  wanted.has_unapplied = reader.only_true("unapplied");
  wanted.is_partly_refunded = reader.only_true("partlyRefunded");
  if (reader.only_true("failed")) {
    // Contradicts any other status.
    filters.match_nothing = filters.match_nothing || wanted.status;
    wanted.status = domain::ChargeStatus::kFailed;
  }
  wanted.metadata = read_metadata_filter(query, violations);
  return filters;
}

CustomerFilters read_customer_filters(const Query& query, const TimeZone& zone, Violations& violations) {
  const Reader reader(query, violations);
  const auto document = reader.value<domain::TypedDocument>("document");
  return {.dates = read_dates(query, zone, violations),
          .document = document ? std::optional(document->document) : std::nullopt,
          .email = reader.email("email"),
          .search = reader.search(),
          .is_blocked = reader.truth("isBlocked")};
}

void refuse_personal_filters(const TransactionFilters& filters, const Caller& caller,
                             Violations& violations) {
  if (!caller.masks_personal_data()) return;
  if (filters.query.customer_email) violations.push_back({"customerEmail", kPersonal});
  if (filters.query.search) violations.push_back({"search", kPersonal});
  if (!filters.query.metadata.empty()) violations.push_back({"metadata", kPersonal});
}

void refuse_personal_filters(const CustomerFilters& filters, const Caller& caller, Violations& violations) {
  if (!caller.masks_personal_data()) return;
  if (filters.document) violations.push_back({"document", kPersonal});
  if (filters.email) violations.push_back({"email", kPersonal});
  if (filters.search) violations.push_back({"search", kPersonal});
}

std::vector<domain::StreamName> customers_of_document(const Services& services,
                                                      const domain::ProjectId& project,
                                                      const domain::Document& document) {
  const auto token = services.keyring.token_of(project, document);
  return {domain::customer_stream(project, domain::Environment::kLive, token),
          domain::customer_stream(project, domain::Environment::kSandbox, token)};
}

std::vector<domain::StreamName> customers_named(const Services& services, const domain::ProjectId& project,
                                                std::string_view text) {
  const auto typed = domain::TypedDocument::parse(text);
  return typed ? customers_of_document(services, project, typed->document)
               : std::vector<domain::StreamName>();
}

std::optional<std::int64_t> read_day(const Query& query, std::string_view name, Violations& violations) {
  const auto text = query.value(name, violations);
  if (!text) return std::nullopt;
  const auto given = GivenTime::parse(*text);
  const auto day = given ? given->day() : std::nullopt;
  if (!day) violations.push_back({std::string(name), "must be a date (2026-01-31)"});
  return day ? std::optional(day->number) : std::nullopt;
}

AskedDays read_days(Input& input, const TimeZone& store_zone, Timestamp now, const DaysRule& rule) {
  AskedDays days{.zone = read_zone(input, store_zone)};
  const auto from = read_day(input.query(), "from", input.violations());
  const auto to = read_day(input.query(), "to", input.violations());
  days.last = to.value_or(days.zone.day_of(now));
  days.first = from.value_or(std::max<std::int64_t>(days.last - rule.days_default + 1, 0));
  if (days.first > days.last)
    input.violations().push_back(
        {"from", to ? "must not be after to"
                    : "must not be after to, which is today unless it is given: " + date_text(days.last)});
  else if (days.last - days.first >= rule.days_max)
    input.violations().push_back(
        {"from", "must leave no more than " + std::to_string(rule.days_max) + " days up to the end of to"});
  return days;
}

}  // namespace pixledger::http
