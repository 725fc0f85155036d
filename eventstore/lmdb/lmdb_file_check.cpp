#include "eventstore/lmdb/lmdb_file_check.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_page.h"

namespace pixledger::eventstore {
namespace {

// The layout of LMDB's pages (mdb.c, data version 1) on a 64-bit machine.
constexpr std::uint16_t kBranchFlag = 0x01;
constexpr std::uint16_t kLeafFlag = 0x02;
constexpr std::uint16_t kOverflowFlag = 0x01;     // of a leaf's node: its value has pages of its own
constexpr std::size_t kFreeListRootAt = 24 + 40;  // in a meta page, after its header
constexpr std::size_t kTransactionAt = 128;
constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
constexpr int kDisturbedLooksMax = 1000;
constexpr int kDepthMax = 32;

template <class Number>
Number number_at(const std::vector<char>& bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) throw LmdbFileDamaged("");
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Counts the free pages beyond the file's end. Reads through the descriptor, since the map ends with the
// file. Throws LmdbFileDamaged without a text.
class FreeList {
 public:
  FreeList(int file, std::size_t page_bytes, std::uint64_t pages_in_file)
      : file_(file), page_bytes_(page_bytes), pages_in_file_(pages_in_file) {}

  std::uint64_t count_beyond_end() {
    const auto root = newest_root();
    if (root != kNoPage) walk(root, 0);
    return beyond_end_;
  }

 private:
  std::vector<char> read(std::uint64_t offset, std::size_t size) const {
    std::vector<char> bytes(size);
    const auto count = ::pread(file_, bytes.data(), size, static_cast<off_t>(offset));
    if (count < 0) throw std::system_error(errno, std::generic_category(), "cannot read the data file");
    if (count != static_cast<ssize_t>(size)) throw LmdbFileDamaged("");
    return bytes;
  }

  std::uint64_t newest_root() const {
    std::optional<std::pair<std::uint64_t, std::uint64_t>> newest;
    for (const auto page : {std::uint64_t{0}, std::uint64_t{1}}) {
      const auto meta = read(page * page_bytes_ + kPageHeaderBytes, kMetaBytes);
      const std::pair found(number_at<std::uint64_t>(meta, kTransactionAt),
                            number_at<std::uint64_t>(meta, kFreeListRootAt));
      if (!newest || found.first > newest->first) newest = found;
    }
    return newest->second;
  }

  void walk(std::uint64_t number, int depth) {
    if (number >= pages_in_file_ || depth > kDepthMax) throw LmdbFileDamaged("");
    const auto page = read(number * page_bytes_, page_bytes_);
    const auto flags = number_at<std::uint16_t>(page, kPageFlagsAt);
    const auto lower = number_at<std::uint16_t>(page, kPageLowerAt);
    for (std::size_t at = kPageHeaderBytes; at + 1 < lower; at += 2) {
      const std::size_t node = number_at<std::uint16_t>(page, at);
      if ((flags & kBranchFlag) != 0) {
        walk(number_at<std::uint64_t>(page, node) & 0xffff'ffff'ffff, depth + 1);
      } else if ((flags & kLeafFlag) != 0) {
        count(page, node);
      } else {
        throw LmdbFileDamaged("");
      }
    }
  }

  // A node's value is the number of pages in its list, then their numbers.
  void count(const std::vector<char>& page, std::size_t node) {
    const std::size_t value_bytes = number_at<std::uint32_t>(page, node);
    const std::size_t value_at = node + kNodeHeaderBytes + number_at<std::uint16_t>(page, node + 6);
    if ((number_at<std::uint16_t>(page, node + 4) & kOverflowFlag) == 0) {
      count_numbers(page, value_at);
    } else if (value_bytes <= pages_in_file_ * page_bytes_) {
      const auto overflow = number_at<std::uint64_t>(page, value_at);
      if (overflow >= pages_in_file_) throw LmdbFileDamaged("");
      count_numbers(read(overflow * page_bytes_ + kPageHeaderBytes, value_bytes), 0);
    } else {
      throw LmdbFileDamaged("");
    }
  }

  void count_numbers(const std::vector<char>& bytes, std::size_t at) {
    const auto numbers = number_at<std::uint64_t>(bytes, at);
    if (numbers > bytes.size() / sizeof numbers) throw LmdbFileDamaged("");
    for (std::uint64_t i = 1; i <= numbers; ++i) {
      if (number_at<std::uint64_t>(bytes, at + i * sizeof numbers) >= pages_in_file_) ++beyond_end_;
    }
  }

  const int file_;
  const std::size_t page_bytes_;
  const std::uint64_t pages_in_file_;
  std::uint64_t beyond_end_ = 0;
};

std::size_t page_bytes_of(MDB_env* environment) {
  MDB_stat stat{};
  check_lmdb(mdb_env_stat(environment, &stat), "mdb_env_stat");
  return stat.ms_psize;
}

std::uint64_t pages_taken(MDB_env* environment) {
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(environment, &info), "mdb_env_info");
  return info.me_last_pgno + 1;
}

std::uint64_t whole_pages_in(int file, std::size_t page_bytes) {
  struct stat status {};
  if (::fstat(file, &status) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot look at the data file");
  return static_cast<std::uint64_t>(status.st_size) / page_bytes;
}

bool misses_used_pages(MDB_env* environment, int data_file) {
  const auto page_bytes = page_bytes_of(environment);
  // In this order, since the file only grows.
  const auto taken = pages_taken(environment);
  const auto in_file = whole_pages_in(data_file, page_bytes);
  if (in_file >= taken) return false;
  try {
    return FreeList(data_file, page_bytes, in_file).count_beyond_end() != taken - in_file;
  } catch (const LmdbFileDamaged&) {
    return true;
  }
}

bool misses_used_pages_while_nobody_writes(MDB_env* environment, int data_file) {
  MDB_txn* still = nullptr;
  check_lmdb(mdb_txn_begin(environment, nullptr, 0, &still), "mdb_txn_begin");
  const bool misses = misses_used_pages(environment, data_file);
  mdb_txn_abort(still);
  return misses;
}

bool is_read_only(MDB_env* environment) {
  unsigned flags = 0;
  check_lmdb(mdb_env_get_flags(environment, &flags), "mdb_env_get_flags");
  return (flags & MDB_RDONLY) != 0;
}

std::size_t last_transaction(MDB_env* environment) {
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(environment, &info), "mdb_env_info");
  return info.me_last_txnid;
}

// A read-only process cannot block writers, but sees whether one has committed.
bool misses_used_pages_while_nobody_commits(MDB_env* environment, int data_file) {
  for (int look = 0; look < kDisturbedLooksMax; ++look) {
    const auto before = last_transaction(environment);
    if (!misses_used_pages(environment, data_file)) return false;
    if (last_transaction(environment) == before) return true;
  }
  return true;
}

}  // namespace

void check_file_is_whole(MDB_env* environment, int data_file, const std::filesystem::path& name) {
  if (!misses_used_pages(environment, data_file)) return;
  // Another process may have written meanwhile.
  const bool damaged = is_read_only(environment)
                           ? misses_used_pages_while_nobody_commits(environment, data_file)
                           : misses_used_pages_while_nobody_writes(environment, data_file);
  if (damaged) throw LmdbFileDamaged(name.string() + " is shorter than it says: damaged");
}

void check_file_is_not_empty(const std::filesystem::path& name) {
  std::error_code missing;
  if (std::filesystem::file_size(name, missing) == 0 && !missing)
    throw LmdbFileDamaged(name.string() + " is empty: damaged");
}

}  // namespace pixledger::eventstore
