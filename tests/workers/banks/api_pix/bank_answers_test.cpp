#include "workers/banks/api_pix/bank_answers.h"

#include <catch2/catch.hpp>

#include "workers/banks/api_pix/answer_object.h"

using namespace pixledger;
using namespace pixledger::workers;

namespace {

constexpr const char* kTxid = "7978c0c97ea847e78e8849634473c1f1";
constexpr const char* kPaymentId = "E12345678202009091221abcdef12345";

// A text with every occurrence of a part replaced, for answers with one thing wrong.
std::string with(std::string text, const std::string& part, const std::string& replacement) {
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), replacement);
}

// The document's own example, with the fields it leaves out.
const std::string kCob = R"({
  "calendario": {"criacao": "2020-09-09T20:15:00.358Z", "expiracao": 3600},
  "txid": "7978c0c97ea847e78e8849634473c1f1", "revisao": 0,
  "loc": {"id": 789, "location": "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25", "tipoCob": "cob"},
  "location": "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25", "status": "ATIVA",
  "devedor": {"cnpj": "12345678000195", "nome": "Empresa de Serviços SA"},
  "valor": {"original": "37.00", "modalidadeAlteracao": 1},
  "chave": "7d9f0335-8dcc-4054-9bf9-0dbd61d36906", "solicitacaoPagador": "Serviço realizado.",
  "pixCopiaECola": "00020126"})";

const std::string kPayment = R"({
  "endToEndId": "E12345678202009091221abcdef12345", "txid": "cd1fe328c875481285a6f233ae41b662",
  "valor": "100.00", "horario": "2020-09-10T13:03:33.902Z", "chave": "loja@example.com",
  "pagador": {"cpf": "52998224725", "nome": "Maria da Silva"}, "infoPagador": "Reforma da casa",
  "devolucoes": [{"id": "000AAA111", "rtrId": "D12345678202009091000abcde123456", "valor": "11.00",
                  "horario": {"solicitacao": "2020-09-10T13:03:33.902Z"}, "status": "EM_PROCESSAMENTO"}]})";

std::string page_of(const std::string& payments,
                    const std::string& paging = R"("paginaAtual":0,"itensPorPagina":100,)"
                                                R"("quantidadeDePaginas":1,"quantidadeTotalDeItens":2)") {
  return R"({"parametros":{"inicio":"2020-04-01T00:00:00Z","fim":"2020-04-01T23:59:59Z","paginacao":{)" +
         paging + R"(}},"pix":[)" + payments + "]}";
}

template <class T>
std::string reason_of(const ParsedAnswer<T>& parsed) {
  const auto* const bad = std::get_if<BadAnswer>(&parsed);
  return bad == nullptr ? "" : bad->reason;
}

BankCob cob_of(const std::string& body, std::string_view other_code_field = "") {
  return std::get<BankCob>(parse_cob(body, other_code_field));
}
BankPayment payment_of(const std::string& body) { return std::get<BankPayment>(parse_payment(body)); }

}  // namespace

TEST_CASE("a bank's charge is read") {
  const auto cob = cob_of(kCob);
  CHECK(cob.txid.text() == kTxid);
  CHECK(cob.amount == domain::Cents(3700));
  CHECK(cob.key == "7d9f0335-8dcc-4054-9bf9-0dbd61d36906");
  CHECK(cob.status == CobStatus::kActive);
  CHECK(cob.location == "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25");
  CHECK(cob.pix_code == "00020126");
  CHECK(cob.created_at == parse_iso8601("2020-09-09T20:15:00.358Z"));
  CHECK(cob.expires_in_s == 3600);
  CHECK(cob.received.payments.empty());
}

TEST_CASE("optional fields of a charge may be missing, null, or elsewhere") {
  const auto bare =
      cob_of(R"({"txid":"7978c0c97ea847e78e8849634473c1f1","status":"X","valor":{"original":"5"},
                               "chave":"k","location":null,"pixCopiaECola":null,"calendario":null})");
  CHECK(bare.status == CobStatus::kOther);
  CHECK(bare.amount == domain::Cents(500));
  CHECK_FALSE(bare.location);
  CHECK_FALSE(bare.pix_code);
  CHECK(cob_of(with(kCob, R"("pixCopiaECola")", R"("brcode")"), "brcode").pix_code == "00020126");
  CHECK_FALSE(cob_of(with(kCob, R"("pixCopiaECola")", R"("brcode")")).pix_code);
  const auto elsewhere = with(
      kCob, R"("location": "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25", "status")", R"("status")");
  CHECK(cob_of(elsewhere).location == "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25");
  const auto with_scheme = with(elsewhere, R"("location": "pix)", R"("location": "https://pix)");
  CHECK(cob_of(with_scheme).location == "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25");
  CHECK(cob_of(with(kCob, "3600", "\"3600\"")).expires_in_s == 3600);
}

