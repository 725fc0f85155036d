// `pixledger connection check` against a bank: its report if all is well, and for each possible problem.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <simdjson.h>

#include "base/platform/clock_and_entropy.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/bank_connection.h"

using namespace pixledger;
using namespace pixledger::tests;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

struct Step {
  std::string name, outcome, found, advice;
};

std::vector<Step> steps_of(const std::string& json) {
  simdjson::dom::parser parser;
  std::vector<Step> steps;
  for (const auto step : parser.parse(json).get_array()) {
    const auto text = [&](const char* name) {
      std::string_view value;
      return step[name].get_string().get(value) == simdjson::SUCCESS ? std::string(value) : "";
    };
    bool ok = false;
    const bool is_known = step["ok"].get_bool().get(ok) == simdjson::SUCCESS;
    const auto* const otherwise = text("found") == "not tried" ? "not tried" : "unknown";
    steps.push_back(
        {text("step"), is_known ? (ok ? "ok" : "failed") : otherwise, text("found"), text("advice")});
  }
  return steps;
}

// The only step that failed; those after it may not have been tried.
Step failed_in(const ProcessResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.code == 1);
  std::vector<Step> failed;
  for (auto& step : steps_of(result.out))
    if (step.outcome == "failed") failed.push_back(step);
  REQUIRE(failed.size() == 1);
  CHECK_FALSE(failed.front().advice.empty());
  return failed.front();
}

std::string outcome_of(const ProcessResult& result, const std::string& name) {
  for (const auto& step : steps_of(result.out))
    if (step.name == name) return step.outcome;
  return "";
}

struct World : BankConnection {
  ProcessResult check(const Words& more = {}, const std::string& alias = "banco") const {
    Words words{"--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run({"check"}, words, alias);
  }
};

}  // namespace

TEST_CASE("a check of a bank that is well says so of each step, and leaves nothing behind") {
  const World world;
  const auto result = world.check();
  INFO(result.out << result.err);
  CHECK(result.code == 0);
  std::vector<std::string> names;
  for (const auto& step : steps_of(result.out)) {
    names.push_back(step.name);
    CHECK(step.outcome == "ok");
    CHECK_FALSE(step.found.empty());
  }
  CHECK(names == std::vector<std::string>{"tls", "certificate", "token", "scopes", "webhook", "reading",
                                          "clock", "cob"});
  CHECK(json_at(world.bank.drive("GET", "/state"), "/accounts/0/cobs/0/status") ==
        "REMOVIDA_PELO_USUARIO_RECEBEDOR");

  const auto text = world.run({"check"});
  CHECK(text.code == 0);
  CHECK(lines_of(text.out).size() == 8);
  CHECK_THAT(text.out, Contains("\ncertificate: ok: ") && Contains(", until 20"));
  CHECK_THAT(text.out, Contains("\nwebhook: ok: none is registered"));
  for (const auto* secret : {"/client/clientSecret"})
    CHECK(text.out.find(world.bank.told(secret)) == std::string::npos);
}

