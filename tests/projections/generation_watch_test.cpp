#include "projections/generations/generation_watch.h"

#include <catch2/catch.hpp>
#include <future>

#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/support/one_gigabyte.h"

using namespace pixledger;
using namespace pixledger::projections;
namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

eventstore::LmdbOptions lmdb_options() {
  auto options = tests::one_gigabyte();
  options.sync = false;
  return options;
}

// A server's read models, and a rebuild's new generations beside them.
struct Fixture {
  tests::StoredRandomLedger ledger{1, 60};
  fs::path views = ledger.directory() / "views";
  GenerationDirectory first = build_first();
  fs::path pristine = ledger.directory() / "pristine";
  CurrentViews current{open_first()};
  Projector projector{current.in_use()->database(), ledger.log()};
  std::promise<std::string> refused;
  std::promise<std::string> adopted;
  std::atomic<int> refusals = 0;

  GenerationDirectory build_first() const {
    Generation::open_or_build(views, ledger.log(), lmdb_options()).reset();
    return find_own_generations(views).at(0);
  }
  std::shared_ptr<Generation> open_first() const {
    fs::copy(first.path, pristine, fs::copy_options::recursive);
    return Generation::open(first, ledger.log(), lmdb_options());
  }

  // Complete, but without a checkpoint, so that it is not opened.
  fs::path put_without_checkpoint(std::uint64_t number) {
    fs::remove_all(views / "next");
    fs::copy(pristine, views / "next", fs::copy_options::recursive);
    fs::remove(views / "next" / "checkpoint");
    return put(number);
  }
  fs::path put_sound(std::uint64_t number) {
    fs::copy(pristine, views / "next", fs::copy_options::recursive);
    return put(number);
  }

  GenerationWatchOptions options() {
    GenerationWatchOptions options;
    options.lmdb = lmdb_options();
    options.look_every = 1ms;
    options.retry_every = 1ms;
    options.on_adopted = [this](const std::string& name) { adopted.set_value(name); };
    options.on_refused = [this](const std::string& name, const std::string&) {
      if (refusals++ == 0) refused.set_value(name);
    };
    return options;
  }

 private:
  fs::path put(std::uint64_t number) const {
    const auto path = views / (std::to_string(first.set_version) + "-" + std::to_string(number));
    fs::rename(views / "next", path);
    return path;
  }
};

std::string told(std::promise<std::string>& promise) {
  auto future = promise.get_future();
  REQUIRE(future.wait_for(60s) == std::future_status::ready);
  return future.get();
}

}  // namespace

TEST_CASE("a generation that could not be adopted is tried again, and reported once") {
  Fixture fixture;
  const auto next = fixture.put_without_checkpoint(fixture.first.number + 1);
  {
    const GenerationWatch watch(fixture.current, fixture.projector, fixture.ledger.log(), fixture.options());
    CHECK(told(fixture.refused) == next.filename());
    fs::copy(fixture.pristine / "checkpoint", next / "checkpoint");
    CHECK(told(fixture.adopted) == next.filename());
  }
  CHECK(fixture.refusals == 1);
  CHECK(fixture.current.in_use()->directory() == next);
}

TEST_CASE("a generation that could not be adopted is deleted once a newer one is in use") {
  Fixture fixture;
  const auto refused = fixture.put_without_checkpoint(fixture.first.number + 1);
  const GenerationWatch watch(fixture.current, fixture.projector, fixture.ledger.log(), fixture.options());
  CHECK(told(fixture.refused) == refused.filename());
  const auto newer = fixture.put_sound(fixture.first.number + 2);
  CHECK(told(fixture.adopted) == newer.filename());
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (fs::exists(refused) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  CHECK_FALSE(fs::exists(refused));
}

TEST_CASE("a generation that a rebuild found to disagree is kept when a newer one has replaced it") {
  Fixture fixture;
  mark_disagreement(fixture.first.path, "1 row of charges differs");
  const GenerationWatch watch(fixture.current, fixture.projector, fixture.ledger.log(), fixture.options());
  fixture.put_sound(fixture.first.number + 1);
  told(fixture.adopted);
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (fs::exists(fixture.first.path) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  const auto kept = find_kept_generations(fixture.views);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].path == kept_path(fixture.first.path));
  CHECK(kept[0].why == "1 row of charges differs");
}
