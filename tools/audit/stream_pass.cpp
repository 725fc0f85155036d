#include "tools/audit/stream_pass.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"
#include "domain/decisions/pix_code_rule.h"
#include "domain/pix/pix_key.h"
#include "domain/rules/event_rules.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/read_ahead.h"
#include "eventstore/reading/short_snapshots.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

// The index of streams, stream after stream, each from its first version.

// An index entry with its event.
struct IndexedEvent {
  std::string problem{};                       // of the index itself, at `position`; then there is no entry
  bool is_first = false;                       // the stream's first event within the pass
  std::optional<domain::StreamName> stream{};  // set for a first event; nullopt: the name is invalid
  std::uint32_t version = 0;
  Position position{};
  bool is_in_log = false;                        // the log has that position
  std::optional<domain::RecordedEvent> event{};  // the event at that position
  std::string unreadable{};                      // why the event cannot be read
  HeldPersonal personal{};
};

constexpr std::size_t kEntriesPerBatch = 128;
constexpr std::size_t kBytesPerBatch = std::size_t{256} << 10;

struct IndexedBatch {
  std::vector<IndexedEvent> entries{};
  std::size_t stored_bytes = 0;

  std::size_t event_count() const { return entries.size(); }
  std::size_t byte_count() const { return stored_bytes; }
  bool has_room() const { return entries.size() < kEntriesPerBatch && stored_bytes < kBytesPerBatch; }
};

using eventstore::PositionCursor;
using eventstore::StreamCursor;
using eventstore::StreamEntry;
using eventstore::StreamPlace;

constexpr eventstore::AheadLimits kAhead{.events = 2 * kEntriesPerBatch, .bytes = 4 * kBytesPerBatch};

// The events of one snapshot.
struct EventRows {
  explicit EventRows(const eventstore::LogSnapshot& snapshot)
      : head(snapshot.end().head.position), events(snapshot.events()), personal(snapshot.personal()) {}

  // Reads the event at the entry's position, unless the log does not have that.
  void read(IndexedEvent& entry, IndexedBatch& batch) const;
  // Nullopt if the log does not have that position.
  std::optional<StreamPlace> place_at(Position position) const;

  Position head;
  std::unique_ptr<PositionCursor> events;
  std::unique_ptr<PositionCursor> personal;
};

void EventRows::read(IndexedEvent& entry, IndexedBatch& batch) const {
  const auto leaf = entry.position <= head ? events->find(entry.position) : std::nullopt;
  if (!leaf) return;
  entry.is_in_log = true;
  try {
    const auto held = personal->find(entry.position).value_or("");
    const auto stored = eventstore::to_stored_event(entry.position, *leaf, held);
    entry.personal = {stored.personal_digest, !stored.personal.empty()};
    batch.stored_bytes += leaf->size() + held.size();
    entry.event = eventstore::decode(stored);
  } catch (const std::runtime_error& unreadable) {
    entry.unreadable = unreadable.what();
  }
}

std::optional<StreamPlace> EventRows::place_at(Position position) const {
  const auto leaf = events->find(position);
  if (!leaf) return std::nullopt;
  return eventstore::stream_place_of(position, eventstore::to_stored_event(position, *leaf).bytes);
}

// Reads all streams in the index's order.
class IndexReader {
 public:
  IndexReader(const eventstore::LedgerLog& log, Position end) : log_(log), end_(end) {}

  std::optional<IndexedBatch> operator()() {
    if (at_end_) return std::nullopt;
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    const auto snapshot = log_.snapshot();
    // Streams of charges are in order of their events, so the next event is near.
    const EventRows rows(*snapshot);
    const auto index = snapshot->streams();
    IndexedBatch batch;
    batch.entries.reserve(kEntriesPerBatch);
    bool more = index->seek(next_);
    while (more && batch.has_room()) {
      add(index->entry(), rows, batch);
      more = index->next();
      if (std::chrono::steady_clock::now() > deadline) break;
    }
    if (more)
      next_ = index->place();
    else
      at_end_ = true;
    return batch;
  }

