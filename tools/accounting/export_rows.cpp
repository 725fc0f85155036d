#include "tools/accounting/export_rows.h"

#include <algorithm>
#include <utility>

#include "base/process/option_rules.h"
#include "base/process/options.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "domain/aggregates/charge.h"
#include "eventstore/reading/log_scan.h"
#include "projections/generations/erasure.h"
#include "stores/exports/export_rows.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::ChargeStatus;

std::optional<ChargeStatus> parse_status(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto status = domain::parse_charge_status(text)) return status;
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

bool contains(const std::string& text, const std::string& folded) {
  return search_form(text).find(folded) != std::string::npos;
}

}  // namespace

void ChargeFilterOptions::add_to(CommandLine& command) {
  command.add_option("--status", status, "Only charges of this status");
  command.add_flag("--partly-refunded", partly_refunded, "Only paid charges of which a part was refunded");
  command.add_option("--environment", environment, "live or sandbox");
  command.add_option("--connection-id", connection, "Only charges of this connection");
  command.add_option("--origin-domain,--domain", origin_host, "Only charges of this origin domain");
  command.add_option("--customer-id", customer, "Only this customer's charges");
  command.add_option("--customer-email", customer_email, "Only charges of customers with this e-mail");
  command.add_option("--amount-min", amount_min, "Least amount of the charge, in cents")
      .check(must_not_be_negative);
  command.add_option("--amount-max", amount_max, "Greatest amount of the charge, in cents")
      .check(must_not_be_negative);
  command.add_option("--search", search,
                     "Text in the customer's name, e-mail or phone, or in the external id; a whole document "
                     "or end-to-end id");
}

ChargeFilter::ChargeFilter(const ChargeFilterOptions& options)
    : search_(search_form(bare_search(options.search))),
      document_(domain::TypedDocument::parse(options.search)),
      phone_(domain::TypedPhone::parse(options.search)),
      payment_(domain::TypedEndToEndId::parse(options.search)),
      charge_(domain::TypedChargeId::parse(options.search)) {
  query_.status = parse_status(options.status);
  query_.is_partly_refunded = options.partly_refunded;
  query_.environment = parse_environment(options.environment);
  query_.connection = parse_given<domain::ConnectionId>("--connection-id", options.connection);
  query_.origin_host = parse_given<OriginHost>("--origin-domain", options.origin_host);
  query_.customer = parse_given<domain::CustomerId>("--customer-id", options.customer);
  query_.customer_email = parse_given<EmailAddress>("--customer-email", bare_address(options.customer_email));
  query_.amount_min = cents(options.amount_min);
  query_.amount_max = cents(options.amount_max);
  if (!options.search.empty()) query_.search = options.search;
}

