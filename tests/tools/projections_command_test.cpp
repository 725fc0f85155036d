#include <catch2/catch.hpp>
#include <fstream>

#include "projections/generations/generation.h"
#include "stores/deliveries/delivery_repository.h"
#include "tests/support/ledgers/first_row.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("the status of projections shows the positions of views and workers") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  const auto status = [&] { return pixledger.done({"projections", "status", "--json"}); };
  CHECK(json_at(status(), "/generations") == "[]");
  CHECK(json_at(status(), "/workers") == "[]");

  const auto directory = pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(directory);
  const auto options = tests::one_gigabyte();
  LedgerWithCharges ledger(pixledger.data());
  const auto generation =
      projections::Generation::open_or_build(pixledger.data() / "views", ledger.log(), options);
  stores::DeliveryRepository(directory / "deliveries.sqlite")
      .add({}, eventstore::cursor_at(ledger.log(), ledger.log().head().position));
  ledger.pay(project, ledger.create_charge(project));

  const auto name = std::to_string(projections::kViewSetVersion) + "-1";
  const auto json = status();
  CHECK(json_at(json, "/ledger/position") == "6");
  CHECK(json_at(json, "/ledger/epoch") == "1");
  CHECK(json_at(json, "/setVersion") == std::to_string(projections::kViewSetVersion));
  CHECK(json_at(json, "/generations/0/name") == name);
  CHECK(json_at(json, "/generations/0/complete") == "true");
  CHECK(json_at(json, "/generations/0/position") == "3");
  CHECK(json_at(json, "/generations/0/lag") == "3");
  CHECK(json_at(json, "/workers/0/name") == "webhooks");
  CHECK(json_at(json, "/workers/0/position") == "3");
  CHECK(json_at(json, "/workers/0/lag") == "3");

  projections::catch_up(generation->database(), ledger.log());
  CHECK(json_at(status(), "/generations/0/lag") == "0");
  const auto text = pixledger.done({"projections", "status"});
  CHECK(text.find("views " + name) != std::string::npos);
  CHECK(text.find("worker webhooks") != std::string::npos);
}

TEST_CASE("a worker's unreadable state is reported with the reason") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto directory = pixledger.data() / "workers" / "emails";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "emails.sqlite") << std::string(4096, 'x');
  const auto json = pixledger.done({"projections", "status", "--json"});
  CHECK(json_at(json, "/workers/0/position") == "null");
  CHECK(json_at(json, "/workers/0/problem").find("not a database") != std::string::npos);
  CHECK(pixledger.done({"projections", "status"}).find("cannot be read: ") != std::string::npos);
}

TEST_CASE("a generation without its marker is shown, but not trusted") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  std::filesystem::create_directories(pixledger.data() / "views" / "3-7");
  std::filesystem::create_directories(pixledger.data() / "views" / "nonsense");
  const auto json = pixledger.done({"projections", "status", "--json"});
  CHECK(json_at(json, "/generations/0/name") == "3-7");
  CHECK(json_at(json, "/generations/0/complete") == "false");
  CHECK(json_at(json, "/generations/0/position") == "null");
  CHECK(json_at(json, "/generations/0/lag") == "null");
  CHECK(pixledger.done({"projections", "status"}).find("being built") != std::string::npos);
}

TEST_CASE("read models that have followed a payment until it was settled are those that a rebuild makes") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  const auto charge = LedgerWithCharges(pixledger.data()).create_charge(project);
  const auto follow = [&] {
    LedgerWithCharges ledger(pixledger.data());
    projections::Generation::open_or_build(pixledger.data() / "views", ledger.log(), tests::one_gigabyte());
  };
  const std::string payment = "E18236120202603011200s1a2b3c4d5e";
  const auto flagged = pixledger.run(
      {"charge", "confirm", "--id", charge.text(), "--end-to-end-id", payment, "--amount-cents", "1"});
  REQUIRE(flagged.code == 1);
  follow();
  pixledger.done({"charge", "return-payment", "--end-to-end-id", payment});
  follow();
  const auto rebuilt = pixledger.run({"projections", "rebuild", "--json"});
  INFO(rebuilt.out << rebuilt.err);
  CHECK(rebuilt.code == 0);
  CHECK(json_at(rebuilt.out, "/comparison/equal") == "true");
}

TEST_CASE("a rebuild keeps used read models that disagree with the ledger, and every program names them") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  const auto views = pixledger.data() / "views";
  const auto options = tests::one_gigabyte();
  {
    LedgerWithCharges ledger(pixledger.data());
    ledger.create_charge(project);
    projections::Generation::open_or_build(views, ledger.log(), options);
  }
  CHECK(json_at(pixledger.done({"projections", "rebuild", "--json"}), "/kept") == "null");
  CHECK(json_at(pixledger.done({"verify", "--json"}), "/keptReadModels") == "[]");
  const auto in_use = projections::find_own_generations(views).at(0).path;
  tests::change_first_row(in_use, options, "customers_in_order", [](std::string& row) { row = "nobody"; });
  const auto kept = projections::kept_path(in_use).string();

  const auto rebuilt = pixledger.run({"projections", "rebuild", "--json"});
  INFO(rebuilt.out << rebuilt.err);
  CHECK(rebuilt.code == 1);
  CHECK(json_at(rebuilt.out, "/kept") == kept);
  CHECK(std::filesystem::exists(kept + "/data.mdb"));
  CHECK_FALSE(std::filesystem::exists(in_use));
  CHECK(json_at(pixledger.done({"projections", "rebuild", "--json"}), "/kept") == "null");

  const auto verified = pixledger.run({"verify", "--json"});
  CHECK(verified.code == 0);
  CHECK(json_at(verified.out, "/keptReadModels/0") == kept);
  CHECK(verified.err.find("kept in " + kept + ": at position 5 1 row of customers_in_order") !=
        std::string::npos);
  CHECK(pixledger.run({"doctor"}).out.find("rm -r " + kept) != std::string::npos);
}
