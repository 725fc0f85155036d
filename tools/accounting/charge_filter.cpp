#include "tools/accounting/charge_filter.h"

#include <array>

#include "base/process/option_rules.h"
#include "base/process/options.h"
#include "base/text/search_form.h"
#include "base/text/typed_text.h"
#include "domain/aggregates/charge_payments.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeStatus;

constexpr std::array kStatuses = {
    ChargeStatus::kWaitingPayment, ChargeStatus::kProcessing, ChargeStatus::kPaid,  ChargeStatus::kExpired,
    ChargeStatus::kCancelled,      ChargeStatus::kRefunded,   ChargeStatus::kFailed};

template <class Value>
std::optional<Value> parse_if_given(std::string_view flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_option<Value>(flag, text);
}

std::optional<ChargeStatus> parse_status(const std::string& text) {
  if (text.empty()) return std::nullopt;
  for (const auto status : kStatuses) {
    if (domain::to_string(status) == text) return status;
  }
  throw UsageError(
      "--status must be one of waiting_payment, processing, paid, expired, cancelled, refunded, failed");
}

std::optional<domain::Environment> parse_environment(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto environment = domain::parse_environment(text);
  if (!environment) throw UsageError("--environment must be live or sandbox");
  return environment;
}

std::optional<domain::Cents> cents(const std::optional<std::int64_t>& number) {
  if (!number) return std::nullopt;
  return domain::Cents(*number);
}

// Blanks at either end, which are often pasted along.
std::string_view without_blanks(std::string_view text) {
  const auto bare = without_outer_blanks(text);
  return bare.empty() ? text : bare;
}

bool contains(const std::string& text, const std::string& folded) {
  return search_form(text).find(folded) != std::string::npos;
}

}  // namespace

void ChargeFilterOptions::add_to(CommandLine& command) {
  command.add_option("--status", status, "Only charges of this status");
  command.add_option("--environment", environment, "live or sandbox");
  command.add_option("--connection-id", connection, "Only charges of this connection");
  command.add_option("--origin-domain,--domain", origin_host, "Only charges of this origin domain");
  command.add_option("--customer-id", customer, "Only this customer's charges");
  command.add_option("--customer-email", customer_email, "Only charges of customers with this e-mail");
  command.add_option("--amount-min", amount_min, "Least amount of the charge, in cents")
      .check(must_not_be_negative);
  command.add_option("--amount-max", amount_max, "Greatest amount of the charge, in cents")
      .check(must_not_be_negative);
  command.add_option(
      "--search", search,
      "Text in the customer's name or e-mail, or in the external id; a whole document or end-to-end id");
}

ChargeFilter::ChargeFilter(const ChargeFilterOptions& options)
    : search_(search_form(without_blanks(options.search))),
      document_(domain::TypedDocument::parse(options.search)) {
  query_.status = parse_status(options.status);
  query_.environment = parse_environment(options.environment);
  query_.connection = parse_if_given<domain::ConnectionId>("--connection-id", options.connection);
  query_.origin_host = parse_if_given<OriginHost>("--origin-domain", options.origin_host);
  query_.customer = parse_if_given<domain::CustomerId>("--customer-id", options.customer);
  query_.customer_email = parse_if_given<EmailAddress>(
      "--customer-email", std::string(without_outer_blanks(options.customer_email)));
  query_.amount_min = cents(options.amount_min);
  query_.amount_max = cents(options.amount_max);
  if (!options.search.empty()) query_.search = options.search;
}

bool ChargeFilter::accepts(const Charge& charge, stores::CustomerDirectory& customers) const {
  if (query_.status && !query_.status->contains(charge.status)) return false;
  if (query_.environment && charge.environment != *query_.environment) return false;
  if (query_.connection && charge.connection != *query_.connection) return false;
  if (query_.origin_host && charge.origin_host != *query_.origin_host) return false;
  if (query_.customer && charge.customer != *query_.customer) return false;
  if (query_.amount_min && charge.amount < *query_.amount_min) return false;
  if (query_.amount_max && charge.amount > *query_.amount_max) return false;
  if (!query_.customer_email && !query_.search) return true;
  const auto* customer = customers.find(charge.customer);
  if (query_.customer_email) {
    if (!customer || !customer->details) return false;
    if (fold(customer->details->email.text()) != fold(query_.customer_email->text())) return false;
  }
  return !query_.search || has_text(charge, customer);
}

// A text of which folding leaves nothing is found nowhere.
bool ChargeFilter::has_text(const Charge& charge, const domain::Customer* customer) const {
  if (search_.empty()) return false;
  const auto is_wanted = [this](const domain::EndToEndId& id) { return fold(id.text()) == search_; };
  if (domain::has_payment(charge, is_wanted)) return true;
  if (customer && customer->details) {
    if (document_ && customer->details->document == document_->document) return true;
    if (contains(customer->details->name.text(), search_)) return true;
    if (contains(customer->details->email.text(), search_)) return true;
  }
  return charge.external_id ? contains(charge.external_id->text(), search_) : charge.id.text() == search_;
}

bool ChargeFilter::accepts_unmatched(const domain::UnmatchedPayment& payment) const {
  if (query_.environment && payment.environment != *query_.environment) return false;
  if (query_.connection && payment.connection != *query_.connection) return false;
  return !looks_at_charges();
}

bool ChargeFilter::accepts_all() const {
  return !query_.environment && !query_.connection && !looks_at_charges();
}

// At more than every payment has.
bool ChargeFilter::looks_at_charges() const {
  return query_.status || query_.origin_host || query_.customer || query_.amount_min || query_.amount_max ||
         query_.customer_email || query_.search;
}

}  // namespace pixledger::tools
