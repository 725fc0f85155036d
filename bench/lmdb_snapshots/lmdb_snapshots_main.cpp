#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"

// What a snapshot costs under many threads: LMDB's alone, with the guard of lmdb_environment.h, and as
// readers take it. Usage: bench_lmdb_snapshots DIR
namespace {

using namespace pixledger;
using namespace pixledger::eventstore;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kDuration{2};

// Each thread has a function of its own that takes and returns one snapshot.
void measure(const char* name, const std::function<std::function<void()>()>& make) {
  for (const int count : {1, 2, 8, 32}) {
    std::atomic<bool> stopping{false};
    std::atomic<std::uint64_t> total{0};
    std::vector<std::thread> threads;
    const auto processor_before = std::clock();
    const auto before = Clock::now();
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&] {
        const auto once = make();
        std::uint64_t taken = 0;
        for (; !stopping.load(std::memory_order_relaxed); ++taken) once();
        total += taken;
      });
    std::this_thread::sleep_for(kDuration);
    stopping = true;
    for (auto& thread : threads) thread.join();
    const auto taken = static_cast<double>(total.load());
    const double seconds = std::chrono::duration<double>(Clock::now() - before).count();
    const double processor = static_cast<double>(std::clock() - processor_before) / CLOCKS_PER_SEC;
    std::printf("%-12s %2d threads: %11.0f a second, %4.0f ns of processor each\n", name, count,
                taken / seconds, processor * 1e9 / taken);
  }
}

// Readers that a function has keep their places in LMDB's table until the environment ends.
void run(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  LmdbOptions options;
  options.map_bytes = std::size_t{1} << 30;
  LmdbEnvironment environment(directory, options);
  environment.open_database("a");
  SettledReaders guard(environment.get());
  measure("LMDB alone", [&] {
    MDB_txn* reader = nullptr;
    check_lmdb(mdb_txn_begin(environment.get(), nullptr, MDB_RDONLY, &reader), "mdb_txn_begin");
    mdb_txn_reset(reader);
    return [reader] {
      check_lmdb(mdb_txn_renew(reader), "mdb_txn_renew");
      mdb_txn_reset(reader);
    };
  });
  measure("guarded", [&] {
    return [&guard, reader = static_cast<MDB_txn*>(nullptr)]() mutable {
      check_lmdb(guard.take(reader), "take");
      mdb_txn_reset(reader);
    };
  });
  measure("as readers", [&] { return [&environment] { const LmdbRead read(environment); }; });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "Usage: bench_lmdb_snapshots DIR\n");
    return 2;
  }
  run(argv[1]);
}
