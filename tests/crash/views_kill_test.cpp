#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "eventstore/lmdb/lmdb_log.h"
#include "projections/generations/generation_directory.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

// The directory of the only generation in use; others are only kept.
fs::path generation_of(const LiveData& data) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(data.root / "views")) {
    if (entry.is_directory() && !projections::is_kept_generation(entry.path())) found.push_back(entry.path());
  }
  REQUIRE(found.size() == 1);
  return found.front();
}

void overwrite(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

// Puts the checkpoint of another ledger's or epoch's owner in the place of the newest one.
void change_owner(const fs::path& generation, const std::function<void(eventstore::LogIdentity&)>& change) {
  const auto checkpoint = eventstore::CheckpointFile::newest_in(generation);
  auto owner = owner_of_checkpoint(generation);
  change(owner);
  eventstore::CheckpointFile file(generation, owner);
  file.create();
  file.write(checkpoint);
}

// Changes the value under "cursor": position and leaf hash.
void change_cursor(const LiveData& data, const fs::path& generation,
                   const std::function<void(std::string&)>& change) {
  change_closed_value(generation, data.lmdb(), "meta", "cursor", change);
}

std::vector<AskedCharge> load_and_kill(const LiveData& data, const char* name) {
  ServerProcess server(data);
  server.wait_until_ready();
  LoadOptions options;
  options.name = name;
  Load load(server.port(), data.test_key, options);
  REQUIRE(load.wait_for_acknowledged(200));
  server.kill_now();
  return load.finish();
}

}  // namespace

TEST_CASE("read models are right after a kill, whatever the state of their checkpoint and cursor") {
  struct Damage {
    const char* what;
    bool is_rebuilt;
    std::function<void(const LiveData&, const fs::path&)> apply;
    bool is_kept = false;  // disagrees with the ledger, which may itself be wrong
  };
  const std::vector<Damage> damages = {
      {"nothing", false, [](const LiveData&, const fs::path&) {}},
      {"the checkpoint is gone", true,
       [](const LiveData&, const fs::path& generation) { fs::remove(generation / "checkpoint"); }},
      {"the checkpoint is empty", true,
       [](const LiveData&, const fs::path& generation) { overwrite(generation / "checkpoint", ""); }},
      {"the checkpoint is garbage", true,
       [](const LiveData&, const fs::path& generation) {
         overwrite(generation / "checkpoint", std::string(8192, '\xff'));
       }},
      {"the checkpoint is of another epoch", true,
       [](const LiveData&, const fs::path& generation) {
         change_owner(generation, [](auto& owner) { ++owner.epoch; });
       }},
      {"the checkpoint is of another ledger", true,
       [](const LiveData&, const fs::path& generation) {
         change_owner(generation, [](auto& owner) { owner.ledger_id = std::string(32, '0'); });
       }},
      {"the generation was never completed", true,
       [](const LiveData&, const fs::path& generation) { fs::remove(generation / "COMPLETE"); }},
      {"the store is gone", true,
       [](const LiveData&, const fs::path& generation) { fs::remove(generation / "data.mdb"); }},
      {"the store is garbage", true,
       [](const LiveData&, const fs::path& generation) {
         overwrite(generation / "data.mdb", std::string(65536, 'x'));
       }},
      {"the cursor's leaf hash is another", true,
       [](const LiveData& data, const fs::path& generation) {
         change_cursor(data, generation,
                       [](std::string& cursor) { cursor.back() = static_cast<char>(~cursor.back()); });
       },
       true},
      {"the cursor is damaged", true,
       [](const LiveData& data, const fs::path& generation) {
         change_cursor(data, generation, [](std::string& cursor) { cursor.resize(3); });
       }},
  };
  for (const auto& damage : damages) {
    INFO(damage.what);
    const TemporaryDirectory directory;
    const auto data = LiveData::create(directory.path() / "data");
    const auto asked = load_and_kill(data, "views");
    const auto before = generation_of(data);
    damage.apply(data, before);

    ServerProcess server(data);
    server.wait_until_ready();
    CHECK((generation_of(data) != before) == damage.is_rebuilt);
    CHECK(projections::find_kept_generations(data.root / "views").size() == (damage.is_kept ? 1 : 0));
    CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
    CHECK(server.stop() == 0);
  }
}

TEST_CASE("a deleted views directory comes back from the ledger") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  const auto asked = load_and_kill(data, "deleted");
  fs::remove_all(data.root / "views");
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
}
