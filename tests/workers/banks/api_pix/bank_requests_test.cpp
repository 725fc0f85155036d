#include "workers/banks/api_pix/bank_requests.h"

#include <catch2/catch.hpp>

#include "base/text/base64.h"
#include "domain/pix/payment_ids.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

BankAccess access(std::string_view bank) {
  const auto* const profile = find_bank_profile(bank);
  return {.profile = profile,
          .base_url = "https://bank.example/v2",
          .token_url = "https://bank.example/token",
          .token_auth = profile->token_auth,
          .client_id = "id&1",
          .client_secret = "secret=2",
          .psp_app_key = "app key",
          .pix_key = parsed<domain::PixKey>("+5511987654321")};
}

CobOrder order() {
  return {.txid = parsed<domain::Txid>("pcabcdefgh12345678901234567"),
          .amount = domain::Cents(3'705),
          .key = parsed<domain::PixKey>("loja@example.com"),
          .expires_in_s = 1'770,
          .text_for_payer = "Camiseta \"azul\""};
}

std::string header(const HttpCall& call, std::string_view name) {
  for (const auto& [each, value] : call.headers) {
    if (each == name) return value;
  }
  return "";
}

}  // namespace

TEST_CASE("a charge is ordered with its amount, key, life and product, and nothing of the payer") {
  const auto request = put_cob_request(order());
  CHECK(request.method == "PUT");
  CHECK(request.path == "/cob/pcabcdefgh12345678901234567");
  CHECK(request.body ==
        R"({"calendario":{"expiracao":1770},"valor":{"original":"37.05"},"chave":"loja@example.com",)"
        R"("solicitacaoPagador":"Camiseta \"azul\""})");
}

TEST_CASE("the text for the payer is cut to 140 characters, and left out if empty") {
  auto long_text = order();
  long_text.text_for_payer.clear();
  for (int i = 0; i < 150; ++i) long_text.text_for_payer += "ç";
  const auto body = put_cob_request(long_text).body;
  CHECK(body.find(R"("solicitacaoPagador":")" + std::string(140, 'c') + R"("})") != std::string::npos);
  auto silent = order();
  silent.text_for_payer.clear();
  CHECK(put_cob_request(silent).body.find("solicitacaoPagador") == std::string::npos);
}

TEST_CASE("the text for the payer is printable ASCII, and plainer or none where the bank wants that") {
  auto sold = order();
  const auto text = [&](PayerText form) {
    const auto body = put_cob_request(sold, form).body;
    const std::string name = R"("solicitacaoPagador":")";
    const auto at = body.find(name);
    return at == std::string::npos ? "none"
                                   : body.substr(at + name.size(), body.size() - at - name.size() - 2);
  };
  sold.text_for_payer = "  Pão de açúcar – 2 × “grande” 🍞 (R$ 5/un.) Groß 100% ";
  CHECK(text(PayerText::kWhole) == R"(Pao de acucar - 2 x \"grande\" (R$ 5/un.) Gross 100%)");
  CHECK(text(PayerText::kPlain) == "Pao de acucar 2 x grande R 5un Gross 100");
  CHECK(text(PayerText::kNone) == "none");
  sold.text_for_payer = "🍞";
  CHECK(text(PayerText::kWhole) == "none");
  sold.text_for_payer = "abc def ghi jkl mno pqr stu vwx yz1 234 567 890";
  CHECK(text(PayerText::kPlain) == "abc def ghi jkl mno pqr stu vwx yz1 234");
}

TEST_CASE("a charge is removed by its status alone") {
  const auto request = remove_cob_request(order().txid);
  CHECK(request.method == "PATCH");
  CHECK(request.body == R"({"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"})");
}

TEST_CASE("payments are asked for in whole seconds that cover the window") {
  const PixWindow window{*parse_iso8601("2026-01-31T12:00:00.999Z"),
                         *parse_iso8601("2026-01-31T12:00:10.001Z")};
  CHECK(list_pix_request(window, 3).query ==
        "inicio=2026-01-31T12%3A00%3A00Z&fim=2026-01-31T12%3A00%3A11Z&paginacao.paginaAtual=3&"
        "paginacao.itensPorPagina=100");
  const auto whole = *parse_iso8601("2026-01-31T12:00:00Z");
  CHECK(list_pix_request({whole, whole}, 0).query.find("fim=2026-01-31T12%3A00%3A00Z&") != std::string::npos);
}

