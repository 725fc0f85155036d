#include "projections/views/list_reader.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/faults.h"
#include "base/text/text.h"
#include "domain/aggregates/charge.h"
#include "projections/views/charge_metadata.h"
#include "projections/views/ordinal_rows.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {
namespace {

// The result of a query's exact filters (external id, payment, unapplied, partly refunded, metadata), before
// the other filters.
struct ExactMatches {
  std::optional<std::vector<std::uint32_t>> charges;  // ordinals; absent: the query has no such filter
  std::string_view too_wide;                          // the filter that would scan too many rows; else empty
};

// The project's charge with that id.
struct NamedCharge {
  domain::Charge charge;
  std::uint32_t ordinal;
};

using Ordinals = std::vector<std::uint32_t>;

// Reading a charge costs as much as scanning this many rows.
constexpr std::size_t kRowsOfOneCharge = 10;
constexpr auto kAllCharges = std::numeric_limits<std::uint32_t>::max();

std::optional<NamedCharge> charge_named(const domain::ChargeId& id, const ViewDatabase::Snapshot& snapshot,
                                        const ViewTables& tables, const domain::ProjectId& project) {
  const auto stored = eventstore::lmdb_get(snapshot.rows->get(), tables.charges, id.text());
  if (!stored) return std::nullopt;
  const auto row = split_charge_row(*stored);
  auto charge = decode_charge_row(row.state);
  if (charge.project != project) return std::nullopt;
  return NamedCharge{std::move(charge), row.ordinal};
}

// The intersection; both are ascending.
Ordinals in_both(const Ordinals& one, const Ordinals& other) {
  Ordinals both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
  return both;
}

// Each filter scans at most `rows_max` rows of the query's time range. Throws DataDamaged.
class ExactFilters {
 public:
  ExactFilters(const ChargeQuery& query, const ViewDatabase::Snapshot& snapshot, const ViewTables& tables,
               const domain::ProjectId& project, std::size_t rows_max, const WorkCheck& check)
      : query_(query),
        snapshot_(snapshot),
        tables_(tables),
        project_(project),
        range_(charges_created(*snapshot.list, query.created_from, query.created_to)),
        rows_max_(rows_max),
        check_(check) {}

  ExactMatches find() {
    if (query_.payment) keep(with_payment(*query_.payment));
    if (query_.external_id) keep_or_say("externalId", with_external_id(*query_.external_id));
    if (query_.has_unapplied) keep_or_say("unapplied", indexed_in(tables_.unapplied_charges));
    if (query_.is_partly_refunded) keep_or_say("partlyRefunded", indexed_in(tables_.partly_refunded));
    if (!query_.metadata.empty()) keep_or_say("metadata", with_metadata());
    return std::move(matches_);
  }

 private:
  MDB_txn* rows() const { return snapshot_.rows->get(); }

  void keep(Ordinals found) {
    std::sort(found.begin(), found.end());
    matches_.charges = matches_.charges ? in_both(found, *matches_.charges) : std::move(found);
  }
  void keep_or_say(std::string_view filter, std::optional<Ordinals> found) {
    if (!found) matches_.too_wide = filter;
    keep(std::move(found).value_or(Ordinals()));
  }

  Ordinals with_payment(const eventstore::ChargePayment& wanted) const {
    const auto found = charge_named(wanted.charge, snapshot_, tables_, project_);
    if (!found || !domain::has_payment(found->charge, wanted.payment)) return {};
    return {found->ordinal};
  }

