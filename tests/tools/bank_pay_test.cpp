// `pixledger connection check --pay`: two codes are shown and paid at the bank, and both payments are
// returned, with and without a running worker; and the reports if no one pays, or the command is interrupted.
#include <catch2/catch.hpp>
#include <csignal>
#include <simdjson.h>

#include "tests/support/servers/bank_connection.h"

using namespace pixledger;
using namespace pixledger::tests;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

struct World : BankConnection {
  std::unique_ptr<Process> check(const Words& more = {}) const {
    auto words = naming({"check", "--pay", "--ca-file", bank.told("/ca")});
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<Process>(built_program("pixledger"), pixledger.arguments(words));
  }
  std::string listed() const {
    return pixledger.done({"payment", "list", "--project", project, "--state", "all", "--json"});
  }
  std::string state() const { return bank.drive("GET", "/state"); }
  void pay(const std::string& code, const std::string& more = "") const {
    bank.drive("POST", "/pay", R"({"code":")" + code + "\"" + more + "}");
  }
};

// The code that was shown, or "".
std::string code_in(Process& check, const std::string& kind) {
  const auto mark = "with this " + kind + " code: ";
  if (!check.wait_for_out(mark) || !check.wait_for_out("\n")) return "";
  const auto begin = check.out().find(mark) + mark.size();
  while (check.out().find('\n', begin) == std::string::npos && !check.wait(std::chrono::milliseconds(50))) {
  }
  return check.out().substr(begin, check.out().find('\n', begin) - begin);
}

// The states of the returns of each payment at the bank.
std::vector<std::vector<std::string>> returns_in(const std::string& state) {
  simdjson::dom::parser parser;
  std::vector<std::vector<std::string>> all;
  for (const auto payment : parser.parse(state).at_pointer("/accounts/0/payments").get_array()) {
    auto& one = all.emplace_back();
    simdjson::dom::array returns;
    if (payment["devolucoes"].get_array().get(returns) != simdjson::SUCCESS) continue;
    for (const auto back : returns) one.emplace_back(back["status"].get_string().value());
  }
  return all;
}

void check_that_both_went_back(const World& world) {
  const std::vector<std::vector<std::string>> once{{"DEVOLVIDO"}, {"DEVOLVIDO"}};
  CHECK(returns_in(world.state()) == once);
  const auto listed = world.listed();
  INFO(listed);
  for (const std::string place : {"/0", "/1"}) {
    CHECK(json_at(listed, place + "/state") == "closed");
    CHECK(json_at(listed, place + "/resolution") == "returned");
    CHECK(json_at(listed, place + "/amountCents") == "1");
  }
  CHECK(world.pixledger.run({"verify"}).code == 0);
}

}  // namespace

TEST_CASE(
    "a test environment that pays its own codes is checked as far as possible, and the money is returned") {
  const World world;
  world.set(R"({"habits":["efi_homologation"]})");
  world.add("efi", true, "test", "efi");
  auto words = world.naming({"check", "--pay", "--env", "test", "--ca-file", world.bank.told("/ca")}, "efi");
  const auto result = world.pixledger.run(words);
  INFO(result.out << result.err);
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("pay 0.02 with this dynamic code") && !Contains("static code: "));
  CHECK_THAT(result.out, Contains("dynamic: ok: paid and reported") && Contains("refunds: ok: 1 sent back"));
  CHECK(returns_in(world.state()) == std::vector<std::vector<std::string>>{{"DEVOLVIDO"}});
}

TEST_CASE("both codes of a check are paid, reported and sent back") {
  const World world;
  const auto check = world.check();
  const auto dynamic = code_in(*check, "dynamic");
  const auto fixed = code_in(*check, "static");
  INFO(check->out() << check->err());
  REQUIRE_FALSE(dynamic.empty());
  REQUIRE_FALSE(fixed.empty());
  world.pay(dynamic);
  world.pay(fixed);
  CHECK(check->wait() == 0);
  CHECK_THAT(check->out(), Contains("\nstatic: ok: paid and reported: --fallback static is safe"));
  CHECK_THAT(check->out(), Contains("\nrefunds: ok: 2 sent back"));
  check_that_both_went_back(world);
}