TEST_CASE("a check reads an account as far back as the worker, in windows that the bank takes") {
  const World world;
  const auto step_of = [](const ProcessResult& result, const std::string& name) {
    for (const auto& step : steps_of(result.out))
      if (step.name == name) return step;
    return Step{};
  };
  SECTION("a bank that shows a day at a time") {
    world.bank.drive("PATCH", "/settings", R"({"habits":["a_day_at_a_time"]})");
    const auto result = world.check();
    INFO(result.out);
    CHECK(result.code == 0);
    CHECK_THAT(step_of(result, "reading").found, Contains("at a time at most"));
  }
  SECTION("a bank whose payments name no charge, as the worker has seen") {
    const auto id =
        json_at(world.pixledger.done({"connection", "list", "--project", world.project, "--json"}),
                "/2/connectionId");
    const auto directory = world.pixledger.data() / "workers" / "providers";
    std::filesystem::create_directories(directory);
    stores::ProviderRepository database(directory / stores::kProvidersFile);
    const auto now = SystemClock().now();
    database.note_misfit({.connection = id, .kind = "no_txid", .payments = 5, .at = now});
    // They may be donations, which have no txid: the check cannot know.
    const auto unsure = world.check();
    CHECK(unsure.code == 0);
    CHECK(outcome_of(unsure, "reading") == "unknown");
    CHECK_THAT(step_of(unsure, "reading").found, Contains("5 so far") && Contains("is not known"));
    CHECK_THAT(step_of(unsure, "reading").advice, Contains("--pay"));
    CHECK_THAT(world.run({"check"}).out, Contains("\nreading: unknown: "));
    // A charge that is paid at the bank has a payment there, which does not name it.
    database.note_misfit(
        {.connection = id, .kind = "no_txid", .at = now, .detail = "ccharge000000000000000001"});
    const auto step = failed_in(world.check());
    CHECK(step.name == "reading");
    CHECK_THAT(step.found, Contains("no_txid") && Contains("5 so far") &&
                               Contains("says that ccharge000000000000000001 is paid"));
    CHECK_THAT(step.advice, Contains("ask the bank for the txid"));
    // It works if the bank returns them on single requests.
    database.note_misfit({.connection = id, .kind = "no_txid", .payments = 1, .found = 1, .at = now});
    const auto found = world.check();
    CHECK(found.code == 0);
    CHECK_THAT(step_of(found, "reading").found, Contains("no_txid") && Contains("of 1 it told the charge"));
  }
  SECTION("a bank that shows the last days alone") {
    world.bank.drive("PATCH", "/settings", R"({"habits":["a_month_and_no_more"]})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "reading");
    CHECK_THAT(step.found, Contains("not all of the last 100 days"));
    CHECK_THAT(step.advice, Contains("--polls"));
  }
}

TEST_CASE("a check names the reason why a bank rejects the client") {
  const World world;
  SECTION("an authority that is not trusted") {
    auto words = world.naming({"check"});
    words.emplace_back("--json");
    const auto result = world.pixledger.run(words);
    const auto step = failed_in(result);
    CHECK(step.name == "tls");
    CHECK_THAT(step.advice, Contains("--ca-file"));
    for (const auto* later : {"certificate", "token", "scopes", "webhook", "reading", "clock", "cob"})
      CHECK(outcome_of(result, later) == "not tried");
  }
  SECTION("no client certificate") {
    world.add("nu", false);
    const auto result = world.check({}, "nu");
    const auto step = failed_in(result);
    CHECK(step.name == "certificate");
    CHECK_THAT(step.found, Contains("the connection has none"));
    CHECK(outcome_of(result, "tls") == "ok");
    CHECK(outcome_of(result, "token") == "not tried");
  }
  SECTION("a wrong secret") {
    const auto file = (world.pixledger.directory() / "secret").string();
    std::ofstream(file) << "another";
    REQUIRE(world.pixledger.run(world.naming({"rotate", "--client-secret-file", file})).code == 0);
    const auto result = world.check();
    const auto step = failed_in(result);
    CHECK(step.name == "token");
    CHECK_THAT(step.found, Contains("401"));
    CHECK(outcome_of(result, "certificate") == "ok");
    CHECK(outcome_of(result, "cob") == "not tried");
  }
  SECTION("a bank that is down") {
    world.bank.drive("POST", "/stop");
    CHECK(failed_in(world.check()).name == "tls");
  }
}

TEST_CASE("a check takes an address where nothing is for that, and not for an account without payments") {
  const World world;
  SECTION("that says so in no words of the standard") {
    const auto shown = world.pixledger.run(world.naming({"show", "--json"})).out;
    const auto base = json_at(shown, "/baseUrl");
    REQUIRE(base.size() > 1);
    REQUIRE(world.pixledger.run(world.naming({"set", "--base-url", base + "x"})).code == 0);
  }
  SECTION("that says so as banks say that there are no payments") {
    for (const std::string operation : {"pix.list", "cob.put", "cob.get", "webhook.get"})
      world.fault(R"({"operation":")" + operation +
                  R"(","kind":"problem","status":404,"type":"NaoEncontrado","times":null})");
  }
  const auto result = world.check();
  INFO(result.out << result.err);
  CHECK(result.code == 1);
  CHECK(outcome_of(result, "token") == "ok");
  CHECK(outcome_of(result, "webhook") == "not tried");
  CHECK(outcome_of(result, "reading") == "failed");
  CHECK(outcome_of(result, "cob") == "failed");
  for (const auto& step : steps_of(result.out))
    if (step.outcome == "failed") CHECK_THAT(step.advice, Contains("--base-url"));
}