 private:
  void add(const StreamEntry& entry, const EventRows& rows, IndexedBatch& batch) {
    if (entry.stream.empty()) {
      name_.clear();
      batch.entries.push_back({.problem = "the index of streams has an invalid key", .position = end_});
      return;
    }
    if (entry.stream != name_) {
      name_ = entry.stream;
      stream_ = domain::StreamName::parse(name_);
      is_first_ = true;
      if (!stream_)
        batch.entries.push_back({.problem = "the index of streams has an invalid name", .position = end_});
    }
    // Recorded after the pass began, unless the log lacks this position.
    if (entry.position > end_ && entry.position <= rows.head) return;
    auto& read = batch.entries.emplace_back();
    read.version = entry.version;
    read.position = entry.position;
    read.is_first = std::exchange(is_first_, false);
    if (read.is_first) read.stream = stream_;
    if (stream_) rows.read(read, batch);
  }

  const eventstore::LedgerLog& log_;
  const Position end_;
  std::string next_;  // where the next snapshot starts
  bool at_end_ = false;

  // The stream that is being read.
  std::string name_;
  std::optional<domain::StreamName> stream_;
  bool is_first_ = false;
};

// Takes the events after a position in their order, checks that the index has each, and reads the whole
// stream of each at the first of its events. So every stream that goes on is read, and no other.
class NewerStreamsReader {
 public:
  NewerStreamsReader(const eventstore::LedgerLog& log, Position after, Position end)
      : log_(log), after_(after), end_(end), last_(after) {}

  std::optional<IndexedBatch> operator()() {
    if (!stream_ && last_ == end_) return std::nullopt;
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    const auto snapshot = log_.snapshot();
    const EventRows rows(*snapshot);
    const auto index = snapshot->streams();
    IndexedBatch batch;
    batch.entries.reserve(kEntriesPerBatch);
    while ((stream_ || last_ < end_) && batch.has_room()) {
      if (stream_)
        read_version(rows, *index, batch);
      else
        take_next(rows, *index, batch);
      if (std::chrono::steady_clock::now() > deadline) break;
    }
    return batch;
  }

 private:
  void take_next(const EventRows& rows, StreamCursor& index, IndexedBatch& batch) {
    last_ = last_.next();
    try {
      const auto place = rows.place_at(last_);
      if (!place) throw eventstore::LogCorrupt("there is no event here");
      if (index.find(place->stream, place->version) != last_)
        throw eventstore::LogCorrupt("stream " + place->stream.text() +
                                     " does not have this event as its version " +
                                     std::to_string(place->version));
      if (is_read_already(*place, rows, index)) return;
      stream_ = place->stream;
      is_first_ = true;
      version_ = 0;
      versions_ = place->version;
    } catch (const eventstore::LogCorrupt& corrupt) {
      batch.entries.push_back({.problem = corrupt.what(), .position = last_});
    }
  }

  // True if the version before is newer, too: the stream has been read because of that one.
  bool is_read_already(const StreamPlace& place, const EventRows& rows, StreamCursor& index) const {
    if (place.version <= 1) return false;
    const StreamPlace before{place.stream, place.version - 1};
    const auto position = index.find(before.stream, before.version);
    return position && after_ < *position && *position < last_ && rows.place_at(*position) == before;
  }

  void read_version(const EventRows& rows, StreamCursor& index, IndexedBatch& batch) {
    const auto position = index.find(*stream_, version_ + 1);
    if (!position && version_ < versions_)
      batch.entries.push_back({.problem = "stream " + stream_->text() + ", version " +
                                          std::to_string(version_ + 1) + " is missing",
                               .position = last_});
    if (!position) {
      stream_.reset();
      return;
    }
    ++version_;
    // Recorded after the pass began, unless the log lacks this position.
    if (*position > end_ && *position <= rows.head) return;
    auto& entry = batch.entries.emplace_back();
    entry.version = version_;
    entry.position = *position;
    entry.is_first = std::exchange(is_first_, false);
    if (entry.is_first) entry.stream = stream_;
    rows.read(entry, batch);
  }

  const eventstore::LedgerLog& log_;
  const Position after_;
  const Position end_;
  Position last_;  // of the events that were taken

  // The stream that is being read, because of the event at `last_`.
  std::optional<domain::StreamName> stream_;
  bool is_first_ = false;
  std::uint32_t version_ = 0;   // the last one that was read
  std::uint32_t versions_ = 0;  // that there are at least
};

