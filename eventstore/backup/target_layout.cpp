#include "eventstore/backup/target_layout.h"

#include <algorithm>

#include "base/platform/json.h"
#include "base/platform/json_reader.h"
#include "base/text/ascii.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/needed_format.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kMagic = "pixledger events 2\n";
constexpr std::size_t kEventsOfLogPerRead = 1000;

std::string text_of(Position position) { return std::to_string(position.value()); }

// Takes the text before the next separator off the front, and the separator too.
std::string_view take_field(std::string_view& text, char separator) {
  const auto length = std::min(text.find(separator), text.size());
  const auto taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

}  // namespace

std::optional<TargetMark> find_mark(const Target& target) {
  const auto text = read_whole(target, kMarkFile);
  if (!text) return std::nullopt;
  try {
    const JsonDocument document(*text);
    const JsonFields fields(document.root());
    constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
    const auto format = fields.required(fields.integer("format", 1, kMax), "format");
    if (format > kTargetFormat)
      throw TargetError(TargetFault::kNewer, "a newer release wrote the backup at " + target.uri() +
                                                 ": use that one, or a later one");
    return TargetMark{{fields.get<std::string>("ledgerId"), static_cast<std::uint32_t>(fields.required(
                                                                fields.integer("epoch", 1, kMax), "epoch"))},
                      fields.get<Timestamp>("takenAt"),
                      fields.get<std::string>("host")};
  } catch (const JsonRefused& refused) {
    throw TargetError(TargetFault::kForeign, "the file " + std::string(kMarkFile) + " at " + target.uri() +
                                                 " is not one of a backup: " + refused.what());
  }
}

void write_mark(Target& target, const TargetMark& mark) {
  Json json;
  json.begin_object()
      .field("format", kTargetFormat)
      .field("ledgerId", mark.ledger.ledger_id)
      .field("epoch", mark.ledger.epoch)
      .field("takenAt", mark.taken_at)
      .field("host", mark.host)
      .end_object();
  write_text(target, kMarkFile, json.take_line());
}

std::string manifest_name(std::uint32_t epoch) {
  return std::string(kManifestFile) + '-' + std::to_string(epoch);
}

std::optional<BackupManifest> find_manifest(const Target& target, std::uint32_t epoch) {
  const auto name = manifest_name(epoch);
  const auto text = read_whole(target, name);
  if (!text) return std::nullopt;
  auto manifest = parse_manifest(*text);
  if (!manifest || !manifest->is_of_target || manifest->ledger.epoch != epoch)
    throw damaged(std::filesystem::path(target.uri()) / name, "it is not as it was written");
  return manifest;
}

std::string EventsName::text() const {
  return kEventsOfTarget + text_of(first) + '-' + text_of(last) + '-' + std::to_string(epoch) +
         (version > 0 ? '-' + std::to_string(version) : std::string()) + (is_encrypted ? kAgeSuffix : "");
}

std::optional<EventsName> EventsName::parse(std::string_view name) {
  if (!name.starts_with(kEventsOfTarget)) return std::nullopt;
  name.remove_prefix(std::string_view(kEventsOfTarget).size());
  const bool is_encrypted = name.ends_with(kAgeSuffix);
  if (is_encrypted) name.remove_suffix(std::string_view(kAgeSuffix).size());
  const auto first = whole_number<std::uint64_t>(take_field(name, '-'));
  const auto last = whole_number<std::uint64_t>(take_field(name, '-'));
  const auto epoch = whole_number<std::uint32_t>(take_field(name, '-'));
  const auto version = name.empty() ? std::optional<std::uint32_t>(0) : whole_number<std::uint32_t>(name);
  if (!first || !last || !epoch || !version) return std::nullopt;
  return EventsName{Position(*first), Position(*last), *epoch, *version, is_encrypted};
}

std::optional<std::uint32_t> epoch_of(std::string_view name) {
  if (const auto events = EventsName::parse(name)) return events->epoch;
  for (const auto& prefix : {std::string(kManifestFile) + '-', std::string(kStatesOfTarget)}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return whole_number<std::uint32_t>(take_field(name, '-'));
  }
  return std::nullopt;
}

std::string state_name(std::uint32_t epoch, Position position, Timestamp made_at) {
  return kStatesOfTarget + std::to_string(epoch) + '-' + text_of(position) + '-' +
         std::to_string(made_at.millis());
}

