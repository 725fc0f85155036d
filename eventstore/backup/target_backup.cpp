#include "eventstore/backup/target_backup.h"

#include <algorithm>
#include <vector>

#include "eventstore/backup/backup_error.h"

namespace pixledger::eventstore {
namespace {

constexpr int kTriesMax = 5;
// A follower goes on merging while the files are read.
constexpr std::uint64_t kSmallBytes = kTargetSegmentBytesMax / 2;
constexpr std::uint64_t kKeptBytesMax = std::uint64_t{256} << 20;
constexpr std::size_t kCopyBytes = std::size_t{8} << 20;

}  // namespace

TargetBackup::TargetBackup(std::shared_ptr<const Target> target, std::optional<std::uint32_t> epoch,
                           std::vector<AgeIdentity> identities)
    : target_(std::move(target)), identities_(std::move(identities)) {
  const auto mark = find_mark(*target_);
  if (!mark) throw TargetError(TargetFault::kForeign, "there is no backup at " + target_->uri());
  for (int tries = 0; !try_to_open(epoch.value_or(mark->ledger.epoch)); ++tries) {
    if (tries == kTriesMax)
      throw damaged(target_->uri(), "a file of events that its manifest names is missing");
  }
}

// False if a file is missing, perhaps since a follower has merged it meanwhile.
bool TargetBackup::try_to_open(std::uint32_t epoch) {
  auto found = find_manifest(*target_, epoch);
  if (!found)
    throw TargetError(TargetFault::kForeign,
                      "the backup at " + target_->uri() + " has nothing of epoch " + std::to_string(epoch));
  manifest_ = *std::move(found);
  kept_.clear();
  is_encrypted_ = false;
  for (const auto& state : manifest_.states)
    for (const auto& file : state.files) is_encrypted_ |= file.file.ends_with(kAgeSuffix);
  std::map<Position, EventsName> longest;
  for (const auto& object : target_->list(kEventsOfTarget)) {
    const auto name = EventsName::parse(object.name);
    if (!name || name->epoch != epoch) continue;
    is_encrypted_ |= name->is_encrypted;
    const auto [at, is_new] = longest.try_emplace(name->first, *name);
    if (!is_new && at->second.last < name->last) at->second = *name;
  }
  add_continuing(longest);
  return keep_small();
}

void TargetBackup::add_continuing(const std::map<Position, EventsName>& longest) {
  auto last = manifest_.last;
  auto root = manifest_.root;
  Position needs;
  std::vector<Segment> waiting;  // for the event that explains what one of them lacks
  for (auto next = longest.find(last.next()); next != longest.end(); next = longest.find(last.next())) {
    const auto file = next->second.text();
    if (next->second.is_encrypted && identities_.empty()) return;
    auto bytes = read_whole(*target_, file);
    if (!bytes) return;
    const auto head = head_of_segment(path_of(file), opened(file, *bytes));
    if (head.root_before != root || head.first != next->second.first || head.last != next->second.last)
      return;
    last = head.last;
    root = head.root;
    needs = std::max(needs, head.needs);
    waiting.push_back({file, head.first, head.last, {bytes->size(), sha256(*bytes)}, head.root});
    kept_[file] = *std::move(bytes);
    if (needs > last) continue;
    manifest_.segments.insert(manifest_.segments.end(), waiting.begin(), waiting.end());
    manifest_.last = last;
    manifest_.root = root;
    manifest_.head_time = std::max(manifest_.head_time, head.last_time);
    waiting.clear();
  }
}

bool TargetBackup::keep_small() {
  std::uint64_t bytes = 0;
  for (auto segment = manifest_.segments.rbegin(); segment != manifest_.segments.rend(); ++segment) {
    if (segment->facts.bytes > kSmallBytes || kept_.count(segment->file) > 0) continue;
    bytes += segment->facts.bytes;
    if (bytes > kKeptBytesMax) return true;
    auto content = read_whole(*target_, segment->file);
    if (!content) return false;
    kept_[segment->file] = *std::move(content);
  }
  return true;
}

std::filesystem::path TargetBackup::path_of(const std::string& file) const {
  return std::filesystem::path(target_->uri()) / file;
}

std::string TargetBackup::bytes_of_segment(const Segment& segment) const {
  const auto kept = kept_.find(segment.file);
  auto bytes = kept != kept_.end() ? std::optional(kept->second) : read_whole(*target_, segment.file);
  if (!bytes) throw damaged(path_of(segment.file), "it is missing");
  if (FileFacts{bytes->size(), sha256(*bytes)} != segment.facts)
    throw damaged(path_of(segment.file), "its checksum is not the manifest's");
  return *std::move(bytes);
}

std::string TargetBackup::opened(const std::string& file, std::string bytes) const {
  if (!file.ends_with(kAgeSuffix)) return bytes;
  try {
    return age_decrypt(bytes, identities_);
  } catch (const AgeError& error) {
    fail_to_open(file, error);
  }
}

void TargetBackup::fail_to_open(const std::string& file, const AgeError& error) const {
  if (error.cause() == AgeError::Cause::kDamaged) throw damaged(path_of(file), error.what());
  throw TargetError(TargetFault::kOther, path_of(file).string() + ' ' + error.what() +
                                             ": give the file with its key as --identity");
}

void TargetBackup::read(const Segment& segment, Frontier& tree,
                        const std::function<void(const SegmentEvent&)>& visit) const {
  const auto bytes = opened(segment.file, bytes_of_segment(segment));
  read_target_segment(path_of(segment.file), bytes, segment, tree, visit);
}

namespace {

// Reads an object part by part. Throws BackupRefused if it is missing or not as written.
void read_parts(const Target& target, const std::filesystem::path& path, const StateFile& file,
                const std::function<void(std::string_view)>& visit) {
  Sha256Stream hash;
  std::uint64_t done = 0;
  while (done < file.facts.bytes) {
    const auto part = target.read(file.file, done, kCopyBytes);
    if (!part) throw damaged(path, "it is missing");
    if (part->empty()) break;
    hash.update(*part);
    visit(*part);
    done += part->size();
  }
  if (FileFacts{done, hash.finish()} != file.facts) throw damaged(path, "its checksum is not the manifest's");
}

}  // namespace

void TargetBackup::check(const StateFile& file) const {
  const auto skip = [](std::string_view) {};
  if (is_readable())
    read_file(file, skip);
  else
    read_parts(*target_, path_of(file.file), file, skip);
}

void TargetBackup::read_file(const StateFile& file,
                             const std::function<void(std::string_view)>& visit) const {
  const auto path = path_of(file.file);
  if (!file.file.ends_with(kAgeSuffix)) return read_parts(*target_, path, file, visit);
  AgeDecryption decryption(identities_);
  try {
    read_parts(*target_, path, file, [&](std::string_view part) { visit(decryption.update(part)); });
    visit(decryption.finish());
  } catch (const AgeError& error) {
    fail_to_open(file.file, error);
  }
}

void TargetBackup::fetch_state(Position end, const std::filesystem::path& directory,
                               BackupManifest& manifest) const {
  const auto& states = manifest_.states;
  const auto after = std::find_if(states.begin(), states.end(),
                                  [end](const KeptState& state) { return state.position > end; });
  if (after == states.begin()) return;
  const auto& state = *std::prev(after);
  manifest.directory_of_state = state.directory;
  manifest.made_at = state.made_at;
  for (const auto& file : state.files) {
    auto name = file.file;
    if (name.ends_with(kAgeSuffix)) name.resize(name.size() - std::string_view(kAgeSuffix).size());
    std::filesystem::create_directories((directory / name).parent_path());
    BackupFileWriter writer(directory / name);
    read_file(file, [&writer](std::string_view part) { writer.write(part); });
    manifest.files.push_back({std::move(name), writer.finish()});
  }
}

}  // namespace pixledger::eventstore
