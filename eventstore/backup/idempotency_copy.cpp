#include "eventstore/backup/idempotency_copy.h"

#include <algorithm>

#include "base/platform/big_endian.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/reading/short_snapshots.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kIdempotencyMagic = "pixledger idempotency 1\n";
constexpr std::size_t kKeyBytes = 32;
}  // namespace

std::uint64_t copy_idempotency(const LedgerLog& log, Position last, Timestamp now,
                               const std::filesystem::path& directory, BackupManifest& manifest) {
  const auto name = manifest.state_directory() + '/' + kIdempotencyFile;
  BackupFileWriter file(directory / name);
  file.write(kIdempotencyMagic);
  std::uint64_t count = 0;
  const auto from = std::max(Timestamp(0), now.plus_millis(-kIdempotencyKeptMs));
  // In the order of their times, which do not change while they count.
  const auto open = [from](const LogSnapshot& snapshot) { return snapshot.idempotency(from); };
  visit_in_short_snapshots(log, open, [&](const LogSnapshot&, const IdempotencyEntry& entry) {
    if (entry.time > now || entry.time < from) return false;
    if (decode_idempotency_record(entry.record).as_of() > last) return true;
    file.write(big_endian(static_cast<std::uint64_t>(entry.time.millis())));
    file.write(entry.key);
    file.write(big_endian32(static_cast<std::uint32_t>(entry.record.size())));
    file.write(entry.record);
    ++count;
    return true;
  });
  manifest.files.push_back({name, file.finish()});
  return count;
}

void read_idempotency(const std::filesystem::path& path,
                      const std::function<void(const IdempotencyEntry&)>& visit) {
  BackupFileReader file(path);
  if (file.next(kIdempotencyMagic.size()) != kIdempotencyMagic)
    throw damaged(path, "it does not begin as it was written");
  while (file.left() > 0) {
    const std::string head(file.next(kBigEndianBytes + kKeyBytes + kBigEndian32Bytes));
    if (head.empty()) throw damaged(path, "it ends early");
    const auto length = static_cast<std::size_t>(from_big_endian(head.substr(kBigEndianBytes + kKeyBytes)));
    const auto record = file.next(length);
    if (record.empty()) throw damaged(path, "it ends early");
    const auto millis = static_cast<std::int64_t>(from_big_endian(head.substr(0, kBigEndianBytes)));
    visit({.time = Timestamp(millis),
           .key = std::string_view(head).substr(kBigEndianBytes, kKeyBytes),
           .record = record,
           .is_as_written = true});
  }
}

}  // namespace pixledger::eventstore
