#include "web/site/payer_site.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/message/reply.h"
#include "base/platform/json.h"
#include "base/platform/sha256.h"
#include "web/common/payer_session.h"
#include "web/site/pages/assets.h"
#include "web/site/pages/page.h"
#include "web/site/site_request.h"

namespace pixledger::web {
namespace {

using http::Reply;

constexpr std::string_view kScriptType = "text/javascript; charset=utf-8";
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kNotOpen = "ERR_CHECKOUT_002";

Reply script(std::string_view bytes, std::string_view cache, std::string_view readers) {
  return {.body = {},
          .content_type = kScriptType,
          .headers = {{"Cache-Control", std::string(cache)},
                      {"Cross-Origin-Resource-Policy", std::string(readers)}},
          .static_body = bytes};
}

// The files of all pages: their script, named by its digest, and the shops' button; 204 for the icon.
Reply site_file(const SiteRoute& route, const PageRequest& page) {
  if (route.place == SitePlace::kIcon)
    return {.status = 204, .body = {}, .headers = {{"Cache-Control", "public, max-age=86400"}}};
  if (route.place == SitePlace::kButton) return script(kButtonScript, "public, max-age=3600", "cross-origin");
  if (route.rest == script_path())
    return script(kPayScript, "public, max-age=31536000, immutable", "same-origin");
  return plain_page({404, messages::kGone, messages::kGoneMore}, page);
}

// The content type of a logo; nullopt for types that no logo has.
std::optional<std::string_view> logo_type(std::string_view type) {
  for (const std::string_view known : {"image/png", "image/webp"}) {
    if (type == known) return known;
  }
  return std::nullopt;
}

// "/api/v1/payer/sessions/TOKEN…"
std::string api_path(std::string_view token, std::string_view what) {
  return "/api/v1/payer/sessions/" + std::string(token) + std::string(what);
}

std::string state_event(const PayerSession& session) {
  return live_event(session.tag(), to_string(session.state));
}

bool is_form(const http::Request& request) {
  const auto type = request.headers.find("Content-Type");
  return type && type->substr(0, type->find(';')) == kFormType;
}

// The API records the id in the ledger, so payers must not choose it.
std::string own_request_id(const http::Request& request) {
  return request.headers.find("X-Request-Id") ? std::string() : request.request_id;
}

Reply method_refusal(const http::Request& request, std::string_view allowed) {
  auto reply = http::transport_error_reply(request, 405, "The method does not fit this address.");
  reply.headers.push_back({"Allow", std::string(allowed)});
  return reply;
}

Reply see_other(std::string where) {
  return {.status = 303, .body = {}, .headers = {{"Location", std::move(where)}}};
}

// The path after the token to which pages post.
std::string_view path_of(SitePlace place) {
  if (place == SitePlace::kCustomer) return "/customer";
  return place == SitePlace::kCharges ? "/charges" : "/simulate";
}

}  // namespace

// A request that waits for the API. `page`: what is known without the session.
struct PayerSite::Visit {
  http::Responder responder;
  SiteRoute route;  // views into the request's path
  PageRequest page;
  std::shared_ptr<void> place{};  // of its address, until the API replies

