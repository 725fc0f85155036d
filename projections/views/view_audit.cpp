#include "projections/views/view_audit.h"

#include <chrono>

#include "projections/views/feed_chunk.h"
#include "projections/views/list_audit.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_store.h"

namespace pixledger::projections {
namespace {

using domain::Position;
using eventstore::lmdb_get;

using Difference = std::optional<std::string>;

// One reading transaction of these passes lasts at most this long: it keeps all later pages alive.
constexpr std::chrono::milliseconds kReadMax{50};

eventstore::LmdbOptions reading(eventstore::LmdbOptions options) {
  options.read_only = true;
  return options;
}

}  // namespace

ViewAudit::ViewAudit(const std::filesystem::path& generation, eventstore::LmdbOptions options)
    : environment_(generation, reading(options)), tables_(environment_) {
  refresh();
}

void ViewAudit::refresh() {
  charges_.reset();
  charges_in_order_.reset();
  feed_.reset();
  read_.reset();
  read_ = std::make_unique<eventstore::LmdbRead>(environment_);
  charges_ = std::make_unique<eventstore::LmdbCursor>(read_->get(), tables_.charges);
  charges_in_order_ = std::make_unique<eventstore::LmdbCursor>(read_->get(), tables_.charges_in_order);
  feed_ = std::make_unique<eventstore::LmdbCursor>(read_->get(), tables_.feed);
  cursor_ = read_cursor(read_->get(), tables_);
  if (!first_position_) first_position_ = cursor_.position;
}

void ViewAudit::see(const domain::RecordedEvent& event) {
  see_in_feed(event);
  if (const auto* refusal = std::get_if<domain::RefusalEvent>(&event.event))
    see_refusal(event, std::get<domain::ChargeRefused>(*refusal));
}

void ViewAudit::see_in_feed(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  const auto* created = change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
  if (created) in_sandbox_charge_ = created->environment == domain::Environment::kSandbox;
  const bool for_sandbox = change && in_sandbox_charge_;
  ++counted_.in_feed;
  if (for_sandbox) ++counted_.in_sandbox_feed;
  const auto number = FeedChunk::number_of(event.position);
  const auto row = feed_->find(feed_key(event.project, number));
  const auto chunk = row ? FeedChunk::from_bytes(*row) : FeedChunk();
  if (chunk.next(number, event.position, false) != event.position ||
      (chunk.next(number, event.position, true) == event.position) != for_sandbox)
    difference_in_events_ = "the read models list the event at position " +
                            std::to_string(event.position.value()) + " otherwise for its project";
}

void ViewAudit::see_refusal(const domain::RecordedEvent& event, const domain::ChargeRefused& refused) {
  ++counted_.fraud_events;
  const auto key =
      std::string(payer_key(event.stream.key())) + eventstore::big_endian(event.position.value());
  const auto row = lmdb_get(read_->get(), tables_.fraud_events, key);
  if (!row || *row != encode_row(FraudEvent{event.position, refused.type, refused.amount, refused.product,
                                            event.recorded_at}))
    difference_in_events_ = "the read models have another row for the refusal at position " +
                            std::to_string(event.position.value());
}

Difference ViewAudit::difference(const domain::StreamName& stream, const domain::AggregateState& state) {
  if (const auto* charge = std::get_if<domain::Charge>(&state)) return difference_of(*charge);
  if (const auto* customer = std::get_if<domain::Customer>(&state)) return difference_of(stream, *customer);
  return std::nullopt;
}

Difference ViewAudit::difference_of(const domain::Charge& charge) {
  const auto& id = charge.id.text();
  ++counted_.charges;
  counted_.unapplied += static_cast<std::int64_t>(charge.unapplied.size());
  const auto stored = charges_->find(id);
  if (!stored) return "the read models do not have charge " + id;
  const auto row = split_charge_row(*stored);
  if (row.state != encode_row(charge)) return "the read models show another state of charge " + id;
  if (charges_in_order_->find(ordinal_key(charge.project, row.ordinal)) != std::string_view(id))
    return "the read models have charge " + id + " in another place";
  return std::nullopt;
}

Difference ViewAudit::difference_of(const domain::StreamName& stream, const domain::Customer& customer) {
  const auto& id = customer.id.text();
  auto* transaction = read_->get();
  ++counted_.customers;
  if (!customer.erased_at) ++counted_.documents;
  if (customer.details) ++counted_.emails;
  const auto stored = lmdb_get(transaction, tables_.customers, id);
  if (!stored) return "the read models do not have customer " + id;
  const auto row = split_customer_row(*stored);
  const auto payer = payer_key(stream.key());
  if (row.state != encode_row(customer)) return "the read models show another state of customer " + id;
  const bool is_found = lmdb_get(transaction, tables_.customers_by_token, payer) == std::string_view(id);
  if (row.token != payer.substr(payer.size() - kDocumentTokenBytes) ||
      is_found == customer.erased_at.has_value())
    return "the read models have customer " + id + " under another document";
  if (lmdb_get(transaction, tables_.customers_in_order, ordinal_key(customer.project, row.ordinal)) !=
      std::string_view(id))
    return "the read models have customer " + id + " in another place";
  if (customer.details && !lmdb_get(transaction, tables_.customers_by_email,
                                    email_key(customer.project, customer.details->email, row.ordinal)))
    return "the read models do not find customer " + id + " by e-mail";
  return std::nullopt;
}

// Ordinals are 0, 1, 2… in each project, in the order in which the log has what they stand for.
struct ViewAudit::Order {
  std::string project;
  std::uint32_t expected = 0;
  Position previous;
  std::string next;  // where the next read goes on

