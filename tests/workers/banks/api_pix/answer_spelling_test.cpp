// Banks' deviations from the document with the same meaning.
#include <catch2/catch.hpp>

#include "workers/banks/api_pix/answer_object.h"
#include "workers/banks/api_pix/bank_answers.h"

using namespace pixledger;
using namespace pixledger::workers;

namespace {

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

TEST_CASE("a token without a valid lifetime is used for five minutes") {
  const auto life =
      GENERATE(values<std::pair<std::string, std::int64_t>>({{"", 300},
                                                             {R"(,"expires_in":null)", 300},
                                                             {R"(,"expires_in":0)", 300},
                                                             {R"(,"expires_in":-1)", 300},
                                                             {R"(,"expires_in":"")", 300},
                                                             {R"(,"expires_in":"soon")", 300},
                                                             {R"(,"expires_in":{})", 300},
                                                             {R"(,"expires_in":3599.9)", 3599},
                                                             {R"(,"expires_in":"3599.9")", 3599},
                                                             {R"(,"expires_in":" 60 ")", 60},
                                                             {R"(,"EXPIRES_IN":60)", 60},
                                                             {R"(,"expires_in":1e30)", 300}}));
  CAPTURE(life.first);
  const auto parsed = parse_token(R"({"access_token":"a")" + life.first + "}");
  CHECK(std::get<BankTokenAnswer>(parsed).expires_in_s == life.second);
}

TEST_CASE("a token's scopes may be a list, and unreadable ones do not void the token") {
  using Scopes = std::optional<std::vector<std::string>>;
  const auto scopes = [](const std::string& written) {
    return std::get<BankTokenAnswer>(parse_token(R"({"access_token":"a","scope":)" + written + "}")).scopes;
  };
  CHECK(scopes(R"(["cob.read","pix.read pix.write"])") == Scopes({"cob.read", "pix.read", "pix.write"}));
  CHECK(scopes("null") == std::nullopt);
  CHECK(scopes("1") == std::nullopt);
  CHECK(scopes("[1]") == std::nullopt);
}

TEST_CASE("fields on which money hangs are read however their names and values are spelt") {
  auto spelt = with(kPayment, R"("endToEndId": ")", R"("EndToEndID": "  )");
  spelt = with(spelt, R"("txid": "cd1fe328c875481285a6f233ae41b662")",
               R"("txId": "cd1fe328c875481285a6f233ae41b662\r\n")");
  spelt = with(spelt, R"("valor": "100.00")", R"("Valor": " 100.00 ")");
  spelt = with(spelt, R"("horario": "2020-09-10T13:03:33.902Z", "chave": ")",
               R"("Horario": " 2020-09-10T13:03:33.902Z", "CHAVE": ")");
  spelt = with(spelt, R"("rtrId": ")", R"("rtr_id": " )");
  spelt = with(spelt, R"("status": "EM_PROCESSAMENTO")", R"("Status": " devolvido ")");
  const auto payment = payment_of(spelt);
  CHECK(payment.end_to_end_id.text() == kPaymentId);
  CHECK(payment.amount == domain::Cents(10'000));
  CHECK(payment.paid_at == parse_iso8601("2020-09-10T13:03:33.902Z"));
  CHECK(payment.txid->text() == "cd1fe328c875481285a6f233ae41b662");
  CHECK(payment.key == "loja@example.com");
  REQUIRE(payment.refunds.size() == 1);
  CHECK(payment.refunds.front().rtr_id == "D12345678202009091000abcde123456");
  CHECK(payment.refunds.front().status == BankRefundStatus::kReturned);
  CHECK(payment_of(with(kPayment, "endToEndId", "e2eId")).end_to_end_id.text() == kPaymentId);
}

TEST_CASE("amounts may be numbers, when they are whole cents") {
  CHECK(payment_of(with(kPayment, R"("100.00")", "100")).amount == domain::Cents(10'000));
  CHECK(payment_of(with(kPayment, R"("100.00")", "19.9")).amount == domain::Cents(1'990));
  CHECK(payment_of(with(kPayment, R"("100.00")", "9999999999.99")).amount == domain::Cents(999'999'999'999));
  for (std::int64_t cents = 1; cents < 200'000; cents += 7) {
    const domain::Cents amount(cents);
    CHECK(payment_of(with(kPayment, R"("100.00")", domain::to_decimal(amount))).amount == amount);
  }
  for (const auto* bad : {"-1", "1.999", "0.001", "1e30", "99999999999", "18446744073709551615"}) {
    CAPTURE(bad);
    CHECK(reason_of(parse_payment(with(kPayment, R"("100.00")", bad))) ==
          "valor is not an amount such as 37.00");
  }
}

TEST_CASE("blanks of Unicode, commas and plus signs cost no payment") {
  const std::string blank = "\xc2\xa0";
  CHECK(payment_of(with(kPayment, kPaymentId, blank + kPaymentId + blank)).end_to_end_id.text() ==
        kPaymentId);
  const std::string txid = "cd1fe328c875481285a6f233ae41b662";
  CHECK(payment_of(with(kPayment, txid, txid + blank)).txid->text() == txid);
  for (const auto& amount : std::vector<std::string>{"100.00" + blank, "+100.00", "100,00", "100,0",
                                                     "\xe2\x80\x8b"
                                                     "100"}) {
    CAPTURE(amount);
    CHECK(payment_of(with(kPayment, "100.00", amount)).amount == domain::Cents(10'000));
  }
  for (const auto* bad : {"100,000", "1.000,00", "1,000.00", "++1", "+-1", "1,0,0", ","}) {
    CAPTURE(bad);
    CHECK(reason_of(parse_payment(with(kPayment, "100.00", bad))) == "valor is not an amount such as 37.00");
  }
}

TEST_CASE("of two spellings of a field an empty one does not count, and equal values are equal") {
  const auto beside = [](const std::string& field) { return "{" + field + "," + kPayment.substr(1); };
  for (const auto* field : {R"("txId":"")", R"("TXID":" ")", R"("Valor":"100.0")", R"("VALOR":100)",
                            R"("Valor":"+100,00")", R"("EndToEndId":"","e2eid":"")", R"("Chave":"")"}) {
    CAPTURE(field);
    const auto before = payment_of(beside(field));
    const auto after = payment_of(kPayment.substr(0, kPayment.size() - 1) + "," + field + "}");
    for (const auto& payment : {before, after}) {
      CHECK(payment.end_to_end_id.text() == kPaymentId);
      CHECK(payment.txid->text() == "cd1fe328c875481285a6f233ae41b662");
      CHECK(payment.amount == domain::Cents(10'000));
      CHECK(payment.key == "loja@example.com");
    }
  }
  CHECK(payment_of(with(kPayment, R"("endToEndId": )", R"("endToEndId": "", "e2eid": )"))
            .end_to_end_id.text() == kPaymentId);
  CHECK(reason_of(parse_payment(beside(R"("Valor":"100.01")"))) == "valor is there twice");
  CHECK(reason_of(parse_payment(beside(R"("Valor":true)"))) == "valor is there twice");
}

TEST_CASE("statuses are recognized in any spelling") {
  const auto status = [](const std::string& name) { return cob_of(with(kCob, "ATIVA", name)).status; };
  CHECK(status("Concluída") == CobStatus::kPaid);
  CHECK(status(" ativa ") == CobStatus::kActive);
  CHECK(status("REMOVIDO_PELO_USUARIO_RECEBEDOR") == CobStatus::kRemovedByReceiver);  // as of 2.1.0
  CHECK(status("Removida pelo PSP") == CobStatus::kRemovedByBank);
  const auto refund = parse_refund(R"({"id":"1","valor":"0.01","status":"NÃO_REALIZADO"})");
  CHECK(std::get<BankRefund>(refund).status == BankRefundStatus::kNotDone);
}

TEST_CASE("a byte order mark, and a text in another charset, cost no answer") {
  CHECK(cob_of("\xef\xbb\xbf" + kCob).amount == domain::Cents(3'700));
  // "Serviço" in ISO 8859-1.
  CHECK(cob_of(with(kCob, "Serviço", "Servi\xe7o")).amount == domain::Cents(3'700));
  CHECK(payment_of(with(kPayment, "Maria", "Jo\xe3o")).amount == domain::Cents(10'000));
}

TEST_CASE("a single entry may come without its list") {
  auto single = with(kPayment, R"("devolucoes": [{)", R"("devolucoes": {)");
  single = with(single, "}]}", "}}");
  CHECK(payment_of(single).refunds.size() == 1);
  const std::string one =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,"quantidadeTotalDeItens":1)";
  auto page = with(page_of(kPayment, one), R"("pix":[)", R"("pix":)");
  page = page.substr(0, page.size() - 2) + "}";
  CHECK(std::get<BankPixPage>(parse_pix_page(page)).found.payments.size() == 1);
  const std::string none =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":0,"quantidadeTotalDeItens":0)";
  CHECK(std::get<BankPixPage>(parse_pix_page(with(page_of("", none), "[]", "{}"))).items == 0);
}

TEST_CASE("an unreadable unused field voids neither a return nor its payment") {
  const auto parsed = parse_refund(
      R"({"id":"1","valor":"0.01","status":"DEVOLVIDO","rtrId":"D1","horario":{"solicitacao":"hoje"}})");
  const auto& refund = std::get<BankRefund>(parsed);
  CHECK_FALSE(refund.rtr_id);
  CHECK_FALSE(refund.requested_at);
  CHECK(std::get<BankRefund>(parse_refund(R"({"id":"1","valor":"0.01","status":"DEVOLVIDO","horario":""})"))
            .status == BankRefundStatus::kReturned);
}

TEST_CASE(
    "a page with far more entries or more pages than were asked for is refused before they are looked at") {
  const auto many = [](std::size_t count, const std::string& paging) {
    std::string entries;
    for (std::size_t i = 0; i < count; ++i) entries += i == 0 ? "1" : ",1";
    return parse_pix_page(page_of(entries, paging));
  };
  const std::string hundred =
      R"("paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,"quantidadeTotalDeItens":5000)";
  CHECK(std::get<BankPixPage>(many(1'100, hundred)).found.unusable.size() == 1'100);
  CHECK(reason_of(many(1'101, hundred)) == "pix has over 1100 entries");
  CHECK(reason_of(many(1'000'000, hundred)) == "pix has over 1100 entries");
  CHECK(reason_of(many(1, with(hundred, R"("quantidadeDePaginas":1)", R"("quantidadeDePaginas":5001)"))) ==
        "parametros.paginacao.quantidadeDePaginas is more than quantidadeTotalDeItens");
}
