#include "eventstore/backup/segment.h"

#include "base/platform/big_endian.h"
#include "eventstore/backup/backup_error.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kSegmentMagic = "pixledger events 1\n";

std::string head_of_segment(Position first) { return std::string(kSegmentMagic) + big_endian(first.value()); }

std::string length_of(std::string_view bytes) {
  return big_endian32(static_cast<std::uint32_t>(bytes.size()));
}

// Reads one file, event by event.
class SegmentReader {
 public:
  SegmentReader(const std::filesystem::path& path, const Segment& segment) : path_(path), file_(path) {
    const auto head = head_of_segment(segment.first);
    if (file_.next(head.size()) != head) throw damaged(path, "it does not begin as it was written");
  }

  // Of the event at this position.
  SegmentEvent read(Position position) {
    const auto lengths = part(position, 2 * kBigEndian32Bytes);
    const auto leaf_bytes = static_cast<std::size_t>(from_big_endian(lengths.substr(0, kBigEndian32Bytes)));
    const auto personal_bytes = static_cast<std::size_t>(from_big_endian(lengths.substr(kBigEndian32Bytes)));
    if (leaf_bytes <= kDigestBytes) throw damaged(path_, "an event is too short", position);
    const auto bytes = part(position, kDigestBytes + leaf_bytes + personal_bytes);
    const SegmentEvent event{.position = position,
                             .leaf = bytes.substr(kDigestBytes, leaf_bytes),
                             .personal = bytes.substr(kDigestBytes + leaf_bytes),
                             .leaf_hash = digest_from_bytes(bytes.substr(0, kDigestBytes))};
    if (leaf_hash(event.leaf) != event.leaf_hash)
      throw damaged(path_, "the event is not the one that was written", position);
    const auto digest = event.leaf.substr(leaf_bytes - kDigestBytes);
    if (!event.personal.empty() && bytes_of(sha256(event.personal)) != digest)
      throw damaged(path_, "the personal data are not those that were written", position);
    return event;
  }

  void finish(const Segment& segment) {
    if (file_.left() > 0) throw damaged(path_, "there is something after its last event", segment.last);
    if (file_.finish() != segment.facts) throw damaged(path_, "its checksum is not the manifest's");
  }

 private:
  std::string_view part(Position position, std::size_t bytes) {
    const auto found = file_.next(bytes);
    if (found.empty()) throw damaged(path_, "it ends early, or a length is wrong", position);
    return found;
  }

  const std::filesystem::path& path_;
  BackupFileReader file_;
};

}  // namespace

SegmentWriter::SegmentWriter(const std::filesystem::path& path, Position first) : file_(path) {
  file_.write(head_of_segment(first));
}

void SegmentWriter::add(const StoredEvent& event, const Digest& leaf) {
  const auto leaf_bytes = static_cast<std::uint32_t>(event.bytes.size() + kDigestBytes);
  file_.write(big_endian32(leaf_bytes));
  file_.write(length_of(event.personal));
  file_.write(bytes_of(leaf));
  file_.write(event.bytes);
  file_.write(bytes_of(event.personal_digest));
  file_.write(event.personal);
}

void read_segment(const std::filesystem::path& directory, const Segment& segment, Frontier& tree,
                  const std::function<void(const SegmentEvent&)>& visit) {
  const auto path = directory / segment.file;
  SegmentReader reader(path, segment);
  for (auto position = segment.first; position <= segment.last; position = position.next()) {
    const auto event = reader.read(position);
    tree.append(event.leaf_hash);
    visit(event);
  }
  reader.finish(segment);
  if (tree.root() != segment.root)
    throw damaged(path, "its events are not those of the tree that the manifest names", segment.last);
}

}  // namespace pixledger::eventstore