  // `rows`: a cursor, since the rows of neighbours lie near each other.
  Difference difference_at(const ViewAudit& audit, const eventstore::LmdbCursor& cursor,
                           eventstore::LmdbCursor& rows, Origins& origins, FindOrigin origin_of) {
    const std::string id(cursor.value());
    const auto in = cursor.key().substr(0, cursor.key().find('\0'));
    if (in != project) *this = {std::string(in), 0, Position(), {}};
    if (cursor.key() != project + '\0' + eventstore::big_endian32(expected++))
      return "the read models leave out a place before that of " + id;
    if (!rows.find(id)) return "the read models have no row for " + id;
    const auto origin = (origins.*origin_of)(id);
    if (!origin || *origin > audit.cursor_.position)
      return "the read models have " + id + ", which the log does not";
    if (*origin <= previous) return "the read models have " + id + " out of order";
    previous = *origin;
    return std::nullopt;
  }
};

Difference ViewAudit::difference_in_order(MDB_dbi order, MDB_dbi rows, Origins& origins,
                                          FindOrigin origin_of) {
  Order seen;
  while (true) {
    // The rows first: the log then has at least what they have.
    refresh();
    origins.refresh();
    const auto deadline = std::chrono::steady_clock::now() + kReadMax;
    eventstore::LmdbCursor cursor(read_->get(), order);
    eventstore::LmdbCursor rows_cursor(read_->get(), rows);
    bool more = cursor.seek(seen.next);
    for (; more && std::chrono::steady_clock::now() < deadline; more = cursor.move(MDB_NEXT)) {
      if (auto difference = seen.difference_at(*this, cursor, rows_cursor, origins, origin_of))
        return difference;
    }
    if (!more) return std::nullopt;
    seen.next = cursor.key();
  }
}

std::uint64_t ViewAudit::entries(MDB_dbi table) const {
  MDB_stat stat{};
  eventstore::check_lmdb(mdb_stat(read_->get(), table, &stat), "mdb_stat");
  return stat.ms_entries;
}

bool ViewAudit::has_last(MDB_dbi order, std::string_view project, std::uint32_t count) const {
  if (count == 0) return true;
  const auto key = std::string(project) + '\0' + eventstore::big_endian32(count - 1);
  return lmdb_get(read_->get(), order, key).has_value();
}

Difference ViewAudit::difference_in_sums() const {
  if (entries(tables_.charges) != counted_.charges || entries(tables_.charges_in_order) != counted_.charges)
    return "the read models have more or fewer charges than the log";
  if (entries(tables_.customers) != counted_.customers ||
      entries(tables_.customers_in_order) != counted_.customers ||
      entries(tables_.customers_by_token) != counted_.documents ||
      entries(tables_.customers_by_email) != counted_.emails)
    return "the read models have more or fewer customers than the log";
  if (entries(tables_.fraud_events) != counted_.fraud_events)
    return "the read models have more or fewer refusals than the log";
  if (auto difference = difference_in_counts()) return difference;
  if (auto difference = difference_in_feed()) return difference;
  const auto unapplied = lmdb_get(read_->get(), tables_.meta, kUnappliedKey);
  const bool has_cursor = lmdb_get(read_->get(), tables_.meta, kCursorKey).has_value();
  if (entries(tables_.meta) != (has_cursor ? 1U : 0U) + (unapplied ? 1U : 0U))
    return "the read models have a record of an unknown name";
  if ((unapplied ? eventstore::from_big_endian(*unapplied) : 0) !=
      static_cast<std::uint64_t>(counted_.unapplied))
    return "the read models count unapplied payments wrongly";
  return std::nullopt;
}

Difference ViewAudit::difference_in_counts() const {
  std::uint64_t charges = 0;
  std::uint64_t customers = 0;
  eventstore::LmdbCursor cursor(read_->get(), tables_.counts);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    const auto counts = decode_counts(cursor.value());
    charges += counts.charges;
    customers += counts.customers;
    if (!has_last(tables_.charges_in_order, cursor.key(), counts.charges) ||
        !has_last(tables_.customers_in_order, cursor.key(), counts.customers))
      return "the read models count the charges or customers of a project wrongly";
  }
  if (charges != counted_.charges || customers != counted_.customers)
    return "the read models count charges or customers wrongly";
  return std::nullopt;
}

