#include "tools/verifier.h"

#include <utility>
#include <vector>

#include "eventstore/codec.h"
#include "eventstore/merkle.h"

namespace pixledger::tools {
namespace {

using domain::Position;
using domain::RecordedEvent;
using eventstore::Digest;
using eventstore::Log;
using eventstore::StoredEvent;

constexpr std::size_t kBatchEvents = 1000;

using Problem = std::optional<std::string>;

std::vector<domain::ClaimName> claims_stated_by(const RecordedEvent& event) {
  return domain::claims_of({event.stream, event.project, event.event});
}

// Reads the log once, in order.
class Pass {
 public:
  Pass(const Log& log, VerificationDepth depth) : log_(log), depth_(depth) {}

  // False after the first finding.
  bool read_all() {
    try {
      while (true) {
        const auto head = log_.head();
        const auto batch = log_.read_after(last_, kBatchEvents);
        if (batch.empty()) return check_end(head);
        for (const StoredEvent& stored : batch) {
          if (!check(stored)) return false;
        }
      }
    } catch (const eventstore::LogCorrupt& corrupt) {
      return found(last_.next(), corrupt.what());
    }
  }

  bool found(Position position, std::string problem) {
    result_.finding = {position, std::move(problem)};
    return false;
  }

  Verification take_result() {
    result_.root = tree_.root();
    return std::move(result_);
  }

  void count_claim() { ++result_.claims; }
  Position last() const { return last_; }

 private:
  bool check(const StoredEvent& stored) {
    const Position expected = last_.next();
    if (stored.position != expected) {
      return found(expected,
                   "there is no event here; the next one is at " + std::to_string(stored.position.value()));
    }
    Problem problem = check_structure(stored);
    if (!problem && depth_ == VerificationDepth::kMeaning) problem = check_meaning(stored);
    if (problem) return found(expected, *problem);
    last_ = expected;
    ++result_.events;
    return true;
  }

  Problem check_structure(const StoredEvent& stored) {
    const bool has_personal = !stored.personal.empty();
    if (has_personal && eventstore::sha256(stored.personal) != stored.personal_digest) {
      return "the personal data are not those that were recorded";
    }
    if (has_personal) ++result_.personal;
    if (!has_personal && stored.personal_digest != eventstore::sha256("")) ++result_.erased;

    const Digest leaf = eventstore::leaf_hash(stored.bytes, eventstore::bytes_of(stored.personal_digest));
    const auto record = log_.tree_record(stored.position);
    if (!record) return "the Merkle tree has no leaf for this event";
    if (record->compare(0, leaf.size(), eventstore::bytes_of(leaf)) != 0) {
      return "the event is not what was recorded: its leaf hash differs";
    }
    if (*record != tree_.append(leaf)) return "the Merkle tree's nodes are not those of the events";
    return std::nullopt;
  }

  Problem check_meaning(const StoredEvent& stored) {
    const RecordedEvent event = eventstore::decode(stored);
    if (event.recorded_at < result_.newest) return "it was recorded before the event in front of it";
    result_.newest = event.recorded_at;
    if (event.version == 0) return "it has version 0 of its stream";
    if (event.version == 1) {
      if (const auto problem = check_whole_stream(event)) return problem;
      ++result_.streams;
    }
    if (const auto problem = check_place_in_stream(event)) return problem;
    for (const domain::ClaimName& claim : claims_stated_by(event)) {
      if (log_.claim_holder(claim) != event.stream)
        return "its stream does not hold the name " + claim.text();
    }
    return std::nullopt;
  }

  // Seen from its first event, a stream has the versions 1, 2, 3… at rising positions, all of them its own.
  Problem check_whole_stream(const RecordedEvent& first) {
    std::uint32_t version = 0;
    Position previous;
    for (const StoredEvent& stored : log_.read_stream(first.stream, 0, eventstore::kNoLimit)) {
      const RecordedEvent event = eventstore::decode(stored);
      const std::string place =
          "stream " + first.stream.text() + ", version " + std::to_string(++version) + ": ";
      if (event.stream != first.stream) return place + "its event belongs to stream " + event.stream.text();
      if (event.version != version) return place + "its event has version " + std::to_string(event.version);
      if (event.position <= previous) return place + "its event is before that of the version in front of it";
      previous = event.position;
    }
    return std::nullopt;
  }

  Problem check_place_in_stream(const RecordedEvent& event) {
    const auto found = log_.read_stream(event.stream, event.version - 1, event.position);
    if (found.size() == 1 && found.front().position == event.position) return std::nullopt;
    return "stream " + event.stream.text() + " does not have this event as its version " +
           std::to_string(event.version);
  }

  // `head` was read when the last event had been, and before it was known that there are no more.
  bool check_end(const eventstore::Head& head) {
    if (head.position < last_) return found(last_, "it is beyond the head of the log");
    if (head.position > last_) {
      return found(last_.next(),
                   "there is no event here, but the head is at " + std::to_string(head.position.value()));
    }
    if (head.time < result_.newest) return found(last_, "it was recorded after the head of the log");
    return true;
  }

  const Log& log_;
  const VerificationDepth depth_;
  Verification result_;
  eventstore::Frontier tree_;
  Position last_;
};

bool states(const Log& log, const domain::StreamName& stream, const domain::ClaimName& claim) {
  for (const StoredEvent& stored : log.read_stream(stream, 0, eventstore::kNoLimit)) {
    for (const domain::ClaimName& stated : claims_stated_by(eventstore::decode(stored))) {
      if (stated == claim) return true;
    }
  }
  return false;
}

// Every name that is held was stated by an event of its holder.
void check_claims(const Log& log, Pass& pass) {
  for (int first = 1; first < 256; ++first) {
    for (const auto& [claim, stream] : log.claims_with_prefix(std::string(1, static_cast<char>(first)))) {
      if (!states(log, stream, claim)) {
        pass.found(pass.last(), "stream " + stream.text() + " holds the name " + claim.text() +
                                    ", but none of its events says so");
        return;
      }
      pass.count_claim();
    }
  }
}

}  // namespace

Verification verify_log(const Log& log, VerificationDepth depth) {
  Pass pass(log, depth);
  if (pass.read_all() && depth == VerificationDepth::kMeaning) check_claims(log, pass);
  return pass.take_result();
}

}  // namespace pixledger::tools
