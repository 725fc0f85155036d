#include "web/site/pages/page.h"

#include <algorithm>

#include "base/http/images/qr_code.h"
#include "base/net/http_status.h"
#include "web/site/pages/page_frame.h"

namespace pixledger::web {
namespace {

// A QR code (ISO/IEC 18004) of a text. Always black on white with its quiet zone, since not every reader
// accepts inverted codes. `label`: its accessible name. Throws qrcodegen::data_too_long over 2,300 bytes.
Html qr_svg(std::string_view text, std::string_view label) {
  const http::QrCode code(text);
  const auto size = std::to_string(code.size());
  Html svg;
  svg << "<svg class=\"qr\" role=\"img\" shape-rendering=\"crispEdges\"";
  svg.attribute("viewBox", "0 0 " + size + " " + size);
  svg.attribute("aria-label", label) << "><path fill=\"#fff\" d=\"M0 0h";
  svg.text(size) << "v";
  svg.text(size) << "H0z\"/><path";
  return svg.attribute("d", code.path()) << "/></svg>";
}

// Without JavaScript; not with a form, whose data a reload would lose.
constexpr int kRefreshSeconds = 8;

// A page while it is being written.
struct Writing {
  const PayerSession& session;
  const PageRequest& request;
  Html html{};

  std::string_view in_words(const Message& message) const { return message.in(request.language); }
  Html& say(const Message& message) { return html.text(in_words(message)); }
  void paragraph(Markup begin, const Message& message) {
    html << begin;
    say(message) << "</p>";
  }
  void form(std::string_view where, Markup button, const Message& message) {
    html << "<form method=\"post\"";
    html.attribute("action", session_link(request, where, true)) << ">" << button;
    say(message) << "</button></form>";
  }
};

void write_code(Writing& page) {
  const auto& charge = *page.session.charge;
  page.html << "<div class=\"pay\"><div><button type=\"button\" class=\"first script\" data-do=\"copy\"";
  page.html.attribute("data-copied", page.in_words(messages::kCopied)) << ">";
  page.say(messages::kCopy) << "</button><p id=\"uncopied\" class=\"bad\" role=\"alert\" hidden>";
  page.say(messages::kNotCopied) << "</p><label for=\"code\">";
  page.say(messages::kCode) << "</label><textarea id=\"code\" rows=\"4\" readonly spellcheck=\"false\">";
  page.html.text(*charge.pix_code) << "</textarea><p id=\"left\" hidden>";
  page.say(messages::kTimeLeft) << " <b id=\"time\"></b></p><p class=\"soft\">";
  page.say(messages::kValidUntil) << " ";
  page.html.text(local_time(charge.expires_at, page.session.store.timezone, page.request.language)) << "</p>";
  if (charge.receiver) {
    page.html << "<p class=\"soft\">";
    page.say(messages::kReceiver) << ": <b>";
    page.html.text(*charge.receiver) << "</b></p>";
  }
  page.html << "<h2>";
  page.say(messages::kHow) << "</h2><ol><li>";
  page.say(messages::kStepCopy) << "</li><li>";
  page.say(messages::kStepPay) << "</li><li>";
  page.say(messages::kStepReturn) << "</li></ol></div><div>";
  page.html.add(qr_svg(*charge.pix_code, page.in_words(messages::kQr))) << "</div></div>";
}

// The result appears beside the button. Without JavaScript the link loads the page at that place.
void write_already_paid(Writing& page) {
  auto link = session_link(page.request, "", true);
  link += link.find('?') == std::string::npos ? "?paid=1#looked" : "&paid=1#looked";
  page.html << "<a class=\"button\" rel=\"nofollow\" data-do=\"look\"";
  page.html.attribute("href", link).attribute("data-looking", page.in_words(messages::kLooking));
  page.html.attribute("data-unseen", page.in_words(messages::kNotSeen));
  page.html.attribute("data-unlooked", page.in_words(messages::kNotLooked)) << ">";
  page.say(messages::kAlreadyPaid) << "</a><p id=\"looked\" class=\"note\" role=\"status\">";
  if (page.request.says_paid) page.say(messages::kNotSeen);
  page.html << "</p>";
}

void write_waiting(Writing& page) {
  if (!page.session.charge || !page.session.charge->pix_code)
    return page.paragraph("<p>", messages::kCodeComing);
  write_code(page);
  write_already_paid(page);
  if (page.session.is_sandbox) page.form("/simulate", "<button class=\"test\">", messages::kSimulate);
}

struct Field {
  std::string_view name;
  const Message& label;
  const Message& wrong;
  std::string_view type;
  std::string_view completed_by;  // for the browser's autofill
  std::string FormEntry::*value;
};

void write_field(Writing& page, const Field& field, const FormEntry& entry) {
  const bool is_wrong = std::find(entry.wrong.begin(), entry.wrong.end(), field.name) != entry.wrong.end();
  const auto why = std::string(field.name) + "-why";
  page.html << "<label";
  page.html.attribute("for", field.name) << ">";
  page.say(field.label) << "</label><input required";
  page.html.attribute("id", field.name).attribute("name", field.name).attribute("value", entry.*field.value);
  page.html.attribute("type", field.type).attribute("autocomplete", field.completed_by);
  if (is_wrong) page.html.attribute("aria-invalid", "true").attribute("aria-describedby", why);
  page.html << ">";
  if (!is_wrong) return;
  page.html << "<p class=\"bad\"";
  page.html.attribute("id", why) << ">";
  page.say(field.wrong) << "</p>";
}

void write_form(Writing& page, const FormEntry* entry) {
  const FormEntry given = entry ? *entry : FormEntry{};
  page.html << "<form method=\"post\"";
  page.html.attribute("action", session_link(page.request, "/customer", true)) << ">";
  const Field fields[] = {
      {"name", messages::kName, messages::kWrongName, "text", "name", &FormEntry::name},
      {"document", messages::kDocument, messages::kWrongDocument, "text", "off", &FormEntry::document},
      {"email", messages::kEmail, messages::kWrongEmail, "email", "email", &FormEntry::email},
      {"phone", messages::kPhone, messages::kWrongPhone, "tel", "tel", &FormEntry::phone}};
  for (const auto& field : fields) write_field(page, field, given);
  page.html << "<button class=\"first\">";
  page.say(messages::kToCode) << "</button></form>";
}

// Returns automatically, but not from a frame in the shop's page, where the payer is already.
bool leads_back(const PayerSession& session, const PageRequest& request) {
  return session.return_url && session.state == PageState::kPaid && !request.is_embedded;
}

void write_return(Writing& page) {
  const auto& to = page.session.return_url ? page.session.return_url : page.session.cancel_url;
  if (!to) return;
  if (leads_back(page.session, page.request)) {
    page.html << "<p id=\"returning\" hidden>";
    page.say(messages::kReturning) << " <b id=\"seconds\"></b> s <button type=\"button\" data-do=\"stay\">";
    page.say(messages::kStay) << "</button></p>";
  }
  page.html << "<a target=\"_top\"";
  page.html.attribute("class", page.session.return_url ? "button first" : "button");
  page.html.attribute("href", *to) << ">";
  page.say(messages::kBack) << "</a>";
}

void write_receipt_link(Writing& page) {
  page.html << "<a class=\"button\"";
  if (page.request.is_embedded) page.html << " target=\"_blank\" rel=\"noopener\"";
  page.html.attribute("href", session_link(page.request, "/receipt")) << ">";
  page.say(messages::kReceipt) << "</a>";
}

void write_amount(Writing& page, const Message& label, domain::Cents amount) {
  page.html << "<p>";
  page.say(label) << ": ";
  page.html.text(money_text(amount, page.request.language)) << "</p>";
}

// The amount paid, if it differs from the amount asked for.
void write_came(Writing& page) {
  const auto& charge = page.session.charge;
  if (!charge) return;
  if (charge->paid && *charge->paid != page.session.amount)
    write_amount(page, messages::kCameAmount, *charge->paid);
  if (charge->unapplied > domain::Cents(0)) write_amount(page, messages::kCameAmount, charge->unapplied);
}

void write_refunded(Writing& page) {
  const auto& charge = *page.session.charge;
  write_amount(page, refunded_label(charge), charge.refunded);
  if (charge.is_refund_moved)
    page.paragraph("<p>", *charge.is_refund_moved ? messages::kRefundMoved : messages::kRefundNotMoved);
}

void write_renewal(Writing& page) {
  if (page.session.can_renew) page.form("/charges", "<button class=\"first\">", messages::kNewCode);
}

void write_state(Writing& page, const FormEntry* entry) {
  switch (page.session.state) {
    case PageState::kForm:
      return write_form(page, entry);
    case PageState::kWaiting:
      return write_waiting(page);
    case PageState::kProcessing:
      return page.paragraph("<p>", messages::kProcessingMore);
    case PageState::kReview:
      write_came(page);
      return page.paragraph("<p>", messages::kReviewMore);
    case PageState::kPaid:
      page.paragraph("<p>", messages::kPaidThanks);
      write_came(page);
      write_return(page);
      return write_receipt_link(page);
    case PageState::kRefunded:
    case PageState::kPartiallyRefunded:
      if (page.session.charge) write_refunded(page);
      write_return(page);
      return write_receipt_link(page);
    case PageState::kExpired:
      page.paragraph("<p>", page.session.charge ? messages::kExpiredMore : messages::kTimeIsOver);
      if (page.session.charge && !page.session.can_renew) page.paragraph("<p>", messages::kNoMoreCodes);
      write_renewal(page);
      return write_return(page);
    case PageState::kCancelled:
    case PageState::kFailed:
      page.paragraph("<p>", messages::kIfPaid);
      write_renewal(page);
      return write_return(page);
  }
}

bool may_change(PageState state) {
  return state == PageState::kWaiting || state == PageState::kProcessing || state == PageState::kReview;
}

Html main_attributes(const PayerSession& session, const PageRequest& request) {
  Html html;
  html.attribute("data-tag", session.tag()).attribute("data-words", words_of(session).in(request.language));
  html.attribute("data-session", session.id);
  html.attribute("data-now", std::to_string(request.now.millis()));
  if (session.charge) {
    html.attribute("data-transaction", session.charge->id);
    if (session.charge->status) html.attribute("data-status", *session.charge->status);
    html.attribute("data-created", std::to_string(session.charge->created_at.millis()));
    html.attribute("data-expires", std::to_string(session.charge->expires_at.millis()));
  }
  if (leads_back(session, request)) html.attribute("data-return", *session.return_url);
  return html;
}

}  // namespace

const Message& refunded_label(const PayerSession::Charge& charge) {
  return charge.is_refund_moved == false ? messages::kRefundedByShop : messages::kRefundedAmount;
}

const Message& words_of(const PayerSession& session) {
  const bool is_recorded = session.charge && session.charge->is_refund_moved == false;
  switch (session.state) {
    case PageState::kForm:
      return messages::kForm;
    case PageState::kWaiting:
      return messages::kWaiting;
    case PageState::kProcessing:
      return messages::kProcessing;
    case PageState::kPaid:
      return messages::kPaid;
    case PageState::kReview:
      return messages::kReview;
    case PageState::kExpired:
      return messages::kExpired;
    case PageState::kCancelled:
      return messages::kCancelled;
    case PageState::kFailed:
      return messages::kFailed;
    case PageState::kRefunded:
      return is_recorded ? messages::kRefundRecorded : messages::kRefunded;
    case PageState::kPartiallyRefunded:
      break;
  }
  return is_recorded ? messages::kPartRefundRecorded : messages::kPartiallyRefunded;
}

http::Reply payment_page(const PayerSession& session, const PageRequest& request, const PaymentPage& shown) {
  const auto words = words_of(session).in(request.language);
  const auto amount = money_text(session.amount, request.language);
  Writing page{session, request};
  page.html << "<p class=\"amount\">";
  page.html.text(amount) << "</p>";
  if (session.description) {
    page.html << "<p>";
    page.html.text(*session.description) << "</p>";
  }
  if (session.order) {
    page.html << "<p class=\"soft\">";
    page.say(messages::kOrder) << ": ";
    page.html.text(*session.order) << "</p>";
  }
  if (shown.problem && shown.is_problem_all) {
    page.html << "<div role=\"alert\"><h1>";
    page.say(*shown.problem) << "</h1></div>";
  } else {
    page.html << "<h1>";
    page.html.text(words) << "</h1>";
    if (shown.problem) page.paragraph("<p class=\"bad\" role=\"alert\">", *shown.problem);
    write_state(page, shown.entry);
  }
  auto reply = framed({.status = shown.status,
                       .title = std::string(words) + " · " + amount + " · " + session.store.name,
                       .state = to_string(session.state),
                       .session = &session,
                       .main_attributes = main_attributes(session, request),
                       .content = std::move(page.html),
                       .refresh_s = may_change(session.state) ? kRefreshSeconds : 0,
                       .has_script = true,
                       .follows = true},
                      request);
  reply.headers.push_back({"ETag", "\"" + session.tag() + "\""});
  return reply;
}

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
  if (session.order) row(html, messages::kOrder, *session.order);
  if (came != session.amount) row(html, messages::kAskedAmount, money_text(session.amount, language));
  if (charge.paid_at)
    row(html, messages::kPaidAt, local_time(*charge.paid_at, session.store.timezone, language));
  if (charge.end_to_end_id) row(html, messages::kEndToEndId, *charge.end_to_end_id);
  if (charge.refunded > domain::Cents(0))
    row(html, refunded_label(charge), money_text(charge.refunded, language));
  if (session.customer)
    row(html, messages::kPayer, session.customer->name + " · " + session.customer->document);
  row(html, messages::kReference, charge.id);
  html << "</dl><button type=\"button\" class=\"first script\" data-do=\"share\" hidden>";
  html.text(messages::kShare.in(language)) << "</button>";
  html << "<button type=\"button\" class=\"script\" data-do=\"print\">";
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
  const bool is_gone = page.status == kNotFound;
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
