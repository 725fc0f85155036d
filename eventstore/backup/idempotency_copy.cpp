#include "eventstore/backup/idempotency_copy.h"

#include <algorithm>
#include <chrono>

#include "eventstore/backup/backup_error.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/lmdb/lmdb_log_reads.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kMagic = "pixledger idempotency 1\n";
constexpr std::size_t kTimeBytes = 8;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kLengthBytes = 4;
// One reading transaction lasts at most this long: it keeps all later pages alive.
constexpr std::chrono::milliseconds kReadMax{50};

std::string time_key(Timestamp time) { return big_endian(static_cast<std::uint64_t>(time.millis())); }

// In the order of their times, which do not change while they count.
class Copy {
 public:
  Copy(const LmdbLog& log, Position last, Timestamp now, BackupFileWriter& file)
      : log_(log), last_(last), after_all_(time_key(now.plus_millis(1))), file_(file) {
    next_ = time_key(std::max(Timestamp(0), now.plus_millis(-kIdempotencyKeptMs)));
  }

  std::uint64_t run() {
    while (copy_some()) {
    }
    return count_;
  }

 private:
  // False when there are no more.
  bool copy_some() {
    const auto deadline = std::chrono::steady_clock::now() + kReadMax;
    const LmdbRead read(log_.environment());
    LmdbCursor times(read.get(), log_.databases().idempotency_times);
    for (bool more = times.seek(next_); more; more = times.move(MDB_NEXT)) {
      if (times.key() >= after_all_) return false;
      if (std::chrono::steady_clock::now() > deadline) {
        next_ = times.key();
        return true;
      }
      copy(read, times.key());
    }
    return false;
  }

  void copy(const LmdbRead& read, std::string_view entry) {
    if (entry.size() != kTimeBytes + kKeyBytes)
      throw LogCorrupt("the index of idempotency records is damaged");
    const auto record = lmdb_get(read.get(), log_.databases().idempotency, entry.substr(kTimeBytes));
    if (!record) throw LogCorrupt("there is a time of an idempotency record that is not there");
    if (decode_idempotency_record(*record).as_of() > last_) return;
    file_.write(entry);
    file_.write(big_endian32(static_cast<std::uint32_t>(record->size())));
    file_.write(*record);
    ++count_;
  }

  const LmdbLog& log_;
  const Position last_;
  const std::string after_all_;
  BackupFileWriter& file_;
  std::string next_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t copy_idempotency(const LmdbLog& log, Position last, Timestamp now,
                               const std::filesystem::path& directory, BackupManifest& manifest) {
  const auto name = manifest.state_directory() + '/' + kIdempotencyFile;
  BackupFileWriter file(directory / name);
  file.write(kMagic);
  const auto count = Copy(log, last, now, file).run();
  manifest.files.push_back({name, file.finish()});
  return count;
}

void read_idempotency(const std::filesystem::path& path,
                      const std::function<void(const IdempotencyEntry&)>& visit) {
  BackupFileReader file(path);
  if (file.next(kMagic.size()) != kMagic) throw damaged(path, "it does not begin as it was written");
  while (file.left() > 0) {
    const std::string head(file.next(kTimeBytes + kKeyBytes + kLengthBytes));
    if (head.empty()) throw damaged(path, "it ends early");
    const auto length = static_cast<std::size_t>(from_big_endian(head.substr(kTimeBytes + kKeyBytes)));
    const auto record = file.next(length);
    if (record.empty()) throw damaged(path, "it ends early");
    const auto millis = static_cast<std::int64_t>(from_big_endian(head.substr(0, kTimeBytes)));
    visit({Timestamp(millis), std::string_view(head).substr(kTimeBytes, kKeyBytes), record});
  }
}

}  // namespace pixledger::eventstore