TEST_CASE("statuses of a charge are distinguished") {
  const auto status = [](const std::string& name) { return cob_of(with(kCob, "ATIVA", name)).status; };
  CHECK(status("CONCLUIDA") == CobStatus::kPaid);
  CHECK(status("REMOVIDA_PELO_USUARIO_RECEBEDOR") == CobStatus::kRemovedByReceiver);
  CHECK(status("REMOVIDA_PELO_PSP") == CobStatus::kRemovedByBank);
}

TEST_CASE("a charge that cannot be used is refused with the field that is wrong") {
  struct Case {
    std::string part, replacement, reason;
  };
  const auto bad = GENERATE(values<Case>({
      {kTxid, "short", "txid is not 26 to 35 letters and digits"},
      {kTxid, std::string(36, 'a'), "txid is not 26 to 35 letters and digits"},
      {R"("txid": )", R"("x": )", "txid is missing"},
      {R"("37.00")", "37.001", "valor.original is not an amount such as 37.00"},
      {R"("37.00")", "true", "valor.original is not a text"},
      {"37.00", "1.999", "valor.original is not an amount such as 37.00"},
      {"37.00", "-1.00", "valor.original is not an amount such as 37.00"},
      {"37.00", "1e3", "valor.original is not an amount such as 37.00"},
      {"37.00", "37,000", "valor.original is not an amount such as 37.00"},
      {"37.00", "99999999999.00", "valor.original is not an amount such as 37.00"},
      {R"({"original": "37.00", "modalidadeAlteracao": 1})", "[]", "valor is not an object"},
      {R"("valor")", R"("x")", "valor is missing"},
      {R"("chave": )", R"("chave": 1, "x": )", "chave is not a text"},
      {R"("ATIVA")", "null", "status is missing"},
      // Nothing depends on these.
      {"20:15:00.358Z", "20:15:00.358", ""},
      {"3600", "-1", ""},
      {"3600", "1e400", "the answer is not JSON"},
      {"3600", "99999999999999999999999999", "the answer is not JSON"},
      {"3600", "18446744073709551615", ""},
      {R"("revisao": 0,)", R"("txid": "7978c0c97ea847e78e8849634473c1f2",)", "txid is there twice"},
      {R"("revisao": 0,)", R"("txId": "7978c0c97ea847e78e8849634473c1f2",)", "txid is there twice"},
      {R"("revisao": 0,)", R"("txId": " 7978c0c97ea847e78e8849634473c1f1", "TXID": null,)", ""},
      {R"("revisao": 0,)", "", ""},
  }));
  CAPTURE(bad.part, bad.replacement);
  CHECK(reason_of(parse_cob(with(kCob, bad.part, bad.replacement), "")) == bad.reason);
}

TEST_CASE("an invalid answer is refused: empty, cut off, of another type, bad text, too deep") {
  CHECK(reason_of(parse_cob("", "")) == "the answer is not JSON");
  CHECK(reason_of(parse_cob("<html>Bad gateway</html>", "")) == "the answer is not JSON");
  CHECK(reason_of(parse_cob("[]", "")) == "the answer is not an object");
  CHECK(reason_of(parse_cob("null", "")) == "the answer is not an object");
  CHECK(reason_of(parse_cob(kCob.substr(0, kCob.size() - 1), "")) == "the answer is not JSON");
  CHECK(reason_of(parse_cob(kCob + kCob, "")) == "the answer is not JSON");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  CHECK(reason_of(parse_cob(deep, "")) == "the answer is not JSON");
  CHECK(reason_of(parse_cob(with(kCob, R"("revisao": 0)", R"("revisao": )" + deep), "")) ==
        "the answer is not JSON");
}

TEST_CASE("every beginning of an answer is refused and harms nothing") {
  for (std::size_t size = 0; size < kPayment.size(); ++size)
    CHECK_FALSE(reason_of(parse_payment(kPayment.substr(0, size))).empty());
}

