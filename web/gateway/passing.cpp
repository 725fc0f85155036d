#include "web/gateway/passing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/http/message/file_body.h"
#include "base/http/message/header_items.h"
#include "base/text/ascii.h"
#include "web/gateway/gateway_route.h"
#include "web/upstream/api_relay.h"

namespace pixledger::web {
namespace {

constexpr std::string_view kDocument = "/openapi.json";
// X-Request-Id goes along as the transport took it.
constexpr std::array<std::string_view, 7> kPassed{
    "Accept", "Idempotency-Key", "Pixledger-Project", "Pixledger-Environment",
    "Prefer", "Last-Event-ID",   "User-Agent"};
// Of what may be kept, and is large.
constexpr std::array<std::string_view, 2> kPassedOfDocument{"Accept-Encoding", "If-None-Match"};
constexpr std::array<std::string_view, 11> kWanted{
    "Retry-After",        "Content-Disposition", "ETag",  "Vary",        "Cache-Control", "Content-Encoding",
    "Preference-Applied", "Idempotent-Replayed", "Allow", kDeviceHeader, kUserHeader};
// What the API answers with; anything else is bytes that no browser takes for a page.
constexpr std::array<std::string_view, 9> kTypes{
    "application/json", "application/problem+json", "text/event-stream", "text/csv; charset=utf-8",
    "text/csv",         "application/x-ndjson",     "application/jsonl", "image/png",
    "image/webp"};
constexpr std::string_view kBytes = "application/octet-stream";

bool is_visible(std::string_view text, char first) {
  return std::all_of(text.begin(), text.end(), [first](char c) { return c >= first && c < 0x7F; });
}

bool is_json(std::string_view type) {
  return equal_without_case(http::without_blanks(type.substr(0, type.find(';'))), http::kJson);
}

bool has_body(const http::Request& request) {
  const auto length = request.headers.find("Content-Length");
  return request.headers.find("Transfer-Encoding") || (length && *length != "0");
}

void append(std::string& lines, std::string_view name, std::string_view value) {
  lines.append(name).append(": ").append(value).append("\r\n");
}

template <std::size_t Count>
void append_of(std::string& lines, const http::Headers& headers,
               const std::array<std::string_view, Count>& names) {
  for (const auto name : names) {
    if (const auto value = headers.find(name)) append(lines, name, *value);
  }
}

bool is_good(const http::Headers& headers, std::string_view name) {
  return headers.count(name) <= 1 && is_visible(headers.find(name).value_or(""), ' ');
}

std::string_view type_of(std::string_view type) {
  for (const auto known : kTypes) {
    if (equal_without_case(type, known)) return known;
  }
  return kBytes;
}

}  // namespace

std::optional<NotPassed> refusal_to_pass(const http::Request& request) {
  using http::Method;
  constexpr std::array kMethods{Method::kGet, Method::kPost, Method::kPatch, Method::kDelete};
  const auto& headers = request.headers;
  if (!is_plain_path(request.path)) return NotPassed{400, "The path can be understood in more than one way."};
  if (!is_visible(request.query, '!') || request.query.find('#') != std::string::npos)
    return NotPassed{400, "The query has characters that have to be percent-encoded."};
  if (is_for_payers(request.path)) return NotPassed{404, "There is no such endpoint here."};
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end())
    return NotPassed{405, "The method does not fit this address."};
  if (headers.count("Authorization") > 0)
    return NotPassed{400, "Here the sign-in's cookie says who calls: send no Authorization header."};
  const auto is_bad = [&headers](std::string_view name) { return !is_good(headers, name); };
  if (std::any_of(kPassed.begin(), kPassed.end(), is_bad) ||
      std::any_of(kPassedOfDocument.begin(), kPassedOfDocument.end(), is_bad))
    return NotPassed{400, "A header is given more than once, or has other characters than visible ASCII."};
  if (!has_body(request)) return std::nullopt;
  if (request.method == Method::kGet) return NotPassed{400, "A GET has no body."};
  const auto type = headers.count("Content-Type") == 1 ? *headers.find("Content-Type") : std::string_view();
  if (takes_file(request.method, request.path) && equal_without_case(type, http::kFileType))
    return std::nullopt;
  if (!is_json(type)) return NotPassed{415, "The body must be application/json."};
  return std::nullopt;
}

std::string passed_headers(const http::Request& request, std::string_view token, std::string_view device) {
  std::string lines;
  append_of(lines, request.headers, kPassed);
  if (request.path == kDocument) append_of(lines, request.headers, kPassedOfDocument);
  append(lines, "X-Request-Id", request.request_id);
  append(lines, "Pixledger-Caller-Address", request.caller_address);
  if (!device.empty()) append(lines, kDeviceHeader, device);
  if (!token.empty()) append(lines, "Authorization", "Bearer " + std::string(token));
  return lines;
}

std::span<const std::string_view> wanted_headers() { return kWanted; }

http::Reply passed_reply(ApiReply reply) {
  http::Reply passed{
      .status = reply.status,
      .body = std::move(reply.body),
      .content_type = type_of(reply.content_type),
      .headers = {{"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"},
                  {"Cross-Origin-Resource-Policy", "same-origin"},
                  {"Referrer-Policy", "no-referrer"}}};
  for (auto& [name, value] : reply.headers) {
    if (name != kDeviceHeader && name != kUserHeader) passed.headers.push_back({name, std::move(value)});
  }
  if (passed.content_type == "text/event-stream") passed.headers.push_back({"X-Accel-Buffering", "no"});
  return passed;
}

}  // namespace pixledger::web
