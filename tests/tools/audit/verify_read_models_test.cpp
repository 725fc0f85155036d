#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/ledgers/first_row.h"
#include "tests/tools/audit/verify_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using World = VerifyFixture;

TEST_CASE("read models that are wrong or cannot be read are no damage of the ledger") {
  const World world;
  const auto views = world.build_views();
  CHECK(json_at(world.pixledger.done({"verify", "--json"}), "/readModels") == "equal");
  const auto put = [&views](const char* database, const std::string& value) {
    tests::change_first_row(views, tests::one_gigabyte(), database, [&](std::string& row) { row = value; });
  };
  put("customers_in_order", "nobody");
  CHECK(world.bad_part() == "read models");
  const auto told = world.pixledger.run({"verify"});
  CHECK(
      told.out.find("Nothing in the ledger contradicts itself, but the read models are not what it says: ") !=
      std::string::npos);
  CHECK(told.out.find("Either may be wrong") != std::string::npos);
  CHECK(told.out.find("sound") == std::string::npos);
  const auto copy_first = told.out.find("cp -a DATA KEPT");
  const auto compare = told.out.find("pixledger verify --against CHECKPOINT");
  CHECK(copy_first < compare);
  CHECK(compare < told.out.find("pixledger projections rebuild"));
  CHECK(world.pixledger.run({"projections", "verify"}).out.find("Either may be wrong") != std::string::npos);
  const auto now = world.keep("now", world.pixledger.done({"checkpoint"}));
  CHECK(json_at(world.pixledger.run({"verify", "--against", now, "--json"}).out, "/advice")
            .find("so the read models are wrong") != std::string::npos);
  put("feed", "what nobody can decode");
  CHECK(world.bad_part() == "read models");
  CHECK(world.first_bad_position({"--structure-only"}) == "0");

  const auto file = views / "data.mdb";
  const auto sound = world.pixledger.directory() / "sound.mdb";
  std::filesystem::copy_file(file, sound);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  CHECK(world.bad_part() == "read models");
  std::filesystem::copy_file(sound, file, std::filesystem::copy_options::overwrite_existing);
  {
    // Pages whose entries lead beyond the end of the file: reading them crashes.
    constexpr std::uintmax_t kPage = 4096;
    constexpr std::uintmax_t kHeader = 16;
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    for (auto page = 2 * kPage; page < std::filesystem::file_size(sound); page += kPage) {
      stream.seekp(static_cast<std::streamoff>(page + kHeader));
      stream << std::string(kPage - kHeader, '\xff');
    }
  }
  CHECK(world.bad_part() == "read models");
  world.flip_byte("events", big_endian(5), 40);
  CHECK(world.bad_part() == "ledger");
}

TEST_CASE("a ledger that was rewritten under its read models is not called right, nor they wrong") {
  // The same ledger and keys, and another past than the read models were built from.
  const World world;
  const auto before = world.pixledger.directory() / "before";
  const auto data = world.pixledger.data();
  const auto old = world.keep("old", world.pixledger.done({"checkpoint"}));
  std::filesystem::copy(data, before, std::filesystem::copy_options::recursive);
  world.pixledger.done({"project", "create", "--name", "One", "--json"});
  world.build_views();
  const auto kept = world.keep("kept", world.pixledger.done({"checkpoint"}));
  std::filesystem::remove_all(data / "ledger");
  std::filesystem::copy(before / "ledger", data / "ledger", std::filesystem::copy_options::recursive);
  const auto advice = [&](const std::vector<std::string>& more) {
    CHECK(world.bad_part(more) == "read models");
    std::vector<std::string> arguments{"verify", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_at(world.pixledger.run(arguments).out, "/advice");
  };
  SECTION("cut off") {}
  SECTION("as long as it was") { world.pixledger.done({"project", "create", "--name", "Two", "--json"}); }
  CHECK(advice({}).find("Either may be wrong") == 0);
  CHECK(advice({"--against", old}).find("either may be wrong") != std::string::npos);
  CHECK(world.bad_part({"--against", kept}) == "checkpoint");
}

TEST_CASE("read models that are behind the ledger, or of another release, are nothing to worry about") {
  const World world;
  const auto views = world.build_views();
  const auto equal = [&] { return json_at(world.pixledger.done({"verify", "--json"}), "/readModels"); };
  world.pixledger.done({"project", "create", "--name", "More", "--json"});
  CHECK(equal() == "equal");
  std::filesystem::rename(views, views.parent_path() / "1-1");
  CHECK(equal() == "null");
}

TEST_CASE("verifying only the read models reports a damaged ledger, too") {
  const World world;
  world.build_views();
  world.remove("claims", world.first_key("claims", "customer/"));
  const auto asked = world.pixledger.run({"projections", "verify", "--json"});
  CHECK(asked.code == 1);
  CHECK(json_at(asked.out, "/part") == "ledger");
}

TEST_CASE("a ledger without read models says that none were compared") {
  const World world;
  CHECK(json_at(world.pixledger.done({"verify", "--json"}), "/readModels") == "null");
}
