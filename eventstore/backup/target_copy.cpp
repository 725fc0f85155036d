#include "eventstore/backup/target_copy.h"

#include <algorithm>
#include <utility>

#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/log_backup.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kHeartbeat{10};
// Each write leaves an old version.
constexpr seconds kHeartbeatWithVersions{60};
constexpr hours kDropVersionsEvery{1};
constexpr hours kRetireEpochsEvery{1};
constexpr std::size_t kEventsPerRead = 1000;
constexpr std::uint64_t kBytesPerRead = std::uint64_t{1} << 20;
// A file that is not merged further: an event more might not fit.
constexpr std::uint64_t kFullBytes = kTargetSegmentBytesMax - (std::uint64_t{16} << 10);

// Visits the events after one position up to another.
template <class Visit>
void visit_events(const Log& log, Position after, Position last, const Visit& visit) {
  while (after < last) {
    const auto batch = log.read_after(after, kEventsPerRead);
    if (batch.empty()) return;
    for (const auto& event : batch) {
      if (event.position > last) return;
      visit(event);
    }
    after = batch.back().position;
  }
}

bool has_personal(const Log& log, Position position) {
  const auto found = log.read_after(Position(position.value() - 1), 1);
  return !found.empty() && !found.front().personal.empty();
}

template <class Work>
void as_foreign(const Target& target, const Work& work) {
  try {
    work();
  } catch (const BackupRefused& refused) {
    throw TargetError(TargetFault::kForeign, "the target " + target.uri() + ": " + refused.what());
  }
}

FileFacts facts_of(const ObjectSource& source) {
  Sha256Stream hash;
  for (std::uint64_t done = 0; done < source.bytes;) {
    const auto part = source.read(
        done, static_cast<std::size_t>(std::min<std::uint64_t>(source.bytes - done, kBytesPerRead)));
    hash.update(part);
    done += part.size();
  }
  return {source.bytes, hash.finish()};
}

TargetError fenced(const Target& target, std::uint32_t by, const std::string& advice) {
  return {TargetFault::kFenced,
          "epoch " + std::to_string(by) + " of the ledger has taken the target " + target.uri() + advice};
}

}  // namespace

TargetCopy::TargetCopy(const LedgerLog& log, Target& target, const Clock& clock,
                       const TargetCopyOptions& options)
    : log_(log),
      target_(target),
      clock_(clock),
      host_(options.host),
      keep_states_(options.keep_states),
      encryption_(options.encryption) {
  as_foreign(target, [&] { open(options); });
}

void TargetCopy::open(const TargetCopyOptions& options) {
  const auto mark = find_mark(target_);
  const auto& own = log_.identity();
  auto found = find_manifest(target_, own.epoch);
  // With a manifest it is that of a follower killed before it had written the mark.
  if (!mark && !found && !target_.list("").empty())
    throw TargetError(TargetFault::kForeign, "the target " + target_.uri() +
                                                 " is not empty and holds no backup: choose an empty one");
  if (!mark && options.had_backup && !options.take_over)
    throw TargetError(TargetFault::kUnreachable,
                      "the target " + target_.uri() +
                          " had a backup and is empty now: mount its disk, or begin anew with --take-over");
  if (mark && mark->ledger.ledger_id != own.ledger_id)
    throw TargetError(TargetFault::kForeign, "the target " + target_.uri() + " is of ledger " +
                                                 mark->ledger.ledger_id + ", this is ledger " +
                                                 own.ledger_id);
  if (mark && mark->ledger.epoch != own.epoch && !options.take_over)
    throw fenced(target_, mark->ledger.epoch, ": --take-over continues it with this ledger");
  manifest_ = manifest_of_nothing(log_, Position(1));
  if (found) {
    check_continues(*found, log_);
    manifest_ = *std::move(found);
  } else if (mark && mark->ledger.epoch != own.epoch) {
    take_over(mark->ledger.epoch);
  }
  manifest_.ledger = own;
  manifest_.is_of_target = true;
  visit_events(log_, manifest_.erased, manifest_.last, [this](const StoredEvent& event) {
    if (header_of(event.position, event.bytes).erases) pending_erasures_.insert(event.position);
  });
  note_leftovers();
  if (mark && mark->ledger == own) return;
  // The manifest first: without it the next run would not find what it continues.
  finish(true);
  write_mark(target_, {own, clock_.now(), host_});
}