bool ChargeFilter::accepts(const Charge& charge, stores::CustomerDirectory& customers) const {
  if (query_.status && !query_.status->contains(charge.status)) return false;
  if (query_.is_partly_refunded && !domain::is_partly_refunded(charge)) return false;
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

// A text that folds to nothing matches nothing.
bool ChargeFilter::has_text(const Charge& charge, const domain::Customer* customer) const {
  if (search_.empty()) return false;
  const auto is_wanted = [this](const domain::EndToEndId& id) {
    return payment_ && equal_without_case(id.text(), payment_->id.text());
  };
  if (domain::has_payment(charge, is_wanted)) return true;
  if (charge_ && charge.id == charge_->id) return true;
  if (customer && customer->details) {
    if (document_ && customer->details->document == document_->document) return true;
    if (phone_ && phone_->is_in(customer->details->phone)) return true;
    if (contains(customer->details->name.text(), search_)) return true;
    if (contains(customer->details->email.text(), search_)) return true;
  }
  return charge.external_id && contains(charge.external_id->text(), search_);
}

bool ChargeFilter::accepts_unmatched(const domain::UnmatchedPayment& payment) const {
  if (query_.environment && payment.environment != *query_.environment) return false;
  if (query_.connection && payment.connection != *query_.connection) return false;
  return !looks_at_charges();
}

bool ChargeFilter::accepts_all() const {
  return !query_.environment && !query_.connection && !looks_at_charges();
}

// True if the filter needs more than every payment has.
bool ChargeFilter::looks_at_charges() const {
  return query_.status || query_.is_partly_refunded || query_.origin_host || query_.customer ||
         query_.amount_min || query_.amount_max || query_.customer_email || query_.search;
}

namespace {

using domain::CheckoutSession;
using domain::RecordedEvent;
using eventstore::Log;
using stores::ChargeTable;
using stores::CustomerDirectory;
using stores::ExportBy;

constexpr std::size_t kDeliveriesPerRead = 500;

// Scans the events of the period and project, and folds the charges of selected events.
class Scan {
 public:
  Scan(const Log& log, const ExportQuery& query)
      : log_(log), query_(query), head_(log.head().position), customers_(log, head_) {}

  bool is_by_record() const { return query_.by == ExportBy::kRecorded; }

  // Visits every event of the project that may belong to the period: those recorded in it, or, by time of
  // payment, all since its start. A payment's time may be slightly ahead of the ledger's clock.
  template <class Handle>
  void each(Handle handle) {
    const auto [after, last] = is_by_record()
                                   ? query_.period.positions(log_, head_)
                                   : std::pair(query_.period.begin(log_, domain::kPaymentAheadMsMax), head_);
    eventstore::for_each_event(log_, after, last, [&](const RecordedEvent& event) {
      if (query_.project && event.project != *query_.project) return;
      if (!is_by_record() || query_.period.contains(event.recorded_at)) handle(event);
    });
  }
  void add(const ChargeTable& table, const RecordedEvent& event, const RowHandler& handle) {
    if (!(is_by_record() ? table.has_row(event) : stores::may_be_payment(event))) return;
    const auto charge = charge_of(event.stream);
    if (!query_.charges.accepts(charge, customers_)) return;
    if (!is_by_record()) {
      const auto paid_at = table.paid_at(event, charge);
      if (!paid_at || !query_.period.contains(*paid_at)) return;
    }
    handle(table.row({query_.period.zone(), customers_}, event, charge));
  }
  void run(const ChargeTable& table, const RowHandler& handle) {
    each([&](const RecordedEvent& event) { add(table, event, handle); });
  }

  Charge charge_of(const domain::StreamName& stream) const {
    auto charge = eventstore::fold_as<Charge>(log_, stream, head_);
    if (!charge) throw eventstore::LogCorrupt("stream " + stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  Position head() const { return head_; }
  CustomerDirectory& customers() { return customers_; }

 private:
  const Log& log_;
  const ExportQuery& query_;
  const Position head_;
  CustomerDirectory customers_;
};

}  // namespace

void make_without_erased(const Log& log, const std::function<void()>& make) {
  Position began;
  do {
    began = log.head().position;
    make();
  } while (!projections::erasures_between(log, began, log.head().position).empty());
}

void export_charges(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan(log, query).run(stores::charge_table(), handle);
}

void export_payments(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  scan.each([&](const RecordedEvent& event) {
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event)) {
      // An assigned payment is listed with its charge.
      const auto payment = std::holds_alternative<domain::PaymentUnmatched>(*of_payment)
                               ? eventstore::fold_as<domain::UnmatchedPayment>(log, event.stream, scan.head())
                               : std::nullopt;
      if (!payment || payment->state == domain::UnmatchedState::kAssigned) return;
      if (scan.is_by_record() || query.period.contains(payment->paid_at))
        if (query.charges.accepts_unmatched(*payment))
          handle(stores::unmatched_row(query.period.zone(), *payment));
      return;
    }
    scan.add(stores::payment_table(), event, handle);
  });
}

void export_refunds(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan(log, query).run(stores::refund_table(), handle);
}

void export_sessions(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  const auto is_accepted = [&](const domain::CheckoutCharge& charge) {
    return query.charges.accepts(scan.charge_of(domain::charge_stream(charge.id)), scan.customers());
  };
  scan.each([&](const RecordedEvent& event) {
    const auto* change = std::get_if<domain::CheckoutEvent>(&event.event);
    if (!change || !std::holds_alternative<domain::CheckoutSessionCreated>(*change)) return;
    const auto session = eventstore::fold_as<CheckoutSession>(log, event.stream, scan.head());
    if (!session) throw eventstore::LogCorrupt("stream " + event.stream.text() + " has no session");
    const auto& charges = session->charges;
    if (query.charges.accepts_all() || std::any_of(charges.begin(), charges.end(), is_accepted))
      handle(stores::session_row(query.period.zone(), *session));
  });
}

void export_deliveries(const Log& log, const stores::DeliveryReader& database, const ExportQuery& query,
                       const RowHandler& handle) {
  Scan scan(log, query);
  const auto is_of_accepted_charge = [&](const stores::Delivery& delivery) {
    return delivery.charge &&
           query.charges.accepts(scan.charge_of(domain::charge_stream(*delivery.charge)), scan.customers());
  };
  std::int64_t after = 0;
  for (auto batch = database.read_after(after, kDeliveriesPerRead); !batch.empty();
       batch = database.read_after(after, kDeliveriesPerRead)) {
    after = batch.back().number;
    for (const auto& delivery : batch) {
      if (delivery.position > scan.head()) continue;  // created after the scan's head
      if (query.project && delivery.project != *query.project) continue;
      if (!query.period.contains(delivery.created_at)) continue;
      if (!query.charges.accepts_all() && !is_of_accepted_charge(delivery)) continue;
      handle(stores::delivery_row(query.period.zone(), delivery));
    }
  }
}

}  // namespace pixledger::tools