  // The list has folded ids; the rows tell which match exactly. An id pasted with surrounding blanks is found
  // too, unless another charge has exactly that id.
  std::optional<Ordinals> with_external_id(const domain::ExternalId& wanted) const {
    auto found = with_very_id(wanted);
    const auto bare = domain::ExternalId::parse_stored(without_outer_blanks(wanted.text()));
    if (!found || !found->empty() || !bare || *bare == wanted) return found;
    return with_very_id(*bare);
  }
  std::optional<Ordinals> with_very_id(const domain::ExternalId& wanted) const {
    auto found = charges_with_external_id(*snapshot_.list, wanted.text(), check_);
    std::erase_if(found, [&](std::uint32_t ordinal) { return !range_.contains(ordinal); });
    if (found.size() > rows_max_ / kRowsOfOneCharge) return std::nullopt;
    std::size_t rows = 0;
    std::erase_if(found, [&](std::uint32_t ordinal) {
      check_.look_at_row(rows++);
      return external_id_at(ordinal) != wanted;
    });
    const auto id = domain::ChargeId::parse(wanted.text());
    const auto named = id ? charge_named(*id, snapshot_, tables_, project_) : std::nullopt;
    if (named && !named->charge.external_id) found.push_back(named->ordinal);
    return found;
  }
  std::optional<domain::ExternalId> external_id_at(std::uint32_t ordinal) const {
    const auto id = eventstore::lmdb_get(rows(), tables_.charges_in_order, ordinal_key(project_, ordinal));
    const auto row = id ? eventstore::lmdb_get(rows(), tables_.charges, *id) : std::nullopt;
    if (!row) throw DataDamaged("the lists have a row that the read models do not have");
    return decode_charge_row(split_charge_row(*row).state).external_id;
  }

  std::optional<Ordinals> indexed_in(MDB_dbi index) const {
    Ordinals found;
    const auto take = [&](std::uint32_t ordinal, std::string_view) { found.push_back(ordinal); };
    if (!visit_ordinals(rows(), index, ordinal_key_prefix(project_), range_, rows_max_, check_, take))
      return std::nullopt;
    return found;
  }

  std::optional<Ordinals> with_metadata() const {
    return charges_with_metadata(rows(), tables_, project_, range_, query_.customer, query_.metadata,
                                 rows_max_, check_);
  }

  const ChargeQuery& query_;
  const ViewDatabase::Snapshot& snapshot_;
  const ViewTables& tables_;
  const domain::ProjectId& project_;
  const OrdinalRange range_;
  const std::size_t rows_max_;
  const WorkCheck& check_;
  ExactMatches matches_;
};

std::string_view ordered_id(MDB_txn* transaction, MDB_dbi table, const std::string& key) {
  const auto id = eventstore::lmdb_get(transaction, table, key);
  if (!id) throw DataDamaged("the lists have a row that the read models do not order");
  return *id;
}

std::string_view row_of(MDB_txn* transaction, MDB_dbi table, std::string_view id) {
  const auto row = eventstore::lmdb_get(transaction, table, id);
  if (!row) throw DataDamaged("the read models order a row that they do not have");
  return *row;
}

}  // namespace

ListReader::ListReader(const ViewDatabase& database, domain::ProjectId project, WorkCheck check,
                       std::size_t filter_rows_max)
    : tables_(database.tables()),
      project_(std::move(project)),
      check_(std::move(check)),
      rows_max_(filter_rows_max),
      snapshot_(database.snapshot(project_)) {}

Page<ListedTransaction> ListReader::charges(const ChargeQuery& query, const PageRequest& page) const {
  auto filter = filter_of(query);
  if (query.customer) {
    filter.customers = customer_of(query);
  } else if (query.customer_email) {
    filter.customers = customers_with_email(*query.customer_email, kAllOrdinals);
    if (!filter.customers) return {.total = 0, .items = {}, .too_wide = "customerEmail"};
  }
  auto exact = ExactFilters(query, snapshot_, tables_, project_, rows_max_, check_).find();
  if (!exact.too_wide.empty()) return {.total = 0, .items = {}, .too_wide = exact.too_wide};
  filter.charges = std::move(exact.charges);
  const auto found = find_charges(*snapshot_.list, filter, page.offset, page.limit);
  Page<ListedTransaction> result{found.total, {}};
  result.items.reserve(found.ordinals.size());
  for (const auto ordinal : found.ordinals) result.items.push_back(transaction_at(ordinal));
  return result;
}

