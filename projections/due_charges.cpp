#include "projections/due_charges.h"

#include <memory>
#include <string>

#include "domain/aggregates/event.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "projections/views/view_tables.h"

namespace pixledger::projections {
namespace {

constexpr std::string_view kDueCursorKey = "cursor";
constexpr std::size_t kTimeSize = 8;

std::string time_bytes(Timestamp moment) { return big_endian(static_cast<std::uint64_t>(moment.millis())); }

Timestamp time_of(std::string_view bytes) {
  if (bytes.size() < kTimeSize) throw DataDamaged("a row of the due charges is damaged");
  return Timestamp(static_cast<std::int64_t>(from_big_endian(bytes.substr(0, kTimeSize))));
}

Due due_of(std::string_view name) {
  // Every stream's name has a hyphen; no id has one.
  if (const auto charge = domain::ChargeId::parse(name)) return *charge;
  const auto stream = domain::StreamName::parse(name);
  if (stream && stream->kind() == domain::StreamKind::kCheckoutSession)
    return *domain::CheckoutSessionId::parse(stream->key());
  throw DataDamaged("a row of the due charges is damaged");
}

}  // namespace

struct DueCharges::Database {
  Database(const std::filesystem::path& directory, const eventstore::LmdbOptions& options)
      : environment(directory, options),
        by_expiry(environment.open_database("by_expiry")),
        by_charge(environment.open_database("by_charge")),
        by_session(environment.open_database("by_session")),
        superseded(environment.open_database("superseded")),
        meta(environment.open_database("meta")) {}

  eventstore::LmdbEnvironment environment;
  MDB_dbi by_expiry;   // expiry, then charge id or session's stream → nothing
  MDB_dbi by_charge;   // charge id or session's stream → expiry, then for a session's charge its session's
                       // stream
  MDB_dbi by_session;  // session's stream, blank, id of its waiting charge → nothing
  MDB_dbi superseded;  // charge id → nothing
  MDB_dbi meta;
};

// Applies events to the rows: a charge has a row while it waits for payment, a session while it is open.
class DueCharges::Changes {
 public:
  Changes(const Database& database, MDB_txn* transaction) : database_(database), transaction_(transaction) {}

  void operator()(const domain::RecordedEvent& event) {
    stream_ = &event.stream;
    std::visit(*this, event.event);
  }

  // A template that accepts groups of events only, so that an event missing below cannot be taken for a
  // group.
  template <class... Events>
  void operator()(const std::variant<Events...>& event) {
    std::visit(*this, event);
  }
  void operator()(const domain::ChargeEvent& event) {
    if (const auto* created = std::get_if<domain::ChargeCreated>(&event))
      return open(created->expires_at, created->id.text());
    switch (domain::payment_effect_of(event)) {
      case domain::PaymentEffect::kPaid:
      case domain::PaymentEffect::kNotAwaited:
        return close();
      // One request suffices, whatever the bank answers and whatever happens to the charge's session.
      case domain::PaymentEffect::kCancelRequested:
        return leave(stream_->key());
      case domain::PaymentEffect::kNone:
        return;
    }
  }

  void operator()(const domain::ProjectEvent&) {}
  void operator()(const domain::ApiKeyEvent&) {}
  void operator()(const domain::ChannelEvent&) {}
  void operator()(const domain::BlocklistEvent&) {}
  void operator()(const domain::CustomerEvent&) {}
  void operator()(const domain::RefusalEvent&) {}
  void operator()(const domain::BankConnectionEvent&) {}
  void operator()(const domain::PaymentEvent&) {}
  void operator()(const domain::TeamEvent&) {}

  void operator()(const domain::CheckoutSessionCreated& event) { open(event.expires_at, stream_->text()); }
  void operator()(const domain::CheckoutChargeAdded& event) { join(event.charge.text()); }
  void operator()(const domain::CheckoutSessionCompleted&) {
    close(stream_->text());
    supersede_others();
  }
  void operator()(const domain::CheckoutSessionCancelled&) { close(stream_->text()); }
  void operator()(const domain::CheckoutSessionExpired&) { close(stream_->text()); }

