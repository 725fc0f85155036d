#include <catch2/catch.hpp>

#include "tests/workers/banks/api_pix/fake_bank.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

constexpr const char* kCob =
    R"({"txid":"pcabcdefgh12345678901234567","status":"ATIVA","valor":{"original":"37.00"},
        "chave":"loja@example.com","location":"pix.example.com/qr/1"})";

CobOrder cob_order() {
  return {.txid = parsed<domain::Txid>("pcabcdefgh12345678901234567"),
          .amount = domain::Cents(3'700),
          .key = parsed<domain::PixKey>("loja@example.com"),
          .expires_in_s = 1'770,
          .text_for_payer = "Camiseta (azul)"};
}

}  // namespace

TEST_CASE("a bank that refuses the text for the payer by name gets a plainer one, and makes the charge") {
  FakeBank bank;
  ClientOfFakeBank one(bank);
  const auto refusal =
      GENERATE(as<std::string>{},
               R"({"type":"https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida","status":400,
          "violacoes":[{"razao":"Caracteres inválidos","propriedade":"cob.solicitacaoPagador"}]})",
               R"({"erros":[{"codigo":"1","mensagem":"Tamanho de SolicitacaoPagador acima de 100"}]})",
               "<html>solicitacaopagador: pattern</html>",
               R"({"violacoes":[{"razao":"x","propriedade":"cob.solicitacao_pagador"}]})",
               R"({"violacoes":[{"razao":"O campo solicita\u00e7\u00e3o ao pagador é inválido"}]})",
               R"({"mensagem":"Campo Solicitação Pagador inválido"})", "Solicita\xe7\xe3o ao pagador",
               "<p>Solicita&ccedil;&atilde;o do pagador</p>");
  const auto order = cob_order();
  SECTION("a plainer text will do") {
    bank.will_answer("PUT /cob", 422, refusal);
    bank.will_answer("PUT /cob", 201, kCob);
    CHECK(outcome_name(one.client.make_cob(order, SentBefore::kNo, one.turn())) == "done");
    CHECK(bank.last().body == put_cob_request(order, PayerText::kPlain).body);
  }
  SECTION("none will do") {
    bank.will_answer("PUT /cob", 400, refusal);
    bank.will_answer("PUT /cob", 400, refusal);
    bank.will_answer("PUT /cob", 201, kCob);
    CHECK(outcome_name(one.client.make_cob(order, SentBefore::kNo, one.turn())) == "done");
    CHECK(bank.last().body == put_cob_request(order, PayerText::kNone).body);
    CHECK(bank.asked() == "PUT /cob, PUT /cob, PUT /cob");
  }
  SECTION("a refusal for another reason is not retried") {
    const auto* other = GENERATE(R"({"violacoes":[{"razao":"outra","propriedade":"cob.chave"}]})",
                                 R"({"mensagem":"Solicitação inválida: o pagador não existe"})");
    bank.will_answer("PUT /cob", 400, other);
    CHECK(outcome_name(one.client.make_cob(order, SentBefore::kNo, one.turn())) == "refused");
    CHECK(bank.asked() == "PUT /cob");
  }
}
