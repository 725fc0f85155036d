#include "tools/audit/stream_pass.h"

#include <chrono>

#include "domain/decisions/dispatch.h"
#include "domain/decisions/event_rules.h"
#include "eventstore/codec/codec.h"
#include "eventstore/lmdb/lmdb_log_reads.h"

namespace pixledger::tools {
namespace {

using domain::Position;
using domain::RecordedEvent;
using eventstore::lmdb_get;
using eventstore::LmdbCursor;

using Problem = std::optional<std::string>;

// One reading transaction lasts at most this long, and until the end of the stream that it is in.
constexpr std::chrono::milliseconds kReadMax{50};
constexpr std::size_t kPositionBytes = 8;

const domain::ChargeCreated* creation_in(const RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  return change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
}

class Pass {
 public:
  Pass(const eventstore::LmdbLog& log, Position end, const Erasures& erasures, projections::ViewAudit* views)
      : log_(log), end_(end), views_(views), personal_rules_(log, erasures) {}

  Streams run(const VerifyProgress& progress) {
    for (bool more = true; more;) {
      const auto before = result_.events;
      more = read_some();
      progress(result_.events - before);
    }
    return std::move(result_);
  }

 private:
  // False at the end.
  bool read_some() {
    const auto deadline = std::chrono::steady_clock::now() + kReadMax;
    // The views first: the ledger then has at least what they have.
    with_views(previous_, [this] { views_->refresh(); });
    const eventstore::LmdbRead read(log_.environment());
    transaction_ = read.get();
    head_ = eventstore::read_head(transaction_, log_.databases()).position;
    LmdbCursor index(transaction_, log_.databases().streams);
    LmdbCursor events(transaction_, log_.databases().events);
    LmdbCursor personal(transaction_, log_.databases().personal);
    events_ = &events;
    personal_ = &personal;
    bool more = index.seek(next_);
    while (more) {
      if (std::chrono::steady_clock::now() > deadline) {
        next_ = index.key();
        return true;
      }
      more = check_stream(index);
    }
    return false;
  }

  // From the stream's first entry to the next stream's; false when there is none.
  bool check_stream(LmdbCursor& index) {
    const auto key = index.key();
    const auto name_bytes = key.substr(0, key.find('\0'));
    if (name_bytes.size() == key.size()) {
      found(end_, "the index of streams has a key that is none");
      return index.move(MDB_NEXT);
    }
    const auto stream = domain::StreamName::parse(name_bytes);
    state_.reset();
    gone_.clear();
    shown_.reset();
    personal_rules_.begin_stream();
    version_ = 0;
    previous_ = Position();
    const std::string name(name_bytes);
    bool good = stream.has_value();
    bool counted = false;
    if (!good) found(end_, "the index of streams has a name that is none");
    bool more = true;
    for (; more && index.key().substr(0, name.size() + 1) == std::string_view(name.c_str(), name.size() + 1);
         more = index.move(MDB_NEXT)) {
      const auto position = position_in(index);
      // Recorded after the pass began, unless the log has no such position.
      if (position > end_ && position <= head_) {
        if (good && counted) good = follow_late(index, position);
        continue;
      }
      counted = true;
      if (good) good = check_entry(*stream, index, position);
    }
    if (counted) ++result_.streams;
    if (good && counted) compare_views(*stream);
    return more;
  }

  static Position position_in(const LmdbCursor& index) {
    return Position(index.value().size() == kPositionBytes ? eventstore::from_big_endian(index.value()) : 0);
  }

  bool check_entry(const domain::StreamName& stream, const LmdbCursor& index, Position position) {
    ++version_;
    const auto place = "stream " + stream.text() + ", version " + std::to_string(version_);
    if (index.key() != eventstore::stream_key(stream, version_)) return found(end_, place + " is missing");
    const auto stored = index.value().empty() ? std::nullopt : events_->find(index.value());
    if (!stored || position > head_)
      return found(end_, place + " names a position that the log does not have");
    try {
      auto event = eventstore::to_stored_event(index.value(), *stored);
      if (const auto personal = personal_->find(index.value())) event.personal = *personal;
      const auto decoded = eventstore::decode(event);
      if (decoded.stream == stream && decoded.version == version_) ++result_.events;
      if (const auto problem = problem_of(decoded, stream)) return found(position, *problem);
      note(personal_rules_.check(decoded, event));
      follow(decoded);
    } catch (const std::runtime_error& unreadable) {
      return found(position, unreadable.what());
    }
    previous_ = position;
    return true;
  }

