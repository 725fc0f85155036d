#include <catch2/catch.hpp>

#include "workers/banks/api_pix/bank_exchange.h"

using namespace pixledger;
using namespace pixledger::workers;

namespace {

using Found = std::vector<std::string>;

Found in(BankOperation operation, const std::string& body, int status = 200) {
  return novelties_in(operation, {.status = status, .body = body, .retry_after = "", .date = {}});
}

}  // namespace

TEST_CASE("parts of the document 2.9.0 are not new, in any spelling") {
  CHECK(in(BankOperation::kListPix,
           R"({"parametros":{},"pix":[{"endToEndId":"E","txId":"t","valor":"1.00","componentesValor":{},
               "chave":"k","horario":"h","infoPagador":"i","pagador":{},
               "devolucoes":[{"id":"1","rtrId":"D","valor":"1.00","natureza":"med_fraude","descricao":"d",
                              "horario":{},"status":"DEVOLVIDO","motivo":"m"}]}]})") == Found());
  CHECK(in(BankOperation::kPutCob,
           R"({"calendario":{},"txid":"t","revisao":0,"loc":{},"location":"l","status":"ATIVA","devedor":{},
               "valor":{},"chave":"k","solicitacaoPagador":"s","infoAdicionais":[],"pixCopiaECola":"p"})") ==
        Found());
  CHECK(in(BankOperation::kGetPix, R"({"type":"https://pix.bcb.gov.br/api/v2/error/PixNaoEncontrado"})",
           404) == Found());
}

TEST_CASE("fields, values of codes and types of errors that are new are reported, each once") {
  CHECK(in(BankOperation::kListPix,
           R"({"pix":[{"limite":1,"devolucoes":[{"natureza":"MED_NOVA","status":"EM_ANALISE"}]},
                      {"limite":2,"devolucoes":{"natureza":"MED_NOVA"}}]})") ==
        Found({"devolucao.natureza MED_NOVA", "devolucao.status EM_ANALISE", "pix.limite"}));
  CHECK(in(BankOperation::kGetCob, R"({"status":"PAUSADA","pix":[{"origem":"x"}]})") ==
        Found({"cob.status PAUSADA", "pix.origem"}));
  CHECK(in(BankOperation::kPutCob, R"({"type":"https://pix.bcb.gov.br/api/v2/error/CobNova"})", 422) ==
        Found({"error CobNova"}));
}

TEST_CASE("reports of new parts have no data of payers, and a limited length") {
  CHECK(in(BankOperation::kPutRefund, R"({"status":"Conta de Maria encerrada","52998224725":1})") == Found());
  std::string many = "{";
  for (int i = 0; i < 200; ++i) many += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\":1";
  CHECK(in(BankOperation::kGetPix, many + "}").size() == 16);
  CHECK(in(BankOperation::kGetPix, "<html>") == Found());
  CHECK(in(BankOperation::kGetPix, "[1]") == Found());
  CHECK(in(BankOperation::kToken, R"({"nova":1})") == Found());
}
