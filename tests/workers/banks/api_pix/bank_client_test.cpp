#include "workers/banks/api_pix/bank_client.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/workers/banks/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

constexpr const char* kPaymentId = "E12345678202009091221abcdef12345";

CobOrder cob_order() {
  return {.txid = parsed<domain::Txid>("pcabcdefgh12345678901234567"),
          .amount = domain::Cents(3'700),
          .key = parsed<domain::PixKey>("loja@example.com"),
          .expires_in_s = 1'770,
          .text_for_payer = "Camiseta"};
}
RefundOrder refund_order() {
  return {parsed<domain::EndToEndId>(kPaymentId), "rcabcdefgh12345678901234567", domain::Cents(500)};
}

std::string cob(const std::string& amount = "37.00", const std::string& key = "loja@example.com",
                const std::string& status = "ATIVA",
                const std::string& txid = "pcabcdefgh12345678901234567") {
  return R"({"txid":")" + txid + R"(","status":")" + status + R"(","valor":{"original":")" + amount +
         R"("},"chave":")" + key + R"(","location":"pix.example.com/qr/1","calendario":{"expiracao":1770}})";
}
std::string refund(const std::string& status = "EM_PROCESSAMENTO", const std::string& amount = "5.00") {
  return R"({"id":"rcabcdefgh12345678901234567","rtrId":"D12345678202009091000abcde123456","valor":")" +
         amount + R"(","horario":{},"status":")" + status + R"("})";
}

const ReceiverAnswer kLost{.status = 200, .headers = {}, .body = "", .never = false, .broken_off = true};

// An operation's outcome, in words.
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

}  // namespace

TEST_CASE("a charge is made at a bank that demands a client certificate and a token") {
  FakeBank bank;
  bank.will_answer("PUT /cob", 201, cob());
  ClientOfFakeBank one(bank);
  const auto result = one.client.put_cob(cob_order(), one.turn());
  REQUIRE(said(result) == "done");
  CHECK(std::get<BankCob>(result).location == "pix.example.com/qr/1");
  const auto request = bank.last();
  CHECK(request.path == "/v2/cob/pcabcdefgh12345678901234567");
  CHECK(request.header("content-type") == "application/json");
  CHECK(request.body == put_cob_request(cob_order()).body);
  CHECK(one.reported == "token:done put_cob:done ");
}

TEST_CASE("a bank is spoken to over one connection and with one token, one request after the other") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  for (int i = 0; i < 5; ++i) CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "not_found");
  CHECK(bank.tokens() == 1);
  CHECK(bank.connections() == 1);
}

TEST_CASE("a charge with another txid, amount or key is not used") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("PUT /cob", 201, cob("37.01"));
  CHECK(said(one.client.put_cob(cob_order(), one.turn())) == "unusable: the charge has another amount");
  bank.will_answer("PUT /cob", 201, cob("37.00", "outra@example.com"));
  CHECK(said(one.client.put_cob(cob_order(), one.turn())) == "unusable: the charge is on another key");
  bank.will_answer("PUT /cob", 201, cob("37.00", "loja@example.com", "ATIVA", "pcabcdefgh12345678901234568"));
  CHECK(said(one.client.put_cob(cob_order(), one.turn())) == "unusable: the charge has another txid");
  bank.will_answer("PUT /cob", 202, cob("37.00", "LOJA@example.com", "ATIVA", "PCABCDEFGH12345678901234567"));
  CHECK(said(one.client.put_cob(cob_order(), one.turn())) == "done");
}

