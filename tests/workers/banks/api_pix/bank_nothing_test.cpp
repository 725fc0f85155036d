// A bank's answers of not found, in all spellings, and requests that may no longer be sent.
#include <catch2/catch.hpp>

#include "tests/workers/banks/api_pix/fake_bank.h"
#include "workers/banks/api_pix/bank_client.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

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

constexpr const char* kCob =
    R"({"txid":"pcabcdefgh12345678901234567","status":"ATIVA","valor":{"original":"37.00"},)"
    R"("chave":"loja@example.com","location":"pix.example.com/qr/1","calendario":{"expiracao":1770}})";
constexpr const char* kRefund =
    R"({"id":"rcabcdefgh12345678901234567","rtrId":"D12345678202009091000abcde123456","valor":"5.00",)"
    R"("horario":{},"status":"EM_PROCESSAMENTO"})";

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

TEST_CASE("an answer of not found has many spellings, and is understood in every query") {
  const auto [status, body] = GENERATE(table<int, const char*>({
      {200, ""},
      {204, ""},
      {200, " \n"},
      {200, "{}"},
      {200, "[]"},
      {200, "null"},
      {404,
       R"({"type":"https://pix.bcb.gov.br/api/v2/error/PixNaoEncontrado","title":"Pix não encontrado."})"},
      {404, R"({"type":"https://pix.bcb.gov.br/api/v2/error/NaoEncontrado","status":404})"},
      {404, R"({"erros":[{"codigo":"4769515","versao":"1","mensagem":"Nada"}]})"},
      {400, R"({"erros":[{"codigo":4769515}]})"},
      {200, R"({"erros":[{"codigo":"4769515"}]})"},
      {200, R"({"errors":[{"code":"4769515"}]})"},
      {404, R"({"erros":[{"codigo":"04769515"}]})"},
      {404, R"({"type":"https://pix.bcb.gov.br/api/v2/error/NaoEncontrado/","status":404})"},
  }));
  CAPTURE(status, body);
  FakeBank bank;
  ClientOfFakeBank one(bank);
  SECTION("of an account") {
    bank.will_answer("GET /pix", status, body);
    const auto result = one.client.list_pix({kStart, kStart}, 0, one.turn());
    REQUIRE(said(result) == "done");
    CHECK(std::get<BankPixPage>(result).items == 0);
    CHECK(std::get<BankPixPage>(result).pages == 0);
  }
  SECTION("of a refund before it is sent") {
    bank.will_answer("GET /pix", status, body);
    bank.will_answer("PUT /pix", 201, kRefund);
    CHECK(said(one.client.make_refund(refund_order(), SentBefore::kMaybe, one.turn())) == "done");
    CHECK(bank.asked() == "GET /pix, PUT /pix");
  }
  SECTION("of a charge whose answer was lost") {
    bank.will_answer("PUT /cob", kLost);
    bank.will_answer("GET /cob", status, body);
    bank.will_answer("PUT /cob", 201, kCob);
    CHECK(said(one.client.make_cob(cob_order(), SentBefore::kNo, one.turn())) == "done");
  }
}

TEST_CASE("an answer of not found is read from banks' texts, but only for the requested resource") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  SECTION("of an account") {
    const auto [status, body] = GENERATE(table<int, const char*>({
        {200, R"({"mensagem":"Nenhum Pix encontrado"})"},
        {200, R"({"mensagem":"Nenhum registro encontrado."})"},
        {200, R"({"pix":[],"message":"Nenhum registro"})"},
        {200, R"({"message":"Não há pagamentos no período informado"})"},
        {200, R"({"mensagem":"A consulta não retornou resultados."})"},
        {404, R"({"type":"about:blank","title":"Pix não encontrado"})"},
        {404, R"({"detail":"Pix não encontrado para o e2eid informado."})"},
        {404, R"({"type":"https://x/error/PixNaoEncontrado/"})"},
        {404, R"({"type":"https://x/error/PixNãoEncontrado"})"},
        {404, R"({"nome":"PixNotFound"})"},
    }));
    CAPTURE(status, body);
    bank.will_answer("GET /pix", status, body);
    CHECK(said(one.client.list_pix({kStart, kStart}, 0, one.turn())) == "done");
  }
  SECTION("of a refund") {
    const auto [status, body] = GENERATE(table<int, const char*>({
        {200, R"({"mensagem":"Devolucao nao encontrada"})"},
        {400, R"({"title":"Devolução não encontrada"})"},
        {400, R"({"mensagem":"Devolução não localizada."})"},
    }));
    CAPTURE(status, body);
    bank.will_answer("GET /pix", status, body);
    const auto result = one.client.get_refund(refund_order(), one.turn());
    REQUIRE(said(result) == "not_found");
    CHECK(std::get<NotFound>(result).is_told);
  }
  SECTION("of a refund not where the status says yes and the text says little") {
    for (const auto* text : {"Nenhum registro encontrado.", "Sem dados", "A devolucao nao retornou dados"}) {
      CAPTURE(text);
      bank.will_answer("GET /pix", 200, R"({"mensagem":")" + std::string(text) + R"("})");
      CHECK(said(one.client.get_refund(refund_order(), one.turn())).starts_with("unusable"));
    }
  }
  SECTION("and no change is taken for nothing by a text") {
    bank.will_answer("PUT /pix", 400, R"({"title":"Devolução não encontrada"})");
    CHECK(said(one.client.put_refund(refund_order(), one.turn())).starts_with("refused"));
  }
}

TEST_CASE("an answer of not found must name the requested resource, and no other") {
  const auto& generic = *find_bank_profile("generic");
  using Of = BankOperation;
  for (const auto* type : {"PixNaoEncontrado", "pix_nao_encontrados", "NaoEncontrado"})
    for (const auto of : {Of::kListPix, Of::kGetPix, Of::kGetRefund})
      CHECK(means_not_found(generic, of, type));
  CHECK(means_not_found(generic, Of::kGetCob, "cobranca_nao_encontrada"));
  CHECK(means_not_found(generic, Of::kRemoveCob, "CobNaoEncontrada"));
  CHECK(means_not_found(generic, Of::kGetRefund, "PixDevolucaoNaoEncontrada"));
  CHECK(means_not_found(generic, Of::kGetCallback, "WebhookNaoEncontrado"));
  for (const auto of : {Of::kListPix, Of::kGetPix, Of::kGetCob, Of::kGetRefund})
    for (const auto* type : {"ChaveNaoEncontrada", "conta_nao_encontrada", "ClienteNaoEncontrado",
                             "aplicacao_nao_encontrada", "EncontradoNao", "a", ""})
      CHECK_FALSE(means_not_found(generic, of, type));
  CHECK_FALSE(means_not_found(generic, Of::kListPix, "CobNaoEncontrada"));
}

TEST_CASE("a bare 404 to a list, or an error of another kind, is no empty account") {
  const auto [status, body] = GENERATE(table<int, const char*>({
      {404, ""},
      {404, "<html>Not found</html>"},
      {404, R"({"timestamp":"2026-03-01T12:00:00Z","status":404,"error":"Not Found","path":"/v2/pix"})"},
      {404, R"({"message":"no Route matched with those values"})"},
      {200, R"({"erros":[{"codigo":"500"}]})"},
      {200, R"({"mensagem":"indisponível"})"},
      {400, R"({"nome":"conta_nao_encontrada","mensagem":"Conta não encontrada"})"},
      {404, R"({"type":"https://pix.bcb.gov.br/api/v2/error/ChaveNaoEncontrada","status":404})"},
      {200, R"({"nome":"aplicacao_nao_encontrada"})"},
      {200, "<html>"},
      {200, R"({"mensagem":"Pix não encontrado: a chave não existe"})"},
      {200, R"({"title":"Pix não encontrado","detail":"Conta inativa"})"},
      {404, R"({"type":"about:blank","title":"Cobrança não encontrada"})"},
      {404, R"({"mensagem":"Dados não encontrados"})"},
      {404, R"({"type":"x/ChaveNaoEncontrada","title":"Pix não encontrado"})"},
      {200, R"({"mensagem":"Nenhum Pix encontrado","items":[{"valor":"19.90"}]})"},
      {200, R"({"erro":"periodo maximo excedido"})"},
      {200, R"({"success":false})"},
      {200, R"({"data":{"pix":[{"valor":"19.90"}]}})"},
      {200, R"({"pix":[],"quantidadeTotalDeItens":5})"},
      {200, R"({"pix":[],"parametros":{"paginacao":{"quantidadeDePaginas":2}}})"},
      {200, R"({"pix":[{"valor":"19.90"}],"paginaAtual":1})"},
  }));
  CAPTURE(status, body);
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("GET /pix", status, body);
  CHECK(said(one.client.list_pix({kStart, kStart}, 0, one.turn())) != "done");
}

TEST_CASE("no change is sent once its time has passed, but the bank's state is still read") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  auto turn = one.turn();
  turn.change_by = boot_time(one.clock);
  CHECK(said(one.client.make_cob(cob_order(), SentBefore::kMaybe, turn)) ==
        "unavailable: its time has passed");
  CHECK(bank.asked() == "GET /cob");
}

TEST_CASE("a refund that is refused and cannot be read is refused, and not known") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  bank.will_answer("PUT /pix", 400, R"({"type":"PixDevolucaoInvalida"})");
  bank.will_answer("GET /pix", 503);
  const auto made = one.client.make_refund(refund_order(), SentBefore::kNo, one.turn());
  REQUIRE(std::holds_alternative<Refused>(made));
  CHECK(std::get<Refused>(made).is_unread);
}

TEST_CASE("a client that takes over for the same goes on with its token, and another's does not") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  CHECK(said(one.client.get_cob(cob_order().txid, one.turn())) == "not_found");
  auto access = bank.access();
  access.rate = 5;
  BankClient same(access, {one.clock, one.entropy, one.network}, &one.client);
  CHECK(said(same.get_cob(cob_order().txid, one.turn())) == "not_found");
  CHECK(bank.tokens() == 1);
  access.client_secret = "another";
  BankClient other(access, {one.clock, one.entropy, one.network}, &same);
  CHECK(said(other.get_cob(cob_order().txid, one.turn())) == "not_found");
  CHECK(bank.tokens() == 2);
}
