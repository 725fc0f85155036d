#include "stores/databases/account_database.h"

#include <catch2/catch.hpp>

#include "eventstore/postgres/pg_client.h"
#include "stores/sql/restorable_database.h"
#include "stores/sql/sqlite_database.h"
#include "tests/stores/accounts/account_fixture.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

std::string all_of(const std::filesystem::path& file) {
  const auto database = open_sqlite(file, "ro");
  std::string text;
  for (const auto& table :
       database->run("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").rows) {
    text += table.text(0) + "\n";
    for (const auto& row : database->run("SELECT * FROM " + table.text(0) + " ORDER BY 1, 2").rows) {
      for (std::size_t i = 0; i < row.size(); ++i) text += row.is_null(i) ? "-|" : row.text(i) + "|";
      text += "\n";
    }
  }
  return text + database->run("PRAGMA user_version").rows.at(0).text(0);
}

// Something in every table.
template <class Fixture>
void fill(Fixture& f) {
  f.add_passkey("key");
  f.set_password_and_totp();
  f.accounts->begin_totp(f.by_ana(), "another", kStart);
  f.accounts->begin_attempt(address("bea@example.com"), {"", "device"}, kStart);
  f.accounts->issue_invitation(f.ana, digest("later"), Accounts::Invites::kReset, kStart);
}

}  // namespace

TEMPLATE_TEST_CASE("a backup's file has all of the accounts, for its owner alone, and nobody signed in", "",
                   OnFiles, OnTables) {
  AccountFixture<TestType> f;
  fill(f);
  const TemporaryDirectory target;
  const DataDirectory restored{target.path()};
  std::filesystem::create_directory(restored.accounts());
  std::filesystem::permissions(restored.accounts(), std::filesystem::perms::owner_all);
  const auto file = restored.accounts() / kAccountsFile;
  REQUIRE(export_accounts(f.engine.data(), file));
  CHECK_NOTHROW(refuse_open_accounts(restored));
  CHECK(f.find("0", 0));

  end_all_sign_ins(restored, kStart);
  const auto accounts = open_accounts(restored);
  CHECK_FALSE(accounts->find_sign_in(digest("token 0"), kStart));
  CHECK_FALSE(accounts->use_invitation(digest("later"), sign_in("1"), kStart));
  CHECK(accounts->credentials(f.ana).passkeys == 1);
  CHECK(accounts->password_account(f.ana)->totp->sealed == "sealed");
  CHECK(accounts->add_sign_in(f.ana, TotpShown{"hash", 8}, kHere, sign_in("1"), kStart) ==
        Accounts::SigningIn::kDone);
}

TEST_CASE("accounts are the same after they were copied to PostgreSQL and back into a file") {
  AccountFixture<OnFiles> f;
  fill(f);
  const OnTables tables;
  {
    DeadlineWatch watch;
    eventstore::PgClient owner(tables.database().owner(), eventstore::PgTimeouts{}, watch);
    owner.run("BEGIN");
    import_accounts(owner, f.engine.data());
    owner.commit();
  }
  const TemporaryDirectory target;
  const auto before = target.path() / "before", after_both = target.path() / "after";
  REQUIRE(export_accounts(f.engine.data(), before));
  REQUIRE(export_accounts(tables.data(), after_both));
  CHECK(all_of(before) == all_of(after_both));
  CHECK(tables.accounts()->find_sign_in(digest("token 0"), kStart));
}

TEST_CASE("without accounts there is nothing to check or to copy, and nothing is made") {
  const OnFiles engine;
  const TemporaryDirectory target;
  CHECK_FALSE(look_at_accounts(engine.data()));
  CHECK_FALSE(export_accounts(engine.data(), target.path() / "file"));
  CHECK_NOTHROW(refuse_open_accounts(engine.data()));
  CHECK_FALSE(std::filesystem::exists(target.path() / "file"));
  CHECK_FALSE(std::filesystem::exists(engine.data().accounts()));
}

TEST_CASE("the accounts' file is accessible to its owner only") {
  const OnFiles engine;
  const auto directory = engine.data().accounts();
  const auto file = directory / kAccountsFile;
  const auto accounts = engine.accounts();
  const auto mode = [](const std::filesystem::path& path) {
    return std::filesystem::status(path).permissions();
  };
  using enum std::filesystem::perms;
  CHECK(mode(directory) == owner_all);
  accounts->make_user(address("ana@example.com"), user_id("ana"), kStart);
  for (const auto& each : std::filesystem::directory_iterator(directory))
    CHECK(mode(each.path()) == (owner_read | owner_write));
  SECTION("file") { std::filesystem::permissions(file, owner_read | owner_write | group_read); }
  SECTION("directory") { std::filesystem::permissions(directory, owner_all | others_exec); }
  CHECK_THROWS_WITH(engine.accounts(), Catch::Contains("lets others in: run chmod"));
  CHECK_THROWS_WITH(refuse_open_accounts(engine.data()), Catch::Contains("lets others in: run chmod"));
}

