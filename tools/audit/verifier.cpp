#include "tools/audit/verifier.h"

#include <future>
#include <memory>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/tree/log_tree.h"
#include "projections/views/view_audit.h"
#include "tools/audit/record_checks.h"
#include "tools/audit/stream_pass.h"
#include "tools/audit/structure_pass.h"

namespace pixledger::tools {
namespace {

using domain::Position;
using eventstore::LedgerLog;
using projections::ViewAudit;
using Difference = std::optional<std::string>;

class LogOrigins : public ViewAudit::Origins {
 public:
  explicit LogOrigins(const LedgerLog& log) : log_(log) {}

  void refresh() override {
    streams_.reset();
    streams_.reset();
    snapshot_.reset();
    snapshot_ = log_.snapshot();
    streams_ = snapshot_->streams();
  }
  std::optional<Position> of_charge(std::string_view id) override {
    const auto charge = domain::ChargeId::parse(id);
    if (!charge) return std::nullopt;
    return streams_->find(domain::charge_stream(*charge), 1);
  }
  std::optional<Position> of_customer(std::string_view id) override {
    const auto customer = domain::CustomerId::parse(id);
    return customer ? eventstore::registration_of(log_, *customer) : std::nullopt;
  }
  std::optional<eventstore::Digest> leaf_hash(Position position) override { return log_.leaf_hash(position); }

 private:
  const LedgerLog& log_;
  std::unique_ptr<eventstore::LogSnapshot> snapshot_;
  std::unique_ptr<eventstore::StreamCursor> streams_;  // charges come in the order of their ids, more or less
};

class Verifier {
 public:
  Verifier(const LedgerLog& log, const VerifyOptions& options)
      : log_(log), options_(options), mark_(mark_of(log)) {}

  Verification run() {
    note(check_meta(log_));
    check_events();
    if (reads_meaning()) check_meaning();
    note(check_ends(log_, result_.newest));
    if (options_.against) note(check_continuity(*options_.against));
    return std::move(result_);
  }

  Verification run_read_models() {
    is_whole_ = true;
    const auto views = open_views();
    if (!views) return std::move(result_);
    auto lists = begin_lists(*views);
    // Without an end: rows that go on are compared with streams that have gone as far.
    const auto streams =
        check_streams(log_, eventstore::kNoLimit, {}, views.get(), [this](std::uint64_t events) {
          done_ += events;
          if (options_.progress) options_.progress(done_, mark_.head.value());
        });
    note(streams.finding);
    result_.events = streams.events;
    result_.streams = streams.streams;
    with_views([&] { check_views(*views, lists, eventstore::kNoLimit); });
    return std::move(result_);
  }

 private:
  bool reads_meaning() const { return options_.depth == VerificationDepth::kMeaning; }

  void note(std::optional<Finding> finding) {
    if (finding) keep_first(result_.finding, *std::move(finding));
  }

  VerifyProgress progress() {
    return [this](std::uint64_t events) {
      done_ += events;
      if (options_.progress) options_.progress(done_, mark_.head.value() * (reads_meaning() ? 2 : 1));
    };
  }

  void check_events() {
    const auto structure = check_structure(log_, mark_.head, reads_meaning(), progress());
    note(structure.finding);
    result_.events = structure.events;
    result_.personal = structure.personal;
    result_.erased = structure.erased;
    result_.newest = structure.newest;
    result_.root = structure.root;
    erasures_ = {structure.erasures, options_.erasing_lock};
    is_whole_ = !structure.finding;
  }

  // When the events are damaged from some position on, those before it may still have something earlier.
  void check_meaning() {
    const Position end(result_.events);
    // Before the read models are opened, so that their pages are not kept for it.
    if (is_whole_) note(check_idempotency(log_));
    const auto views = is_whole_ ? open_views() : nullptr;
    auto lists = views ? begin_lists(*views) : std::future<Difference>();
    const auto streams = check_streams(log_, end, erasures_, views.get(), progress());
    note(streams.finding);
    result_.streams = streams.streams;
    result_.claims = streams.claims;
    if (!is_whole_) return;
    if (streams.events != end.value()) note(find_unnamed_event(log_, end));
    if (streams.claims != mark_.claims) note(find_orphaned_claim(log_, end));
    if (streams.events != end.value() || streams.claims != mark_.claims)
      note(Finding{end, "the ledger holds more or less than its events state"});
    if (views) with_views([&] { check_views(*views, lists, end); });
  }

  std::unique_ptr<ViewAudit> open_views() {
    result_.generation = options_.find_generation ? options_.find_generation() : std::nullopt;
    while (result_.generation) {
      try {
        return std::make_unique<ViewAudit>(*result_.generation, options_.lmdb);
      } catch (const std::runtime_error& unreadable) {
        // A newer one may have taken its place meanwhile.
        const auto found = options_.find_generation();
        if (found == result_.generation) {
          note_unreadable(unreadable);
          break;
        }
        result_.generation = found;
      }
    }
    return nullptr;
  }

  void note_unreadable(const std::runtime_error& why) {
    note(
        Finding{mark_.head, std::string("the read models cannot be read: ") + why.what(), Part::kReadModels});
  }

  // What cannot be read is as good as different.
  template <class Work>
  void with_views(const Work& work) {
    try {
      work();
    } catch (const std::runtime_error& unreadable) {
      note_unreadable(unreadable);
    }
  }

  // The lists meanwhile, on a thread of their own: no server needs the processor when they are compared.
  std::future<Difference> begin_lists(const ViewAudit& views) {
    if (!options_.scratch) return {};
    return std::async(std::launch::async,
                      [&] { return views.difference_in_saved_lists(log_, *options_.scratch); });
  }

  void check_views(ViewAudit& views, std::future<Difference>& lists, Position end) {
    const auto ending = [&] {
      LogOrigins origins(log_);
      return views.finish(origins, end);
    }();
    if (ending.difference) note(Finding{mark_.head, *ending.difference, Part::kReadModels});
    // Of rows that were not found good they say nothing.
    if (lists.valid() && ending.complete && !result_.finding) {
      if (const auto difference = lists.get()) note(Finding{mark_.head, *difference, Part::kReadModels});
    }
    result_.read_models = ending.complete ? ReadModels::kEqual : ReadModels::kEqualSoFar;
  }

  // RFC 6962 section 2.1.2.
  std::optional<Finding> check_continuity(const eventstore::Checkpoint& old) const {
    if (!is_whole_) return std::nullopt;
    const auto size = mark_.head.value();
    if (old.size > size)
      return Finding{
          mark_.head,
          "it was signed for " + std::to_string(old.size) + " events, and there are " + std::to_string(size),
          Part::kCheckpoint};
    const auto proof = eventstore::consistency_proof(old.size, size, eventstore::TreeOfLog(log_));
    if (eventstore::verify_consistency(old.size, old.root, size, result_.root, proof)) return std::nullopt;
    return Finding{
        Position(old.size),
        "the events up to position " + std::to_string(old.size) + " are not those that it was signed for",
        Part::kCheckpoint};
  }

  const LedgerLog& log_;
  const VerifyOptions& options_;
  const LedgerMark mark_;
  Verification result_;
  Erasures erasures_;
  bool is_whole_ = false;
  std::uint64_t done_ = 0;
};

}  // namespace

Verification verify_log(const LedgerLog& log, const VerifyOptions& options) {
  return Verifier(log, options).run();
}

Verification verify_read_models(const LedgerLog& log, const VerifyOptions& options) {
  return Verifier(log, options).run_read_models();
}

}  // namespace pixledger::tools