TEST_CASE("a payment is read without its payer's data") {
  const auto payment = payment_of(kPayment);
  CHECK(payment.end_to_end_id.text() == kPaymentId);
  CHECK(payment.amount == domain::Cents(10'000));
  CHECK(payment.paid_at == parse_iso8601("2020-09-10T13:03:33.902Z"));
  CHECK(payment.txid->text() == "cd1fe328c875481285a6f233ae41b662");
  CHECK(payment.key == "loja@example.com");
  REQUIRE(payment.refunds.size() == 1);
  const auto& refund = payment.refunds.front();
  CHECK(refund.id == "000AAA111");
  CHECK(refund.rtr_id == "D12345678202009091000abcde123456");
  CHECK(refund.amount == domain::Cents(1'100));
  CHECK(refund.status == BankRefundStatus::kProcessing);
  CHECK(refund.nature == BankRefundNature::kOriginal);
  CHECK(refund.requested_at == parse_iso8601("2020-09-10T13:03:33.902Z"));
  CHECK_FALSE(refund.settled_at);
}

TEST_CASE("the txid of a payment may be a static code's, or none") {
  const auto txid = [](const std::string& text) {
    return payment_of(with(kPayment, "cd1fe328c875481285a6f233ae41b662", text)).txid;
  };
  CHECK(txid("A")->text() == "A");
  CHECK(txid(std::string(35, 'a'))->text().size() == 35);
  CHECK_FALSE(txid("***"));
  CHECK_FALSE(txid(""));
  CHECK_FALSE(txid(std::string(36, 'a')));
  CHECK_FALSE(payment_of(with(kPayment, R"("txid")", R"("x")")).txid);
}

TEST_CASE("an end-to-end id is any 32 letters and digits") {
  CHECK(payment_of(with(kPayment, kPaymentId, "EABCDEFGH20200909122Xabcdef12345"))
            .end_to_end_id.text()
            .size() == 32);
  CHECK(reason_of(parse_payment(with(kPayment, kPaymentId, "E1234567820200909122"))) ==
        "endToEndId is not 32 letters and digits");
}

TEST_CASE("a time is read in every spelling that has a zone") {
  const auto* written = GENERATE("T10:03:33-03:00", "T10:03:33-0300", "T10:03:33.000-03", " 13:03:33Z",
                                 "t13:03:33z", "T13:03:33+00:00", " 10:03:33 -0300", "T13:03:33.0000000Z");
  CAPTURE(written);
  const auto payment = payment_of(with(kPayment, "T13:03:33.902Z", written));
  CHECK(payment.paid_at == parse_iso8601("2020-09-10T13:03:33Z"));
  CHECK(payment.time == PaidTime::kTold);
}

TEST_CASE("a payment without a time that can be read has that of its end-to-end id, or none, and counts") {
  const auto* written =
      GENERATE(R"("horario": "2020-09-10T13:03:33.902")", R"("horario": "10/09/2020 13:03")",
               R"("horario": null)", R"("horario": 1599742800)", R"("horario": "")",
               R"("horario": "0001-01-01T00:00:00Z")", R"("outro": 1)");
  CAPTURE(written);
  const auto text = with(kPayment, R"("horario": "2020-09-10T13:03:33.902Z")", written);
  const auto payment = payment_of(text);
  CHECK(payment.time == PaidTime::kOfId);
  CHECK(payment.paid_at == parse_iso8601("2020-09-09T12:21:00Z"));
  CHECK(payment.amount == domain::Cents(10'000));
  CHECK(payment_of(with(text, kPaymentId, "0123456789abcdefABCDEF0123456789")).time == PaidTime::kUnknown);
}

TEST_CASE("a payment's problem is reported without its fields' values") {
  struct Case {
    std::string part, replacement, reason;
  };
  const auto bad = GENERATE(values<Case>({
      {"100.00", "0.00", "valor is zero"},
      {R"("100.00")", "100.001", "valor is not an amount such as 37.00"},
  }));
  const auto reason = reason_of(parse_payment(with(kPayment, bad.part, bad.replacement)));
  CHECK(reason == bad.reason);
}

TEST_CASE("a refund that cannot be used is named, and holds up neither its payment nor others") {
  struct Case {
    std::string part, replacement, reason;
  };
  const auto bad = GENERATE(values<Case>({
      {"11.00", "Maria da Silva", "devolucoes[0].valor is not an amount such as 37.00"},
      {"11.00", "0.00", "devolucoes[0].valor is zero"},
      {"000AAA111", "", "devolucoes[0].id is not 1 to 35 letters and digits"},
      {R"("id": "000AAA111", )", "", "devolucoes[0].id is missing"},
      {R"("EM_PROCESSAMENTO")", "{}", "devolucoes[0].status is not a text"},
  }));
  const auto payment = payment_of(with(kPayment, bad.part, bad.replacement));
  CHECK(payment.amount == domain::Cents(10'000));
  CHECK(payment.refunds.empty());
  CHECK(payment.unusable_refunds == std::vector{bad.reason});
  const auto two = payment_of(with(kPayment, R"("devolucoes": [{)", R"("devolucoes": [52998224725, {)"));
  CHECK(two.refunds.size() == 1);
  CHECK(two.unusable_refunds == std::vector<std::string>{"devolucoes[0] is not an object"});
}

TEST_CASE("returns and a key that cannot be read cost no payment") {
  const auto begin = kPayment.find(R"("devolucoes")");
  const auto returns = kPayment.substr(begin, kPayment.size() - begin - 1);
  for (const auto* written : {"false", "0", R"("[]")", R"("x")"}) {
    CAPTURE(written);
    const auto payment = payment_of(with(kPayment, returns, R"("devolucoes":)" + std::string(written)));
    CHECK(payment.amount == domain::Cents(10'000));
    CHECK(payment.unusable_refunds == std::vector<std::string>{"devolucoes is not a list"});
  }
  for (const auto* written : {R"("")", "null", "[]", "{}", R"(" ")"}) {
    CAPTURE(written);
    const auto payment = payment_of(with(kPayment, returns, R"("devolucoes":)" + std::string(written)));
    CHECK(payment.refunds.empty());
    CHECK(payment.unusable_refunds.empty());
  }
  for (const auto* key : {"12345678901", R"({"tipo":"EMAIL","valor":"loja@example.com"})", "[]", "true"}) {
    CAPTURE(key);
    const auto payment = payment_of(with(kPayment, R"("loja@example.com")", key));
    CHECK(payment.end_to_end_id.text() == kPaymentId);
    CHECK_FALSE(payment.key);
    const auto without_txid = payment_of(
        with(with(kPayment, R"("loja@example.com")", key), R"("cd1fe328c875481285a6f233ae41b662")", "null"));
    CHECK_FALSE(without_txid.key);
    CHECK(without_txid.has_unreadable_key == (std::string_view(key) != "[]"));
  }
  CHECK(reason_of(
            parse_payment(with(kPayment, R"("chave": )", R"("Chave": "outra@example.com", "chave": )"))) ==
        "chave is there twice");
}

TEST_CASE("refunds have their end, nature and the bank's reason without a payer's data") {
  const auto parsed = parse_refund(
      R"({"id":"502","rtrId":"D12345678202011111000fghij789012","valor":"20.00","natureza":"MED_FRAUDE",
          "horario":{"solicitacao":"2020-09-11T15:25:59.411Z","liquidacao":"2020-09-11T15:26:00.411Z"},
          "status":"NAO_REALIZADO","motivo":"Conta 12.345-6 de joao@example.com encerrada"})");
  const auto& refund = std::get<BankRefund>(parsed);
  CHECK(refund.status == BankRefundStatus::kNotDone);
  CHECK(refund.nature == BankRefundNature::kMedFraud);
  CHECK(to_string(refund.nature) == "MED_FRAUDE");
  CHECK(refund.settled_at == parse_iso8601("2020-09-11T15:26:00.411Z"));
  CHECK(refund.why_not == "the bank did not carry it out (NAO_REALIZADO)");
}

TEST_CASE("a refund that is neither returned nor refused is under way, and may have no return id yet") {
  const auto parsed = parse_refund(R"({"id":"1","valor":"0.01","status":"AGUARDANDO","rtrId":null})");
  CHECK(std::get<BankRefund>(parsed).status == BankRefundStatus::kProcessing);
  CHECK_FALSE(std::get<BankRefund>(parsed).rtr_id);
  CHECK(std::get<BankRefund>(parse_refund(R"({"id":"1","valor":"0.01","status":"DEVOLVIDO"})")).status ==
        BankRefundStatus::kReturned);
}

TEST_CASE("of a page the payments that can be used are, and the others are named") {
  const auto parsed = parse_pix_page(page_of(kPayment + "," + with(kPayment, "100.00", "cem")));
  const auto& page = std::get<BankPixPage>(parsed);
  CHECK(page.page == 0);
  CHECK(page.pages == 1);
  CHECK(page.items == 2);
  REQUIRE(page.found.payments.size() == 1);
  REQUIRE(page.found.unusable.size() == 1);
  CHECK(page.found.unusable.front().end_to_end_id->text() == kPaymentId);
  CHECK(page.found.unusable.front().reason == "pix[1].valor is not an amount such as 37.00");
}

TEST_CASE("an empty page is one, with or without its list") {
  const std::string none =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":0,"quantidadeTotalDeItens":0)";
  CHECK(std::get<BankPixPage>(parse_pix_page(page_of("", none))).items == 0);
  CHECK(std::get<BankPixPage>(parse_pix_page(with(page_of("", none), R"(,"pix":[])", ""))).items == 0);
  for (const auto* nothing : {R"({"pix":[]})", R"({"pix":null})", R"({"parametros":{"inicio":"x"}})"})
    CHECK(std::get<BankPixPage>(parse_pix_page(nothing)).items == 0);
}

TEST_CASE("a page that does not count its payments is read, with each count that it has") {
  struct Case {
    std::string page;
    std::int64_t items = 1, pages = 1;
    std::optional<std::int64_t> number = std::nullopt;
    bool is_counted = false;
  };
  const auto counts = [](int items) {
    return R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,"quantidadeTotalDeItens":)" +
           std::to_string(items);
  };
  const auto list = R"("pix":[)" + kPayment + "]";
  const auto shown = GENERATE_COPY(values<Case>({
      {.page = "{" + list + "}"},
      {.page = "[" + kPayment + "]"},
      {.page = R"({"pix":)" + kPayment + "}"},
      {.page = R"({"parametros":{},"mensagem":"ok",)" + list + "}"},
      {.page = R"({"parametros":"",)" + list + "}"},
      {.page = R"({"hasNextPage":true,"ultimaPagina":false,"links":[{"rel":"next"}],)" + list + "}"},
      {.page = R"({"parametros":{"paginacao":{"paginaAtual":0}},)" + list + "}", .number = 0},
      {.page = R"({"parametros":{"paginacao":{"quantidadeTotalDeItens":7}},)" + list + "}", .items = 7},
      {.page = R"({"parametros":{"paginacao":{"quantidadeDePaginas":"3"}},)" + list + "}", .pages = 3},
      {.page = R"({"quantidadeDePaginas":3,"parametros":{"paginacao":{"quantidadeTotalDeItens":7}},)" + list +
               "}",
       .items = 7,
       .pages = 3},
      {.page = page_of(kPayment, counts(-1)), .number = 0},
      // The place that has all of them goes before one that has some.
      {.page = R"({"paginacao":{)" + counts(3) +
               R"(},"parametros":{"paginacao":{"quantidadeTotalDeItens":9}},)" + list + "}",
       .items = 3,
       .number = 0},
      {.page = R"({"parametros":{)" + counts(3) + "}," + list + "}", .items = 3, .number = 0},
      {.page = "{" + counts(3) + "," + list + "}", .items = 3, .number = 0},
      {.page = page_of(kPayment, counts(3)), .items = 3, .number = 0, .is_counted = true},
  }));
  CAPTURE(shown.page);
  const auto parsed = parse_pix_page(shown.page);
  REQUIRE(reason_of(parsed).empty());
  const auto& page = std::get<BankPixPage>(parsed);
  CHECK(page.found.payments.size() == 1);
  CHECK(page.found.payments.front().is_listed);
  CHECK(page.items == shown.items);
  CHECK(page.pages == shown.pages);
  CHECK(page.page == shown.number);
  CHECK(page.is_counted == shown.is_counted);
  CHECK(page.other_list.empty());
}

TEST_CASE("payments beside the list of a page are named, and cost and count none of the list") {
  const auto beside = R"("pixEstornados":[)" + kPayment + "],";
  for (const auto& page :
       {"{" + beside + R"("pix":[)" + kPayment + "]}", "{" + beside + page_of(kPayment).substr(1)}) {
    CAPTURE(page);
    const auto parsed = parse_pix_page(page);
    REQUIRE(reason_of(parsed).empty());
    const auto& read = std::get<BankPixPage>(parsed);
    CHECK(read.found.payments.size() == 1);
    CHECK(read.found.unusable.empty());
    CHECK(items_of(read) == 1);
    CHECK(read.other_list == "pixEstornados");
  }
}

TEST_CASE("unreadable payments are distinguished by their content") {
  const auto parsed = parse_pix_page(R"({"pix":[{"valor":"1.00"},{"valor":"2.00"},{"valor":"1.00"},)" +
                                     with(kPayment, "100.00", "cem") + "]}");
  const auto& unusable = std::get<BankPixPage>(parsed).found.unusable;
  REQUIRE(unusable.size() == 4);
  CHECK(unusable[0].mark != unusable[1].mark);
  CHECK(unusable[0].mark != unusable[2].mark);
  const auto again = parse_pix_page(R"({"pix":[{"valor":"2.00"},{"valor":"1.00"}]})");
  CHECK(std::get<BankPixPage>(again).found.unusable[1].mark == unusable[0].mark);
  CHECK(unusable[3].mark == kPaymentId);
}

TEST_CASE("a page without payments is one where it says neither that there are any nor an error") {
  const std::string none =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":0,"quantidadeTotalDeItens":0)";
  const auto nothing = GENERATE_COPY(values<std::string>({
      "{}",
      "[]",
      "[{}]",
      R"({"pix":null})",
      R"({"pix":[]})",
      R"({"pix":""})",
      R"({"pix":{}})",
      R"({"pix":[{}]})",
      R"({"pix":[],"erros":[]})",
      R"({"pix":[],"total":0,"codigo":0,"error":false,"success":true,"status":"OK"})",
      R"({"pix":[],"code":200,"descricao":"Sucesso","links":[{"rel":"self"}]})",
      R"({"pix":[],"mensagem":"Consulta realizada com sucesso","codigo":"00"})",
      R"({"pix":[],"hasNextPage":false,"ultimaPagina":true,"observacao":"Sem movimento"})",
      R"({"pix":[],"paginaAtual":"primeira"})",
      R"({"code":200})",
      R"({"codigo":"200","mensagem":"Sucesso","data":null})",
      R"({"descricao":"Sucesso"})",
      R"({"status":200,"message":"OK"})",
      R"({"success":true,"data":[]})",
      R"({"links":[{"rel":"self","href":"https://bank.example/pix"}]})",
      R"({"_links":{"self":{"href":"https://bank.example/pix"}}})",
      R"({"paginaAtual":0})",
      R"({"paginaAtual":1,"itensPorPagina":100,"quantidadeDePaginas":1})",
      R"({"quantidadeTotalDeItens":0})",
      R"({"inicio":"2020-04-01T00:00:00Z","fim":"2020-04-01T23:59:59Z"})",
      R"({"parametros":{"inicio":"x","paginacao":{}},"pix":[]})",
      R"({"parametros":{"inicio":"x","paginacao":{"quantidadeTotalDeItens":0}}})",
      R"({"parametros":{"paginacao":{"paginaAtual":0}},"pix":[]})",
      R"({"parametros":{"paginacao":{"paginaAtual":null,"quantidadeTotalDeItens":null}},"pix":[]})",
      R"({"items":[],"data":null})",
      R"({"data":)" + page_of("", none) + "}",
      R"({"limit":100,"offset":0,"total":0})",
      R"({"pix":[],"total":"0","totalPages":1,"lastPage":0,"hasMore":"N","next":null,"proximaPagina":1})",
      R"({"pix":[],"page":{"size":100,"totalElements":0,"totalPages":1,"number":0},"last":"true"})",
      with(page_of("", none), R"("pix":[])", R"("pix":[],"sort":[{"property":"horario"}])"),
      with(page_of("", none), R"("paginaAtual")", R"("links":[{"rel":"self"}],"paginaAtual")"),
      R"({"content":[],"totalElements":0,"last":true,"sort":{"sorted":false}})",
      with(page_of("", none), R"("pix":[])", R"("links":[{"rel":"self"}],"mensagem":"x","extra":{"a":"x"})"),
  }));
  CAPTURE(nothing);
  const auto parsed = parse_pix_page(nothing);
  REQUIRE(reason_of(parsed).empty());
  CHECK(items_of(std::get<BankPixPage>(parsed)) == 0);
  CHECK(std::get<BankPixPage>(parsed).items == 0);
}

TEST_CASE("an answer that may have payments elsewhere, or is an error, is no empty page") {
  struct Case {
    std::string page, name;
    bool may_hold_payments = true;
  };
  const std::string none =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":0,"quantidadeTotalDeItens":0)";
  const auto bad = GENERATE_COPY(values<Case>({
      {R"({"data":[)" + kPayment + "]}", "data"},
      {R"({"data":)" + page_of(kPayment) + "}", "data"},
      {R"({"resultado":{"pix":)" + kPayment + "}}", "resultado"},
      {R"({"payload":{"content":[{"idE2E":"E1","valor":"1.00"}]}})", "payload"},
      {R"({"response":{"valor":"1.00"}})", "response"},
      {R"({"links":[)" + kPayment + "]}", "links"},
      {R"({"erros":[)" + kPayment + "]}", "erros"},
      {R"({"parametros":{"inicio":"x"},"pixRecebidos":[)" + kPayment + "]}", "pixRecebidos"},
      {R"({"parametros":{"inicio":"x","lista":[{"valor":"1.00"}]}})", "parametros"},
      {R"({"pix":[],"items":[{"valor":"1.00"}]})", "items"},
      {R"({"pix":[],"item":)" + kPayment + "}", "item"},
      {R"({"pix":null,"resultado":{"idE2E":"E1","valor":"1.00"}})", "resultado"},
      {R"({"pix":null,"content":[{"valor":"1.00"}],"totalElements":5})", "content"},
      {R"({"mensagem":"Nenhum Pix encontrado","lista":[{"idE2E":"E","valor":"1.00"}]})", "lista"},
      {with(page_of("", none), R"("pix":[])", R"("pix":[],"lista":[{"valor":"1.00"}])"), "lista"},
      {R"({"Maria da Silva":{"a":1}})", "another field"},
      {R"({"52998224725":{"a":1}})", "another field"},
      {kPayment, "pagador"},
      {R"({"endToEndId":"E1","valor":"1.00"})", "endToEndId", false},
      {R"({"retorno":"Sistema fora do ar"})", "retorno", false},
      {R"({"erro":"periodo maximo excedido"})", "erro", false},
      {R"({"erro":true})", "erro", false},
      {R"({"erros":[{"codigo":"1"}]})", "erros", false},
      {R"({"fault":{"faultstring":"x"}})", "fault", false},
      {R"({"httpCode":"401","httpMessage":"x"})", "httpCode", false},
      {R"({"code":500,"descricao":"Sucesso"})", "code", false},
      {R"({"mensagem":"Consulta sem sucesso"})", "mensagem", false},
      {R"({"success":false})", "success", false},
      {R"({"exception":"java.lang"})", "exception", false},
      {R"({"pix":[],"erro":"x"})", "erro", false},
      {R"({"pix":[],"success":false})", "success", false},
      {R"({"pix":[],"statusCode":"500"})", "statusCode", false},
      {R"({"pix":[],"status":"ERRO"})", "status", false},
      {R"({"pix":[],"code":"E500"})", "code", false},
      {R"({"pix":[],"descricao":"Servico indisponivel"})", "descricao", false},
      {R"({"pix":[],"meta":{"erro":"timeout"}})", "meta", false},
      {R"({"pix":[],"retorno":{"codigo":"99"}})", "retorno", false},
      {R"({"parametros":{"erro":"timeout"}})", "parametros"},
  }));
  CAPTURE(bad.page);
  const auto parsed = parse_pix_page(bad.page);
  CHECK(reason_of(parsed) == bad.name + " has content, and pix has none");
  CHECK(std::get<BadAnswer>(parsed).may_hold_payments == bad.may_hold_payments);
}

TEST_CASE("a page without payments that states that there are some is not empty") {
  struct Case {
    std::string page, name;
    bool is_good_behind_the_last = false;
  };
  const std::string none =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":0,"quantidadeTotalDeItens":0)";
  const auto counted_none = [&](const std::string& field) {
    return with(page_of("", none), R"("pix":[])", R"("pix":[],)" + field);
  };
  const auto bad = GENERATE_COPY(values<Case>({
      {page_of("", R"("paginaAtual":0,"quantidadeDePaginas":0,"quantidadeTotalDeItens":5)"), "parametros",
       true},
      {R"({"pix":[],"parametros":{"paginacao":{"quantidadeTotalDeItens":5}}})", "parametros", true},
      {R"({"pix":[],"quantidadeTotalDeItens":"5"})", "quantidadeTotalDeItens", true},
      {R"({"pix":[],"quantidadeDePaginas":2})", "quantidadeDePaginas", true},
      {R"({"pix":[],"total":5,"codigo":0,"success":true})", "total", true},
      {R"({"pix":[],"total_items":0.5})", "total_items", true},
      {R"({"pix":null,"page":{"size":100,"totalElements":5,"totalPages":1,"number":0}})", "page", true},
      {R"({"pix":[],"ultimaPagina":3})", "ultimaPagina", true},
      {R"({"totalElements":5})", "totalElements", true},
      {counted_none(R"("total":5)"), "total", true},
      {R"({"mensagem":"Nenhum Pix encontrado","pix":[],"total":1e300})", "total", true},
      {R"({"pix":[],"hasNextPage":true})", "hasNextPage"},
      {R"({"pix":[],"total":0,"temProximaPagina":"Sim"})", "temProximaPagina"},
      {R"({"pix":[],"indicadorContinuidade":1})", "indicadorContinuidade"},
      {R"({"pix":[],"last":false,"totalElements":0})", "last"},
      {R"({"pix":[],"ultimaPagina":"N"})", "ultimaPagina"},
      {R"({"pix":[],"meta":{"pagination":{"has_next":true}}})", "meta"},
      {R"({"pix":[],"next":"https://bank.example/pix?page=1"})", "next"},
      {R"({"pix":[],"_links":{"next":{"href":"https://bank.example/pix?page=1"}}})", "_links"},
      {R"({"pix":[],"links":[{"rel":"self","href":"/pix"},{"rel":"next","href":"/pix?page=1"}]})", "links"},
      {R"({"items":[],"hasNextPage":true})", "hasNextPage"},
      {counted_none(R"("hasMore":true)"), "hasMore"},
  }));
  CAPTURE(bad.page);
  const auto parsed = parse_pix_page(bad.page);
  CHECK(reason_of(parsed) == bad.name + " states that there are payments, and pix has none");
  REQUIRE(std::holds_alternative<BadAnswer>(parsed));
  CHECK(std::get<BadAnswer>(parsed).may_hold_payments);
  CHECK(std::get<BadAnswer>(parsed).has_content);
  const auto later = reason_of(parse_pix_page(bad.page, 1));
  CHECK((later.find("states that there are payments") == std::string::npos) == bad.is_good_behind_the_last);
}

TEST_CASE("a page without payments behind the last one may count those of all pages") {
  const auto* page =
      GENERATE(R"({"pix":[],"total":105,"hasNextPage":false,"last":true})",
               R"({"pix":[],"totalElements":105,"totalPages":2,"ultimaPagina":1,"next":null})",
               R"({"pix":[],"quantidadeTotalDeItens":105,"links":[{"rel":"next","href":null}]})",
               R"({"parametros":{"paginacao":{"paginaAtual":2,"quantidadeDePaginas":2,)"
               R"("quantidadeTotalDeItens":105}},"pix":[]})");
  CAPTURE(page);
  const auto parsed = parse_pix_page(page, 2);
  REQUIRE(reason_of(parsed).empty());
  CHECK(std::get<BankPixPage>(parsed).items == 105);
}

TEST_CASE("a list without payments may have them by another name, unless it is one of errors") {
  const auto errors = parse_pix_page(R"([{"codigo":"1","mensagem":"x"}])");
  const auto unread = parse_pix_page(R"([{"idE2E":"E1","valor":"1.00"}])");
  CHECK(reason_of(errors) == "the answer is a list without payments");
  CHECK(reason_of(unread) == reason_of(errors));
  CHECK_FALSE(std::get<BadAnswer>(errors).may_hold_payments);
  CHECK(std::get<BadAnswer>(unread).may_hold_payments);
}

TEST_CASE("a page that contradicts itself is refused") {
  const auto second = R"("paginaAtual":1,"quantidadeDePaginas":3,"quantidadeTotalDeItens":250)";
  CHECK(reason_of(parse_pix_page(page_of("", second), 1)) == "pix is empty before the last page");
  CHECK(reason_of(parse_pix_page(page_of(kPayment + "," + kPayment + "," + kPayment))) ==
        "pix has more entries than quantidadeTotalDeItens");
  CHECK(reason_of(parse_pix_page(with(page_of(""), "[]", "1"))) == "pix is not a list");
  for (const auto* page : {R"({"maintenance":true})", R"({"disponivel":false})", R"({"ok":false})"})
    CHECK(reason_of(parse_pix_page(page)) == "pix is missing, and nothing says that the answer is a page");
}

TEST_CASE("a token is read with its lifetime and scopes") {
  const auto parsed = parse_token(
      R"({"access_token":"eyJ.abc-_~+/=","token_type":"Bearer","expires_in":"300","scope":" cob.read  pix.read "})");
  const auto& token = std::get<BankTokenAnswer>(parsed);
  CHECK(token.token == "eyJ.abc-_~+/=");
  CHECK(token.expires_in_s == 300);
  CHECK(token.scopes == std::vector<std::string>{"cob.read", "pix.read"});
  CHECK_FALSE(std::get<BankTokenAnswer>(parse_token(R"({"access_token":"a","expires_in":1})")).scopes);
}

TEST_CASE("a token that could not go into a header is refused") {
  CHECK(reason_of(parse_token(R"({"access_token":"a\r\nX: y","expires_in":1})")) ==
        "access_token is not a usable token");
  CHECK(reason_of(parse_token(R"({"access_token":"","expires_in":1})")) ==
        "access_token is not a usable token");
}

TEST_CASE("the URL of a callback is read") {
  CHECK(std::get<std::string>(parse_callback(R"({"webhookUrl":"https://x.example/","chave":"k"})")) ==
        "https://x.example/");
  CHECK(reason_of(parse_callback("{}")) == "webhookUrl is missing");
}

TEST_CASE("amounts are read as they are written, to the cent") {
  CHECK(parse_bank_amount("0.01") == domain::Cents(1));
  CHECK(parse_bank_amount("9999999999.99") == domain::Cents(999'999'999'999));
  CHECK(parse_bank_amount("37.5") == domain::Cents(3'750));
  CHECK(parse_bank_amount("0037") == domain::Cents(3'700));
  for (const auto* text :
       {"", ".", "1.", ".5", "1.234", "1,00", "+1", "-0.01", "1e2", "0x1", " 1", "1 ", "1.0.0"})
    CHECK_FALSE(parse_bank_amount(text));
}
