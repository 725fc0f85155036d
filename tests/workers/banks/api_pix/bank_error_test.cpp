#include <catch2/catch.hpp>

#include "workers/banks/api_pix/bank_result.h"

using namespace pixledger;
using namespace pixledger::workers;

namespace {

std::string line_of(int status, const std::string& body) {
  return to_string(read_bank_error(status, body, ErrorText::kRead));
}

}  // namespace

TEST_CASE("the document's problem details are read, with every violation but its value") {
  const auto error = read_bank_error(400, R"({
    "type": "https://pix.bcb.gov.br/api/v2/error/CobOperacaoInvalida", "title": "Cobrança inválida.", "status": 400,
    "detail": "A requisição não respeita o schema.",
    "violacoes": [{"razao": "O campo cob.valor.original não respeita o schema.", "propriedade": "cob.valor.original",
                   "valor": "Maria da Silva"}, {"razao": "outra"}, 7, {"propriedade": null}]})",
                                     ErrorText::kRead);
  CHECK(error.status == 400);
  CHECK(error.type == "CobOperacaoInvalida");
  CHECK(error.reasons ==
        std::vector<std::string>{"cob.valor.original: O campo cob.valor.original não respeita o schema.",
                                 "outra"});
  CHECK(to_string(error) ==
        "400 CobOperacaoInvalida: cob.valor.original: O campo cob.valor.original não respeita o schema.; "
        "outra");
}

TEST_CASE("banks' own errors are read") {
  CHECK(line_of(409, R"({"nome":"txid_duplicado","mensagem":"Campo txid informado já foi utilizado"})") ==
        "409 txid_duplicado: Campo txid informado já foi utilizado");
  CHECK(line_of(404, R"({"erros":[{"codigo":"4769515","versao":"1","mensagem":"Não há informações.",
                                   "ocorrencia":"CHOM00000062715498140101"}]})") ==
        "404 4769515: Não há informações.");
  CHECK(line_of(401,
                R"({"statusCode":401,"error":"Unauthorized","message":"Bad Credentials","attributes":{}})") ==
        "401 Unauthorized: Bad Credentials");
  CHECK(line_of(401, R"({"error":"invalid_client","error_description":"Invalid client credentials"})") ==
        "401 invalid_client: Invalid client credentials");
}

TEST_CASE("for any other body only the status is reported") {
  const std::string body =
      GENERATE(as<std::string>(), "", "<html><h1>Maria da Silva</h1></html>",
               "<soap:Envelope><faultstring>x</faultstring></soap:Envelope>", "{", "[]", "null", R"("Maria")",
               R"({"nome":"Maria da Silva"})", R"({"violacoes":"Maria","erros":7})",
               R"({"type":["x"],"title":{"a":1}})", "\xff\xfe");
  CHECK(line_of(500, body) == "500");
}

TEST_CASE("reasons hold no documents, phones, accounts or e-mail addresses") {
  CHECK(without_personal_data("CPF 529.982.247-25 do devedor") == "CPF # do devedor");
  CHECK(without_personal_data("CPF 52998224725.") == "CPF #.");
  CHECK(without_personal_data("(11) 98765-4321 x") == "(# x");
  CHECK(without_personal_data("de maria@example.com para <x@y>") == "de # para #");
  CHECK(without_personal_data("até 90 dias e 1000 reais") == "até 90 dias e 1000 reais");
}

TEST_CASE("reasons are short lines, cut between characters, and few") {
  CHECK(without_personal_data("a\r\nb\tc\x01") == "a  b c");
  std::string many;
  for (int i = 0; i < 200; ++i) many += "ç";
  CHECK(without_personal_data(many).size() == 280);
  std::string violations;
  for (int i = 0; i < 50; ++i) violations += std::string(i == 0 ? "" : ",") + R"({"razao":"x"})";
  CHECK(read_bank_error(400, R"({"violacoes":[)" + violations + "]}", ErrorText::kRead).reasons.size() == 8);
}

TEST_CASE("a type is a name and no text") {
  CHECK(read_bank_error(400, R"({"type":"about:blank/Maria da Silva"})", ErrorText::kRead).type.empty());
  CHECK(read_bank_error(400, R"({"nome":")" + std::string(61, 'a') + R"("})", ErrorText::kRead).type.empty());
  CHECK(read_bank_error(400, R"({"codigo":"52998224725"})", ErrorText::kRead).type.empty());
}

TEST_CASE("an error about a payment is reported without texts that may name its payer") {
  const auto line = [](const std::string& body) {
    return to_string(read_bank_error(400, body, ErrorText::kLeftOut));
  };
  CHECK(
      line(
          R"({"type":"https://x/PixDevolucaoInvalida","title":"Zuleica Planta","detail":"Zuleica Planta recusou"})") ==
      "400 PixDevolucaoInvalida");
  CHECK(line(R"({"type":"x","violacoes":[{"razao":"Zuleica recusou","propriedade":"devolucao.valor"},
                                          {"propriedade":"Zuleica Planta"},{"razao":"Zuleica"}]})") ==
        "400 x: devolucao.valor");
  CHECK(line(R"({"nome":"valor_invalido","mensagem":"Zuleica"})") == "400 valor_invalido");
  CHECK(line(R"({"erros":[{"codigo":"4769515","mensagem":"Zuleica"}]})") == "400 4769515");
}
