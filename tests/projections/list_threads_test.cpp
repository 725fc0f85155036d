#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "projections/list/list_query.h"
#include "projections/list/transaction_list.h"
#include "tests/support/ledgers/random_list.h"

namespace {

using namespace pixledger;
using projections::find_charges;
using projections::ListFilter;
using projections::ListVersion;

}  // namespace

TEST_CASE("readers see exact versions while a writer changes the list", "[list]") {
  constexpr std::uint64_t kSeed = 51;
  CAPTURE(kSeed);
  constexpr int kSteps = 4'000;
  constexpr int kReaders = 3;
  tests::RandomList random(kSeed);
  for (int i = 0; i < 100; ++i) random.step();

  std::mutex mutex;
  std::atomic<bool> writing{true};
  std::atomic<int> wrong{0};
  const auto read = [&] {
    do {
      std::shared_ptr<const ListVersion> version;
      {
        const std::lock_guard lock(mutex);
        version = random.list.version();
      }
      // Each charge has one status, so the totals by status add up to all of them, whatever the writer does.
      std::uint64_t total = 0;
      for (int status = 0; status < 7; ++status) {
        ListFilter filter;
        filter.status = static_cast<domain::ChargeStatus>(status);
        total += find_charges(*version, filter, 0, 20).total;
      }
      ListFilter filter;
      filter.search = "a";
      const auto first = find_charges(*version, filter, 0, 50);
      const auto again = find_charges(*version, filter, 0, 50);
      if (total != version->charge_count() || first.total != again.total || first.ordinals != again.ordinals)
        ++wrong;
    } while (writing);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) readers.emplace_back(read);
  for (int i = 0; i < kSteps; ++i) {
    const std::lock_guard lock(mutex);
    random.step();
  }
  writing = false;
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
}