TEST_CASE("a check does not report an account as read if its payments are unreadable") {
  const World world;
  const auto payment = R"({\"idE2E\":\"E1\",\"valor\":\"19.90\"})";
  const auto show = [&](const std::string& text) {
    world.fault(
        R"({"operation":"pix.list","kind":"body","status":200,"contentType":"application/json","text":")" +
        text + R"(","times":null})");
  };
  std::string found;
  SECTION("under another name") {
    show(R"({\"data\":[)" + std::string(payment) + "]}");
    found = "data has content, and pix has none";
  }
  SECTION("an error that says yes") {
    show(R"({\"erro\":\"periodo maximo excedido\"})");
    found = "erro has content, and pix has none";
  }
  SECTION("without an end-to-end id") {
    show(R"({\"pix\":[)" + std::string(payment) + "]}");
    found = "1 payments cannot be read: pix[0].endToEndId is missing";
  }
  SECTION("beside the list") {
    show(R"({\"pix\":[],\"total\":0,\"lista\":[)" + std::string(payment) + "]}");
    found = "lista has content, and pix has none";
  }
  const auto step = failed_in(world.check());
  CHECK(step.name == "reading");
  CHECK_THAT(step.found, Contains(found));
}

TEST_CASE("a check does not report an account as read if payments are missing from its pages") {
  const World world;
  const auto show = [&](const std::string& payments, const std::string& items, const std::string& pages,
                        const std::string& times) {
    world.fault(
        R"({"operation":"pix.list","kind":"body","status":200,"contentType":"application/json","text":")"
        R"({\"parametros\":{\"paginacao\":{\"paginaAtual\":0,\"itensPorPagina\":100,)"
        R"(\"quantidadeDePaginas\":)" +
        pages + R"(,\"quantidadeTotalDeItens\":)" + items + R"(}},\"pix\":[)" + payments + R"(]}","times":)" +
        times + "}");
  };
  const std::string three = R"({\"valor\":\"1.00\"},{\"valor\":\"2.00\"},{\"valor\":\"3.00\"})";
  std::string found;
  SECTION("which the bank counts") {
    show(three, "9", "1", "null");
    found = "missing_payments: the bank says to have 9 payments, and shows 3";
  }
  SECTION("of which one is empty") {
    show(three, "9", "3", "1");
    show("", "9", "3", R"(null,"skip":1)");
    found = "page 2 of 3 is not shown: ";
  }
  const auto step = failed_in(world.check());
  CHECK(step.name == "reading");
  CHECK_THAT(step.found, Contains("3 payments in the last 15 minutes") && Contains(found));
  CHECK_THAT(step.advice, Contains("pixledger reconcile"));
}

TEST_CASE("a check reports what the worker could not read, and payments that do not fit") {
  const World world;
  const auto id = json_at(world.pixledger.done({"connection", "list", "--project", world.project, "--json"}),
                          "/2/connectionId");
  const auto directory = world.pixledger.data() / "workers" / "providers";
  std::filesystem::create_directories(directory);
  stores::ProviderRepository database(directory / stores::kProvidersFile);
  const auto now = SystemClock().now();
  database.note_misfit({.connection = id, .kind = "other_key", .payments = 1, .at = now, .detail = "E1"});
  CHECK_THAT(world.check().out, Contains("other_key: E1"));
  const stores::AccountLook look{.every_ms = 86'400'000, .back_ms = 86'400'000};
  const auto connection = *domain::ConnectionId::parse(id);
  database.begin_look(connection, look, now);
  database.end_look(connection, look, "pix is empty before the last page", now);
  const auto result = world.check();
  CHECK(result.code == 0);
  CHECK(outcome_of(result, "reading") == "unknown");
  CHECK_THAT(result.out, Contains("pix is empty before the last page"));
}

