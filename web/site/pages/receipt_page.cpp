#include "web/site/pages/local_time.h"
#include "web/site/pages/page.h"
#include "web/site/pages/page_frame.h"

namespace pixledger::web {
namespace {

void write_row(Html& html, std::string_view name, std::string_view value) {
  html << "<dt>";
  html.text(name) << "</dt><dd>";
  html.text(value) << "</dd>";
}

void write_again(Html& html, const PlainPage& page, const PageRequest& request) {
  html << "<form method=\"post\"";
  html.attribute("action", session_link(request, page.again, true)) << ">";
  if (page.entry) {
    const auto field = [&html](std::string_view name, std::string_view value) {
      html << "<input type=\"hidden\"";
      html.attribute("name", name).attribute("value", value) << ">";
    };
    field("name", page.entry->name);
    field("document", page.entry->document);
    field("email", page.entry->email);
    field("phone", page.entry->phone);
  }
  html << "<button class=\"first\">";
  html.text(messages::kTryAgain.in(request.language)) << "</button></form>";
}

}  // namespace

http::Reply receipt_page(const PayerSession& session, const PageRequest& request) {
  const auto language = request.language;
  const auto row = [&](Html& html, const Message& name, std::string_view value) {
    write_row(html, name.in(language), value);
  };
  const auto& charge = *session.charge;
  Html html;
  html << "<p class=\"amount\">";
  const auto came = charge.paid.value_or(session.amount);
  html.text(money_text(came, language)) << "</p><h1>";
  html.text(messages::kReceipt.in(language)) << "</h1><p>";
  html.text(words_of(session).in(language)) << "</p><dl>";
  row(html, messages::kPaidTo, session.store.name);
  if (session.description) row(html, messages::kAbout, *session.description);
  if (came != session.amount) row(html, messages::kAskedAmount, money_text(session.amount, language));
  if (charge.paid_at)
    row(html, messages::kPaidAt, local_time(*charge.paid_at, session.store.timezone, language));
  if (charge.end_to_end_id) row(html, messages::kEndToEndId, *charge.end_to_end_id);
  if (charge.refunded > domain::Cents(0))
    row(html, refunded_label(charge), money_text(charge.refunded, language));
  if (session.customer)
    row(html, messages::kPayer, session.customer->name + " · " + session.customer->document);
  row(html, messages::kReference, charge.id);
  html << "</dl><button type=\"button\" class=\"first script\" data-do=\"print\">";
  html.text(messages::kPrint.in(language)) << "</button>";
  if (session.store.payer_proofs) {
    html << "<a class=\"button\"";
    html.attribute("href", session_link(request, "/proof")) << ">";
    html.text(messages::kProof.in(language)) << "</a>";
  }
  html << "<a class=\"button\"";
  html.attribute("href", session_link(request, "")) << ">";
  html.text(messages::kBackToPage.in(language)) << "</a>";
  Html attributes;
  attributes.attribute("data-tag", session.tag() + "-receipt");
  return framed({.title = std::string(messages::kReceipt.in(language)) + " · " + session.store.name,
                 .state = to_string(session.state),
                 .session = &session,
                 .main_attributes = std::move(attributes),
                 .content = std::move(html),
                 .has_script = true},
                request);
}

http::Reply plain_page(const PlainPage& page, const PageRequest& request) {
  constexpr int kRetrySeconds = 5;
  constexpr int kGone = 404;
  const bool is_gone = page.status == kGone;
  Html html;
  html << "<h1>";
  html.text(page.title.in(request.language)) << "</h1><p>";
  html.text(page.text.in(request.language)) << "</p>";
  if (!page.again.empty()) write_again(html, page, request);
  Html attributes;
  attributes.attribute("data-tag", is_gone ? "gone" : "error");
  attributes.attribute("data-words", page.title.in(request.language));
  return framed({.status = page.status,
                 .title = std::string(page.title.in(request.language)),
                 .state = is_gone ? "gone" : "unavailable",
                 .main_attributes = std::move(attributes),
                 .content = std::move(html),
                 .refresh_s = page.retries ? kRetrySeconds : 0},
                request);
}

}  // namespace pixledger::web