TEST_CASE("a refund is ordered under its payment and its own id") {
  const auto id = parsed<domain::EndToEndId>("E12345678202009091221abcdef12345");
  const auto request = put_refund_request({id, "rcm7abc", domain::Cents(5)});
  CHECK(request.path == "/pix/E12345678202009091221abcdef12345/devolucao/rcm7abc");
  CHECK(request.body == R"({"valor":"0.05"})");
  CHECK(get_refund_request(id, "rcm7abc").path == request.path);
  CHECK(get_pix_request(id).path == "/pix/E12345678202009091221abcdef12345");
}

TEST_CASE("a callback is registered for the key, which a path takes escaped") {
  const auto request =
      put_callback_request(parsed<domain::PixKey>("+5511987654321"), "https://a.example/b?c=\"d\"");
  CHECK(request.path == "/webhook/%2B5511987654321");
  CHECK(request.body == R"({"webhookUrl":"https://a.example/b?c=\"d\""})");
  CHECK(get_callback_request(parsed<domain::PixKey>("a@b.example")).path == "/webhook/a%40b.example");
  CHECK(delete_callback_request(parsed<domain::PixKey>("a@b.example")).method == "DELETE");
}

TEST_CASE("every request has the token, and the bank's additional headers") {
  const auto plain = to_http(access("generic"), get_cob_request(order().txid), "t0ken", "uuid");
  CHECK(plain.url == "https://bank.example/v2/cob/pcabcdefgh12345678901234567");
  CHECK(plain.headers == decltype(plain.headers){{"Authorization", "Bearer t0ken"}});
  CHECK(plain.content_type.empty());

  const auto bb = to_http(access("bb"), list_pix_request({kStart, kStart}, 0), "t", "uuid");
  CHECK(bb.url.ends_with("&gw-dev-app-key=app%20key"));
  CHECK(to_http(access("bb"), put_cob_request(order()), "t", "").url.ends_with("?gw-dev-app-key=app%20key"));
  CHECK(header(to_http(access("sicoob"), put_cob_request(order()), "t", ""), "client_id") == "id&1");
  CHECK(header(to_http(access("itau"), put_cob_request(order()), "t", "uuid"), "x-correlationID") == "uuid");
  CHECK(to_http(access("itau"), put_cob_request(order()), "t", "uuid").content_type == "application/json");
}

TEST_CASE("a token is asked for each bank's way") {
  const auto basic = "Basic " + to_base64("id&1:secret=2");
  const auto scope = "scope=cob.write%20cob.read%20pix.write%20pix.read%20webhook.write%20webhook.read";

  const auto generic = token_call(access("generic"));
  CHECK(generic.method == "POST");
  CHECK(header(generic, "Authorization") == basic);
  CHECK(generic.content_type == "application/x-www-form-urlencoded");
  CHECK(generic.body == std::string("grant_type=client_credentials&") + scope);

  const auto efi = token_call(access("efi"));
  CHECK(header(efi, "Authorization") == basic);
  CHECK(efi.content_type == "application/json");
  CHECK(efi.body == R"({"grant_type":"client_credentials"})");

  const auto itau = token_call(access("itau"));
  CHECK(itau.headers.empty());
  CHECK(itau.body == "grant_type=client_credentials&client_id=id%261&client_secret=secret%3D2");

  const auto santander = token_call(access("santander"));
  CHECK(santander.url == "https://bank.example/token?grant_type=client_credentials");
  CHECK(santander.body == "client_id=id%261&client_secret=secret%3D2");

  const auto sicoob = token_call(access("sicoob"));
  CHECK(sicoob.headers.empty());
  CHECK(sicoob.body == std::string("grant_type=client_credentials&client_id=id%261&") + scope);
}