// Reads and decodes ahead, in short snapshots: all streams, or those with events after a position. Writers
// continue meanwhile: events after `end` are skipped, unless the log lacks their position. The log must
// outlive it.
eventstore::ReadAhead<IndexedBatch> read_index_ahead(const eventstore::LedgerLog& log, Position after,
                                                     Position end) {
  if (after != Position()) return {kAhead, NewerStreamsReader(log, after, end)};
  return {kAhead, IndexReader(log, end)};
}

using domain::Charge;
using domain::CheckoutSession;
using domain::RecordedEvent;
using eventstore::fold_as;

using Problem = std::optional<std::string>;

constexpr std::size_t kProjectsKnownMax = 4096;
// More events than one commit records together with a payment.
constexpr std::size_t kEventsBesideMax = 16;

// The Pix keys of projects and their bank connections over time. Caches the streams of a limited number of
// projects. For one thread. The log must outlive it.
class ProjectKeys {
 public:
  struct Known {
    std::optional<domain::PixKey> key;  // nullopt: no key at that time
    bool is_of_bank;                    // whether it is one of the project's bank connections
  };

  explicit ProjectKeys(const eventstore::Log& log) : log_(log) {}

  // The key before that position: a bank connection's own, otherwise the project's. Nullopt if the project's
  // stream is missing or has gaps. Propagates errors of reading damaged events.
  std::optional<Known> before(Position position, const domain::ProjectId& project,
                              const domain::ConnectionId& connection);

 private:
  struct Change {
    Position position;
    std::optional<domain::PixKey> key;
    std::map<std::string, domain::PixKey> of_connections;  // by connection id
  };

  std::vector<Change> read(const domain::ProjectId& project) const;

  const eventstore::Log& log_;
  std::map<std::string, std::vector<Change>> changes_;
};

std::optional<ProjectKeys::Known> ProjectKeys::before(Position position, const domain::ProjectId& project,
                                                      const domain::ConnectionId& connection) {
  auto found = changes_.find(project.text());
  if (found == changes_.end()) {
    if (changes_.size() >= kProjectsKnownMax) changes_.clear();
    found = changes_.emplace(project.text(), read(project)).first;
  }
  const auto& changes = found->second;
  const auto later = std::partition_point(changes.begin(), changes.end(),
                                          [&](const Change& change) { return change.position < position; });
  if (later == changes.begin()) return std::nullopt;
  const auto& then = *std::prev(later);
  const auto of_bank = then.of_connections.find(connection.text());
  const bool is_of_bank = of_bank != then.of_connections.end();
  return Known{is_of_bank ? of_bank->second : then.key, is_of_bank};
}

std::vector<ProjectKeys::Change> ProjectKeys::read(const domain::ProjectId& project) const {
  std::vector<Change> changes;
  std::optional<domain::Project> state;
  std::uint32_t version = 0;
  for (const auto& stored : eventstore::StreamEvents(log_, domain::project_stream(project))) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::ProjectEvent>(&event.event);
    if (!change || event.version != ++version) return {};
    state = domain::apply(std::move(state), *change, event.recorded_at);
    if (!state) return {};
    Change now{.position = event.position, .key = state->settings.pix_key, .of_connections = {}};
    for (const auto& connection : state->connections)
      if (connection.api_pix) now.of_connections.emplace(connection.id.text(), connection.api_pix->pix_key);
    if (changes.empty() || changes.back().key != now.key ||
        changes.back().of_connections != now.of_connections)
      changes.push_back(std::move(now));
  }
  return changes;
}

// Checks an event against the related checkout session, charge or channel; events without one pass. A session
// and its charges refer to each other; a charge's payment completes it; its channel refers to it. `state` is
// that of the event's stream before it, null before the first. Propagates errors of reading damaged events.
class Ties {
 public:
  Ties(const eventstore::Log& log, const domain::AggregateState* state, const RecordedEvent& event)
      : log_(log), state_(state), recorded_(event) {}