 private:
  void open(Timestamp expires_at, const std::string& name) {
    const auto expiry = time_bytes(expires_at);
    eventstore::lmdb_put(transaction_, database_.by_expiry, expiry + name, "");
    eventstore::lmdb_put(transaction_, database_.by_charge, name, expiry);
  }
  // Adds a charge that was just created to its session, whose stream this is.
  void join(const std::string& charge) {
    const auto expiry = eventstore::lmdb_get(transaction_, database_.by_charge, charge);
    if (!expiry) return;
    eventstore::lmdb_put(transaction_, database_.by_charge, charge, std::string(*expiry) + stream_->text());
    eventstore::lmdb_put(transaction_, database_.by_session, stream_->text() + " " + charge, "");
  }
  // The paid charge no longer waits.
  void supersede_others() {
    const auto prefix = stream_->text() + " ";
    eventstore::LmdbCursor row(transaction_, database_.by_session);
    for (bool found = row.seek(prefix); found && row.key().starts_with(prefix); found = row.move(MDB_NEXT))
      eventstore::lmdb_put(transaction_, database_.superseded, row.key().substr(prefix.size()), "");
  }
  void close() { close(stream_->key()); }
  void close(std::string_view name) {
    const auto stored = eventstore::lmdb_get(transaction_, database_.by_charge, name);
    if (!stored) return;
    const std::string row(*stored), of(name);
    lmdb_remove(transaction_, database_.by_expiry, row.substr(0, kTimeSize) + of);
    lmdb_remove(transaction_, database_.by_charge, of);
    leave_session(row, of);
  }
  // Removes a charge that its session's completion need not end.
  void leave(std::string_view charge) {
    const auto stored = eventstore::lmdb_get(transaction_, database_.by_charge, charge);
    if (stored) leave_session(std::string(*stored), std::string(charge));
  }
  void leave_session(const std::string& row, const std::string& charge) {
    if (row.size() == kTimeSize) return;
    lmdb_remove(transaction_, database_.by_session, row.substr(kTimeSize) + " " + charge);
    lmdb_remove(transaction_, database_.superseded, charge);
  }

  const Database& database_;
  MDB_txn* transaction_;
  const domain::StreamName* stream_ = nullptr;
};

DueCharges::DueCharges(const std::filesystem::path& directory, const eventstore::Log& log,
                       eventstore::LmdbOptions options)
    : log_(log) {
  std::filesystem::create_directories(directory);
  const auto opening = eventstore::begin_derived_opening(directory, log.identity(), options);
  if (opening) open_at_checkpoint(directory, opening->options);
  if (!database_) {
    eventstore::remove_derived(directory, log.identity());
    database_ = std::make_unique<Database>(directory, without_sync(options));
  }
  checkpoints_ = std::make_unique<eventstore::DerivedCheckpoints>(database_->environment, log.identity());
}

DueCharges::~DueCharges() {
  try {
    checkpoints_->make();
  } catch (const std::exception&) {
    // The next start goes back to the checkpoint before.
  }
}

void DueCharges::open_at_checkpoint(const std::filesystem::path& directory,
                                    const eventstore::LmdbOptions& options) {
  try {
    eventstore::read_or_damaged([&] {
      database_ = std::make_unique<Database>(directory, options);
      eventstore::check_cursor(cursor(), log_);
    });
    return;
  } catch (const DataDamaged&) {
    // Rebuilt from the log.
  } catch (const eventstore::CursorMismatch&) {
    // Another history.
  }
  database_.reset();
}

eventstore::LogCursor DueCharges::cursor() const {
  const eventstore::LmdbRead read(database_->environment);
  const auto stored = eventstore::lmdb_get(read.get(), database_->meta, kDueCursorKey);
  if (!stored) return {log_.identity(), Position(), {}};
  auto cursor = eventstore::LogCursor::parse(*stored);
  if (!cursor) throw DataDamaged("the cursor of the due charges is damaged");
  return *std::move(cursor);
}

void DueCharges::apply(const std::vector<domain::RecordedEvent>& events,
                       const eventstore::LogCursor& cursor) {
  eventstore::LmdbWrite write(database_->environment);
  Changes changes(*database_, write.get());
  for (const auto& event : events) changes(event);
  eventstore::lmdb_put(write.get(), database_->meta, kDueCursorKey, cursor.text());
  write.commit();
}

std::vector<Due> DueCharges::due(Timestamp now, std::size_t limit) const {
  const eventstore::LmdbRead read(database_->environment);
  eventstore::LmdbCursor row(read.get(), database_->by_expiry);
  std::vector<Due> due;
  // Each kind gets its share, so that one whose commands keep failing does not block the other.
  const auto superseded_max = (limit + 1) / 2;
  eventstore::LmdbCursor superseded(read.get(), database_->superseded);
  for (bool found = superseded.move(MDB_FIRST); found && due.size() < superseded_max;
       found = superseded.move(MDB_NEXT)) {
    const auto charge = domain::ChargeId::parse(superseded.key());
    if (!charge) throw DataDamaged("a row of the due charges is damaged");
    due.emplace_back(Superseded{*charge});
  }
  for (bool found = row.move(MDB_FIRST); found && due.size() < limit; found = row.move(MDB_NEXT)) {
    if (time_of(row.key()) > now) break;
    due.push_back(due_of(row.key().substr(kTimeSize)));
  }
  return due;
}

std::optional<Timestamp> DueCharges::next_expiry() const {
  const eventstore::LmdbRead read(database_->environment);
  eventstore::LmdbCursor row(read.get(), database_->by_expiry);
  if (!row.move(MDB_FIRST)) return std::nullopt;
  return time_of(row.key());
}

}  // namespace pixledger::projections
