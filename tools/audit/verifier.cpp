#include "tools/audit/verifier.h"

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/tree/log_tree.h"
#include "tools/audit/record_checks.h"
#include "tools/audit/stream_pass.h"
#include "tools/audit/structure_pass.h"

namespace pixledger::tools {
namespace {

using eventstore::LedgerLog;

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

  Verification run_streams() {
    const auto streams = check_streams(log_, mark_.head, {}, [this](std::uint64_t events) {
      done_ += events;
      if (options_.progress) options_.progress(done_, mark_.head.value());
    });
    note(streams.finding);
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
    if (is_whole_) note(check_idempotency(log_));
    const auto streams = check_streams(log_, end, erasures_, progress());
    note(streams.finding);
    result_.streams = streams.streams;
    result_.claims = streams.claims;
    if (!is_whole_) return;
    if (streams.events != end.value()) note(find_unnamed_event(log_, end));
    if (streams.claims != mark_.claims) note(find_orphaned_claim(log_, end));
    if (streams.events != end.value() || streams.claims != mark_.claims)
      note(Finding{end, "the ledger holds more or less than its events state"});
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
    if (eventstore::verify_consistency(old.size, old.root, size, result_.root, proof))
      return check_stated_length(old);
    return Finding{
        Position(old.size),
        "the events up to position " + std::to_string(old.size) + " are not those that it was signed for",
        Part::kCheckpoint};
  }

  // A receipt's checkpoint can state a wrong number, though its tree is right: that was a lie.
  std::optional<Finding> check_stated_length(const eventstore::Checkpoint& old) const {
    if (!old.stream) return std::nullopt;
    const auto& [stream, events] = *old.stream;
    std::uint64_t recorded = 0;
    for ([[maybe_unused]] const auto& event : eventstore::StreamEvents(log_, stream, 0, Position(old.size)))
      ++recorded;
    if (recorded == events) return std::nullopt;
    return Finding{Position(old.size),
                   "it states a length of " + std::to_string(events) + " for " + stream.text() +
                       ", which had " + std::to_string(recorded),
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

Verification verify_streams(const LedgerLog& log, const VerifyOptions& options) {
  return Verifier(log, options).run_streams();
}

}  // namespace pixledger::tools