  Problem operator()(const domain::CheckoutEvent& event) const {
    if (const auto* created = std::get_if<domain::CheckoutSessionCreated>(&event))
      return channel_of(*created);
    if (const auto* added = std::get_if<domain::CheckoutChargeAdded>(&event)) return charge_of(*added);
    if (const auto* completed = std::get_if<domain::CheckoutSessionCompleted>(&event))
      return payment_of(*completed);
    return std::nullopt;
  }
  Problem operator()(const domain::ChargeEvent& event) const {
    if (const auto* created = std::get_if<domain::ChargeCreated>(&event)) return session_of(*created);
    const bool is_paid = std::holds_alternative<domain::ChargePaid>(event) ||
                         std::holds_alternative<domain::UnappliedPaymentAccepted>(event);
    const auto* charge = state_ ? std::get_if<Charge>(state_) : nullptr;
    if (!is_paid || !charge || !charge->checkout_session || is_completed_beside(*charge)) return std::nullopt;
    return "its checkout session is not complete with it";
  }
  Problem operator()(const domain::ChannelEvent& event) const {
    const auto* added = std::get_if<domain::ChannelAdded>(&event);
    if (!added || !added->checkout_session) return std::nullopt;
    const auto session = fold_as<CheckoutSession>(log_, domain::checkout_stream(*added->checkout_session));
    const bool is_its = session && session->has_channel && domain::channel_of(session->id) == added->id &&
                        session->project == added->project && session->webhook_version == added->version &&
                        added->environments == domain::EnvironmentSet::only(session->environment);
    return is_its ? std::nullopt : Problem("its checkout session has no such channel");
  }
  Problem operator()(const auto&) const { return std::nullopt; }

 private:
  Problem channel_of(const domain::CheckoutSessionCreated& created) const {
    if (!created.has_channel) return std::nullopt;
    const auto channel =
        fold_as<domain::Channel>(log_, domain::channel_stream(domain::channel_of(created.id)));
    if (channel && channel->checkout_session == created.id) return std::nullopt;
    return "the session's channel is not there";
  }
  Problem charge_of(const domain::CheckoutChargeAdded& added) const {
    const auto charge = fold_as<Charge>(log_, domain::charge_stream(added.charge), recorded_.position);
    const bool is_its = charge && charge->checkout_session &&
                        domain::checkout_stream(*charge->checkout_session) == recorded_.stream &&
                        charge->project == recorded_.project && charge->environment == added.environment &&
                        charge->customer == added.customer;
    return is_its ? std::nullopt : Problem("the charge does not belong to the session");
  }
  Problem payment_of(const domain::CheckoutSessionCompleted& completed) const {
    const auto charge = fold_as<Charge>(log_, domain::charge_stream(completed.charge), recorded_.position);
    if (charge && charge->payment) return std::nullopt;
    return "the charge that completed it had not been paid";
  }
  Problem session_of(const domain::ChargeCreated& created) const {
    if (!created.checkout_session) return std::nullopt;
    const auto session = fold_as<CheckoutSession>(log_, domain::checkout_stream(*created.checkout_session));
    const auto is_it = [&](const auto& charge) { return charge.id == created.id; };
    if (!session || session->project != recorded_.project ||
        std::none_of(session->charges.begin(), session->charges.end(), is_it))
      return "its checkout session does not have it";
    if (created.expires_at > session->expires_at) return "it can be paid after its checkout session's end";
    return std::nullopt;
  }
  // One commit records both.
  bool is_completed_beside(const Charge& charge) const {
    const auto stream = domain::checkout_stream(*charge.checkout_session);
    for (const auto& stored : log_.read_after(recorded_.position, kEventsBesideMax)) {
      const auto event = eventstore::decode(stored);
      if (event.recorded_at != recorded_.recorded_at) return false;
      const auto* of_session = std::get_if<domain::CheckoutEvent>(&event.event);
      const auto* completed =
          of_session ? std::get_if<domain::CheckoutSessionCompleted>(of_session) : nullptr;
      if (completed && event.stream == stream && completed->charge == charge.id) return true;
    }
    return false;
  }

  const eventstore::Log& log_;
  const domain::AggregateState* state_;
  const RecordedEvent& recorded_;
};

Problem broken_session_tie(const eventstore::Log& log, const domain::AggregateState* state,
                           const RecordedEvent& event) {
  return std::visit(Ties(log, state, event), event.event);
}

const domain::ChargeCreated* creation_in(const RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  return change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
}

