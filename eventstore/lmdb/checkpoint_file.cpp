#include "eventstore/lmdb/checkpoint_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

#include "base/platform/big_endian.h"
#include "base/platform/crc32c.h"
#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"
#include "eventstore/lmdb/lmdb_page.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpointFile = "checkpoint";
constexpr std::string_view kSlotMagic = "PXLC";
constexpr std::size_t kSlotBytes = 4096;  // no torn write has both
constexpr std::size_t kSlotCrcAt = kSlotBytes - kBigEndian32Bytes;

std::string encode_slot(const LmdbCheckpoint& checkpoint, const LogIdentity& owner) {
  auto slot = std::string(kSlotMagic) + big_endian32(static_cast<std::uint32_t>(owner.ledger_id.size())) +
              big_endian32(static_cast<std::uint32_t>(checkpoint.meta.size()));
  for (const auto number : {checkpoint.sequence, checkpoint.transaction, checkpoint.number,
                            checkpoint.place.segment, checkpoint.place.offset})
    slot += big_endian(number);
  slot +=
      big_endian32(owner.epoch) + big_endian32(checkpoint.roots_check) + owner.ledger_id + checkpoint.meta;
  slot.resize(kSlotCrcAt);
  return slot + big_endian32(crc32c(slot));
}

struct Slot {
  LmdbCheckpoint checkpoint;
  LogIdentity owner;
};

std::optional<Slot> decode_slot(std::string_view slot) {
  if (slot.size() < kSlotBytes || !slot.starts_with(kSlotMagic)) return std::nullopt;
  if (from_big_endian(slot.substr(kSlotCrcAt, kBigEndian32Bytes)) != crc32c(slot.substr(0, kSlotCrcAt)) &&
      !is_planted(Planted::kCrcUnchecked))
    return std::nullopt;
  auto rest = slot.substr(kSlotMagic.size());
  const auto take = [&rest](std::size_t size) {
    const auto taken = rest.substr(0, size);
    rest.remove_prefix(std::min(size, rest.size()));
    return taken;
  };
  const auto number = [&] { return from_big_endian(take(kBigEndianBytes)); };
  const auto number32 = [&] { return static_cast<std::uint32_t>(from_big_endian(take(kBigEndian32Bytes))); };
  Slot read;
  const auto id_bytes = number32();
  const auto meta_bytes = number32();
  auto& checkpoint = read.checkpoint;
  for (auto* const field : {&checkpoint.sequence, &checkpoint.transaction, &checkpoint.number,
                            &checkpoint.place.segment, &checkpoint.place.offset})
    *field = number();
  read.owner.epoch = number32();
  checkpoint.roots_check = number32();
  read.owner.ledger_id = take(id_bytes);
  checkpoint.meta = take(meta_bytes);
  return read;
}

Slot newest_slot(const fs::path& file, int again = 3) {
  const auto bytes = read_if_there(file);
  if (!bytes)
    throw LogCorrupt(file.string() + " is missing, without which " + file.parent_path().string() +
                     " cannot be used: restore a backup, and see what pixledger doctor says");
  std::optional<Slot> newest;
  for (std::size_t at = 0; at < 2 * kSlotBytes && at < bytes->size(); at += kSlotBytes) {
    auto slot = decode_slot(std::string_view(*bytes).substr(at, kSlotBytes));
    if (slot && (!newest || slot->checkpoint.sequence > newest->checkpoint.sequence))
      newest = std::move(slot);
  }
  // One that was being written may have become the only one meanwhile.
  if (!newest && again > 0) return newest_slot(file, again - 1);
  if (!newest)
    throw LogCorrupt(file.string() +
                     " has no whole checkpoint: restore a backup, and see what pixledger "
                     "doctor says");
  return *std::move(newest);
}

void write_whole(const Descriptor& file, const fs::path& name, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const auto count = ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_on(name, "write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
    at += static_cast<std::uint64_t>(count);
  }
}

void sync_data(const Descriptor& file, const fs::path& name) {
  if (::fdatasync(file.number()) != 0) fail_on(name, "sync");
}

// Empty if the file does not have so many.
std::string read_bytes(const Descriptor& data_file, std::size_t size, std::uint64_t at) {
  std::string bytes(size, '\0');
  const auto count = ::pread(data_file.number(), bytes.data(), size, static_cast<off_t>(at));
  return count == static_cast<ssize_t>(size) ? bytes : std::string();
}

std::string read_meta(const Descriptor& data_file, std::uint64_t page_at) {
  auto meta = read_bytes(data_file, kMetaBytes, page_at + kPageHeaderBytes);
  return meta_magic_is_right(meta) ? meta : std::string();
}