// Continues what another epoch has copied of this log's history.
void TargetCopy::take_over(std::uint32_t epoch) {
  auto found = find_manifest(target_, epoch);
  if (!found) return;
  const auto head = log_.head().position;
  const TreeOfLog tree(log_);
  auto& segments = found->segments;
  while (!segments.empty() && (segments.back().last > head ||
                               tree_root(segments.back().last.value(), tree) != segments.back().root))
    segments.pop_back();
  found->last = segments.empty() ? Position() : segments.back().last;
  found->root = segments.empty() ? empty_root() : segments.back().root;
  found->erased = std::min(found->erased, found->last);
  std::erase_if(found->states, [&](const KeptState& state) { return state.position > found->last; });
  manifest_ = *std::move(found);
}

// Files that a killed run wrote, and no manifest names.
void TargetCopy::note_leftovers() {
  const auto epoch = log_.identity().epoch;
  const auto own_state = kStatesOfTarget + std::to_string(epoch) + '-';
  const auto head = log_.head().position;
  for (const auto& object : target_.list("")) {
    const auto events = EventsName::parse(object.name);
    const bool is_own = events ? events->epoch == epoch : object.name.starts_with(own_state);
    if (events && is_own && events->last > head)
      throw BackupRefused("it has events up to position " + std::to_string(events->last.value()) +
                          ", where this ledger has not come to: its files are of an earlier state");
    if (is_own) retired_.insert(object.name);
  }
}

// What other epochs wrote, unless their manifest is from `before` or later.
void TargetCopy::retire_other_epochs(Timestamp before) {
  const auto own = log_.identity().epoch;
  const auto objects = target_.list("");
  std::set<std::uint32_t> kept{own};
  std::set<std::string> named;
  for (const auto& object : objects) {
    const auto epoch = epoch_of(object.name);
    if (!epoch || *epoch == own || object.name != manifest_name(*epoch)) continue;
    std::optional<BackupManifest> manifest;
    try {
      manifest = find_manifest(target_, *epoch);
    } catch (const BackupRefused&) {
      // It is damaged, so nobody restores it.
    }
    if (!manifest || manifest->made_at < before) continue;
    kept.insert(*epoch);
    for (const auto& segment : manifest->segments) named.insert(segment.file);
  }
  for (const auto& object : objects) {
    const auto epoch = epoch_of(object.name);
    if (epoch && !kept.contains(*epoch) && !named.contains(object.name)) retired_.insert(object.name);
  }
  epochs_retired_at_ = clock_.now();
}

void TargetCopy::check_fence() const {
  const auto mark = find_mark(target_);
  if (!mark)
    throw TargetError(TargetFault::kUnreachable,
                      "the target " + target_.uri() + " no longer has its file " + kMarkFile);
  if (mark->ledger != log_.identity()) throw fenced(target_, mark->ledger.epoch, "");
}

Segment TargetCopy::write(const TargetSegment& segment, std::uint32_t version) {
  const auto file =
      EventsName{segment.first, segment.last, log_.identity().epoch, version, encryption_.is_on()}.text();
  const auto bytes = encryption_.stored(segment.bytes);
  target_.write(file, source_of(bytes));
  is_changed_ = true;
  needs_ = std::max(needs_, segment.needs);
  return {file, segment.first, segment.last, {bytes.size(), sha256(bytes)}, segment.root};
}

void TargetCopy::copy_events() {
  const auto end = log_.snapshot()->end();
  while (manifest_.last < end.head.position) {
    const auto segment = segment_of_log(log_, manifest_.last.next(), end.head.position);
    manifest_.segments.push_back(write(segment, 0));
    pending_erasures_.insert(segment.erasures.begin(), segment.erasures.end());
    manifest_.format = std::max(manifest_.format, segment.format);
    manifest_.last = segment.last;
    manifest_.root = segment.root;
    manifest_.head_time = segment.last_time;
    // A long first copy can be continued after a kill.
    if (manifest_.last < end.head.position) finish(false);
  }
  manifest_.head_time = end.head.time;
  manifest_.id_counter = end.id_counter;
  manifest_.keyring = end.keyring;
  manifest_.ended_epochs = end.ended_epochs;
}

void TargetCopy::copy() {
  check_fence();
  copy_events();
  encrypt_plain();
  while (merge_some()) is_changed_ = true;
  // Personal data was removed while a file was written: the erasure's event must be there, too.
  while (needs_ > manifest_.last) copy_events();
}

// Writes the events of some files anew, into as few as they fit in. The old ones go once no manifest names
// them.
void TargetCopy::replace(std::size_t begin, std::size_t end, std::uint32_t version) {
  auto& segments = manifest_.segments;
  const auto last = segments[end - 1].last;
  std::vector<Segment> written;
  for (auto first = segments[begin].first; first <= last; first = written.back().last.next())
    written.push_back(write(segment_of_log(log_, first, last), version));
  const auto at = segments.begin();
  for (auto i = begin; i < end; ++i)
    // The manifest of another epoch may name it.
    if (epoch_of(segments[i].file) == log_.identity().epoch) retired_.insert(segments[i].file);
  segments.erase(at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end));
  segments.insert(segments.begin() + static_cast<std::ptrdiff_t>(begin), written.begin(), written.end());
}