// Goes stream by stream, so that only one state is in memory. The index's events are read and decoded ahead.
// Names are looked up in a later snapshot, which has at least those that the events state.
class StreamPass {
 public:
  StreamPass(const eventstore::LedgerLog& log, Position after, Position end, const Erasures& erasures)
      : log_(log), after_(after), end_(end), personal_rules_(log, erasures), project_keys_(log) {}

  Streams run(const VerifyProgress& progress) {
    auto batches = read_index_ahead(log_, after_, end_);
    while (const auto* batch = batches.next()) {
      const auto before = result_.events;
      snapshot_ = log_.snapshot();
      for (const auto& entry : batch->entries) check(entry);
      snapshot_.reset();
      progress(result_.events - before);
    }
    return std::move(result_);
  }

 private:
  void check(const IndexedEvent& entry) {
    if (!entry.problem.empty()) {
      found(entry.position, entry.problem);
      return;
    }
    if (entry.is_first) {
      ++result_.streams;
      stream_ = entry.stream;
      is_good_ = stream_.has_value();
      state_.reset();
      personal_rules_.begin_stream();
      version_ = 0;
      previous_ = Position();
    }
    if (is_good_) is_good_ = check_next(entry);
  }

  std::string place() const { return "stream " + stream_->text() + ", version " + std::to_string(version_); }

  bool check_next(const IndexedEvent& entry) {
    ++version_;
    if (entry.version != version_) return found(end_, place() + " is missing");
    if (!entry.is_in_log) return found(end_, place() + " names a position that the log does not have");
    if (!entry.event) return found(entry.position, entry.unreadable);
    try {
      const auto& event = *entry.event;
      if (event.stream == *stream_ && event.version == version_) ++result_.events;
      if (const auto problem = problem_of(event, *stream_)) return found(entry.position, *problem);
      // The rules know the erasures after `after_` only.
      auto finding = personal_rules_.check(event, entry.personal);
      if (after_ < entry.position) note(std::move(finding));
      state_ = domain::apply(std::move(state_), event.event, event.recorded_at);
    } catch (const std::runtime_error& unreadable) {
      return found(entry.position, unreadable.what());
    }
    previous_ = entry.position;
    return true;
  }

  Problem problem_of(const RecordedEvent& event, const domain::StreamName& stream) {
    if (event.stream != stream)
      return "stream " + stream.text() + " has it, but it belongs to " + event.stream.text();
    if (event.version != version_)
      return "it is version " + std::to_string(version_) + " of its stream, but says " +
             std::to_string(event.version);
    if (event.position <= previous_) return "it is before that of the version in front of it";
    if (auto problem = domain::broken_rule(state_ ? &*state_ : nullptr, event)) return problem;
    if (auto problem = problem_of_references(event)) return problem;
    return problem_of_claims(event);
  }

  // The objects that an event refers to must exist before it.
  Problem problem_of_references(const RecordedEvent& event) {
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      return problem_of_payment(event, *of_payment);
    if (auto problem = broken_session_tie(log_, state_ ? &*state_ : nullptr, event)) return problem;
    if (auto problem = problem_of_assignment(event)) return problem;
    const auto* created = creation_in(event);
    if (!created) return std::nullopt;
    const auto holder = holder_of(domain::customer_claim(created->customer));
    const auto payers = "customer-" + event.project.text() + "-";
    if (!holder || holder->substr(0, payers.size()) != payers)
      return "its customer is not one of its project's";
    // Release 0.1.0 recorded it the other way round, when both environments shared customers.
    const auto customers = domain::StreamName::parse(*holder);
    if (created->environment == domain::Environment::kLive && customers &&
        customers->environment() == domain::Environment::kSandbox)
      return "it is live, and its customer the sandbox's";
    if (event.project.text() != known_project_) {
      if (!holder_of(domain::project_claim(event.project))) return "its project does not exist";
      known_project_ = event.project.text();
    }
    const auto project = project_keys_.before(event.position, event.project, created->connection);
    return project ? domain::broken_pix_code_rule(*created, project->key) : std::nullopt;
  }

