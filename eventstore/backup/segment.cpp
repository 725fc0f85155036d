#include "eventstore/backup/segment.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform/big_endian.h"
#include "base/platform/durable_files.h"
#include "eventstore/backup/backup_error.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// A sync of much data at once would delay the ledger's own syncs on the same disk.
constexpr std::uint64_t kSyncEveryBytes = std::uint64_t{8} << 20;

void drop_from_cache(int descriptor) { ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); }

int open_to_read(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) throw damaged(path, "it is missing");
  if (descriptor < 0) fail_on(path, "open");
  return descriptor;
}

}  // namespace

BackupFileWriter::BackupFileWriter(const std::filesystem::path& path)
    : path_(path), descriptor_(path, O_WRONLY | O_CREAT | O_TRUNC) {
  if (!descriptor_) fail_on(path, "open");
  buffer_.reserve(kBufferBytes);
}

BackupFileWriter::~BackupFileWriter() {
  if (descriptor_) ::unlink(path_.c_str());  // not finished
}

void BackupFileWriter::write(std::string_view bytes) {
  buffer_.append(bytes);
  bytes_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) flush();
}

void BackupFileWriter::flush() {
  hash_.update(buffer_);
  std::string_view left = buffer_;
  while (!left.empty()) {
    const auto written = ::write(descriptor_.number(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_on(path_, "write");
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  unsynced_ += buffer_.size();
  buffer_.clear();
  if (unsynced_ < kSyncEveryBytes) return;
  if (::fdatasync(descriptor_.number()) != 0) fail_on(path_, "sync");
  unsynced_ = 0;
}

FileFacts BackupFileWriter::finish() {
  flush();
  if (::fsync(descriptor_.number()) != 0) fail_on(path_, "sync");
  const Descriptor finished(descriptor_.release());
  drop_from_cache(finished.number());
  return {bytes_, hash_.finish()};
}

BackupFileReader::BackupFileReader(const std::filesystem::path& path)
    : path_(path), descriptor_(open_to_read(path)) {
  struct stat status {};
  if (::fstat(descriptor_.number(), &status) != 0) fail_on(path, "look at");
  size_ = static_cast<std::uint64_t>(status.st_size);
  ::posix_fadvise(descriptor_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

BackupFileReader::~BackupFileReader() { drop_from_cache(descriptor_.number()); }

// Fills the buffer. Returns false at the end of the file.
bool BackupFileReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const auto before = buffer_.size();
  buffer_.resize(before + kBufferBytes);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_.number(), buffer_.data() + before, kBufferBytes);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_on(path_, "read");
  buffer_.resize(before + static_cast<std::size_t>(got));
  hash_.update(std::string_view(buffer_).substr(before));
  hashed_ += static_cast<std::uint64_t>(got);
  return got > 0;
}

std::string_view BackupFileReader::next(std::size_t bytes) {
  if (bytes > left()) return {};
  while (buffer_.size() - begin_ < bytes) {
    if (!fill()) return {};
  }
  const auto found = std::string_view(buffer_).substr(begin_, bytes);
  begin_ += bytes;
  handed_out_ += bytes;
  return found;
}

FileFacts BackupFileReader::finish() {
  do {
    begin_ = buffer_.size();
  } while (fill());
  return {hashed_, hash_.finish()};
}

FileFacts facts_of_file(const std::filesystem::path& path) {
  if (::fsync(Descriptor(open_to_read(path)).number()) != 0) fail_on(path, "sync");
  return BackupFileReader(path).finish();
}

FileFacts copy_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  BackupFileReader reader(from);
  BackupFileWriter writer(to);
  while (reader.left() > 0) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(reader.left(), kBufferBytes));
    const auto part = reader.next(bytes);
    if (part.empty()) throw damaged(from, "it ends early");
    writer.write(part);
  }
  return writer.finish();
}

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

  SegmentEvent read(Position position) {
    return read_event(path_, position, [this](std::size_t bytes) { return file_.next(bytes); });
  }

  void finish(const Segment& segment) {
    if (file_.left() > 0) throw damaged(path_, "there is something after its last event", segment.last);
    if (file_.finish() != segment.facts) throw damaged(path_, "its checksum is not the manifest's");
  }

 private:
  const std::filesystem::path& path_;
  BackupFileReader file_;
};

}  // namespace

SegmentWriter::SegmentWriter(const std::filesystem::path& path, Position first) : file_(path) {
  file_.write(head_of_segment(first));
}

void SegmentWriter::add(const StoredEvent& event, const Digest& leaf) {
  write_event(event, leaf, [this](std::string_view part) { file_.write(part); });
}

void write_event(const StoredEvent& event, const Digest& leaf,
                 const std::function<void(std::string_view)>& write) {
  write(big_endian32(static_cast<std::uint32_t>(event.bytes.size() + kDigestBytes)));
  write(length_of(event.personal));
  write(bytes_of(leaf));
  write(event.bytes);
  write(bytes_of(event.personal_digest));
  write(event.personal);
}

SegmentEvent read_event(const std::filesystem::path& path, Position position, const TakeBytes& take) {
  const auto part = [&](std::size_t bytes) {
    const auto found = take(bytes);
    if (found.empty()) throw damaged(path, "it ends early, or a length is wrong", position);
    return found;
  };
  const auto lengths = part(2 * kBigEndian32Bytes);
  const auto leaf_bytes = static_cast<std::size_t>(from_big_endian(lengths.substr(0, kBigEndian32Bytes)));
  const auto personal_bytes = static_cast<std::size_t>(from_big_endian(lengths.substr(kBigEndian32Bytes)));
  if (leaf_bytes <= kDigestBytes) throw damaged(path, "an event is too short", position);
  const auto bytes = part(kDigestBytes + leaf_bytes + personal_bytes);
  const SegmentEvent event{.position = position,
                           .leaf = bytes.substr(kDigestBytes, leaf_bytes),
                           .personal = bytes.substr(kDigestBytes + leaf_bytes),
                           .leaf_hash = digest_from_bytes(bytes.substr(0, kDigestBytes))};
  if (leaf_hash(event.leaf) != event.leaf_hash)
    throw damaged(path, "the event is not the one that was written", position);
  const auto digest = event.leaf.substr(leaf_bytes - kDigestBytes);
  if (!event.personal.empty() && bytes_of(sha256(event.personal)) != digest)
    throw damaged(path, "the personal data are not those that were written", position);
  return event;
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
