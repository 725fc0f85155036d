#include "workers/emails/email_message.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/text/text.h"
#include "base/values/civil_date.h"
#include "domain/values/cents.h"

namespace pixledger::workers {
namespace {

constexpr std::string_view kCrLf = "\r\n";

// Local time in São Paulo and Brasília: UTC−3 all year. Summer time ended in 2019 (Decreto 9.772/2019),
// before Pix existed; a new decree would require a change here.
struct BrasiliaTime {
  CivilDate date;
  unsigned hour;
  unsigned minute;
  unsigned second;
  unsigned weekday;  // 0: Sunday
};

// `moment` must not be before 1970-01-01T03:00:00Z.
constexpr BrasiliaTime brasilia_time(Timestamp moment) {
  constexpr std::int64_t kOffsetSeconds = -3 * 3600;
  constexpr std::int64_t kDaySeconds = 24 * 3600;
  const std::int64_t local = moment.millis() / 1000 + kOffsetSeconds;
  const std::int64_t days = local / kDaySeconds;
  const auto of_day = static_cast<unsigned>(local % kDaySeconds);
  constexpr std::int64_t kEpochWeekday = 4;  // 1970-01-01 was a Thursday
  return {civil_from_days(days), of_day / 3600, of_day / 60 % 60, of_day % 60,
          static_cast<unsigned>((days + kEpochWeekday) % 7)};
}

constexpr std::size_t kBase64LineMax = 76;
// Lines with encoded words have at most 76 characters (RFC 2047 §2). The first line also contains the
// header's name, and "=?UTF-8?B?" and "?=" take twelve characters, which leaves 48 for base64.
constexpr std::size_t kWordBytesMax = 36;
// Unencoded text must fit in a header line (RFC 5322 §2.1.1) with the header's name.
constexpr std::size_t kPlainMax = 60;

bool is_plain(std::string_view text) {
  return text.size() <= kPlainMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_alnum(c) || c == ' '; });
}

// Base64 in lines of at most 76 characters, each ended by CRLF (RFC 2045 §6.8).
std::string encode_base64_lines(std::string_view bytes) {
  const auto encoded = to_base64(bytes);
  std::string lines;
  for (std::size_t at = 0; at < encoded.size() || at == 0; at += kBase64LineMax)
    lines.append(encoded, at, kBase64LineMax).append(kCrLf);
  return lines;
}

}  // namespace

std::string encode_header_text(std::string_view utf8) {
  if (is_plain(utf8)) return std::string(utf8);
  std::string encoded;
  while (!utf8.empty()) {
    const auto size = std::max<std::size_t>(first_bytes(utf8, kWordBytesMax).size(), 1);
    if (!encoded.empty()) encoded += "\r\n ";
    encoded += "=?UTF-8?B?" + to_base64(utf8.substr(0, size)) + "?=";
    utf8.remove_prefix(size);
  }
  return encoded;
}

std::string mail_date(Timestamp moment) {
  const auto local = brasilia_time(moment);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02u:%02u:%02u -0300",
                kShortWeekdays[local.weekday], local.date.day, kShortMonths[local.date.month - 1],
                local.date.year, local.hour, local.minute, local.second);
  return text.data();
}

