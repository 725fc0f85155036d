#include "tools/audit/shared_rows.h"

#include <algorithm>
#include <vector>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/erasure.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kRowsPerRead = 1000;

// What erasures have taken away, up to the ledger's head. To find it out reads the ledger, so that is done
// when something is missing that is not known to be erased.
class TakenAway {
 public:
  explicit TakenAway(const eventstore::LedgerLog& log) : log_(log) {}

  bool has(Position position) {
    if (is_known(position)) return true;
    // Its event came before PostgreSQL's row went.
    const auto head = log_.catch_up().position;
    if (head != known_up_to_) look(head);
    return is_known(position);
  }

 private:
  bool is_known(Position position) const {
    return std::binary_search(positions_.begin(), positions_.end(), position);
  }

  void look(Position head) {
    for (auto after = known_up_to_; after < head;) {
      const auto read = log_.read_after(after, kRowsPerRead);
      if (read.empty())
        throw eventstore::LogCorrupt("there is no event after position " + std::to_string(after.value()));
      for (const auto& event : read) {
        after = event.position;
        if (eventstore::header_of(event.position, event.bytes).erases)
          erasures_.push_back(eventstore::erasure_at(log_, event.position));
      }
    }
    known_up_to_ = head;
    positions_ = eventstore::records_erased_by(log_, erasures_).positions;
  }

  const eventstore::LedgerLog& log_;
  Position known_up_to_;
  std::vector<eventstore::Erasure> erasures_;
  std::vector<Position> positions_;  // ascending
};

}  // namespace

std::optional<Finding> compare_shared_rows(
    const eventstore::LedgerLog& log, const eventstore::Cluster& cluster,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  TakenAway taken(log);
  const auto found = cluster.find_difference(
      {.is_erased = [&taken](Position position) { return taken.has(position); }, .progress = progress});
  if (!found) return std::nullopt;
  return Finding{found->position, found->problem, Part::kShared};
}

}  // namespace pixledger::tools
