#include <catch2/catch.hpp>

#include "domain/pix/br_code.h"
#include "web/common/payer_session.h"
#include "web/site/pages/html.h"
#include "web/site/pages/page.h"
#include "web/site/pages/page_frame.h"

namespace pixledger::tests {
namespace {

std::string answer(std::string_view more = "") {
  return R"({"success":true,"data":{"id":"c1","environment":"test","state":"waiting","locale":null,"version":3,)"
         R"("payment":{"amountCents":123456,"description":null},"charge":{"id":"c2","pixCode":"0002<&>",)"
         R"("createdAt":"2026-11-22T12:00:00.000Z","expiresAt":"2026-11-22T12:30:00.000Z","paidAt":null,)"
         R"("endToEndId":null,"refundedAmountCents":0},"chargesLeft":4,"canRenew":false,)"
         R"("expiresAt":"2026-11-23T12:00:00.000Z","customer":null,"store":{"name":"Loja","timezone":)"
         R"("America/Sao_Paulo","color":null,"supportContact":null,"logo":null,"embedOrigins":[],"payerProofs":false)" +
         std::string(more) + R"(},"returnUrl":null,"cancelUrl":null}})";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string with(std::string text, std::string_view what, std::string_view by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("whatever is no literal is text, between tags and in attributes") {
  web::Html html;
  html << "<p";
  html.attribute("title", "\"><script>'&") << ">";
  html.text("<b>\"'&") << "</p>";
  CHECK(std::move(html).take() ==
        "<p title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\">&lt;b&gt;&quot;&#39;&amp;</p>");
}

TEST_CASE("a session is read as the API tells it, and anything else is not understood") {
  const auto session = web::PayerSession::parse(answer());
  REQUIRE(session);
  CHECK(session->tag() == "3-waiting");
  CHECK(session->is_sandbox);
  CHECK_FALSE(session->language);
  CHECK(session->charge->expires_at.millis() - session->charge->created_at.millis() == 1'800'000);
  CHECK_FALSE(web::PayerSession::parse("{}"));
  CHECK_FALSE(web::PayerSession::parse(""));
  CHECK_FALSE(web::PayerSession::parse(with(answer(), "\"waiting\"", "\"else\"")));
  CHECK_FALSE(web::PayerSession::parse(with(answer(), "123456", "\"1\"")));
  CHECK_FALSE(web::PayerSession::parse(with(answer(), "12:30:00.000Z", "soon")));
}

TEST_CASE("payers read who receives, as banks show it, and the order's number") {
  domain::BrCodeFields fields{.key = *domain::PixKey::parse("loja@example.com"),
                              .merchant_name = "Ateliê da Ana",
                              .merchant_city = "Recife",
                              .amount = domain::Cents(123456),
                              .txid = "abc1"};
  const auto code = domain::write_br_code(fields);
  const auto asked = with(with(answer(), "0002<&>", code), R"("description":null)",
                          R"("description":null,"externalId":"pedido-<7>")");
  const auto session = web::PayerSession::parse(asked);
  REQUIRE(session);
  CHECK(session->charge->receiver == "Atelie da Ana");
  const auto page = web::payment_page(*session, {.token = "T"}).body;
  CHECK(contains(page, "Quem recebe, como seu banco mostra: <b>Atelie da Ana</b>"));
  CHECK(contains(page, "Pedido: pedido-&lt;7&gt;"));
  // Of an invalid code nothing is said.
  CHECK_FALSE(
      contains(web::payment_page(*web::PayerSession::parse(answer()), {.token = "T"}).body, "Quem recebe"));
}

TEST_CASE("colours and origins that are none never reach a style or a policy") {
  const auto tame = web::PayerSession::parse(
      with(with(answer(), R"("color":null)", R"("color":"#12345;")"), R"("embedOrigins":[])",
           R"("embedOrigins":["https://a.example","x; script-src *","http://localhost:3000"])"));
  REQUIRE(tame);
  CHECK_FALSE(tame->store.color);
  CHECK(tame->store.embed_origins == std::vector<std::string>{"https://a.example", "http://localhost:3000"});
}

TEST_CASE("amounts and times are written as payers of each language read them") {
  using web::Language;
  CHECK(web::money_text(domain::Cents(123456), Language::kPortuguese) == "R$ 1.234,56");
  CHECK(web::money_text(domain::Cents(123456), Language::kEnglish) == "R$ 1,234.56");
  const Timestamp noon = parse_iso8601("2026-11-22T12:00:00Z").value();
  CHECK(web::local_time(noon, "America/Sao_Paulo", Language::kPortuguese) == "22/11/2026 às 09:00");
  CHECK(web::local_time(noon, "Asia/Kolkata", Language::kEnglish) == "22 Nov 2026, 17:30");
  CHECK(web::local_time(noon, "Nowhere/At_All", Language::kEnglish) == "22 Nov 2026, 12:00 UTC");
}

TEST_CASE("a refund that no bank moves is told as the shop's record, another as money that goes back") {
  const auto page_of = [](const std::string& moved) {
    const auto refunded = R"("refundedAmountCents":123456)" + moved;
    const auto session = web::PayerSession::parse(
        with(with(answer(), "\"waiting\"", "\"refunded\""), R"("refundedAmountCents":0)", refunded));
    REQUIRE(session);
    return web::payment_page(*session, {.token = "T"}).body;
  };
  const auto recorded = page_of(R"(,"refundMoved":false)");
  CHECK(contains(recorded, "<h1>Devolução registrada pela loja</h1>"));
  CHECK(contains(recorded, "Quem envia o dinheiro é a loja"));
  CHECK_FALSE(contains(recorded, "O dinheiro volta"));
  const auto moved = page_of(R"(,"refundMoved":true)");
  CHECK(contains(moved, "<h1>Devolvido</h1>"));
  CHECK(contains(moved, "O dinheiro volta para a conta"));
  // By what does not say which, neither is claimed.
  const auto unknown = page_of("");
  CHECK(contains(unknown, "<h1>Devolvido</h1>"));
  CHECK_FALSE(contains(unknown, "O dinheiro volta"));
}

TEST_CASE("what came is told where it is not what was asked for, on the page and the receipt") {
  const auto page_of = [](const std::string& state, const std::string& money) {
    return web::PayerSession::parse(with(with(answer(), "\"waiting\"", "\"" + state + "\""),
                                         R"("refundedAmountCents":0)", R"("refundedAmountCents":0,)" + money))
        .value();
  };
  const web::PageRequest request{.token = "T"};
  const auto paid = page_of("paid", R"("paidAmountCents":100000)");
  CHECK(contains(web::payment_page(paid, request).body, "<p>Valor recebido: R$ 1.000,00</p>"));
  CHECK(contains(web::receipt_page(paid, request).body, "<p class=\"amount\">R$ 1.000,00</p>"));
  CHECK(contains(web::receipt_page(paid, request).body, "<dt>Valor da cobrança</dt><dd>R$ 1.234,56</dd>"));
  const auto as_asked = page_of("paid", R"("paidAmountCents":123456)");
  CHECK_FALSE(contains(web::payment_page(as_asked, request).body, "Valor recebido"));
  CHECK_FALSE(contains(web::receipt_page(as_asked, request).body, "Valor da cobrança"));
  const auto aside = page_of("review", R"("unappliedAmountCents":500)");
  CHECK(contains(web::payment_page(aside, request).body, "<p>Valor recebido: R$ 5,00</p>"));
}

TEST_CASE("a payer who says that they have paid is answered beside the button") {
  const auto session = web::PayerSession::parse(answer()).value();
  const auto asked = web::payment_page(session, {.token = "T", .says_paid = true}).body;
  const auto button = asked.find("data-do=\"look\"");
  const auto place = asked.find("<p id=\"looked\"");
  REQUIRE(button != std::string::npos);
  REQUIRE(place != std::string::npos);
  CHECK(button < place);
  CHECK(asked.find("Ainda não vimos o pagamento.", place) != std::string::npos);
  CHECK(contains(asked, "?paid=1#looked"));
}

TEST_CASE("a page's links stay in its place, language and frame") {
  const auto session = web::PayerSession::parse(with(answer(), "[]", R"(["https://a.example"])")).value();
  web::PageRequest request{
      .language = web::Language::kEnglish, .names_language = true, .token = "T", .depth = 1};
  const auto page = web::payment_page(session, request).body;
  CHECK(contains(page, "action=\"../T/simulate?lang=en\""));
  CHECK(contains(page, "data-self=\"../T?lang=en\""));
  CHECK(contains(page, "0002&lt;&amp;&gt;"));
  request.is_embedded = true;
  request.shop_origin = "https://a.example";
  const auto embedded = web::payment_page(session, request).body;
  CHECK(contains(embedded, "data-self=\"../T/embed?origin=https://a.example&amp;lang=en\""));
  CHECK(contains(embedded, "action=\"../T/simulate?embed=1&amp;origin=https://a.example&amp;lang=en\""));
  CHECK(contains(embedded, "data-parent=\"https://a.example\""));
}

}  // namespace pixledger::tests
