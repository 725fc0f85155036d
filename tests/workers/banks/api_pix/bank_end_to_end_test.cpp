#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <random>
#include <simdjson.h>

#include "base/net/resolver.h"
#include "base/platform/clock_and_entropy.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/bank_program.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_credentials.h"
#include "workers/banks/api_pix/bank_http.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string text_at(const std::string& json, const std::string& pointer) {
  simdjson::dom::parser parser;
  return std::string(parser.parse(json).at_pointer(pointer).get_string().value());
}

// The client and the bank, each speaking the API Pix as its own maker has read the document.
struct World {
  BankProgram bank;
  SystemClock clock;
  SystemEntropy entropy;
  SystemResolver resolver;
  BankNetwork network{resolver, {.ca_file = bank.told("/ca"), .call_timeout = 1min}};
  std::unique_ptr<BankClient> client = connect(bank.access());

  std::unique_ptr<BankClient> connect(BankAccess access) {
    return std::make_unique<BankClient>(std::move(access), BankDependencies{clock, entropy, network});
  }
  BankTurn turn() const { return {BankPriority::kCreate, boot_time(clock) + 1min}; }

  CobOrder order() {
    std::string txid = "p";
    std::random_device random;
    while (txid.size() < 26) txid += "0123456789abcdefghijklmnopqrstuvwxyz"[random() % 36];
    return {.txid = parsed<domain::Txid>(txid),
            .amount = domain::Cents(3'705),
            .key = client->access().pix_key,
            .expires_in_s = 600,
            .text_for_payer = "Camiseta São João"};
  }
  BankResult<BankCob> make(const CobOrder& order) { return client->make_cob(order, SentBefore::kNo, turn()); }
  std::string code_of(const BankCob& cob) const {
    return std::get<CheckedPixCode>(choose_pix_code(cob, {"Minha Loja", "RECIFE"})).code;
  }
  // The payment's id.
  domain::EndToEndId pay(const BankCob& cob) {
    const auto paid = bank.drive("POST", "/pay", R"({"code":")" + code_of(cob) + R"("})");
    return parsed<domain::EndToEndId>(text_at(paid, "/payments/0/endToEndId"));
  }
  void fault(const std::string& fault) { bank.drive("POST", "/faults", fault); }
  void set(const std::string& settings) { bank.drive("PATCH", "/settings", settings); }
};

template <class Done>
std::string said(const BankResult<Done>& result) {
  const auto outcome = std::string(outcome_name(result));
  if (const auto* const refused = std::get_if<Refused>(&result))
    return outcome + ": " + to_string(refused->error);
  if (const auto* const unknown = std::get_if<OutcomeUnknown>(&result))
    return outcome + ": " + unknown->reason;
  if (const auto* const unavailable = std::get_if<Unavailable>(&result))
    return outcome + ": " + unavailable->reason;
  if (const auto* const unusable = std::get_if<Unusable>(&result)) return outcome + ": " + unusable->reason;
  return outcome;
}

void a_charge_is_made_paid_and_sent_back(World& world) {
  const auto order = world.order();
  const auto made = world.make(order);
  REQUIRE(said(made) == "done");
  const auto& cob = std::get<BankCob>(made);
  const auto chosen = std::get<CheckedPixCode>(choose_pix_code(cob, {"Minha Loja", "RECIFE"}));
  CHECK_FALSE(chosen.composed);
  CHECK(said(world.client->make_cob(order, SentBefore::kMaybe, world.turn())) == "done");

  const auto id = world.pay(cob);
  const auto found = world.client->get_pix(id, world.turn());
  REQUIRE(said(found) == "done");
  const auto& payment = std::get<BankPayment>(found);
  CHECK(payment.txid == order.txid);
  CHECK(payment.amount == order.amount);
  CHECK(payment.key == order.key.text());
  CHECK(std::get<BankCob>(world.client->get_cob(order.txid, world.turn())).status == CobStatus::kPaid);
  CHECK(said(world.client->remove_cob(order.txid, world.turn()))
            .starts_with("refused: 400 CobOperacaoInvalida"));

  const RefundOrder refund{id, "r" + order.txid.text().substr(1), domain::Cents(5)};
  world.fault(R"({"operation":"devolucao.put","kind":"drop","when":"after"})");
  const auto returned = world.client->make_refund(refund, SentBefore::kNo, world.turn());
  REQUIRE(said(returned) == "done");
  CHECK(std::get<BankRefund>(returned).amount == domain::Cents(5));
  CHECK(std::get<BankPayment>(world.client->get_pix(id, world.turn())).refunds.size() == 1);
  const RefundOrder too_much{id, "r2" + order.txid.text().substr(2), domain::Cents(3'705)};
  const auto refused = said(world.client->make_refund(too_much, SentBefore::kNo, world.turn()));
  INFO(refused);
  CHECK(refused.starts_with("refused: 400 PixDevolucaoInvalida"));
}

void lost_and_wrong_answers_are_dealt_with(World& world) {
  const auto made_after = [&](const std::string& fault) {
    world.fault(R"({"operation":"cob.put",)" + fault + "}");
    const auto order = world.order();
    auto result = said(world.make(order));
    world.bank.drive("DELETE", "/faults");
    return result;
  };
  CHECK(made_after(R"("kind":"drop","when":"after")") == "done");
  CHECK(made_after(R"("kind":"drop","when":"before")") == "done");
  CHECK(made_after(R"("kind":"cut")") == "done");
  CHECK(made_after(R"("kind":"html","status":502,"when":"after")") == "done");
  CHECK(made_after(R"("kind":"wrong-amount")") == "unusable: the charge has another amount");
  CHECK(made_after(R"("kind":"wrong-txid")") == "unusable: the charge has another txid");
  CHECK(made_after(R"("kind":"wrong-key")") == "unusable: the charge is on another key");
  CHECK(made_after(R"("kind":"no-zone")") == "done");  // read again

  for (const std::string kind : {"no-code", "bad-crc", "wrong-code-amount", "wrong-code-location"}) {
    CAPTURE(kind);
    world.fault(R"({"operation":"cob.put","kind":")" + kind + R"("})");
    const auto made = world.make(world.order());
    REQUIRE(said(made) == "done");
    const auto chosen =
        std::get<CheckedPixCode>(choose_pix_code(std::get<BankCob>(made), {"Loja", "RECIFE"}));
    CHECK(chosen.composed);
    CHECK(chosen.complaint.has_value() == (kind != "no-code"));
  }
}

void pages_are_read_to_the_last(World& world) {
  const auto now = world.clock.now();
  const auto from = now.plus_millis(-60'000);
  world.bank.drive("POST", "/pay-many",
                   R"({"count":150,"from":")" + to_iso8601(from) + R"(","to":")" + to_iso8601(now) +
                       R"(","amount":"1.00"})");
  const PixWindow window{from, now};
  const auto first = world.client->list_pix(window, 0, world.turn());
  REQUIRE(said(first) == "done");
  const auto& page = std::get<BankPixPage>(first);
  CHECK(page.found.payments.size() == 100);
  CHECK(page.pages == 2);
  const auto last = std::get<BankPixPage>(world.client->list_pix(window, 1, world.turn()));
  CHECK(page.found.payments.size() + last.found.payments.size() == static_cast<std::size_t>(page.items));
  CHECK(last.found.unusable.empty());
}

void callbacks_are_registered(World& world) {
  CHECK(said(world.client->show_callback(world.turn())) == "not_found");
  REQUIRE(said(world.client->register_callback("https://loja.example/c/s", world.turn())) == "done");
  CHECK(std::get<std::string>(world.client->show_callback(world.turn())) == "https://loja.example/c/s");
  CHECK(said(world.client->remove_callback(world.turn())) == "done");
}

}  // namespace

TEST_CASE("client and bank understand each other, and neither breaks the document of the API Pix") {
  World world;
  if (!world.bank.is_held_to_document())
    WARN("no document of the API Pix here, or not what reads it: nothing is held to it");
  const auto token = world.client->token();
  REQUIRE(std::holds_alternative<TokenGrant>(token));
  CHECK(std::get<TokenGrant>(token).scopes.has_value());
  a_charge_is_made_paid_and_sent_back(world);
  lost_and_wrong_answers_are_dealt_with(world);
  pages_are_read_to_the_last(world);
  callbacks_are_registered(world);
  const auto removed = world.order();
  REQUIRE(said(world.make(removed)) == "done");
  CHECK(said(world.client->remove_cob(removed.txid, world.turn())) == "done");
  CHECK(world.bank.end() == "");
}

TEST_CASE("banks that answer in ways of their own are understood by their profiles") {
  World world;
  auto efi = world.bank.access();
  efi.profile = find_bank_profile("efi");
  const auto client = world.connect(efi);
  world.set(
      R"({"missingStatus":400,"errorBodies":"efi","repeats":"conflict","createdStatus":200,"patchedStatus":201})");
  const auto order = world.order();
  CHECK(said(client->get_cob(order.txid, world.turn())) == "not_found");
  CHECK(said(client->make_cob(order, SentBefore::kNo, world.turn())) == "done");
  CHECK(said(client->put_cob(order, world.turn())) == "duplicate");
  CHECK(said(client->make_cob(order, SentBefore::kNo, world.turn())) == "done");
  CHECK(said(client->remove_cob(order.txid, world.turn())) == "done");

  auto bb = world.bank.access();
  bb.profile = find_bank_profile("bb");
  bb.psp_app_key = "chave do aplicativo";
  world.set(R"({"missingStatus":404,"errorBodies":"bb","appKey":"chave do aplicativo"})");
  const auto other = world.connect(bb);
  CHECK(said(other->get_cob(world.order().txid, world.turn())) == "not_found");
}

TEST_CASE("a client is let in with its certificate from PFX files, old and new, and not with another") {
  World world;
  for (const auto* file : {"/client/pfx", "/client/oldPfx"}) {
    const auto credentials = read_pfx_credentials(content(world.bank.told(file)),
                                                  world.bank.told("/client/pfxPassword"), world.clock.now());
    CHECK(credentials.subject == "CN=loja.example");
    auto access = world.bank.access();
    access.certificate_pem = credentials.certificate_pem;
    access.private_key_pem = credentials.private_key_pem;
    CHECK(std::holds_alternative<TokenGrant>(world.connect(access)->token()));
  }
  auto expired = world.bank.access();
  expired.certificate_pem = content(world.bank.told("/expired/certificate"));
  expired.private_key_pem = content(world.bank.told("/expired/key"));
  const auto refused = world.connect(expired)->token();
  CHECK(std::holds_alternative<Unavailable>(refused));
  CHECK_THROWS_AS(read_pem_credentials(expired.certificate_pem, expired.private_key_pem, world.clock.now()),
                  CredentialError);
}