namespace {

using Row = std::pair<std::string, std::string>;

constexpr std::string_view kSandboxNotice =
    "Esta é uma mensagem de teste: nada foi comprado e nenhum dinheiro foi movimentado.";
constexpr std::string_view kLogoId = "logo";
constexpr std::string_view kClosing =
    "Esta é uma mensagem automática. Em caso de dúvida, fale com a loja e informe o código da transação.";

// "21/11/2026 às 05:05 (horário de Brasília)"
std::string local_date(Timestamp moment) {
  const auto local = brasilia_time(moment);
  std::array<char, 32> date{};
  std::snprintf(date.data(), date.size(), "%02u/%02u/%04d às %02u:%02u", local.date.day, local.date.month,
                local.date.year, local.hour, local.minute);
  return std::string(date.data()) + " (horário de Brasília)";
}

// Names from before the check existed may contain characters that change the displayed text.
std::string shown(std::string_view text) { return with_hidden_escaped(text); }

std::string greeting(const EmailFacts& facts) { return "Olá, " + shown(facts.customer.name.text()) + "!"; }

bool is_test(const EmailFacts& facts) { return facts.charge.environment == domain::Environment::kSandbox; }

std::string opening(const EmailFacts& facts) {
  const auto store = shown(facts.store.name.text());
  if (is_test(facts)) return "Um pagamento por Pix na loja " + store + " foi simulado.";
  return "Recebemos o seu pagamento por Pix. Sua compra na loja " + store + " está confirmada.";
}

std::vector<Row> rows_of(const EmailFacts& facts) {
  std::vector<Row> rows{{"Loja", shown(facts.store.name.text())},
                        {"Produto", shown(facts.charge.product.text())},
                        {"Quantidade", std::to_string(facts.charge.quantity)},
                        {"Valor pago", domain::to_reais(facts.payment.amount)},
                        {"Data do pagamento", local_date(facts.payment.paid_at)},
                        {"Código da transação", facts.charge.id.text()},
                        {"Identificador do Pix (E2E)", facts.payment.end_to_end_id.text()}};
  if (facts.charge.external_id)
    rows.emplace(rows.begin() + 1, "Pedido", shown(facts.charge.external_id->text()));
  if (facts.store.contact) rows.emplace_back("Contato da loja", shown(facts.store.contact->text()));
  return rows;
}

std::string text_part(const EmailFacts& facts) {
  std::string text;
  if (is_test(facts)) text.append(kSandboxNotice).append("\r\n\r\n");
  text += greeting(facts) + "\r\n\r\n" + opening(facts) + "\r\n\r\n";
  for (const auto& [name, value] : rows_of(facts)) text += name + ": " + value + "\r\n";
  return text.append("\r\n").append(kClosing).append("\r\n");
}

std::string html_part(const EmailFacts& facts) {
  std::string html =
      "<!DOCTYPE html>\r\n<html lang=\"pt-BR\">\r\n<head><meta charset=\"utf-8\">"
      "<title>Confirmação de compra</title></head>\r\n"
      "<body style=\"font-family: sans-serif; color: #222\">\r\n";
  // The store's colour as a line, on which nothing has to be read.
  if (facts.store.color)
    html += "<hr style=\"border: 0; border-top: 6px solid " + facts.store.color->text() + "\">\r\n";
  if (facts.store.logo)
    html += "<p><img src=\"cid:" + std::string(kLogoId) + "\" height=\"48\" alt=\"" +
            escape_html(shown(facts.store.name.text())) + "\"></p>\r\n";
  if (is_test(facts)) html += "<p><strong>" + std::string(kSandboxNotice) + "</strong></p>\r\n";
  html += "<p>" + escape_html(greeting(facts)) + "</p>\r\n<p>" + escape_html(opening(facts)) +
          "</p>\r\n<table cellpadding=\"4\">\r\n";
  for (const auto& [name, value] : rows_of(facts)) {
    html +=
        "<tr><th align=\"left\">" + escape_html(name) + "</th><td>" + escape_html(value) + "</td></tr>\r\n";
  }
  return html + "</table>\r\n<p><small>" + std::string(kClosing) + "</small></p>\r\n</body>\r\n</html>\r\n";
}

std::string mailbox(std::string_view name, const EmailAddress& address) {
  // The address is on its own line, because a folded name may be long.
  return encode_header_text(name) + "\r\n <" + address.text() + ">";
}

std::string subject_of(const EmailFacts& facts) {
  return std::string(is_test(facts) ? "[Teste] " : "") +
         "Confirmação da sua compra: " + shown(facts.store.name.text());
}

// Replies go to the store, if its contact is an address.
std::string reply_to(const EmailFacts& facts) {
  const auto& contact = facts.store.contact;
  const auto address = contact ? EmailAddress::parse(contact->text()) : std::nullopt;
  return address ? "\r\nReply-To: <" + address->text() + ">" : "";
}

// `head`: its type and further headers.
std::string body_part(const std::string& boundary, std::string_view head, std::string_view content) {
  return "--" + boundary + "\r\nContent-Type: " + std::string(head) +
         "\r\nContent-Transfer-Encoding: base64\r\n\r\n" + encode_base64_lines(content) + "\r\n";
}

constexpr std::string_view kHtmlType = "text/html; charset=utf-8";

// The HTML, with the logo that it shows.
std::string shown_part(const std::string& boundary, const EmailFacts& facts) {
  const auto& logo = facts.store.logo;
  if (!logo) return body_part(boundary, kHtmlType, html_part(facts));
  const std::string inner = "=_related-" + std::string(facts.name);
  const auto image = std::string(logo->type()) + "\r\nContent-ID: <" + std::string(kLogoId) +
                     ">\r\nContent-Disposition: inline";
  return "--" + boundary + "\r\nContent-Type: multipart/related; type=\"text/html\";\r\n boundary=\"" +
         inner + "\"\r\n\r\n" + body_part(inner, kHtmlType, html_part(facts)) +
         body_part(inner, image, logo->image()) + "--" + inner + "--\r\n\r\n";
}

}  // namespace

std::string email_name(Position position, Timestamp recorded_at) {
  return "event-" + std::to_string(position.value()) + "." + std::to_string(recorded_at.millis());
}

std::string email_message(const EmailFacts& facts) {
  // Base64 contains no '_', and '=' only at its end, so no content can contain the boundary.
  const std::string boundary = "=_" + std::string(facts.name);
  return "Date: " + mail_date(facts.recorded_at) +
         "\r\nFrom: " + mailbox(shown(facts.store.name.text()), facts.from) + reply_to(facts) +
         "\r\nTo: " + mailbox(shown(facts.customer.name.text()), facts.customer.email) +
         "\r\nSubject: " + encode_header_text(subject_of(facts)) + "\r\nMessage-ID: <" +
         std::string(facts.name) + "@" + std::string(facts.ledger_id) +
         ">\r\nAuto-Submitted: auto-generated\r\nContent-Language: pt-BR\r\nMIME-Version: 1.0\r\n"
         "Content-Type: multipart/alternative;\r\n boundary=\"" +
         boundary + "\"\r\n\r\n" + body_part(boundary, "text/plain; charset=utf-8", text_part(facts)) +
         shown_part(boundary, facts) + "--" + boundary + "--\r\n";
}

}  // namespace pixledger::workers
