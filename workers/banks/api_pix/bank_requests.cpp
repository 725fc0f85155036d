#include "workers/banks/api_pix/bank_requests.h"

#include <algorithm>

#include "base/http/message/reply.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "base/text/text.h"

namespace pixledger::workers {
namespace {

constexpr std::size_t kWholeTextMax = 140;
constexpr std::size_t kPlainTextMax = 40;
constexpr std::int64_t kSecondMs = 1'000;

// "2026-01-31T12:00:00Z"
std::string whole_seconds(std::int64_t seconds) {
  auto text = to_iso8601(Timestamp(seconds * kSecondMs));
  return text.substr(0, text.find('.')) + "Z";
}

// "a=b&c=d", escaped.
class Form {
 public:
  Form& add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_ += percent_encode(name) + "=" + percent_encode(value);
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Trims blanks and joins repeated ones.
std::string text_for_payer(std::string_view whole, PayerText form) {
  if (form == PayerText::kNone) return "";
  const bool is_plain = form == PayerText::kPlain;
  std::string text;
  for (const char c : to_printable_ascii(whole)) {
    if (is_plain && !is_ascii_alnum(c) && c != ' ') continue;
    if (c == ' ' && (text.empty() || text.back() == ' ')) continue;
    text += c;
  }
  text.resize(std::min(text.size(), is_plain ? kPlainTextMax : kWholeTextMax));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string cob_path(const domain::Txid& txid) { return "/cob/" + txid.text(); }
std::string pix_path(const domain::EndToEndId& id) { return "/pix/" + id.text(); }
std::string callback_path(const domain::PixKey& key) { return "/webhook/" + percent_encode(key.text()); }

BankRequest reading(BankOperation operation, std::string path) {
  return {.operation = operation, .method = "GET", .path = std::move(path), .query = "", .body = ""};
}
BankRequest writing(BankOperation operation, std::string method, std::string path, std::string body) {
  return {.operation = operation,
          .method = std::move(method),
          .path = std::move(path),
          .query = "",
          .body = std::move(body)};
}

std::string with_query(std::string url, const std::string& query) {
  if (query.empty()) return url;
  return url + (url.find('?') == std::string::npos ? '?' : '&') + query;
}

}  // namespace

BankRequest put_cob_request(const CobOrder& order, PayerText text_form) {
  Json json;
  json.begin_object();
  json.key("calendario").begin_object().field("expiracao", order.expires_in_s).end_object();
  json.key("valor").begin_object().field("original", domain::to_decimal(order.amount)).end_object();
  json.field("chave", order.key);
  const auto text = text_for_payer(order.text_for_payer, text_form);
  if (!text.empty()) json.field("solicitacaoPagador", text);
  json.end_object();
  return writing(BankOperation::kPutCob, "PUT", cob_path(order.txid), json.take());
}

BankRequest get_cob_request(const domain::Txid& txid) {
  return reading(BankOperation::kGetCob, cob_path(txid));
}

BankRequest remove_cob_request(const domain::Txid& txid) {
  return writing(BankOperation::kRemoveCob, "PATCH", cob_path(txid),
                 R"({"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"})");
}

BankRequest list_pix_request(const PixWindow& window, std::int64_t page) {
  auto request = reading(BankOperation::kListPix, "/pix");
  request.query = Form()
                      .add("inicio", whole_seconds(window.begin.millis() / kSecondMs))
                      .add("fim", whole_seconds((window.end.millis() + kSecondMs - 1) / kSecondMs))
                      .add("paginacao.paginaAtual", std::to_string(page))
                      .add("paginacao.itensPorPagina", std::to_string(kItemsPerPage))
                      .take();
  return request;
}

BankRequest get_pix_request(const domain::EndToEndId& id) {
  return reading(BankOperation::kGetPix, pix_path(id));
}

BankRequest put_refund_request(const RefundOrder& order) {
  Json json;
  json.begin_object().field("valor", domain::to_decimal(order.amount)).end_object();
  return writing(BankOperation::kPutRefund, "PUT",
                 pix_path(order.payment) + "/devolucao/" + percent_encode(order.id), json.take());
}

BankRequest get_refund_request(const domain::EndToEndId& payment, std::string_view id) {
  return reading(BankOperation::kGetRefund, pix_path(payment) + "/devolucao/" + percent_encode(id));
}

BankRequest put_callback_request(const domain::PixKey& key, std::string_view url) {
  Json json;
  json.begin_object().field("webhookUrl", url).end_object();
  return writing(BankOperation::kPutCallback, "PUT", callback_path(key), json.take());
}

BankRequest get_callback_request(const domain::PixKey& key) {
  return reading(BankOperation::kGetCallback, callback_path(key));
}

BankRequest delete_callback_request(const domain::PixKey& key) {
  return writing(BankOperation::kDeleteCallback, "DELETE", callback_path(key), "");
}

HttpCall to_http(const BankAccess& access, const BankRequest& request, std::string_view token,
                 std::string_view correlation_id) {
  const auto& profile = *access.profile;
  HttpCall call{.method = request.method,
                .url = with_query(base_url_for(profile, access.base_url, request.operation) + request.path,
                                  request.query),
                .headers = {{"Authorization", "Bearer " + std::string(token)}}};
  if (!profile.app_key_parameter.empty() && !access.psp_app_key.empty())
    call.url = with_query(call.url, Form().add(profile.app_key_parameter, access.psp_app_key).take());
  if (!profile.client_id_header.empty())
    call.headers.emplace_back(profile.client_id_header, access.client_id);
  if (!profile.correlation_header.empty())
    call.headers.emplace_back(profile.correlation_header, correlation_id);
  if (!request.body.empty()) {
    call.content_type = http::kJson;
    call.body = request.body;
  }
  return call;
}

HttpCall token_call(const BankAccess& access) {
  constexpr std::string_view kGrant = "client_credentials";
  const auto& profile = *access.profile;
  HttpCall call{.method = "POST", .url = access.token_url, .headers = {}};
  if (profile.grant_type_in_query) call.url = with_query(call.url, Form().add("grant_type", kGrant).take());
  if (access.token_auth == domain::TokenAuth::kBasic)
    call.headers.emplace_back("Authorization",
                              "Basic " + to_base64(access.client_id + ":" + access.client_secret));

  std::vector<std::pair<std::string_view, std::string_view>> fields;
  if (!profile.grant_type_in_query) fields.emplace_back("grant_type", kGrant);
  if (access.token_auth != domain::TokenAuth::kBasic) fields.emplace_back("client_id", access.client_id);
  if (access.token_auth == domain::TokenAuth::kBody)
    fields.emplace_back("client_secret", access.client_secret);
  if (profile.token_takes_scope && !access.scopes.empty()) fields.emplace_back("scope", access.scopes);
  if (profile.token_body == TokenBody::kJson) {
    Json json;
    json.begin_object();
    for (const auto& [name, value] : fields) json.field(name, value);
    call.content_type = http::kJson;
    call.body = json.end_object().take();
    return call;
  }
  Form form;
  for (const auto& [name, value] : fields) form.add(name, value);
  call.content_type = "application/x-www-form-urlencoded";
  call.body = form.take();
  return call;
}

}  // namespace pixledger::workers