TargetSegment segment_of_log(const Log& log, Position first, Position last) {
  static const Digest kNone = sha256("");
  TargetSegment segment;
  segment.first = first;
  segment.last = Position(first.value() - 1);
  Frontier tree(segment.last.value(), TreeOfLog(log));
  segment.root_before = tree.root();
  std::string events;
  bool is_full = false;
  bool misses_personal = false;
  while (segment.last < last && !is_full) {
    const auto batch = log.read_after(segment.last, kEventsOfLogPerRead);
    for (const auto& event : batch) {
      const auto bytes = event.bytes.size() + event.personal.size() + 3 * kDigestBytes;
      is_full = !events.empty() && events.size() + bytes > kTargetSegmentBytesMax;
      if (event.position > last || is_full) break;
      if (event.position != segment.last.next())
        throw LogCorrupt("there is no event at position " + text_of(segment.last.next()));
      const auto leaf = leaf_hash(event.bytes, bytes_of(event.personal_digest));
      tree.append(leaf);
      write_event(event, leaf, [&events](std::string_view part) { events += part; });
      misses_personal |= event.personal.empty() && event.personal_digest != kNone;
      segment.last = event.position;
      const auto header = header_of(event.position, event.bytes);
      segment.last_time = header.recorded_at;
      if (header.erases) segment.erasures.push_back(event.position);
      if (segment.format < kLedgerFormat)
        segment.format = std::max(segment.format, needed_format_of_stored(event));
    }
    if (batch.empty()) throw LogCorrupt("there is no event at position " + text_of(segment.last.next()));
  }
  segment.root = tree.root();
  if (misses_personal) segment.needs = log.head().position;
  segment.bytes = std::string(kMagic) + text_of(segment.first) + ' ' + text_of(segment.last) + ' ' +
                  std::to_string(segment.last_time.millis()) + ' ' + text_of(segment.needs) + ' ' +
                  to_hex(segment.root_before) + ' ' + to_hex(segment.root) + '\n' + events;
  segment.bytes += bytes_of(sha256(segment.bytes));
  return segment;
}

TargetSegment head_of_segment(const std::filesystem::path& path, std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) throw damaged(path, "it does not begin as it was written");
  auto line = bytes.substr(kMagic.size());
  line = take_field(line, '\n');
  const auto first = whole_number<std::uint64_t>(take_field(line, ' '));
  const auto last = whole_number<std::uint64_t>(take_field(line, ' '));
  const auto time = whole_number<std::int64_t>(take_field(line, ' '));
  const auto needs = whole_number<std::uint64_t>(take_field(line, ' '));
  const auto root_before = digest_from_hex(take_field(line, ' '));
  const auto root = digest_from_hex(line);
  if (!first || !last || !time || !needs || !root_before || !root)
    throw damaged(path, "its head is not as it was written");
  return {Position(*first), Position(*last), Timestamp(*time), Position(*needs), *root_before, *root, {}};
}

void read_target_segment(const std::filesystem::path& path, std::string_view bytes, const Segment& segment,
                         Frontier& tree, const std::function<void(const SegmentEvent&)>& visit) {
  const auto head = head_of_segment(path, bytes);
  auto left = bytes.substr(kMagic.size());
  take_field(left, '\n');
  if (left.size() < kDigestBytes) throw damaged(path, "it ends early");
  const auto digest = bytes.substr(bytes.size() - kDigestBytes);
  if (bytes_of(sha256(bytes.substr(0, bytes.size() - kDigestBytes))) != digest)
    throw damaged(path, "its checksum is not the one that was written");
  left.remove_suffix(kDigestBytes);
  if (head.first != segment.first || head.last != segment.last || head.root_before != tree.root())
    throw damaged(path, "it does not continue the file before it");
  const auto take = [&left](std::size_t length) {
    const auto taken = length > left.size() ? std::string_view() : left.substr(0, length);
    left.remove_prefix(taken.size());
    return taken;
  };
  for (auto position = segment.first; position <= segment.last; position = position.next()) {
    const auto event = read_event(path, position, take);
    tree.append(event.leaf_hash);
    visit(event);
  }
  if (!left.empty()) throw damaged(path, "there is something after its last event", segment.last);
  if (tree.root() != segment.root || head.root != segment.root)
    throw damaged(path, "its events are not those of the tree that the manifest names", segment.last);
}

}  // namespace pixledger::eventstore