  // Views that went on show it, too.
  bool follow_late(const LmdbCursor& index, Position position) {
    if (!views_ || position > views_->position()) return true;
    const auto stored = events_->find(index.value());
    if (!stored) return found(end_, "the index of streams names a position that the log does not have");
    try {
      auto event = eventstore::to_stored_event(index.value(), *stored);
      if (const auto personal = personal_->find(index.value())) event.personal = *personal;
      follow(eventstore::decode(event));
    } catch (const std::runtime_error& unreadable) {
      return found(end_, unreadable.what());
    }
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
    if (event.project.text() == known_project_) return std::nullopt;
    if (!holder_of(domain::project_claim(event.project))) return "its project does not exist";
    known_project_ = event.project.text();
    return std::nullopt;
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
    return lmdb_get(transaction_, log_.databases().claims, claim.text());
  }

  void follow(const RecordedEvent& event) {
    if (views_) {
      if (event.position > views_->position() && !shown_) shown_ = state_;
      if (!shown_ && has_erased_customer()) gone_.push_back(*state_);
      if (event.position <= views_->position()) with_views(event.position, [&] { views_->see(event); });
    }
    state_ = domain::apply(std::move(state_), event.event, event.recorded_at);
  }

  // What comes after an erasure begins another customer, and this one has a row of their own.
  bool has_erased_customer() const {
    const auto* customer = state_ ? std::get_if<domain::Customer>(&*state_) : nullptr;
    return customer && customer->erased_at;
  }

  void compare_views(const domain::StreamName& stream) {
    if (!views_) return;
    for (const auto& gone : gone_) compare_with_views(stream, gone);
    const auto& as_of_views = shown_ ? *shown_ : state_;
    if (as_of_views) compare_with_views(stream, *as_of_views);
  }

  void compare_with_views(const domain::StreamName& stream, const domain::AggregateState& state) {
    with_views(previous_, [&] {
      if (const auto difference = views_->difference(stream, state))
        note(Finding{previous_, *difference, Part::kReadModels});
    });
  }

  // What they cannot give is no fault of the ledger, and they are not asked again.
  template <class Work>
  void with_views(Position position, const Work& work) {
    if (!views_) return;
    try {
      work();
    } catch (const std::runtime_error& unreadable) {
      note(Finding{position, std::string("the read models cannot be read: ") + unreadable.what(),
                   Part::kReadModels});
      views_ = nullptr;
    }
  }

  void note(std::optional<Finding> finding) {
    if (finding) keep_first(result_.finding, *std::move(finding));
  }

  bool found(Position position, std::string problem) {
    keep_first(result_.finding, {position, std::move(problem), Part::kLedger});
    return false;
  }

  const eventstore::LmdbLog& log_;
  const Position end_;
  projections::ViewAudit* views_;
  Streams result_;
  MDB_txn* transaction_ = nullptr;
  // Of this transaction: streams of charges lie in the order of their events, so the next one is near.
  LmdbCursor* events_ = nullptr;
  LmdbCursor* personal_ = nullptr;
  Position head_;     // in this transaction
  std::string next_;  // where the next transaction goes on
  std::string known_project_;
  PersonalRules personal_rules_;

  // Of the stream that is being read.
  std::optional<domain::AggregateState> state_;
  std::vector<domain::AggregateState> gone_;                    // erased customers in front of the state
  std::optional<std::optional<domain::AggregateState>> shown_;  // as of the views, when those are behind
  std::uint32_t version_ = 0;
  Position previous_;
};

}  // namespace

Streams check_streams(const eventstore::LmdbLog& log, Position end, const Erasures& erasures,
                      projections::ViewAudit* views, const VerifyProgress& progress) {
  return Pass(log, end, erasures, views).run(progress);
}

}  // namespace pixledger::tools
