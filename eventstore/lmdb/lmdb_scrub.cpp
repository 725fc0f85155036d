#include "eventstore/lmdb/lmdb_scrub.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/platform/descriptor.h"
#include "eventstore/lmdb/lmdb_page.h"
#include "eventstore/lmdb/lmdb_stats.h"

// Buffers: a write takes pages from LMDB's list of unused buffers by putting large values, overwrites each,
// and aborts, which returns them all. LMDB needs one for itself now and then, so there are three rounds of
// different lengths.
//
// File: first a commit, then a wait until no reader has a snapshot from before it. What was freed by then is
// unused. Then, in short exclusive writes that change nothing, each page is read through a descriptor of the
// file and overwritten in place:
// - a free page that no snapshot has: all of it;
// - a page in use: the bytes that none of its records uses;
// - a large value: what lies behind its end.
// Free pages that a snapshot had at that moment come last, after it has ended.
namespace pixledger::eventstore {
namespace {

// --- buffers ---

// This many clean buffers in a row mean that the rest is clean: LMDB reuses the last used one first.
constexpr std::size_t kCleanInARow = 64;
constexpr std::size_t kBuffersMax = 100'000;  // a transaction has room for 131,071 pages
// LMDB needs a page for itself now and then, which is not overwritten. Each round hands the buffers out in
// another order.
constexpr std::array<std::size_t, 2> kMoreInLaterRounds{13, 71};

std::string scratch_key(std::uint64_t number) { return '\xff' + std::string("scrub") + big_endian(number); }

bool is_zero(const char* bytes, std::size_t size) {
  return size == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

// Takes and overwrites buffers until `buffers` have been taken or, if it is nullopt, only clean ones come.
// The caller aborts the write, which returns them. Returns how many it took.
std::size_t scrub_round(LmdbWrite& write, std::optional<std::size_t> buffers) {
  MDB_dbi names = 0;
  check_lmdb(mdb_dbi_open(write.get(), nullptr, 0, &names), "mdb_dbi_open");
  MDB_stat stat{};
  check_lmdb(mdb_stat(write.get(), names, &stat), "mdb_stat");
  const std::size_t size = stat.ms_psize - kPageHeaderBytes;
  std::size_t taken = 0;
  for (std::size_t clean = 0; buffers ? taken < *buffers : clean < kCleanInARow && taken < kBuffersMax;
       ++taken) {
    const auto key = scratch_key(taken);
    MDB_val key_val = to_val(key);
    MDB_val value{size, nullptr};
    check_lmdb(mdb_put(write.get(), names, &key_val, &value, MDB_RESERVE | MDB_APPEND), "mdb_put");
    auto* bytes = static_cast<char*>(value.mv_data);
    clean = is_zero(bytes, size) ? clean + 1 : 0;
    std::memset(bytes, 0, size);
  }
  return taken;
}

// --- file ---

constexpr std::uint64_t kPagesPerStep = 512;
constexpr std::chrono::milliseconds kReadersEvery{5};

class DataFile {
 public:
  explicit DataFile(const std::filesystem::path& file) : descriptor_(file, O_RDWR) {
    if (!descriptor_) fail("cannot open " + file.string());
  }

  // Returns fewer bytes at the file's end.
  std::vector<char> read(std::uint64_t at, std::size_t size) const {
    std::vector<char> bytes(size);
    std::size_t done = 0;
    while (done < size) {
      const auto count =
          ::pread(descriptor_.number(), bytes.data() + done, size - done, static_cast<off_t>(at + done));
      if (count < 0) fail("cannot read the data file");
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }
  void clear(std::uint64_t at, std::size_t size) const {
    const std::vector<char> zeros(size);
    for (std::size_t done = 0; done < size;) {
      const auto count =
          ::pwrite(descriptor_.number(), zeros.data() + done, size - done, static_cast<off_t>(at + done));
      if (count <= 0) fail("cannot overwrite the data file");
      done += static_cast<std::size_t>(count);
    }
  }
  std::uint64_t size() const {
    struct stat status {};
    if (::fstat(descriptor_.number(), &status) != 0) fail("cannot look at the data file");
    return static_cast<std::uint64_t>(status.st_size);
  }
  void sync() const {
    if (::fdatasync(descriptor_.number()) != 0) fail("cannot sync the data file");
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
  }
  Descriptor descriptor_;
};

// The free pages, and the transactions that freed them; used in an exclusive write. No snapshot taken after
// that transaction has the page.
class FreePages {
 public:
  // For the pages from `begin` up to `end`.
  FreePages(const LmdbEnvironment& environment, std::uint64_t begin, std::uint64_t end) {
    constexpr MDB_dbi kFreeList = 0;
    const auto stats = lmdb_stats(environment);
    // The last commit itself does not count: if its meta page is lost, the previous one is valid.
    safe_before_ = std::min(stats.last_transaction, stats.oldest_read.value_or(stats.last_transaction));
    const LmdbRead read(environment);
    LmdbCursor cursor(read.get(), kFreeList);
    for (bool more = cursor.move(MDB_FIRST); more; more = cursor.move(MDB_NEXT)) {
      std::uint64_t transaction = 0;
      std::memcpy(&transaction, cursor.key().data(), sizeof transaction);
      note(transaction, cursor.value(), begin, end);
    }
  }

  bool has(std::uint64_t page) const { return freed_by_.count(page) != 0; }
  // No snapshot has the page any more.
  bool is_unseen(std::uint64_t page) const { return freed_by_.at(page) < safe_before_; }

 private:
  void note(std::uint64_t transaction, std::string_view list, std::uint64_t begin, std::uint64_t end) {
    const auto count = pages_in_free_record(list);
    if (!count) throw_lmdb("the list of free pages", MDB_CORRUPTED);
    for (std::size_t i = 1; i <= *count; ++i) {
      std::uint64_t page = 0;
      std::memcpy(&page, list.data() + i * sizeof page, sizeof page);
      if (page >= begin && page < end) freed_by_.emplace(page, transaction);
    }
  }

  std::map<std::uint64_t, std::uint64_t> freed_by_;
  std::uint64_t safe_before_ = 0;
};

class FileScrub {
 public:
  FileScrub(const LmdbEnvironment& environment, const InWrite& in_write, std::chrono::milliseconds patience,
            const std::function<void()>& while_waiting, const std::function<void()>& make_checkpoint)
      : environment_(environment),
        in_write_(in_write),
        patience_(patience),
        while_waiting_(while_waiting),
        make_checkpoint_(make_checkpoint),
        file_(environment.directory() / "data.mdb") {
    MDB_stat stat{};
    check_lmdb(mdb_env_stat(environment.get(), &stat), "mdb_env_stat");
    page_bytes_ = stat.ms_psize;
  }

  void run() {
    wait_for_snapshots();
    for (std::uint64_t next = kMetaPages; next != 0;) {
      in_write_([&](LmdbWrite&) { next = scrub_from(next); });
      file_.sync();
    }
    while (!left_.empty()) {
      wait_for_snapshots();
      in_write_([&](LmdbWrite&) { scrub_left(); });
      file_.sync();
    }
  }

 private:
  static constexpr std::uint64_t kMetaPages = 2;

  // Commits, so that earlier frees do not belong to the last transaction, and waits until no reader has a
  // snapshot from before that.
  void wait_for_snapshots() {
    std::uint64_t last = 0;
    in_write_([&](LmdbWrite& write) {
      last = mdb_txn_id(write.get()) - 1;
      touch(write);
      write.commit();
    });
    make_checkpoint_();
    const auto deadline = std::chrono::steady_clock::now() + patience_;
    while (true) {
      environment_.clear_stale_readers();
      const auto stats = lmdb_stats(environment_);
      if (!stats.oldest_read || *stats.oldest_read > last) return;
      if (std::chrono::steady_clock::now() >= deadline)
        throw SnapshotInUse("process " + std::to_string(stats.oldest_reader) +
                            " has been reading an old snapshot of " + environment_.directory().string() +
                            " all the time");
      while_waiting_();
      std::this_thread::sleep_for(kReadersEvery);
    }
  }

  // LMDB skips a commit without a put.
  static void touch(LmdbWrite& write) {
    MDB_dbi names = 0;
    check_lmdb(mdb_dbi_open(write.get(), nullptr, 0, &names), "mdb_dbi_open");
    const auto key = scratch_key(0);
    lmdb_put(write.get(), names, key, "");
    MDB_val key_val = to_val(key);
    check_lmdb(mdb_del(write.get(), names, &key_val, nullptr), "mdb_del");
  }

  // Returns where to continue; 0 at the end.
  std::uint64_t scrub_from(std::uint64_t first) {
    const auto pages = lmdb_stats(environment_).used_bytes / page_bytes_;
    if (first >= pages) {
      scrub_beyond(pages);
      return 0;
    }
    const auto end = std::min(pages, first + kPagesPerStep);
    const FreePages free(environment_, first, end);
    const auto bytes = file_.read(first * page_bytes_, (end - first) * page_bytes_);
    auto number = first;
    while (number < end) {
      const auto offset = (number - first) * page_bytes_;
      // The pages at the end may never have been written.
      if (offset + page_bytes_ > bytes.size()) return end;
      number = scrub_page(number, PageBytes(bytes).subspan(offset, page_bytes_), free);
    }
    return number;
  }

  // Returns the number of the next page.
  std::uint64_t scrub_page(std::uint64_t number, PageBytes page, const FreePages& free) {
    if (free.has(number) && free.is_unseen(number)) {
      clear(number * page_bytes_, page);
      return number + 1;
    }
    const auto middle = unused_middle_of(page, number);
    if (middle)
      clear(number * page_bytes_ + middle->begin, page.subspan(middle->begin, middle->end - middle->begin));
    if (free.has(number)) {
      // A snapshot may still have the page, except for its unused middle.
      if (!middle) left_.push_back(number);
      return number + 1;
    }
    if (middle)
      for_each_large_value(page,
                           [this](std::uint64_t first, std::uint64_t size) { scrub_behind(first, size); });
    return number + pages_of_large_value(page, number).value_or(1);
  }

  void scrub_behind(std::uint64_t first_page, std::uint64_t value_bytes) {
    // A value that became shorter may keep the pages of the longer one.
    const auto header = file_.read(first_page * page_bytes_, kPageHeaderBytes);
    if (header.size() < kPageHeaderBytes) return;
    const auto pages = pages_of_large_value(header, first_page);
    const auto begin = first_page * page_bytes_ + kPageHeaderBytes + value_bytes;
    const auto end = (first_page + pages.value_or(0)) * page_bytes_;
    if (begin < end) clear(begin, file_.read(begin, end - begin));
  }

  void scrub_beyond(std::uint64_t pages) {
    const auto size = file_.size();
    for (auto at = pages * page_bytes_; at < size; at += page_bytes_) clear(at, file_.read(at, page_bytes_));
  }

  void scrub_left() {
    std::vector<std::uint64_t> still;
    const auto last = *std::max_element(left_.begin(), left_.end());
    const FreePages free(environment_, kMetaPages, last + 1);
    for (const auto number : left_) {
      // A page that is in use again has been overwritten since.
      if (!free.has(number)) continue;
      if (free.is_unseen(number))
        clear(number * page_bytes_, file_.read(number * page_bytes_, page_bytes_));
      else
        still.push_back(number);
    }
    left_ = std::move(still);
  }

  void clear(std::uint64_t at, PageBytes bytes) {
    if (!is_zero(bytes.data(), bytes.size())) file_.clear(at, bytes.size());
  }

  const LmdbEnvironment& environment_;
  const InWrite& in_write_;
  const std::chrono::milliseconds patience_;
  const std::function<void()>& while_waiting_;
  const std::function<void()>& make_checkpoint_;
  const DataFile file_;
  std::size_t page_bytes_ = 0;
  std::vector<std::uint64_t> left_;  // free ones that a snapshot may have had
};

}  // namespace

void scrub_page_buffers(const InWrite& in_write) {
  std::size_t taken = 0;
  in_write([&](LmdbWrite& write) { taken = scrub_round(write, std::nullopt); });
  for (const auto more : kMoreInLaterRounds)
    in_write([&](LmdbWrite& write) { scrub_round(write, taken + more); });
}

void scrub_unused_bytes(const LmdbEnvironment& environment, const InWrite& in_write,
                        std::chrono::milliseconds patience, const std::function<void()>& while_waiting,
                        const std::function<void()>& make_checkpoint) {
  FileScrub(environment, in_write, patience, while_waiting, make_checkpoint).run();
}

}  // namespace pixledger::eventstore