// Every event has been found in its place already, so a sum tells of those that are too many.
Difference ViewAudit::difference_in_feed() const {
  std::uint64_t all = 0;
  std::uint64_t sandbox = 0;
  eventstore::LmdbCursor cursor(read_->get(), tables_.feed);
  for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
    const auto chunk = FeedChunk::from_bytes(cursor.value());
    if (chunk.count(false) == 0) return "the read models have a part of the feed without events";
    all += chunk.count(false);
    sandbox += chunk.count(true);
  }
  if (all != counted_.in_feed || sandbox != counted_.in_sandbox_feed)
    return "the read models list more or fewer events than the log";
  return std::nullopt;
}

std::optional<std::string> ViewAudit::difference_in_saved_lists(const eventstore::Log& log,
                                                                const std::filesystem::path& scratch) const {
  const eventstore::LmdbRead read(environment_);
  return difference_in_lists(environment_.directory() / kListsFile, {tables_, read.get()},
                             read_cursor(read.get(), tables_), log, scratch);
}

ViewAudit::Ending ViewAudit::finish(Origins& origins, Position end) {
  auto difference = difference_in_events_;
  refresh();
  if (cursor_.position != Position() && origins.leaf_hash(cursor_.position) != cursor_.leaf_hash)
    difference = "the read models are those of another log";
  if (!difference)
    difference = difference_in_order(tables_.charges_in_order, tables_.charges, origins, &Origins::of_charge);
  if (!difference)
    difference =
        difference_in_order(tables_.customers_in_order, tables_.customers, origins, &Origins::of_customer);
  refresh();
  const bool complete = cursor_.position == first_position_ && cursor_.position <= end;
  if (!difference && complete) difference = difference_in_sums();
  return {difference, complete};
}

}  // namespace pixledger::projections