TEST_CASE("a charge is made once, whatever is lost on the way") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto make = [&](SentBefore before) {
    return said(one.client.make_cob(cob_order(), before, one.turn()));
  };

  SECTION("the answer is lost after the effect") {
    bank.will_answer("PUT /cob", kLost);
    bank.will_answer("GET /cob", 200, cob());
    CHECK(make(SentBefore::kNo) == "done");
    CHECK(bank.asked() == "PUT /cob, GET /cob");
  }
  SECTION("the request is lost") {
    bank.will_answer("PUT /cob", kLost);
    bank.will_answer("PUT /cob", 201, cob());
    CHECK(make(SentBefore::kNo) == "done");
    CHECK(bank.asked() == "PUT /cob, GET /cob, PUT /cob");
  }
  SECTION("the bank says 500 and has it") {
    bank.will_answer("PUT /cob", 500, "<html>");
    bank.will_answer("GET /cob", 200, cob());
    CHECK(make(SentBefore::kNo) == "done");
  }
  SECTION("the answer cannot be read") {
    bank.will_answer("PUT /cob", 201, "<html>");
    bank.will_answer("GET /cob", 200, cob());
    CHECK(make(SentBefore::kNo) == "done");
  }
  SECTION("the bank says that it has it") {
    bank.will_answer("PUT /cob", 409, R"({"nome":"txid_duplicado"})");
    bank.will_answer("GET /cob", 200, cob());
    CHECK(make(SentBefore::kNo) == "done");
  }
  SECTION("the bank has another charge") {
    bank.will_answer("PUT /cob", 409);
    bank.will_answer("GET /cob", 200, cob("1.00"));
    CHECK(make(SentBefore::kNo) == "unusable: the charge has another amount");
    CHECK(bank.asked() == "PUT /cob, GET /cob");
  }
  SECTION("the bank cannot be asked afterwards") {
    bank.will_answer("PUT /cob", kLost);
    bank.will_answer("GET /cob", 503);
    CHECK(make(SentBefore::kNo).starts_with("unknown: "));
    CHECK(bank.asked() == "PUT /cob, GET /cob");
  }
  SECTION("it does not come through twice") {
    bank.will_answer("PUT /cob", kLost);
    bank.will_answer("PUT /cob", kLost);
    CHECK(make(SentBefore::kNo).starts_with("unknown: "));
    CHECK(bank.asked() == "PUT /cob, GET /cob, PUT /cob, GET /cob");
  }
  SECTION("it may have been sent before, and was") {
    bank.will_answer("GET /cob", 200, cob());
    CHECK(make(SentBefore::kMaybe) == "done");
    CHECK(bank.asked() == "GET /cob");
  }
  SECTION("it may have been sent before, and was not") {
    bank.will_answer("PUT /cob", 201, cob());
    CHECK(make(SentBefore::kMaybe) == "done");
    CHECK(bank.asked() == "GET /cob, PUT /cob");
  }
  SECTION("the bank refuses it") {
    bank.will_answer("PUT /cob", 400,
                     R"({"type":"x/CobOperacaoInvalida","violacoes":[{"razao":"r","propriedade":"p"}]})");
    CHECK(make(SentBefore::kNo) == "refused: 400 CobOperacaoInvalida: p: r");
    CHECK(bank.asked() == "PUT /cob");
  }
}

TEST_CASE("a refund is made once, whatever is lost on the way") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto make = [&](SentBefore before) {
    return said(one.client.make_refund(refund_order(), before, one.turn()));
  };

  SECTION("all goes well") {
    bank.will_answer("PUT /pix", 201, refund());
    CHECK(make(SentBefore::kNo) == "done");
    CHECK(bank.last().path ==
          "/v2/pix/E12345678202009091221abcdef12345/devolucao/rcabcdefgh12345678901234567");
    CHECK(bank.last().body == R"({"valor":"5.00"})");
  }
  SECTION("the answer is lost after the effect") {
    bank.will_answer("PUT /pix", kLost);
    bank.will_answer("GET /pix", 200, refund("DEVOLVIDO"));
    CHECK(make(SentBefore::kNo) == "done");
    CHECK(bank.asked() == "PUT /pix, GET /pix");
  }
  SECTION("a refusal that reading contradicts does not count") {
    bank.will_answer("PUT /pix", 400, R"({"type":"x/PixDevolucaoInvalida"})");
    bank.will_answer("GET /pix", 200, refund());
    CHECK(make(SentBefore::kNo) == "done");
  }
  SECTION("a refusal after which reading finds nothing is one") {
    bank.will_answer("PUT /pix", 400, R"({"type":"x/PixDevolucaoInvalida"})");
    CHECK(make(SentBefore::kNo) == "refused: 400 PixDevolucaoInvalida");
    CHECK(bank.asked() == "PUT /pix, GET /pix");
  }
  SECTION("a refusal after which reading fails leaves it open") {
    bank.will_answer("PUT /pix", 400);
    bank.will_answer("GET /pix", 503);
    CHECK(make(SentBefore::kNo) == "refused: 400");
  }
  SECTION("a bank that does not let itself be asked has said nothing") {
    bank.will_answer("GET /pix", 400, R"({"nome":"valor_invalido"})");
    CHECK(make(SentBefore::kMaybe) == "unusable: 400 valor_invalido");
    CHECK(bank.asked() == "GET /pix");
  }
  SECTION("a refusal of a repeat may be about the first request") {
    bank.will_answer("PUT /pix", kLost);
    bank.will_answer("PUT /pix", 400);
    bank.will_answer("GET /pix", 404);
    bank.will_answer("GET /pix", 200, refund());
    CHECK(make(SentBefore::kNo) == "done");
    CHECK(bank.asked() == "PUT /pix, GET /pix, PUT /pix, GET /pix");
  }
  SECTION("a text in an unreadable refund does not mean that the refund is missing") {
    for (const auto* text : {R"("descricao":"Pagamento nao localizado")", R"("mensagem":"Sem dados")"}) {
      CAPTURE(text);
      bank.will_answer("GET /pix", 200, R"({"id":"rc1","valor":"5.00",)" + std::string(text) + "}");
      CHECK(make(SentBefore::kMaybe).starts_with("unusable: "));
    }
  }
  SECTION("without the right to, nothing is asked") {
    bank.will_answer("PUT /pix", 403, R"({"type":"https://pix.bcb.gov.br/api/v2/error/AcessoNegado"})");
    CHECK(make(SentBefore::kNo) == "refused: 403 AcessoNegado");
    CHECK(bank.asked() == "PUT /pix");
  }
  SECTION("another amount under its id is not used") {
    bank.will_answer("PUT /pix", 201, refund("EM_PROCESSAMENTO", "50.00"));
    CHECK(make(SentBefore::kNo) == "unusable: the refund has another amount");
  }
}

