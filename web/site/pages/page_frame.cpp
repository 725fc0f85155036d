#include "web/site/pages/page_frame.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <date/tz.h>
#include <stdexcept>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/values/civil_date.h"
#include "domain/values/cents.h"
#include "web/site/pages/assets.h"

namespace pixledger::web {
namespace {

constexpr std::string_view kBrand = "#0b6b3a";
constexpr std::string_view kHtmlType = "text/html; charset=utf-8";

// Relative luminance (WCAG 2.2).
double luminance(std::string_view color) {
  constexpr std::array<double, 3> kWeights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < kWeights.size(); ++i) {
    const auto digits = color.substr(1 + 2 * i, 2);
    const double part = (16 * hex_digit(digits[0]) + hex_digit(digits[1])) / 255.0;
    sum += kWeights[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
  }
  return sum;
}

// At this luminance black and white have the same contrast, 4.58:1; so one of them always has at least that.
std::string_view ink_on(std::string_view color) {
  constexpr double kMiddle = 0.1791;
  return luminance(color) > kMiddle ? "#000000" : "#ffffff";
}

// The inline style: the shop's colour and the common style.
std::string style_of(const PayerSession* session) {
  const std::string brand(session && session->store.color ? *session->store.color : kBrand);
  return ":root{--brand:" + brand + ";--on:" + std::string(ink_on(brand)) + "}" + std::string(kPayStyle);
}

// The browser loads only what is named here. `frame-ancestors`: the pages that may frame this one.
std::string content_policy(const std::string& style, const PayerSession* session,
                           const PageRequest& request) {
  std::string ancestors;
  if (request.is_embedded && session) {
    for (const auto& origin : session->store.embed_origins) ancestors += " " + origin;
  }
  const auto digest = sha256(style);
  return "default-src 'none'; script-src 'self'; style-src 'sha256-" + to_base64(bytes_of(digest)) +
         "'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors" +
         (ancestors.empty() ? " 'none'" : ancestors);
}

std::string up(const PageRequest& request) {
  std::string path;
  for (int i = 0; i < request.depth; ++i) path += "../";
  return path;
}

bool is_web_address(std::string_view text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

bool is_mail_address(std::string_view text) {
  return text.find('@') != std::string_view::npos && text.find_first_of(" /:?&") == std::string_view::npos;
}

void write_contact(Html& html, const std::string& contact, Language language) {
  html << "<span>";
  html.text(messages::kSupport.in(language)) << ": ";
  if (is_web_address(contact) || is_mail_address(contact)) {
    html << "<a";
    html.attribute("href", is_web_address(contact) ? contact : "mailto:" + contact)
        << " rel=\"noopener\" target=\"_blank\">";
    html.text(contact) << "</a>";
  } else {
    html.text(contact);
  }
  html << "</span>";
}

void write_header(Html& html, const PayerSession& session, const PageRequest& request) {
  html << "<header>";
  if (session.is_sandbox) {
    html << "<p class=\"test\">";
    html.text(messages::kSandbox.in(request.language)) << "</p>";
  }
  html << "<div class=\"shop\">";
  if (session.store.logo) {
    html << "<img alt=\"\"";
    html.attribute("src", up(request) + request.token + "/logo/" + session.store.logo->digest) << ">";
  }
  html << "<p>";
  html.text(session.store.name) << "</p></div></header>";
}

// A link to the other language, unless the session determines it.
void write_language(Html& html, const PayerSession* session, const PageRequest& request) {
  if (!session || session->language) return;
  const bool is_english = request.language == Language::kEnglish;
  PageRequest other = request;
  other.language = is_english ? Language::kPortuguese : Language::kEnglish;
  other.names_language = true;
  html << "<a";
  html.attribute("href", session_link(other, "", true));
  html.attribute("lang", is_english ? "pt-BR" : "en").attribute("hreflang", is_english ? "pt-BR" : "en")
      << ">";
  html.text(messages::kOtherLanguage.in(request.language)) << "</a>";
}

void write_head(Html& html, const PageFrame& frame, const PageRequest& request) {
  html << "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
          "<meta name=\"robots\" content=\"noindex\"><link rel=\"icon\" href=\"data:,\"><title>";
  html.text(frame.title) << "</title>";
  if (frame.has_script) {
    html << "<script defer";
    html.attribute("src", up(request) + script_path()) << "></script>";
  }
  if (frame.refresh_s > 0) {
    const auto refresh = [&] {
      html << "<meta http-equiv=\"refresh\" content=\"";
      html.number(frame.refresh_s) << "\">";
    };
    if (frame.has_script) {
      html << "<noscript>";
      refresh();
      html << "</noscript>";
    } else {
      refresh();
    }
  }
}

// The place of the notices that the page is offline or online again.
void write_line(Html& html, Language language) {
  html << "<p id=\"line\" class=\"note line\" role=\"status\" hidden";
  html.attribute("data-offline", messages::kOffline.in(language));
  html.attribute("data-lost", messages::kOutOfReach.in(language));
  html.attribute("data-back", messages::kBackOnline.in(language)) << "></p>";
}

void write_body_attributes(Html& html, const PageFrame& frame, const PageRequest& request) {
  if (frame.session && frame.session->is_sandbox) html << " class=\"sandbox\"";
  if (!frame.follows) return;
  html.attribute("data-self", session_link(request, "", true));
  html.attribute("data-live", session_link(request, "/live"));
  if (!request.shop_origin.empty()) html.attribute("data-parent", request.shop_origin);
}

}  // namespace

std::string session_link(const PageRequest& request, std::string_view what, bool keeps_frame) {
  std::string link = up(request) + request.token + std::string(what);
  std::string query;
  const auto add = [&query](std::string_view item) { query.append(query.empty() ? "?" : "&").append(item); };
  const bool is_in_frame = request.is_embedded && keeps_frame;
  if (is_in_frame && what.empty()) link += "/embed";
  if (is_in_frame && !what.empty()) add("embed=1");
  if (is_in_frame && !request.shop_origin.empty()) add("origin=" + request.shop_origin);
  if (request.names_language) add(request.language == Language::kEnglish ? "lang=en" : "lang=pt-BR");
  return link + query;
}

const std::string& script_path() {
  static const std::string path = "assets/pay." + to_hex(sha256(kPayScript)).substr(0, 16) + ".js";
  return path;
}

http::Reply framed(PageFrame frame, const PageRequest& request) {
  const auto style = style_of(frame.session);
  Html html;
  html << "<!doctype html><html";
  html.attribute("lang", request.language == Language::kEnglish ? "en" : "pt-BR") << "><head>";
  write_head(html, frame, request);
  auto text = std::move(html).take() + "<style>" + style + "</style></head><body";

  Html body;
  write_body_attributes(body, frame, request);
  body << ">";
  if (frame.session) write_header(body, *frame.session, request);
  if (frame.follows) write_line(body, request.language);
  body << "<main";
  body.attribute("data-state", frame.state).add(frame.main_attributes) << ">";
  body.add(frame.content) << "</main><p id=\"said\" class=\"said\" aria-live=\"polite\"></p>";
  if (frame.session) {
    body << "<footer>";
    if (frame.session->store.contact) write_contact(body, *frame.session->store.contact, request.language);
    write_language(body, frame.session, request);
    body << "</footer>";
  }
  text += std::move(body).take() + "</body></html>\n";

  return {.status = frame.status,
          .body = std::move(text),
          .content_type = kHtmlType,
          .headers = {{"Content-Security-Policy", content_policy(style, frame.session, request)},
                      {"Content-Language", request.language == Language::kEnglish ? "en" : "pt-BR"},
                      // Only these pages get the origin, which a form's POST needs.
                      {"Referrer-Policy", "no-referrer, same-origin"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

namespace {

using Millis = std::chrono::milliseconds;

struct Local {
  date::sys_time<Millis> time;
  bool is_of_zone;
};

Local local(Timestamp moment, std::string_view zone) {
  const date::sys_time<Millis> time{Millis(moment.millis())};
  try {
    return {time + date::locate_zone(std::string(zone))->get_info(time).offset, true};
  } catch (const std::runtime_error&) {
    return {time, false};
  }
}

}  // namespace

std::string local_time(Timestamp moment, std::string_view zone, Language language) {
  const auto shown = local(moment, zone);
  const auto day = date::floor<date::days>(shown.time);
  const date::year_month_day date(day);
  const date::hh_mm_ss<std::chrono::minutes> clock(date::floor<std::chrono::minutes>(shown.time - day));
  const auto day_of_month = static_cast<unsigned>(date.day());
  const auto month = static_cast<unsigned>(date.month());
  const int hours = static_cast<int>(clock.hours().count()),
            minutes = static_cast<int>(clock.minutes().count());
  char text[64];
  if (language == Language::kEnglish)
    std::snprintf(text, sizeof text, "%u %s %d, %02d:%02d", day_of_month, kShortMonths[month - 1],
                  static_cast<int>(date.year()), hours, minutes);
  else
    std::snprintf(text, sizeof text, "%02u/%02u/%d às %02d:%02d", day_of_month, month,
                  static_cast<int>(date.year()), hours, minutes);
  return shown.is_of_zone ? std::string(text) : std::string(text) + " UTC";
}

std::string money_text(domain::Cents amount, Language language) {
  auto text = domain::to_reais(amount);
  if (language == Language::kPortuguese) return text;
  for (char& c : text) c = c == '.' ? ',' : c == ',' ? '.' : c;
  return text;
}

}  // namespace pixledger::web
