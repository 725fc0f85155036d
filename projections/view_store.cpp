#include "projections/view_store.h"

#include <cassert>

#include "projections/row_codec.h"

namespace pixledger::projections {
namespace {

constexpr std::string_view kCursorKey = "cursor";

std::optional<std::string_view> get(MDB_txn* transaction, MDB_dbi database, std::string_view key) {
  MDB_val key_val = eventstore::to_val(key);
  MDB_val value{};
  const int code = mdb_get(transaction, database, &key_val, &value);
  if (code == MDB_NOTFOUND) return std::nullopt;
  eventstore::check_lmdb(code, "mdb_get");
  return eventstore::from_val(value);
}

void put(MDB_txn* transaction, MDB_dbi database, std::string_view key, std::string_view value) {
  MDB_val key_val = eventstore::to_val(key);
  MDB_val value_val = eventstore::to_val(value);
  eventstore::check_lmdb(mdb_put(transaction, database, &key_val, &value_val, 0), "mdb_put");
}

}  // namespace

// What the events of one batch do to the rows. A row is the folded state itself, so this knows no rule of its
// own.
class ViewStore::Rows {
 public:
  Rows(ViewStore& store, MDB_txn* transaction) : store_(store), transaction_(transaction) {}

  void operator()(const domain::RecordedEvent& event) {
    event_ = &event;
    std::visit(*this, event.event);
  }

  void operator()(const domain::ChargeEvent& event) {
    const auto key = event_->stream.key();
    std::optional<domain::Charge> charge;
    // The first event needs no look-up.
    if (event_->version > 1) {
      if (const auto row = get(transaction_, store_.charges_, key)) charge = decode_charge_row(*row);
    }
    charge = domain::apply(std::move(charge), event, event_->recorded_at);
    if (charge) put(transaction_, store_.charges_, key, encode_row(*charge));
  }

  void operator()(const domain::CustomerEvent& event) {
    std::optional<domain::Customer> customer;
    if (event_->version > 1) {
      const auto id = get(transaction_, store_.customers_by_stream_, event_->stream.text());
      const auto row = id ? get(transaction_, store_.customers_, *id) : std::nullopt;
      if (row) customer = decode_customer_row(*row);
    }
    customer = domain::apply(std::move(customer), event, event_->recorded_at);
    if (!customer) return;
    if (event_->version == 1)
      put(transaction_, store_.customers_by_stream_, event_->stream.text(), customer->id.text());
    put(transaction_, store_.customers_, customer->id.text(), encode_row(*customer));
  }

  // These are read from their streams.
  void operator()(const domain::ProjectEvent&) const {}
  void operator()(const domain::ApiKeyEvent&) const {}
  void operator()(const domain::ChannelEvent&) const {}
  void operator()(const domain::BlocklistEvent&) const {}
  void operator()(const domain::RefusalEvent&) const {}

 private:
  ViewStore& store_;
  MDB_txn* transaction_;
  const domain::RecordedEvent* event_ = nullptr;
};

ViewStore::ViewStore(const std::filesystem::path& directory, eventstore::LmdbOptions options)
    : environment_(directory, options),
      charges_(environment_.open_database("charges")),
      customers_(environment_.open_database("customers")),
      customers_by_stream_(environment_.open_database("customers_by_stream")),
      meta_(environment_.open_database("meta")) {}

ViewCursor ViewStore::cursor() const {
  const eventstore::LmdbRead read(environment_);
  const auto stored = get(read.get(), meta_, kCursorKey);
  if (!stored) return {};
  if (stored->size() != 40) throw std::runtime_error("the cursor of the read models is damaged");
  return {domain::Position(eventstore::from_big_endian(stored->substr(0, 8))),
          eventstore::digest_from_bytes(stored->substr(8))};
}

std::optional<domain::Charge> ViewStore::find_charge(const domain::ChargeId& id) const {
  const eventstore::LmdbRead read(environment_);
  const auto row = get(read.get(), charges_, id.text());
  if (!row) return std::nullopt;
  return decode_charge_row(*row);
}

std::optional<domain::Customer> ViewStore::find_customer(const domain::CustomerId& id) const {
  const eventstore::LmdbRead read(environment_);
  const auto row = get(read.get(), customers_, id.text());
  if (!row) return std::nullopt;
  return decode_customer_row(*row);
}

void ViewStore::apply(const std::vector<domain::RecordedEvent>& events, const eventstore::Digest& last_leaf) {
  assert(!events.empty());
  eventstore::LmdbWrite write(environment_);
  Rows rows(*this, write.get());
  for (const auto& event : events) rows(event);
  put(write.get(), meta_, kCursorKey,
      eventstore::big_endian(events.back().position.value()) + std::string(eventstore::bytes_of(last_leaf)));
  write.commit();
}

}  // namespace pixledger::projections