  Problem problem_of_payment(const RecordedEvent& event, const domain::PaymentEvent& of_payment) {
    if (const auto* unmatched = std::get_if<domain::PaymentUnmatched>(&of_payment)) {
      const auto project = project_keys_.before(event.position, event.project, unmatched->connection);
      if (project && project->is_of_bank) return problem_of_double(event, *unmatched);
      return "its connection is not a bank connection of its project";
    }
    const auto* assigned = std::get_if<domain::PaymentAssigned>(&of_payment);
    if (!assigned) return std::nullopt;
    const auto id = domain::EndToEndId::parse(stream_->key());
    const auto charge = domain::charge_stream(assigned->charge);
    if (id && holder_of(domain::end_to_end_claim(*id)) == std::string_view(charge.text()))
      return std::nullopt;
    return "the charge that it was assigned to does not have it";
  }

  // A charge's payment that matched no charge must be assigned to it, or another project has closed it.
  Problem problem_of_assignment(const RecordedEvent& event) const {
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    const auto* paid = of_charge ? std::get_if<domain::ChargePaid>(of_charge) : nullptr;
    const auto* left = of_charge ? std::get_if<domain::PaymentLeftUnapplied>(of_charge) : nullptr;
    if (!paid && !left) return std::nullopt;
    const auto& id = paid ? paid->end_to_end_id : left->end_to_end_id;
    const auto stream = domain::payment_stream(id);
    if (!snapshot_->streams()->find(stream, 1)) return std::nullopt;
    const auto payment = fold_as<domain::UnmatchedPayment>(log_, stream, event.position);
    if (!payment || is_left_to(*payment, event)) return std::nullopt;
    if (payment->charge && domain::charge_stream(*payment->charge) == event.stream) return std::nullopt;
    return "the payment is unmatched and was not assigned to the charge";
  }
  static bool is_left_to(const domain::UnmatchedPayment& payment, const RecordedEvent& event) {
    return payment.project != event.project && payment.state == domain::UnmatchedState::kClosed;
  }

  // A charge's payment must not be open elsewhere: the project that recorded it as unmatched must have
  // settled it by that assignment.
  Problem problem_of_double(const RecordedEvent& event, const domain::PaymentUnmatched& unmatched) const {
    const auto holder = holder_of(domain::end_to_end_claim(unmatched.end_to_end_id));
    const auto stream = holder ? domain::StreamName::parse(*holder) : std::nullopt;
    if (!stream) return std::nullopt;
    std::optional<domain::UnmatchedPayment> payment;
    std::optional<Charge> charge;
    try {
      payment = fold_as<domain::UnmatchedPayment>(log_, event.stream);
      charge = fold_as<Charge>(log_, *stream);
    } catch (const std::runtime_error&) {
      return std::nullopt;  // an unreadable event is reported at its own position
    }
    const bool is_assigned = payment && payment->charge && domain::charge_stream(*payment->charge) == *stream;
    const bool is_left = payment && charge && payment->project != charge->project &&
                         payment->state == domain::UnmatchedState::kClosed;
    if (is_assigned || is_left) return std::nullopt;
    return "the payment is " + stream->text() + "'s, and unmatched as well";
  }

  Problem problem_of_claims(const RecordedEvent& event) {
    for (const auto& claim : domain::claims_of({event.stream, event.project, event.event})) {
      if (holder_of(claim) != std::string_view(event.stream.text()))
        return "its stream does not hold the name " + claim.text();
      ++result_.claims;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> holder_of(const domain::ClaimName& claim) const {
    return snapshot_->claim_holder(claim);
  }

  void note(std::optional<Finding> finding) {
    if (finding) keep_first(result_.finding, *std::move(finding));
  }

  bool found(Position position, std::string problem) {
    keep_first(result_.finding, {position, std::move(problem), Part::kLedger});
    return false;
  }

  const eventstore::LedgerLog& log_;
  const Position after_;
  const Position end_;
  Streams result_;
  std::unique_ptr<eventstore::LogSnapshot> snapshot_;
  std::string known_project_;
  PersonalRules personal_rules_;
  ProjectKeys project_keys_;

  // The stream that is being checked.
  std::optional<domain::StreamName> stream_;
  bool is_good_ = false;
  std::optional<domain::AggregateState> state_;
  std::uint32_t version_ = 0;
  Position previous_;
};

}  // namespace

Streams check_streams(const eventstore::LedgerLog& log, Position after, Position end,
                      const Erasures& erasures, const VerifyProgress& progress) {
  return StreamPass(log, after, end, erasures).run(progress);
}

}  // namespace pixledger::tools