Page<domain::Customer> ListReader::customers(const CustomerQuery& query, const PageRequest& page) const {
  auto filter = query.listed;
  const auto too_wide = name_customers(query, filter);
  if (!too_wide.empty()) return {.total = 0, .items = {}, .too_wide = too_wide};
  const auto found = find_customers(*snapshot_.list, filter, page.offset, page.limit);
  auto* transaction = snapshot_.rows->get();
  Page<domain::Customer> result{found.total, {}};
  result.items.reserve(found.ordinals.size());
  for (const auto ordinal : found.ordinals) {
    const auto id = ordered_id(transaction, tables_.customers_in_order, ordinal_key(project_, ordinal));
    const auto row = row_of(transaction, tables_.customers, id);
    result.items.push_back(decode_customer_row(split_customer_row(row).state));
  }
  return result;
}

std::optional<ListedTransaction> ListReader::transaction(const domain::ChargeId& id) const {
  const auto named = charge_named(id, snapshot_, tables_, project_);
  if (!named) return std::nullopt;
  return transaction_at(named->ordinal);
}

std::optional<domain::Customer> ListReader::customer(const domain::CustomerId& id) const {
  auto found = find(id);
  if (!found) return std::nullopt;
  return std::move(found->customer);
}

std::vector<FraudEvent> ListReader::fraud_events(const domain::CustomerId& id, Position up_to,
                                                 std::size_t max) const {
  const auto customer = find(id);
  if (!customer) return {};
  const auto stream = domain::customer_stream(project_, customer->customer.environment, customer->token);
  const auto prefix = std::string(stream.payer());
  eventstore::LmdbCursor cursor(snapshot_.rows->get(), tables_.fraud_events);
  // Backwards from the first key that is later or of another customer.
  bool found = cursor.seek(prefix + big_endian(up_to.value() + 1));
  found = found ? cursor.move(MDB_PREV) : cursor.move(MDB_LAST);
  std::vector<FraudEvent> events;
  for (; found && events.size() < max; found = cursor.move(MDB_PREV)) {
    if (cursor.key().substr(0, prefix.size()) != prefix) break;
    events.push_back(decode_fraud_event_row(cursor.value()));
  }
  return events;
}

std::optional<ListReader::Found> ListReader::find(const domain::CustomerId& id) const {
  const auto stored = eventstore::lmdb_get(snapshot_.rows->get(), tables_.customers, id.text());
  if (!stored) return std::nullopt;
  const auto row = split_customer_row(*stored);
  auto customer = decode_customer_row(row.state);
  if (customer.project != project_) return std::nullopt;
  auto token = domain::DocumentToken::parse(row.token);
  if (!token) throw DataDamaged("a customer of the read models without a document token");
  return Found{std::move(customer), row.ordinal, *std::move(token)};
}

ListReader::Ordinals ListReader::customer_of(const ChargeQuery& query) const {
  const auto found = find(*query.customer);
  if (!found) return {};
  const auto has = [&](const EmailAddress& email) {
    const auto key = email_key(project_, email, found->ordinal);
    return eventstore::lmdb_get(snapshot_.rows->get(), tables_.customers_by_email, key).has_value();
  };
  if (query.customer_email && !has(*query.customer_email)) return {};
  return {found->ordinal};
}

std::string_view ListReader::name_customers(const CustomerQuery& query, CustomerFilter& filter) const {
  const auto range = customers_created(*snapshot_.list, filter.created_from, filter.created_to);
  // All are ascending.
  const auto keep = [&filter](const Ordinals& found) {
    filter.customers = filter.customers ? in_both(found, *filter.customers) : found;
  };
  const auto ordinal_of = [this](const std::optional<domain::CustomerId>& id) {
    const auto found = id ? find(*id) : std::nullopt;
    return found ? Ordinals{found->ordinal} : Ordinals();
  };
  if (query.stream) keep(payers({*query.stream}));
  if (query.email) {
    const auto found = customers_with_email(*query.email, range);
    if (!found) return "email";
    keep(*found);
  }
  if (query.is_blocked) {
    auto blocked = blocked_customers(query.now, range);
    if (!blocked) return "isBlocked";
    if (*query.is_blocked)
      keep(*blocked);
    else
      filter.without = *std::move(blocked);
  }
  filter.search = query.search;
  filter.check = check_;
  if (!query.search) return {};
  filter.search_exact = ordinal_of(domain::CustomerId::parse(fold(*query.search)));
  for (const auto ordinal : payers(query.named)) filter.search_exact.push_back(ordinal);
  return {};
}