// Merges the newest files below kNewestFiles with older ones as long as these are less than twice as large as
// all newer ones together: so sizes at least double from file to file, and an event is written again at most
// once for each doubling.
bool TargetCopy::merge_some() {
  const auto& segments = manifest_.segments;
  if (segments.size() <= kNewestFiles) return false;
  const auto end = segments.size() - kNewestFiles;
  const auto bytes_of = [&segments](std::size_t i) { return segments[i].facts.bytes; };
  const auto becomes_fewer = [](std::uint64_t bytes, std::size_t files) {
    return (bytes + kFullBytes - 1) / kFullBytes < files;
  };
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < end; ++i) all += bytes_of(i);
  if (end <= kSmallFilesMax + all / kTargetSegmentBytesMax) return false;
  for (auto newest = end; newest >= 2; --newest) {
    auto begin = newest - 1;
    auto merged = bytes_of(begin);
    while (begin > 0 && bytes_of(begin - 1) < std::min(2 * merged, kFullBytes)) merged += bytes_of(--begin);
    if (!becomes_fewer(merged, newest - begin)) continue;
    replace(begin, newest, 0);
    return true;
  }
  // Small files between full ones.
  std::uint64_t merged = 0;
  for (auto begin = end; begin-- > 0;) {
    merged += bytes_of(begin);
    if (!becomes_fewer(merged, end - begin)) continue;
    replace(begin, end, 0);
    return true;
  }
  return false;
}

// What was copied before encryption was asked for.
void TargetCopy::encrypt_plain() {
  if (!encryption_.is_on()) return;
  const auto is_plain = [](const std::string& file) { return !file.ends_with(kAgeSuffix); };
  for (std::size_t i = 0; i < manifest_.segments.size(); ++i) {
    const auto name = EventsName::parse(manifest_.segments[i].file);
    if (!name || name->is_encrypted) continue;
    const auto before = manifest_.segments.size();
    replace(i, i + 1, name->version);
    i += manifest_.segments.size() - before;
    finish(false);
  }
  const auto& states = manifest_.states;
  const bool has_plain = std::any_of(states.begin(), states.end(), [&](const KeptState& state) {
    return !state.files.empty() && is_plain(state.files.front().file);
  });
  if (has_plain && !states_before_) states_before_ = clock_.now();
}

void TargetCopy::write_state(Target& target, const ObjectEncryption& encryption, const std::string& name,
                             const std::filesystem::path& directory, KeptState& state) {
  state.directory = name;
  for (auto& [file, facts] : state.files) {
    const auto source = encryption.stored(source_of_file(directory / file));
    file = name + '/' + std::filesystem::path(file).filename().string();
    if (encryption.is_on()) {
      file += kAgeSuffix;
      facts = facts_of(source);
    }
    target.write(file, source);
  }
}

void TargetCopy::add_state(KeptState state) {
  new_states_.push_back(std::move(state));
  is_changed_ = true;
}

std::vector<bool> states_to_keep(const std::vector<Timestamp>& made_at, Timestamp now, milliseconds keep) {
  std::vector<bool> stays(made_at.size(), false);
  std::set<std::pair<bool, std::int64_t>> kept;  // is a day, its or the hour's number
  for (auto i = made_at.size(); i-- > 0;) {
    const milliseconds age(now.millis() - made_at[i].millis());
    const bool is_daily = age > hours(24);
    const auto length = milliseconds(hours(is_daily ? 24 : 1)).count();
    const bool is_first = age <= hours(1) || kept.emplace(is_daily, made_at[i].millis() / length).second;
    stays[i] = i + 1 == made_at.size() || (is_first && (!is_daily || age <= keep));
  }
  return stays;
}

void TargetCopy::drop_old_states() {
  auto& states = manifest_.states;
  std::vector<Timestamp> made_at;
  for (const auto& state : states) made_at.push_back(state.made_at);
  const auto stays = states_to_keep(made_at, clock_.now(), keep_states_);
  const bool has_clean = states_before_ && !states.empty() && states.back().made_at > *states_before_;
  std::vector<KeptState> kept;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (stays[i] && !(has_clean && states[i].made_at <= *states_before_)) {
      kept.push_back(std::move(states[i]));
      continue;
    }
    for (const auto& file : states[i].files) retired_.insert(file.file);
  }
  states = std::move(kept);
  if (has_clean) states_before_.reset();
}