TEST_CASE("payments are looked for by the bank's clock, ahead of ours or behind") {
  const auto [offset_ms, wait_s] = GENERATE(std::pair{"14000", "12"}, std::pair{"-14000", "60"});
  const World world;
  world.set(R"({"refuseFutureFim":true,"clockOffsetMs":)" + std::string(offset_ms) + "}");
  const auto check = world.check({"--wait", wait_s});
  const auto dynamic = code_in(*check, "dynamic");
  const auto fixed = code_in(*check, "static");
  INFO(check->out() << check->err());
  REQUIRE_FALSE(dynamic.empty());
  world.pay(dynamic);
  world.pay(fixed);
  CHECK(check->wait() == 0);
  check_that_both_went_back(world);
}

TEST_CASE("a check and the worker beside it send each payment back once") {
  const World world;
  Process worker(built_program("pixledger-providers"),
                 world.pixledger.arguments({"--ca-file", world.bank.told("/ca"), "--polls", "1s:15m"}));
  REQUIRE(worker.wait_for_err("is at work"));
  const auto check = world.check();
  const auto dynamic = code_in(*check, "dynamic");
  world.pay(code_in(*check, "static"));
  world.fault(R"({"operation":"devolucao.put","kind":"drop","when":"after"})");
  world.pay(dynamic);
  INFO(check->out() << check->err());
  CHECK(check->wait() == 0);
  check_that_both_went_back(world);
  worker.send(SIGTERM);
  CHECK(worker.wait() == 0);
}

TEST_CASE("an interrupted check reports what is left, returns received money, and removes its code") {
  const World world;
  const auto check = world.check();
  code_in(*check, "dynamic");
  world.pay(code_in(*check, "static"));
  check->send(SIGINT);
  CHECK(check->wait() == 1);
  INFO(check->out() << check->err());
  CHECK_THAT(check->out(),
             Contains("\ndynamic: failed: not paid before it was ended; its code was taken back"));
  CHECK_THAT(check->out(), Contains("refunds: ok: 1 sent back") || Contains("refunds: not tried"));
  const auto state = world.state();
  for (const std::string cob : {"0", "1"})
    CHECK(json_at(state, "/accounts/0/cobs/" + cob + "/status") == "REMOVIDA_PELO_USUARIO_RECEBEDOR");
}

TEST_CASE("a check reports a bank that does not show payments of static codes") {
  const World world;
  const auto check = world.check({"--wait", "5", "--json"});
  // The last of its lines is there as a whole.
  REQUIRE(check->wait_for_err("static code: "));
  const auto is_told = [&] {
    const auto told = check->err();
    return told.find('\n', told.find("static code: ")) != std::string::npos;
  };
  while (!is_told() && !check->wait(std::chrono::milliseconds(50))) {
  }
  const auto err = check->err();
  const auto code_after = [&](const std::string& mark) {
    const auto begin = err.find(mark) + mark.size();
    return err.substr(begin, err.find('\n', begin) - begin);
  };
  world.pay(code_after("dynamic code: "));
  world.pay(code_after("static code: "), R"(,"reportAs":null)");
  CHECK(check->wait() == 1);
  INFO(check->out() << check->err());
  simdjson::dom::parser parser;
  std::map<std::string, std::string> found;
  for (const auto step : parser.parse(check->out()).get_array())
    found[std::string(step["step"].get_string().value())] =
        std::string(step["ok"].is_null()            ? ""
                    : step["ok"].get_bool().value() ? "ok: "
                                                    : "failed: ") +
        std::string(step["advice"].is_null() ? "" : step["advice"].get_string().value());
  CHECK(found["dynamic"] == "ok: ");
  CHECK_THAT(found["static"], Contains("failed: ") && Contains("keep --fallback none"));
  CHECK(found["refunds"] == "ok: ");
}

TEST_CASE("no payment is requested at an unusable bank, or with wrong options") {
  const World world;
  world.set(R"({"grantedScopes":["cob.read","pix.read","pix.write","webhook.read","webhook.write"]})");
  const auto check = world.check();
  CHECK(check->wait() == 1);
  CHECK_THAT(check->out(), Contains("\nscopes: failed: not granted: cob.write"));
  CHECK_THAT(check->out(), Contains("\ndynamic: not tried"));
  CHECK(check->out().find("pay 0.01") == std::string::npos);
  const auto refused = [&](const ProcessResult& result) {
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK_THAT(result.err, Contains("--wait"));
  };
  refused(world.run({"check"}, {"--wait", "60"}));
  refused(world.run({"check"}, {"--pay", "--wait", "1"}));
}