TEST_CASE("a token that the bank does not take is replaced, once") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("GET /cob", 200, cob());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "done");
  one.clock.advance_millis(20'000);
  bank.will_answer("GET /cob", 401);
  bank.will_answer("GET /cob", 200, cob());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "done");
  CHECK(bank.asked() == "GET /cob, GET /cob, GET /cob t2");
  one.clock.advance_millis(20'000);
  bank.will_answer("GET /cob", 401);
  bank.will_answer("GET /cob", 401, R"({"error":"invalid_token"})");
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "refused: 401 invalid_token");
  CHECK(bank.tokens() == 3);
}

TEST_CASE("a token is not asked for again within ten seconds, and the request can be tried then") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("GET /cob", 401);
  const auto result = one.client.get_cob(cob_order().txid, one.turn());
  CHECK(said(result) == "unavailable: the bank has just given a token that it does not take");
  CHECK(std::get<Unavailable>(result).until == boot_time(one.clock) + 10s);
}

TEST_CASE("a bank that refuses the client's credentials says so") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("token", 400, R"({"error":"invalid_client"})");
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "refused: 400 invalid_client");
  CHECK(bank.asked().empty());
  CHECK(one.reported == "token:refused ");
}

TEST_CASE("a bank that asks for less is not asked before the time that it says") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("GET /cob", {.status = 429, .headers = {{"Retry-After", "7"}}, .body = ""});
  const auto limited = one.client.get_cob(cob_order().txid, one.turn());
  CHECK(said(limited) == "unavailable: 429");
  CHECK(std::get<Unavailable>(limited).until == boot_time(one.clock) + 7s);
  const auto early = one.client.get_cob(cob_order().txid, one.turn());
  CHECK(std::get<Unavailable>(early).until == boot_time(one.clock) + 7s);
  CHECK(bank.asked() == "GET /cob");
  one.clock.advance_millis(7'000);
  bank.will_answer("GET /cob", 200, cob());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "done");
}

TEST_CASE("a bank that does not work is left alone, probed, and used again") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  for (int i = 0; i < 5; ++i) {
    bank.will_answer("GET /cob", 500);
    CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "unavailable: 500");
  }
  CHECK(one.client.is_open());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "unavailable: the bank does not work");
  one.clock.advance_millis(5'000);
  bank.will_answer("GET /cob", 500);
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "unavailable: 500");
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "unavailable: the bank does not work");
  one.clock.advance_millis(10'000);
  bank.will_answer("GET /cob", 200, cob());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "done");
  CHECK_FALSE(one.client.is_open());
}

TEST_CASE("a bank whose tokens fail is paused as well") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  for (int i = 0; i < 5; ++i) {
    bank.will_answer("token", 502, "<html>");
    CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "unavailable: token: 502");
    one.clock.advance_millis(10'000);
  }
  CHECK(one.client.is_open());
  bank.will_answer("GET /cob", 200, cob());
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "done");
  CHECK_FALSE(one.client.is_open());
}