TEST_CASE("a check names operations that a bank denies the client") {
  const World world;
  SECTION("a scope that is not granted") {
    world.set(R"({"grantedScopes":["cob.write","cob.read","pix.read","webhook.read","webhook.write"]})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "scopes");
    CHECK(step.found == "not granted: pix.write");
  }
  SECTION("a webhook that the bank has lost") {
    const auto shown = world.pixledger.run(world.naming({"show", "--json"})).out;
    LedgerWithCharges(world.pixledger.data())
        .execute(domain::NoteCallback{domain::ConnectionId::parse(json_at(shown, "/connectionId")).value(),
                                      "https://back.example/c1"});
    const auto step = failed_in(world.check());
    CHECK(step.name == "webhook");
    CHECK_THAT(step.found, Contains("the bank has none"));
    CHECK_THAT(step.advice, Contains("callback register"));
  }
  SECTION("a clock that is off") {
    world.set(R"({"clockOffsetMs":60000})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "clock");
    CHECK_THAT(step.found, Contains("ahead"));
    world.set(R"({"clockOffsetMs":-60000})");
    CHECK_THAT(failed_in(world.check()).found, Contains("behind"));
    // The account is queried by the bank's own clock.
    world.set(R"({"refuseFutureFim":true})");
    CHECK(failed_in(world.check()).name == "clock");
  }
  SECTION("an account that is not to be read") {
    world.fault(R"({"operation":"pix.list","kind":"problem","status":403,"type":"AcessoNegado"})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "reading");
    CHECK_THAT(step.found, Contains("403"));
  }
  SECTION("a charge that is refused") {
    world.fault(R"({"operation":"cob.put","kind":"problem","status":400,"type":"CobOperacaoInvalida"})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "cob");
    CHECK_THAT(step.found, Contains("not made") && Contains("CobOperacaoInvalida"));
  }
  SECTION("a charge that is not removed") {
    world.fault(R"({"operation":"cob.patch","kind":"problem","status":403,"type":"AcessoNegado"})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "cob");
    CHECK_THAT(step.found, Contains("not removed"));
  }
  SECTION("a charge whose code is damaged") {
    world.fault(R"({"operation":"cob.get","kind":"bad-crc"})");
    const auto step = failed_in(world.check());
    CHECK(step.name == "cob");
    CHECK_THAT(step.found, Contains("its code"));
  }
}

TEST_CASE("a test environment that pays charges by itself is well") {
  const World world;
  world.set(R"({"habits":["efi_homologation"]})");
  SECTION("of a bank that is known to") {
    world.add("efi", true, "test", "efi");
    const auto result = world.check({"--env", "test"}, "efi");
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("10.01 was made, read and removed"));
    CHECK(json_at(world.bank.drive("GET", "/state"), "/accounts/0/payments") == "[]");
  }
  SECTION("of any other") {
    world.add("outro", true, "test", "generic");
    const auto result = world.check({"--env", "test"}, "outro");
    INFO(result.out << result.err);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("has paid it by itself"));
  }
  SECTION("but a charge that is paid at once does not mean live") {
    CHECK(failed_in(world.check()).name == "cob");
  }
}

TEST_CASE("a webhook that others have registered fails no check") {
  const World world;
  REQUIRE(world.run({"callback", "register"}, {"--url", "https://back.example"}).code == 0);
  world.add("segundo", true);
  const auto result = world.check({}, "segundo");
  INFO(result.out << result.err);
  CHECK(result.code == 0);
  CHECK_THAT(result.out, Contains("which this connection has not told it"));
}

TEST_CASE("an answer that is lost on the way does not make a check's charge twice") {
  const World world;
  world.fault(R"({"operation":"cob.put","kind":"drop","when":"after"})");
  const auto result = world.check();
  INFO(result.out << result.err);
  CHECK(result.code == 0);
}

TEST_CASE("a check refuses a connection without a bank, and names the wrong option") {
  const World world;
  const auto refused = [&](const ProcessResult& result, const std::string& option) {
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK_THAT(result.err, Contains(option));
  };
  refused(world.check({}, "pix"), "--connection");
  refused(world.pixledger.run({"connection", "check", "--project", "x", "--connection", "banco"}),
          "--project");
  refused(world.pixledger.run({"connection", "check", "--project", world.project}), "--connection");
  refused(world.pixledger.run(world.naming({"check", "--ca-file", "/nowhere.pem"})), "--ca-file");
  refused(world.check({"--env", "both"}), "--env");
  CHECK(world.check({}, "nobody").code == 1);
  CHECK(world.check({"--env", "test"}).code == 1);
}
