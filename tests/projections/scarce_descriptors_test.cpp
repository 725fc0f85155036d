#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/platform/faults.h"
#include "projections/due_charges.h"
#include "projections/generations/generation.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/support/one_gigabyte.h"

namespace pixledger::tests {
namespace {

using projections::Generation;

// Limits this process's free descriptors during its life.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    const rlimit few{static_cast<rlim_t>(next) + left, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

// Tries it with more and more descriptors until it succeeds; until then it must throw, but not report damage.
template <class Work>
bool goes_well_with(rlim_t descriptors, const Work& work) {
  const FewDescriptors few(descriptors);
  try {
    work();
    return true;
  } catch (const DataDamaged& damaged) {
    FAIL("took it for damage: " << damaged.what());
  } catch (const std::exception&) {
  }
  return false;
}

}  // namespace

TEST_CASE("read models that cannot be opened without descriptors are kept") {
  const StoredRandomLedger ledger(9, 100);
  const auto views = ledger.directory() / "views";
  const auto open = [&] { return Generation::open_or_build(views, ledger.log(), one_gigabyte()); };
  const auto built = open()->directory();
  rlim_t descriptors = 0;
  while (!goes_well_with(descriptors, [&] {
    const auto opened = open()->directory();
    CHECK(opened == built);
  })) {
    REQUIRE(projections::find_trusted_generation(views, ledger.log().identity()) == built);
    REQUIRE(++descriptors < 100);
  }
  CHECK(descriptors > 1);
  // Their lists have been saved and found again, too.
  CHECK_FALSE(open()->database().list_versions().empty());
}

TEST_CASE("due charges that cannot be opened without descriptors are kept") {
  const StoredRandomLedger ledger(9, 100);
  const auto directory = ledger.directory() / "expiry";
  const auto head = eventstore::cursor_at(ledger.log(), ledger.log().head().position);
  projections::DueCharges(directory, ledger.log(), one_gigabyte()).apply({}, head);
  rlim_t descriptors = 0;
  const auto open = [&] {
    const auto cursor = projections::DueCharges(directory, ledger.log(), one_gigabyte()).cursor();
    CHECK(cursor == head);
  };
  while (!goes_well_with(descriptors, open)) REQUIRE(++descriptors < 100);
  CHECK(descriptors > 1);
}

}  // namespace pixledger::tests