std::uint32_t check_of_roots(const Descriptor& data_file, std::string_view meta) {
  const auto page_bytes = page_bytes_of_meta(meta);
  std::uint32_t check = 0;
  // Without the bytes that an erasure may overwrite.
  const auto add = [&](std::uint64_t number) {
    auto page = read_bytes(data_file, page_bytes, number * page_bytes);
    const auto unused = page.empty() ? std::nullopt : unused_middle_of(page, number);
    if (!unused) return std::string();
    check = crc32c(page.substr(unused->end), crc32c(page.substr(0, unused->begin), check));
    return page;
  };
  if (const auto root = add(root_page_of_meta(meta)); !root.empty()) for_each_database(root, add);
  return check;
}

}  // namespace

CheckpointFile::CheckpointFile(const fs::path& directory, LogIdentity owner)
    : file_(directory / kCheckpointFile), owner_(std::move(owner)) {}

bool CheckpointFile::exists(const fs::path& directory) { return fs::exists(directory / kCheckpointFile); }

void CheckpointFile::create() const {
  LmdbCheckpoint first;
  first.sequence = 1;
  write_durably(file_, encode_slot(first, owner_) + std::string(kSlotBytes, '\0'));
}

LmdbCheckpoint CheckpointFile::newest() const {
  auto slot = newest_slot(file_);
  if (slot.owner != owner_)
    throw LogCorrupt(file_.string() +
                     " is of another ledger, or from before a restore: restore a backup, and "
                     "see what pixledger doctor says");
  return std::move(slot.checkpoint);
}

LmdbCheckpoint CheckpointFile::newest_durable() const {
  auto read = newest();
  const Descriptor file(file_, O_RDONLY);
  if (!file) fail_on(file_, "open");
  sync_data(file, file_);
  return read;
}

LmdbCheckpoint CheckpointFile::newest_in(const fs::path& directory) {
  return newest_slot(directory / kCheckpointFile).checkpoint;
}

void CheckpointFile::write(const LmdbCheckpoint& checkpoint) const {
  put_slot(checkpoint.sequence, encode_slot(checkpoint, owner_));
  forget_before(checkpoint);
}

void CheckpointFile::forget_before(const LmdbCheckpoint& newest) const {
  const auto slot = read_bytes(Descriptor(file_, O_RDONLY), kSlotBytes, newest.sequence % 2 * kSlotBytes);
  if (slot != std::string(kSlotBytes, '\0')) put_slot(newest.sequence + 1, {});
}

void CheckpointFile::put_slot(std::uint64_t sequence, std::string slot) const {
  const Descriptor file(file_, O_WRONLY);
  if (!file) fail_on(file_, "open");
  slot.resize(kSlotBytes);
  write_whole(file, file_, slot, (sequence + 1) % 2 * kSlotBytes);
  sync_data(file, file_);
}

std::optional<LmdbCheckpoint> newest_meta_in(const fs::path& directory) {
  const auto name = directory / "data.mdb";
  const Descriptor file(name, O_RDONLY);
  if (!file) fail_on(name, "open");
  LmdbCheckpoint newest;
  // The first page may be torn; both say how large pages are.
  auto page_bytes = page_bytes_of_meta(read_meta(file, 0));
  if (page_bytes == 0) page_bytes = kSlotBytes;
  for (const std::uint64_t page : {0, 1}) {
    auto meta = read_meta(file, page * page_bytes);
    const auto transaction = transaction_of_meta(meta);
    if (meta.empty() || (!newest.meta.empty() && transaction <= newest.transaction)) continue;
    newest.transaction = transaction;
    newest.meta = std::move(meta);
  }
  if (newest.meta.empty()) return std::nullopt;
  newest.roots_check = check_of_roots(file, newest.meta);
  return newest;
}

void begin_writeback(const fs::path& directory) {
  const Descriptor file(directory / "data.mdb", O_RDONLY);
  if (file) ::sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

void go_back_to(const LmdbCheckpoint& checkpoint, const fs::path& directory) {
  const auto name = directory / "data.mdb";
  const auto newest = newest_meta_in(directory);
  // After a regular end nothing is written, where there may be no room.
  if (newest && newest->meta == checkpoint.meta) return;
  const Descriptor file(name, O_RDWR);
  if (!file) fail_on(name, "open");
  if (!newest || newest->transaction < checkpoint.transaction ||
      check_of_roots(file, checkpoint.meta) != checkpoint.roots_check)
    throw LogCorrupt(name.string() +
                     " and its checkpoint do not belong together: one of them was exchanged, or is damaged. "
                     "Restore a backup");
  const auto page_bytes = page_bytes_of_meta(checkpoint.meta);
  for (const std::uint64_t page : {0, 1}) {
    if (page == 1 && is_planted(Planted::kOneMetaRestored)) break;
    if (read_meta(file, page * page_bytes) == checkpoint.meta) continue;
    write_whole(file, name, checkpoint.meta, page * page_bytes + kPageHeaderBytes);
    sync_data(file, name);
  }
}

}  // namespace pixledger::eventstore