std::optional<ListReader::Ordinals> ListReader::blocked_customers(Timestamp now, OrdinalRange range) const {
  Ordinals customers;
  const auto take = [&](std::uint32_t ordinal, std::string_view row) {
    const auto expires_ms = static_cast<std::int64_t>(from_big_endian(row));
    if (expires_ms == 0 || now.millis() < expires_ms) customers.push_back(ordinal);
  };
  if (!visit_ordinals(snapshot_.rows->get(), tables_.blocked_customers, ordinal_key_prefix(project_), range,
                      rows_max_, check_, take))
    return std::nullopt;
  return customers;
}

std::optional<ListReader::Ordinals> ListReader::customers_with_email(const EmailAddress& email,
                                                                     OrdinalRange range) const {
  Ordinals customers;
  const auto take = [&](std::uint32_t ordinal, std::string_view) { customers.push_back(ordinal); };
  if (!visit_ordinals(snapshot_.rows->get(), tables_.customers_by_email, email_key_prefix(project_, email),
                      range, rows_max_, check_, take))
    return std::nullopt;
  return customers;
}

// The customers who hold these documents now, ascending.
ListReader::Ordinals ListReader::payers(const std::vector<domain::StreamName>& documents) const {
  Ordinals found;
  for (const auto& stream : documents) {
    const auto id = eventstore::lmdb_get(snapshot_.rows->get(), tables_.customers_by_token, stream.payer());
    const auto customer = id ? domain::CustomerId::parse(*id) : std::nullopt;
    const auto known = customer ? find(*customer) : std::nullopt;
    if (known) found.push_back(known->ordinal);
  }
  std::sort(found.begin(), found.end());
  return found;
}

ListReader::Ordinals ListReader::charges_named(const ChargeQuery& query) const {
  Ordinals found;
  if (const auto typed = domain::TypedChargeId::parse(*query.search))
    if (const auto charge = charge_named(typed->id, snapshot_, tables_, project_))
      found.push_back(charge->ordinal);
  if (const auto& payment = query.named.payment)
    if (const auto charge = charge_named(payment->charge, snapshot_, tables_, project_);
        charge && domain::has_payment(charge->charge, payment->payment))
      found.push_back(charge->ordinal);
  return found;
}

ListFilter ListReader::filter_of(const ChargeQuery& query) const {
  ListFilter filter{query};
  filter.check = check_;
  if (!query.search) return filter;
  filter.search_exact = charges_named(query);
  ListFilter of_payers;
  of_payers.customers = payers(query.named.payers);
  if (of_payers.customers->empty()) return filter;
  of_payers.check = check_;
  for (const auto charge : find_charges(*snapshot_.list, of_payers, 0, kAllCharges).ordinals)
    filter.search_exact.push_back(charge);
  return filter;
}

ListedTransaction ListReader::transaction_at(std::uint32_t ordinal) const {
  auto* transaction = snapshot_.rows->get();
  const auto id = ordered_id(transaction, tables_.charges_in_order, ordinal_key(project_, ordinal));
  ListedTransaction listed{
      decode_charge_row(split_charge_row(row_of(transaction, tables_.charges, id)).state), {}};
  listed.charge.metadata = read_metadata(transaction, tables_, project_, ordinal);
  if (const auto row = eventstore::lmdb_get(transaction, tables_.customers, listed.charge.customer.text())) {
    auto customer = decode_customer_summary(split_customer_row(*row).state);
    if (customer.project == project_) listed.customer = std::move(customer.shown);
  }
  return listed;
}

}  // namespace pixledger::projections