TEST_CASE("a change that the bank answers with 5xx may be done, and one that it answers with 429 is not") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("PATCH /cob", 503);
  CHECK(said(one.client.remove_cob(cob_order().txid, one.turn())) == "unknown: 503");
  one.clock.advance_millis(1'000);
  bank.will_answer("PATCH /cob", 429);
  CHECK(said(one.client.remove_cob(cob_order().txid, one.turn())) == "unavailable: 429");
}

TEST_CASE("many threads share a connection's token and rate, and each gets its own answer") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  constexpr int kThreads = 24;
  for (int i = 0; i < kThreads; ++i) bank.will_answer("GET /cob", 200, cob());
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const BankTurn patient{BankPriority::kCreate, boot_time(one.clock) + 1h};
      if (said(one.client.get_cob(cob_order().txid, patient)) == "done") ++done;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(done == kThreads);
  CHECK(bank.tokens() == 1);
}

TEST_CASE("a charge counts as removed when the bank shows it so") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto removed = cob("37.00", "loja@example.com", "REMOVIDA_PELO_USUARIO_RECEBEDOR");
  bank.will_answer("PATCH /cob", 201, removed);
  CHECK(said(one.client.remove_cob(cob_order().txid, one.turn())) == "done");
  bank.will_answer("PATCH /cob", 200, cob());
  CHECK(said(one.client.remove_cob(cob_order().txid, one.turn())).starts_with("unknown: "));
  bank.will_answer("PATCH /cob", 400, R"({"type":"x/CobOperacaoInvalida"})");
  CHECK(said(one.client.remove_cob(cob_order().txid, one.turn())) == "refused: 400 CobOperacaoInvalida");
}

TEST_CASE("a bank's own fields distinguish cases that its statuses do not") {
  FakeBank bank;
  auto access = bank.access();
  access.profile = find_bank_profile("efi");
  ClientOfFakeBank one(bank, access);
  bank.will_answer("GET /cob", 400, R"({"nome":"cobranca_nao_encontrada","mensagem":"x"})");
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "not_found");
  bank.will_answer("PUT /cob", 400, R"({"nome":"txid_duplicado","mensagem":"x"})");
  CHECK(said(one.client.put_cob(cob_order(), one.turn())) == "duplicate");
}

TEST_CASE("payments are read by page and one by one, each checked against the request") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto page = [](int number) {
    return R"({"parametros":{"paginacao":{"paginaAtual":)" + std::to_string(number) +
           R"(,"quantidadeDePaginas":2,"quantidadeTotalDeItens":101}},"pix":[{"endToEndId":")" + kPaymentId +
           R"(","valor":"1.00","horario":"2026-03-01T12:00:00Z"}]})";
  };
  bank.will_answer("GET /pix", 200, page(1));
  const auto result = one.client.list_pix({kStart, kStart}, 1, one.turn());
  REQUIRE(said(result) == "done");
  CHECK(std::get<BankPixPage>(result).pages == 2);
  CHECK(bank.last().path ==
        "/v2/pix?inicio=2026-03-01T12%3A00%3A00Z&fim=2026-03-01T12%3A00%3A00Z&paginacao.paginaAtual=1&"
        "paginacao.itensPorPagina=100");
  bank.will_answer("GET /pix", 200, page(0));
  CHECK(said(one.client.list_pix({kStart, kStart}, 1, one.turn())) == "unusable: the answer is another page");

  bank.will_answer(
      "GET /pix", 200,
      R"({"endToEndId":"E99999999202009091221abcdef12345","valor":"1.00","horario":"2026-03-01T12:00:00Z"})");
  CHECK(said(one.client.get_pix(parsed<domain::EndToEndId>(kPaymentId), one.turn())) ==
        "unusable: the payment has another end-to-end id");
}

TEST_CASE("a callback is registered, shown and removed, with or without a body in the answers") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("PUT /webhook", 200);
  CHECK(said(one.client.register_callback("https://loja.example/c/s", one.turn())) == "done");
  CHECK(bank.last().path == "/v2/webhook/loja%40example.com");
  bank.will_answer("GET /webhook", 200, R"({"webhookUrl":"https://loja.example/c/s"})");
  const auto shown = one.client.show_callback(one.turn());
  CHECK(std::get<std::string>(shown) == "https://loja.example/c/s");
  bank.will_answer("DELETE /webhook", 204);
  CHECK(said(one.client.remove_callback(one.turn())) == "done");
  CHECK(said(one.client.remove_callback(one.turn())) == "not_found");
}
