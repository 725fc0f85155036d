#include "tools/audit/stream_pass.h"

#include <chrono>

#include "domain/decisions/dispatch.h"
#include "domain/decisions/event_rules.h"
#include "domain/decisions/pix_code_rule.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stored_leaf.h"
#include "eventstore/reading/short_snapshots.h"
#include "tools/audit/project_keys.h"

// Stream after stream, each from its first version on, so that one state at a time is folded. Others go on
// writing: events after `end_` are left to the next verification, except that a stream which the views show
// as of later is folded on as far as they have come. Snapshots are short, and end between streams; the views
// are refreshed before the ledger's snapshot is taken, so that this has at least what they have.
namespace pixledger::tools {
namespace {

using domain::Position;
using domain::RecordedEvent;
using eventstore::StreamCursor;

using Problem = std::optional<std::string>;

const domain::ChargeCreated* creation_in(const RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  return change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
}

class Pass {
 public:
  Pass(const eventstore::LedgerLog& log, Position end, const Erasures& erasures)
      : log_(log), end_(end), personal_rules_(log, erasures), project_keys_(log) {}

  Streams run(const VerifyProgress& progress) {
    for (bool more = true; more;) {
      const auto before = result_.events;
      more = read_some();
      progress(result_.events - before);
    }
    return std::move(result_);
  }

 private:
  // One snapshot, and until the end of the stream that it is in. False at the end of all.
  bool read_some() {
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    events_.reset();
    personal_.reset();
    snapshot_.reset();
    snapshot_ = log_.snapshot();
    head_ = snapshot_->end().head.position;
    const auto index = snapshot_->streams();
    events_ = snapshot_->events();
    personal_ = snapshot_->personal();
    bool more = index->seek(next_);
    while (more) {
      if (std::chrono::steady_clock::now() > deadline) {
        next_ = index->place();
        return true;
      }
      more = check_stream(*index);
    }
    return false;
  }

  // From the stream's first entry to the next stream's; false when there is none.
  bool check_stream(StreamCursor& index) {
    const std::string name(index.entry().stream);
    if (name.empty()) {
      found(end_, "the index of streams has a key that is none");
      return index.next();
    }
    const auto stream = domain::StreamName::parse(name);
    state_.reset();
    personal_rules_.begin_stream();
    version_ = 0;
    previous_ = Position();
    bool good = stream.has_value();
    bool counted = false;
    if (!good) found(end_, "the index of streams has a name that is none");
    bool more = true;
    for (; more && index.entry().stream == name; more = index.next()) {
      const auto& entry = index.entry();
      // Recorded after the pass began, unless the log has no such position.
      if (entry.position > end_ && entry.position <= head_) continue;
      counted = true;
      if (good) good = check_entry(*stream, entry);
    }
    if (counted) ++result_.streams;
    return more;
  }

  eventstore::StoredEvent event_at(Position position, std::string_view leaf) {
    return eventstore::to_stored_event(position, leaf, personal_->find(position).value_or(""));
  }

  bool check_entry(const domain::StreamName& stream, const eventstore::StreamEntry& entry) {
    ++version_;
    const auto place = "stream " + stream.text() + ", version " + std::to_string(version_);
    if (entry.version != version_) return found(end_, place + " is missing");
    const auto position = entry.position;
    const auto leaf = position <= head_ ? events_->find(position) : std::nullopt;
    if (!leaf) return found(end_, place + " names a position that the log does not have");
    try {
      const auto stored = event_at(position, *leaf);
      const auto event = eventstore::decode(stored);
      if (event.stream == stream && event.version == version_) ++result_.events;
      if (const auto problem = problem_of(event, stream)) return found(position, *problem);
      note(personal_rules_.check(event, stored));
      state_ = domain::apply(std::move(state_), event.event, event.recorded_at);
    } catch (const std::runtime_error& unreadable) {
      return found(position, unreadable.what());
    }
    previous_ = position;
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

  // What a charge refers to was there before it.
  Problem problem_of_references(const RecordedEvent& event) {
    const auto* created = creation_in(event);
    if (!created) return std::nullopt;
    const auto holder = holder_of(domain::customer_claim(created->customer));
    const auto payers = "customer-" + event.project.text() + "-";
    if (!holder || holder->substr(0, payers.size()) != payers) return "its customer is none of its project";
    // The other way round is what 0.1.0 recorded, where both worlds had the same customers.
    const auto customers = domain::StreamName::parse(*holder);
    if (created->environment == domain::Environment::kLive && customers &&
        customers->environment() == domain::Environment::kSandbox)
      return "it is live, and its customer the sandbox's";
    if (event.project.text() != known_project_) {
      if (!holder_of(domain::project_claim(event.project))) return "its project does not exist";
      known_project_ = event.project.text();
    }
    const auto project = project_keys_.before(event.position, event.project);
    return project ? domain::broken_pix_code_rule(*created, project->key) : std::nullopt;
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
  const Position end_;
  Streams result_;
  std::unique_ptr<eventstore::LogSnapshot> snapshot_;
  // Of this snapshot: streams of charges lie in the order of their events, so the next one is near.
  std::unique_ptr<eventstore::PositionCursor> events_;
  std::unique_ptr<eventstore::PositionCursor> personal_;
  Position head_;     // in this snapshot
  std::string next_;  // where the next one goes on
  std::string known_project_;
  PersonalRules personal_rules_;
  ProjectKeys project_keys_;

  // Of the stream that is being read.
  std::optional<domain::AggregateState> state_;
  std::uint32_t version_ = 0;
  Position previous_;
};

}  // namespace

Streams check_streams(const eventstore::LedgerLog& log, Position end, const Erasures& erasures,
                      const VerifyProgress& progress) {
  return Pass(log, end, erasures).run(progress);
}

}  // namespace pixledger::tools
