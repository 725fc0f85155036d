// How fast bare LMDB commits the bytes of creates: the rows of a ledger's newest creates (events,
// personal parts, tree, index of streams, claims), put into a separate environment and committed in
// groups, each with LMDB's own syncs, as group commits are. Nothing is decided, hashed, read or answered.
//
//     bench_lmdb_commits DATA FOLDER [CREATES=20000] [GROUP=64]
//
// DATA is a data directory, which may be in use; FOLDER must be empty, on the disk to measure. Older rows
// are put there before the clock starts, so that the trees are as deep as the ledger's; that is at least a
// half. Prints JSON.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <lmdb.h>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kMapBytes = std::size_t{64} << 30;
constexpr unsigned kDatabases = 16;
constexpr unsigned kReaders = 512;               // as the ledger's own
constexpr std::size_t kVersionBytes = 5;         // in the key of a stream's event, behind its name
constexpr std::string_view kCharge = "charge-";  // a create's last event is its charge's first
const std::string kFirst("\0\0\0\0\1", kVersionBytes);

void check(int code, const char* what) {
  if (code != MDB_SUCCESS) throw std::runtime_error(std::string(what) + ": " + mdb_strerror(code));
}

std::string_view view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

class Environment {
 public:
  Environment(const std::filesystem::path& folder, unsigned flags) {
    check(mdb_env_create(&environment_), "mdb_env_create");
    check(mdb_env_set_mapsize(environment_, kMapBytes), "mdb_env_set_mapsize");
    check(mdb_env_set_maxdbs(environment_, kDatabases), "mdb_env_set_maxdbs");
    check(mdb_env_set_maxreaders(environment_, kReaders), "mdb_env_set_maxreaders");
    check(mdb_env_open(environment_, folder.c_str(), flags | MDB_NOTLS, 0600), "mdb_env_open");
  }
  ~Environment() { mdb_env_close(environment_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  MDB_env* get() const { return environment_; }

 private:
  MDB_env* environment_ = nullptr;
};

// Aborts unless committed.
class Transaction {
 public:
  Transaction(const Environment& environment, unsigned flags) {
    check(mdb_txn_begin(environment.get(), nullptr, flags, &transaction_), "mdb_txn_begin");
  }
  ~Transaction() {
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  MDB_dbi open(const char* name, unsigned flags) const {
    MDB_dbi database = 0;
    check(mdb_dbi_open(transaction_, name, flags, &database), name);
    return database;
  }
  void put(MDB_dbi database, std::string_view key, std::string_view value, unsigned flags) const {
    MDB_val k{key.size(), const_cast<char*>(key.data())}, v{value.size(), const_cast<char*>(value.data())};
    check(mdb_put(transaction_, database, &k, &v, flags), "mdb_put");
  }
  void each(const char* name, const std::function<void(std::string_view, std::string_view)>& take) const {
    MDB_cursor* cursor = nullptr;
    check(mdb_cursor_open(transaction_, open(name, 0), &cursor), "mdb_cursor_open");
    MDB_val key{}, value{};
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) take(view(key), view(value));
    mdb_cursor_close(cursor);
  }
  void commit() { check(mdb_txn_commit(std::exchange(transaction_, nullptr)), "mdb_txn_commit"); }

 private:
  MDB_txn* transaction_ = nullptr;
};

// The rows of one event. Positions are big-endian keys, so their bytes have their order.
struct Rows {
  std::string event, personal, tree, stream_key;
  std::vector<std::pair<std::string, std::string>> claims;
};

struct Source {
  std::map<std::string, Rows, std::less<>> rows;  // by position
  std::size_t creates = 0;

  explicit Source(const std::filesystem::path& ledger) {
    const Environment environment(ledger, MDB_RDONLY);
    const Transaction read(environment, MDB_RDONLY);
    read.each("events", [this](auto key, auto value) { rows[std::string(key)].event = value; });
    read.each("personal", [this](auto key, auto value) { of(key).personal = value; });
    read.each("tree", [this](auto key, auto value) { of(key).tree = value; });
    std::unordered_map<std::string, std::string> beginnings;  // where each stream begins
    read.each("streams", [&](auto key, auto position) {
      of(position).stream_key = key;
      if (key.substr(key.size() - kVersionBytes) == kFirst)
        beginnings[std::string(key.substr(0, key.size() - kVersionBytes))] = position;
      creates += is_end_of_create(key);
    });
    read.each("claims", [&](auto key, auto stream) {
      const auto begins = beginnings.find(std::string(stream));
      if (begins != beginnings.end()) of(begins->second).claims.emplace_back(key, stream);
    });
  }

  static bool is_end_of_create(std::string_view stream_key) {
    return stream_key.starts_with(kCharge) && stream_key.substr(stream_key.size() - kVersionBytes) == kFirst;
  }

 private:
  Rows& of(std::string_view position) {
    const auto found = rows.find(position);
    if (found == rows.end()) throw std::runtime_error("the ledger has rows of no event");
    return found->second;
  }
};

class Target {
 public:
  explicit Target(const std::filesystem::path& folder) : environment_(folder, 0) {
    Transaction write(environment_, 0);
    events_ = write.open("events", MDB_CREATE);
    personal_ = write.open("personal", MDB_CREATE);
    tree_ = write.open("tree", MDB_CREATE);
    streams_ = write.open("streams", MDB_CREATE);
    claims_ = write.open("claims", MDB_CREATE);
    meta_ = write.open("meta", MDB_CREATE);
    write.commit();
  }

  // Puts events of so many creates, from the iterator on, and commits them. Gives where the next begin.
  template <class Iterator>
  Iterator commit(Iterator from, Iterator end, std::size_t creates) {
    Transaction write(environment_, 0);
    std::size_t left = creates;
    for (; from != end && left > 0; ++from) {
      const auto& [position, row] = *from;
      write.put(events_, position, row.event, MDB_APPEND);
      if (!row.personal.empty()) write.put(personal_, position, row.personal, MDB_NOOVERWRITE);
      write.put(streams_, row.stream_key, position, MDB_NOOVERWRITE);
      for (const auto& [claim, stream] : row.claims) write.put(claims_, claim, stream, MDB_NOOVERWRITE);
      write.put(tree_, position, row.tree, MDB_APPEND);
      bytes_ += row.event.size() + row.personal.size() + row.tree.size() + row.stream_key.size();
      left -= Source::is_end_of_create(row.stream_key);
      if (left == 0) write.put(meta_, "head", position, 0);
    }
    write.commit();
    return from;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  Environment environment_;
  MDB_dbi events_ = 0, personal_ = 0, tree_ = 0, streams_ = 0, claims_ = 0, meta_ = 0;
  std::size_t bytes_ = 0;
};

void run(const std::filesystem::path& data, const std::filesystem::path& folder, std::size_t creates,
         std::size_t group) {
  const Source source(data / "ledger");
  creates = std::min(creates, source.creates / 2);
  if (creates < group) throw std::runtime_error("the ledger has too few creates");
  Target target(folder);
  auto next = target.commit(source.rows.begin(), source.rows.end(), source.creates - creates);
  const auto bytes_before = target.bytes();
  const auto begin = std::chrono::steady_clock::now();
  std::size_t commits = 0;
  std::vector<double> commit_ms;
  for (; next != source.rows.end() && commits < creates / group; ++commits) {
    const auto commit_begin = std::chrono::steady_clock::now();
    next = target.commit(next, source.rows.end(), group);
    commit_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - commit_begin).count());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const auto done = commits * group;
  std::sort(commit_ms.begin(), commit_ms.end());
  const auto percentile = [&commit_ms](std::size_t percent) {
    return commit_ms[(commit_ms.size() - 1) * percent / 100];
  };
  std::printf(R"({"creates":%zu,"commits":%zu,"seconds":%.3f,"creates_per_s":%.0f,"bytes_a_create":%zu,)"
              R"("commit_p50_ms":%.2f,"commit_p99_ms":%.2f,"commit_max_ms":%.2f})"
              "\n",
              done, commits, took.count(), static_cast<double>(done) / took.count(),
              (target.bytes() - bytes_before) / done, percentile(50), percentile(99), commit_ms.back());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: bench_lmdb_commits DATA FOLDER [CREATES] [GROUP]\n");
    return 2;
  }
  try {
    run(argv[1], argv[2], argc > 3 ? std::stoull(argv[3]) : 20'000, argc > 4 ? std::stoull(argv[4]) : 64);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_lmdb_commits: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