void TargetCopy::erase(bool now_possible) {
  if (!now_possible || states_before_) return;
  std::set<Position> positions;
  const auto rewritten_before = rewritten_erasures_.size();
  for (const auto position : pending_erasures_) {
    if (rewritten_erasures_.count(position) > 0) continue;
    const auto records = records_erased_by(log_, {erasure_at(log_, position)});
    // The event comes first; the ledger's own removal may have to be repeated.
    if (std::any_of(records.positions.begin(), records.positions.end(),
                    [this](Position of) { return has_personal(log_, of); }))
      continue;
    rewritten_erasures_.insert(position);
    positions.insert(records.positions.begin(), records.positions.end());
  }
  if (rewritten_erasures_.size() == rewritten_before) return;
  for (std::size_t i = 0; i < manifest_.segments.size(); ++i) {
    const auto& segment = manifest_.segments[i];
    const auto held = positions.lower_bound(segment.first);
    if (held == positions.end() || *held > segment.last) continue;
    const auto name = EventsName::parse(segment.file);
    const auto before = manifest_.segments.size();
    replace(i, i + 1, name ? name->version + 1 : 1);
    i += manifest_.segments.size() - before;
  }
  while (needs_ > manifest_.last) copy_events();
  // The person may be in it.
  retire_other_epochs(kLastTimestamp);
  states_before_ = clock_.now();
}

void TargetCopy::finish(bool at_once) {
  const auto now = clock_.now();
  const auto every = target_.keeps_versions() ? kHeartbeatWithVersions : kHeartbeat;
  const bool is_due = now.millis() - manifest_.made_at.millis() >= milliseconds(every).count();
  if (needs_ > manifest_.last || !(is_due || (at_once && is_changed_) || !retired_.empty())) return;
  for (auto state = new_states_.begin(); state != new_states_.end();) {
    if (state->position > manifest_.last) {
      ++state;
      continue;
    }
    manifest_.states.push_back(std::move(*state));
    state = new_states_.erase(state);
  }
  drop_old_states();
  if (now.millis() - epochs_retired_at_.millis() >= milliseconds(kRetireEpochsEvery).count())
    retire_other_epochs(now.plus_millis(-keep_states_.count()));
  manifest_.erased =
      pending_erasures_.empty() ? manifest_.last : Position(pending_erasures_.begin()->value() - 1);
  ++manifest_.run;
  manifest_.made_at = now;
  write_text(target_, manifest_name(log_.identity().epoch), manifest_text(manifest_));
  is_changed_ = false;
  remove_retired();
  drop_old_versions();
}

void TargetCopy::remove_retired() {
  std::set<std::string> named{kMarkFile, manifest_name(log_.identity().epoch)};
  for (const auto& segment : manifest_.segments) named.insert(segment.file);
  for (const auto& state : manifest_.states)
    for (const auto& file : state.files) named.insert(file.file);
  for (auto file = retired_.begin(); file != retired_.end();) {
    const auto events = EventsName::parse(*file);
    // It counts although no manifest names it yet.
    if (events && events->last > manifest_.last && events->epoch == log_.identity().epoch) {
      ++file;
      continue;
    }
    if (named.count(*file) == 0) target_.remove(*file);
    file = retired_.erase(file);
  }
}

// Returns until when the target keeps some of them all the same.
std::optional<Timestamp> TargetCopy::remove_old_versions(const std::string& prefix, Timestamp before) {
  std::optional<Timestamp> locked;
  for (const auto& old : target_.old_versions(prefix)) {
    if (old.written >= before) continue;
    const auto until = target_.remove_old(old);
    if (until) locked = std::max(locked.value_or(*until), *until);
  }
  return locked;
}

// Ends erasures, too: what they removed is then in no file, state or old version.
void TargetCopy::drop_old_versions() {
  const auto now = clock_.now();
  const bool is_due =
      now.millis() - versions_dropped_at_.millis() >= milliseconds(kDropVersionsEvery).count();
  const bool is_erased = !rewritten_erasures_.empty() && !states_before_;
  if (target_.keeps_versions() && (is_due || (is_erased && !locked_until_))) {
    remove_old_versions("", now.plus_millis(-keep_states_.count()));
    locked_until_.reset();
    for (const auto* const prefix : {kEventsOfTarget, kStatesOfTarget}) {
      const auto locked = is_erased ? remove_old_versions(prefix, now) : std::nullopt;
      if (locked) locked_until_ = std::max(locked_until_.value_or(*locked), *locked);
    }
    versions_dropped_at_ = now;
  }
  if (!is_erased || locked_until_) return;
  for (const auto position : std::exchange(rewritten_erasures_, {})) pending_erasures_.erase(position);
  is_changed_ = true;
}

}  // namespace pixledger::eventstore
