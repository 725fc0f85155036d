#include "workers/emails/email_message.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <rapidcheck.h>
#include <sstream>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/smtp_server.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

// The sample charge, paid at kStart, as of which the e-mail is.
struct Sample {
  Sample() : charge(*domain::apply(std::nullopt, domain::ChargeEvent(sample_charge()), kStart)) {
    pay(domain::Cents(10'000));
  }

  void pay(domain::Cents amount) {
    charge = *domain::apply(charge, domain::ChargePaid{sample_end_to_end_id(), amount, kStart, std::nullopt},
                            kStart);
  }
  std::string message() const {
    const auto name = email_name(Position(7), kStart);
    return email_message(
        {name, "0123456789abcdef0123456789abcdef", kStart, charge, *charge.payment, customer, store(), from});
  }
  // As Python's parser reads it.
  std::string parsed_message() const {
    const TemporaryDirectory directory;
    std::ofstream(directory.path() / "mail.eml", std::ios::binary) << message();
    return read_mail(directory.path() / "mail.eml");
  }

  domain::Charge charge;
  domain::CustomerDetails customer = sample_details();
  domain::StoreSettings store() const {
    auto settings = sample_settings();
    settings.name = parsed<domain::Label>(store_name);
    settings.contact = contact;
    settings.logo = logo;
    settings.color = color;
    return settings;
  }

  std::string store_name = "Loja São João";
  std::optional<domain::Label> contact;
  std::optional<domain::StoreLogo> logo;
  std::optional<domain::StoreColor> color;
  EmailAddress from = parsed<EmailAddress>("loja@example.com");
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a confirmation says in Portuguese what was bought, as text and as HTML") {
  Sample sample;
  sample.charge.product = parsed<domain::ProductName>("Tênis <i>& Cia</i>");
  sample.charge.quantity = 2;
  sample.pay(domain::Cents(123'456));
  const auto mail = sample.parsed_message();
  CHECK(json_at(mail, "/type") == "multipart/alternative");
  CHECK(json_at(mail, "/types") == "text/plain,text/html");
  CHECK(json_at(mail, "/defects") == "0");
  CHECK(json_at(mail, "/subject") == "[Teste] Confirmação da sua compra: Loja São João");
  CHECK(json_at(mail, "/fromName") == "Loja São João");
  CHECK(json_at(mail, "/from") == "loja@example.com");
  CHECK(json_at(mail, "/toName") == sample.customer.name.text());
  CHECK(json_at(mail, "/to") == sample.customer.email.text());
  CHECK(json_at(mail, "/date") == "2026-03-01T09:00:00-03:00");
  CHECK(json_at(mail, "/messageId") == "<event-7.1772366400000@0123456789abcdef0123456789abcdef>");

  const auto text = json_at(mail, "/text");
  for (const auto& line : {std::string("Loja: Loja São João"), std::string("Produto: Tênis <i>& Cia</i>"),
                           std::string("Quantidade: 2"), std::string("Valor pago: R$ 1.234,56"),
                           std::string("Data do pagamento: 01/03/2026 às 09:00 (horário de Brasília)"),
                           "Código da transação: " + sample.charge.id.text(),
                           "Identificador do Pix (E2E): " + sample_end_to_end_id().text()}) {
    CAPTURE(line);
    CHECK(contains(text, line + "\r\n"));
  }
  const auto html = json_at(mail, "/html");
  CHECK(contains(html, "<td>Tênis &lt;i&gt;&amp; Cia&lt;/i&gt;</td>"));
  CHECK(contains(html, "<td>R$ 1.234,56</td>"));
  CHECK(contains(html, "lang=\"pt-BR\""));
}

TEST_CASE("a confirmation looks like its store: logo, colour and the order's number") {
  Sample sample;
  const std::string png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
  sample.logo = parsed<domain::StoreLogo>("data:image/png;base64," + png);
  sample.color = parsed<domain::StoreColor>("#0a6b3d");
  sample.charge.external_id = parsed<domain::ExternalId>("pedido-1042");
  const auto mail = sample.parsed_message();
  CHECK(json_at(mail, "/defects") == "0");
  CHECK(json_at(mail, "/types") == "text/plain,multipart/related,text/html,image/png");
  CHECK(contains(json_at(mail, "/text"), "Pedido: pedido-1042\r\n"));
  const auto html = json_at(mail, "/html");
  CHECK(contains(html, "<td>pedido-1042</td>"));
  CHECK(contains(html, "solid #0a6b3d"));
  CHECK(contains(html, "src=\"cid:logo\""));
  CHECK(contains(sample.message(), "\r\nContent-ID: <logo>\r\n"));
}

TEST_CASE("only a confirmation of the sandbox says that it is a test") {
  Sample sample;
  const auto test = sample.parsed_message();
  CHECK(json_at(test, "/subject").rfind("[Teste] ", 0) == 0);
  CHECK(json_at(test, "/text").rfind("Esta é uma mensagem de teste: nada foi comprado", 0) == 0);
  CHECK(contains(json_at(test, "/html"), "Esta é uma mensagem de teste: nada foi comprado"));
  CHECK_FALSE(contains(json_at(test, "/text"), "está confirmada"));
  sample.charge.environment = domain::Environment::kLive;
  const auto mail = sample.parsed_message();
  CHECK(json_at(mail, "/subject") == "Confirmação da sua compra: Loja São João");
  CHECK_FALSE(contains(json_at(mail, "/text"), "teste"));
  CHECK_FALSE(contains(json_at(mail, "/html"), "teste"));
  CHECK(contains(json_at(mail, "/text"), "está confirmada"));
}

TEST_CASE("a store's contact is told, and answered to where it is an address") {
  Sample sample;
  CHECK_FALSE(contains(sample.parsed_message(), "Contato"));
  sample.contact = parsed<domain::Label>("WhatsApp (11) 98765-4321 <loja>");
  const auto by_phone = sample.parsed_message();
  CHECK(contains(json_at(by_phone, "/text"), "Contato da loja: WhatsApp (11) 98765-4321 <loja>\r\n"));
  CHECK(contains(json_at(by_phone, "/html"), "<td>WhatsApp (11) 98765-4321 &lt;loja&gt;</td>"));
  CHECK_FALSE(contains(json_at(by_phone, "/headers"), "reply-to"));
  sample.contact = parsed<domain::Label>("ajuda@loja.example");
  CHECK(contains(json_at(sample.parsed_message(), "/headers"), "from,reply-to,to"));
  CHECK(contains(sample.message(), "\r\nReply-To: <ajuda@loja.example>\r\n"));
}

TEST_CASE("a confirmation refers to nothing outside itself") {
  const auto html = json_at(Sample().parsed_message(), "/html");
  for (const char* part : {"http", "src", "href", "url(", "<img", "<script", "<link"}) {
    CAPTURE(part);
    CHECK_FALSE(contains(html, part));
  }
}

TEST_CASE("names cannot add headers, recipients or parts, nor break a line") {
  Sample sample;
  const std::string evil =
      "x\" <mallory@example.com>, =?UTF-8?Q?=0D=0ABcc:_mallory@example.com?= \\ (c) ;:@.";
  sample.store_name = evil;
  sample.contact = parsed<domain::Label>(evil);
  sample.customer.name = parsed<domain::PersonName>(evil);
  sample.charge.product = parsed<domain::ProductName>("--=_event-7.1772366400000-- .");
  const auto mail = sample.parsed_message();
  CHECK(json_at(mail, "/fromName") == evil);
  CHECK(json_at(mail, "/toName") == evil);
  CHECK(json_at(mail, "/to") == sample.customer.email.text());
  CHECK(json_at(mail, "/types") == "text/plain,text/html");
  CHECK(json_at(mail, "/headers") ==
        "date,from,to,subject,message-id,auto-submitted,content-language,mime-version,content-type");
  CHECK(json_at(mail, "/bareLineFeeds") == "0");
  CHECK(json_at(mail, "/ascii") == "true");
}

TEST_CASE("the longest names fit: no line is longer than mail allows, and no character is cut in two") {
  Sample sample;
  std::string longest;
  for (int i = 0; i < 255; ++i) longest += "€";
  sample.store_name = longest;
  sample.contact = parsed<domain::Label>(longest);
  sample.customer.name = parsed<domain::PersonName>(longest);
  const auto mail = sample.parsed_message();
  CHECK(json_at(mail, "/fromName") == longest);
  CHECK(json_at(mail, "/subject") == "[Teste] Confirmação da sua compra: " + longest);
  CHECK(std::stoi(json_at(mail, "/longestLine")) <= 76);
  CHECK(json_at(mail, "/defects") == "0");
}

TEST_CASE("no line of a message starts with a dot, and the same facts make the same bytes") {
  const Sample sample;
  CHECK(count(sample.message(), "\r\n.") == 0);
  CHECK(sample.message().substr(sample.message().size() - 2) == "\r\n");
  CHECK(sample.message() == Sample().message());
}

TEST_CASE("header text is always whole encoded words without line breaks of its own") {
  REQUIRE(rc::check([](const std::vector<char32_t>& points) {
    std::string utf8;
    for (char32_t point : points) {
      point = 0xa0 + point % 0x2000;
      if (point < 0x800) {
        utf8 += static_cast<char>(0xc0 | (point >> 6));
      } else {
        utf8 += static_cast<char>(0xe0 | (point >> 12));
        utf8 += static_cast<char>(0x80 | ((point >> 6) & 0x3f));
      }
      utf8 += static_cast<char>(0x80 | (point & 0x3f));
    }
    std::istringstream lines(encode_header_text(utf8));
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > 76) return false;
    }
    return true;
  }));
}

TEST_CASE("dates are those of Brasília, also across midnight and years") {
  CHECK(mail_date(Timestamp(1'772'366'400'000)) == "Sun, 01 Mar 2026 09:00:00 -0300");
  CHECK(mail_date(*parse_iso8601("2027-01-01T02:59:59Z")) == "Thu, 31 Dec 2026 23:59:59 -0300");
  CHECK(mail_date(*parse_iso8601("2028-02-29T03:00:00Z")) == "Tue, 29 Feb 2028 00:00:00 -0300");
}