  const http::Request& request() const { return responder.request(); }
  std::string query(std::string_view name) const { return form_value(request().query, name).value_or(""); }
  // Adds what only the session contains: its language, and the shops that may frame it.
  PageRequest page_of(const PayerSession& session) const {
    auto page_now = page;
    if (session.language) {
      page_now.language = *session.language;
      page_now.names_language = false;
    }
    const auto shop = query("origin");
    const auto& allowed = session.store.embed_origins;
    const bool is_allowed = std::find(allowed.begin(), allowed.end(), shop) != allowed.end();
    if (page.is_embedded && is_allowed) page_now.shop_origin = shop;
    return page_now;
  }
};

PageRequest PayerSite::page_request(const http::Request& request, const SiteRoute& route) const {
  PageRequest page;
  const auto named = language_of_tag(form_value(request.query, "lang").value_or(""));
  page.language = named.value_or(preferred_language(request.headers));
  page.names_language = named.has_value();
  page.token = route.token;
  page.depth = route.depth;
  page.is_embedded =
      route.place == SitePlace::kEmbed || (route.is_post && form_value(request.query, "embed") == "1");
  page.says_paid = form_value(request.query, "paid") == "1";
  page.now = parts_.clock.now();
  return page;
}

std::optional<Reply> PayerSite::judge(http::Request& request) {
  const auto route = site_route(request.path);
  request.route_pattern = route.pattern;
  using http::Method;
  const bool reads = request.method == Method::kGet || request.method == Method::kHead;
  if (route.place == SitePlace::kNowhere)
    return plain_page({404, messages::kGone, messages::kGoneMore}, page_request(request, route));
  if (!route.is_post) {
    if (reads) return std::nullopt;
    return method_refusal(request, "GET, HEAD");
  }
  // A browser's history may lead back to a POST's path: show the page.
  if (reads && !is_page_token(route.token)) return std::nullopt;
  if (reads) return see_other(session_link(page_request(request, route), "", true));
  if (request.method != Method::kPost) return method_refusal(request, "POST");
  if (!is_of_this_site(request.headers, parts_.origin)) {
    ++counts_.cross_site;
    return plain_page({403, messages::kRefused, messages::kRefusedMore}, page_request(request, route));
  }
  if (!is_form(request)) return http::transport_error_reply(request, 415, "The body must be a form.");
  return std::nullopt;
}

PayerSite::VisitPtr PayerSite::begin_visit(const http::Responder& responder, const SiteRoute& route) const {
  return std::make_shared<Visit>(Visit{responder, route, page_request(responder.request(), route)});
}

void PayerSite::serve(const http::Responder& responder) {
  const auto route = site_route(responder.request().path);
  if (route.place == SitePlace::kScript || route.place == SitePlace::kButton ||
      route.place == SitePlace::kIcon)
    return responder(site_file(route, page_request(responder.request(), route)));
  const auto visit = begin_visit(responder, route);
  if (!is_page_token(route.token)) return answer_gone(visit);
  if (const auto wait = of_token_.wait_s(std::string(route.token), parts_.clock.boot_millis())) {
    ++counts_.over_requests;
    return answer_too_many(visit, *wait);
  }
  if (const auto wait = hold_back(*visit)) return answer_too_many(visit, *wait);
  responder.share();
  switch (route.place) {
    case SitePlace::kPage:
    case SitePlace::kEmbed:
      return show_page(visit);
    case SitePlace::kLive:
      return follow(visit);
    case SitePlace::kReceipt:
      return show_receipt(visit);
    case SitePlace::kProof:
      return show_proof(visit);
    case SitePlace::kLogo:
      return show_logo(visit);
    case SitePlace::kCustomer:
      return change(visit, "/customer");
    case SitePlace::kCharges:
      return change(visit, "/charges");
    case SitePlace::kSimulate:
      return change(visit, "/simulate-payment");
    case SitePlace::kScript:
    case SitePlace::kButton:
    case SitePlace::kIcon:
    case SitePlace::kHealth:
    case SitePlace::kReady:
    case SitePlace::kMetrics:
    case SitePlace::kNowhere:
      return answer_gone(visit);
  }
}

// An address that guessed too often may still have a valid link. Its requests are served, few at a time, so
// that they do not take the API's connections from others.
std::optional<std::int64_t> PayerSite::hold_back(Visit& visit) {
  const auto network = network_of(visit.request().caller_address);
  const auto wait = unknown_of_address_.wait_s(network, parts_.clock.boot_millis());
  visit.place = (wait ? of_guessers_ : of_addresses_).take(network);
  if (visit.place) return std::nullopt;
  ++(wait ? counts_.over_unknown : counts_.over_places);
  return wait.value_or(1);
}

void PayerSite::ask(const VisitPtr& visit, std::string_view method, std::string_view what, std::string body,
                    ThenReply then) {
  const auto& request = visit->request();
  parts_.api.ask({.method = method,
                  .path = api_path(visit->route.token, what),
                  .body = std::move(body),
                  .caller = request.caller_address,
                  .request_id = own_request_id(request)},
                 [this, visit, then = std::move(then)](const std::optional<ApiReply>& reply) {
                   visit->responder.on_loop([this, visit, then, reply] { receive(visit, reply, then); });
                 });
}

void PayerSite::receive(const VisitPtr& visit, const std::optional<ApiReply>& reply, const ThenReply& then) {
  if (!reply || reply->status >= 500) return answer_unavailable(visit);
  if (reply->status == kTooManyRequests) return answer_too_many(visit, 1);
  // For a POST, 403 means a blocked payer.
  if (reply->status == kUnauthorized || (reply->status == kForbidden && !visit->route.is_post)) {
    parts_.log_refused_key(reply->status);
    return answer_unavailable(visit);
  }
  const auto now = parts_.clock.boot_millis();
  if (reply->status == kNotFound) return answer_gone(visit);
  if (const auto wait = of_token_.note(std::string(visit->route.token), now)) {
    ++counts_.over_requests;
    return answer_too_many(visit, *wait);
  }
  then(visit, *reply);
}

void PayerSite::with_session(const VisitPtr& visit, const ApiReply& reply,
                             const std::function<void(const PayerSession&)>& then) {
  const auto session = reply.status == kOk ? PayerSession::parse(reply.body) : std::nullopt;
  if (!session) return answer_unavailable(visit);
  then(*session);
}

void PayerSite::show_page(const VisitPtr& visit) {
  ask(visit, "GET", "", {}, [this](const VisitPtr& asked, const ApiReply& reply) {
    with_session(asked, reply, [&](const PayerSession& session) {
      const auto known = asked->request().headers.find("If-None-Match");
      const auto page = asked->page_of(session);
      if (known && *known == "\"" + session.tag() + "\"" && !page.says_paid)
        return asked->responder(Reply{.status = 304, .body = {}});
      asked->responder(payment_page(session, page));
    });
  });
}

void PayerSite::show_receipt(const VisitPtr& visit) {
  ask(visit, "GET", "", {}, [this](const VisitPtr& asked, const ApiReply& reply) {
    with_session(asked, reply, [&](const PayerSession& session) {
      const auto page = asked->page_of(session);
      const bool has_one = session.is_paid() && session.charge;
      asked->responder(has_one ? receipt_page(session, page) : see_other(session_link(page, "")));
    });
  });
}

void PayerSite::show_proof(const VisitPtr& visit) {
  ask(visit, "GET", "/proof", {}, [this](const VisitPtr& asked, const ApiReply& reply) {
    if (reply.status != kOk) return answer_unavailable(asked);
    asked->responder(
        Reply{.body = reply.body,
              .headers = {{"Content-Disposition", "attachment; filename=\"pixledger-proof.json\""},
                          {"Content-Security-Policy", "sandbox; default-src 'none'"},
                          {"Cross-Origin-Resource-Policy", "same-origin"}}});
  });
}

// The path contains the digest, so the logo may be cached forever; a logo with another digest is not found.
void PayerSite::show_logo(const VisitPtr& visit) {
  ask(visit, "GET", "/logo", {}, [this](const VisitPtr& asked, const ApiReply& reply) {
    const bool is_it = reply.status == kOk && asked->route.rest == to_hex(sha256(reply.body));
    const auto type = logo_type(reply.content_type);
    if (!is_it || !type) return answer_gone(asked);
    asked->responder(Reply{.body = reply.body,
                           .content_type = *type,
                           .headers = {{"Cache-Control", "private, max-age=31536000, immutable"},
                                       {"Content-Security-Policy", "sandbox; default-src 'none'"},
                                       {"Cross-Origin-Resource-Policy", "same-origin"}}});
  });
}

// The stream opens before the session is read, so no change is missed in between.
void PayerSite::follow(const VisitPtr& visit) {
  const auto stream =
      parts_.live.open(std::string(visit->route.token), network_of(visit->request().caller_address));
  if (!stream) {
    ++counts_.over_streams;
    return answer_too_many(visit, 1);
  }
  ask(visit, "GET", "", {}, [this, stream](const VisitPtr& asked, const ApiReply& reply) {
    with_session(asked, reply, [&](const PayerSession& session) {
      stream->write(state_event(session));
      asked->responder(Reply{.body = {},
                             .content_type = http::kEventStream,
                             .headers = {{"X-Accel-Buffering", "no"}},
                             .source = stream});
    });
  });
}

void PayerSite::change(const VisitPtr& visit, std::string_view what) {
  const auto& request = visit->request();
  std::string body;
  if (visit->route.place == SitePlace::kCustomer)
    body = customer_json(read_entry(request.body), request.caller_address);
  else if (visit->route.place == SitePlace::kCharges)
    body = Json().begin_object().field("customerIp", request.caller_address).end_object().take();
  else
    body = "{}";
  ask(visit, "POST", what, std::move(body), [this](const VisitPtr& asked, const ApiReply& reply) {
    if (reply.status != kOk) return show_refusal(asked, reply);
    with_session(asked, reply, [&](const PayerSession& session) {
      asked->responder(see_other(session_link(asked->page_of(session), "", true)));
    });
  });
}

// The current page, with the reason of the refusal.
void PayerSite::show_refusal(const VisitPtr& visit, const ApiReply& refusal) {
  const auto error = ApiError::parse(refusal.body);
  ask(visit, "GET", "", {},
      [this, error, status = refusal.status](const VisitPtr& asked, const ApiReply& reply) {
        with_session(asked, reply, [&](const PayerSession& session) {
          auto entry = read_entry(asked->request().body);
          entry.wrong = wrong_fields(error);
          PaymentPage shown{.status = status};
          if (error.code == http::kInvalid && !entry.wrong.empty()) {
            shown.problem = &messages::kWrongForm;
            shown.entry = &entry;
          } else if (status == kForbidden) {
            shown.problem = &messages::kContactShop;
            shown.is_problem_all = true;
          } else if (error.code == kNotOpen) {
            shown.problem = &messages::kNoMoreCodes;
          } else {
            shown.problem = &messages::kContactShop;
            shown.entry = &entry;
          }
          asked->responder(payment_page(session, asked->page_of(session), shown));
        });
      });
}

void PayerSite::answer_gone(const VisitPtr& visit) {
  ++counts_.unknown;
  const auto network = network_of(visit->request().caller_address);
  if (const auto wait = unknown_of_address_.note(network, parts_.clock.boot_millis())) {
    ++counts_.over_unknown;
    return answer_too_many(visit, *wait);
  }
  visit->responder(plain_page({404, messages::kGone, messages::kGoneMore}, visit->page));
}

void PayerSite::answer_unavailable(const VisitPtr& visit) {
  const auto place = visit->route.place;
  const bool is_post = visit->route.is_post;
  // Keeps the payer's data, so that the form need not be filled in again.
  const auto entry = read_entry(visit->request().body);
  auto reply = plain_page({.status = 503,
                           .title = messages::kUnavailable,
                           .text = is_post ? messages::kNotKnownMore : messages::kUnavailableMore,
                           .retries = !is_post,
                           .again = is_post ? path_of(place) : std::string_view(),
                           .entry = place == SitePlace::kCustomer ? &entry : nullptr},
                          visit->page);
  reply.headers.push_back({"Retry-After", "5"});
  visit->responder(std::move(reply));
}

void PayerSite::answer_too_many(const VisitPtr& visit, std::int64_t wait_s) {
  auto reply = plain_page({kTooManyRequests, messages::kTooMany, messages::kTooManyMore}, visit->page);
  reply.headers.push_back({"Retry-After", std::to_string(wait_s)});
  visit->responder(std::move(reply));
}

}  // namespace pixledger::web