TEST_CASE("accounts of a newer release are refused") {
  const OnFiles engine;
  engine.accounts();
  engine.change_accounts("PRAGMA user_version = 99");
  CHECK_THROWS_WITH(engine.accounts(), "a newer release wrote the accounts' database");
}

TEST_CASE("accounts that the ledger has members for are lost where their file is missing or empty") {
  const OnFiles engine;
  const auto file = engine.data().accounts() / kAccountsFile;
  const auto members = [] { return true; };
  const auto nobody = [] { return false; };
  engine.accounts();
  CHECK_FALSE(loss_of_accounts(engine.data(), members));
  std::string told;
  SECTION("missing") {
    std::filesystem::remove_all(engine.data().accounts());
    CHECK(loss_of_accounts(engine.data(), members).value().find("is missing, although") != std::string::npos);
    CHECK_NOTHROW(refuse_emptied_accounts(engine.data(), members));
  }
  SECTION("empty") {
    for (const auto* const beside : {"-wal", "-shm"}) std::filesystem::remove(file.string() + beside);
    std::filesystem::resize_file(file, 0);
    CHECK(loss_of_accounts(engine.data(), members).value().find("is empty, although") != std::string::npos);
    CHECK_THROWS_WITH(refuse_emptied_accounts(engine.data(), members),
                      Catch::Contains("restore it from a backup, or remove it and invite everybody anew"));
    CHECK_FALSE(damage_of_accounts(engine.data()));
    const TemporaryDirectory target;
    CHECK_THROWS_WITH(export_accounts(engine.data(), target.path() / "file"), Catch::Contains("is empty"));
  }
  CHECK_FALSE(look_at_accounts(engine.data()));
  CHECK_FALSE(loss_of_accounts(engine.data(), nobody));
  CHECK_NOTHROW(refuse_emptied_accounts(engine.data(), nobody));

  const auto lost =
      open_accounts_or_go_on(engine.data(), members, [&told](const std::string& damage) { told += damage; });
  CHECK(told.find("the accounts are lost): restore it from a backup, or remove it") != std::string::npos);
  CHECK_THROWS_AS(lost->find_user(address("ana@example.com")), AccountsDamaged);
  // An invitation makes the file again, once it was removed.
  std::filesystem::remove(file);
  engine.accounts()->make_user(address("ana@example.com"), user_id("ana"), kStart);
  CHECK(lost->find_user(address("ana@example.com")));
}

TEST_CASE("accounts whose files cannot be opened are reported, and opened once they can be") {
  const OnFiles engine;
  const auto file = engine.data().accounts() / kAccountsFile;
  engine.accounts()->make_user(address("ana@example.com"), user_id("ana"), kStart);
  const auto kept = engine.data().accounts() / "kept";
  // Rights would not stop root.
  const std::filesystem::path in_the_way = file.string() + GENERATE(as<std::string>(), "", "-wal");
  if (in_the_way == file) std::filesystem::rename(file, kept);
  std::filesystem::create_directory(in_the_way);
  int told = 0;
  const auto accounts = open_accounts_or_go_on(
      engine.data(), [] { return true; },
      [&](const std::string& fault) {
        ++told;
        CHECK_THAT(fault, Catch::StartsWith(file.string() + " cannot be opened ("));
      });
  for (int i = 0; i < 2; ++i)
    CHECK_THROWS_AS(accounts->find_user(address("ana@example.com")), AccountsUnreadable);
  CHECK(told == 1);
  std::filesystem::remove(in_the_way);
  if (in_the_way == file) std::filesystem::rename(kept, file);
  CHECK(accounts->find_user(address("ana@example.com")));
}

TEST_CASE("a database that cannot be opened is named with the system's reason") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "none.db";
  for (const char* mode : {"ro", "rw"})
    CHECK_THROWS_WITH(open_sqlite(file, mode), Catch::Contains("open " + file.string() + ": No such file"));
}

TEST_CASE("accounts of a ledger without members are made if they are missing") {
  const OnFiles engine;
  const auto accounts = open_accounts_or_go_on(
      engine.data(), [] { return false; }, [](const std::string& damage) { FAIL(damage); });
  CHECK_FALSE(accounts->find_user(address("ana@example.com")));
  CHECK(look_at_accounts(engine.data()));
}
