#include "web/gateway/dashboard_files.h"

#include <Poco/DeflatingStream.h>
#include <sstream>

#include "base/http/message/header_items.h"
#include "base/text/ascii.h"
#include "web/gateway/dashboard_assets.h"

namespace pixledger::web {
namespace {

// Scripts and styles come from here alone, none stands in the page, and no text becomes markup or script
// (Trusted Types, with which no page can make an exception).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";
constexpr std::string_view kPermissions =
    "publickey-credentials-get=(self), publickey-credentials-create=(self), clipboard-write=(self), "
    "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), fullscreen=(), "
    "geolocation=(), gyroscope=(), idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), "
    "picture-in-picture=(), screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()";

std::string gzip(std::string_view bytes) {
  constexpr int kBest = 9;
  std::ostringstream compressed;
  Poco::DeflatingOutputStream stream(compressed, Poco::DeflatingStreamBuf::STREAM_GZIP, kBest);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  return compressed.str();
}

// `*` stands for gzip where that is not named itself (RFC 9110 §12.5.3).
bool accepts_gzip(const http::Request& request) {
  const std::string codings = request.headers.joined("Accept-Encoding");
  std::string_view rest = codings;
  bool anything = false;
  while (!rest.empty()) {
    std::string_view item = http::next_item(rest, ',');
    const std::string_view coding = http::next_item(item, ';');
    const bool wanted = http::weight_of(item) > 0;
    if (equal_without_case(coding, "gzip")) return wanted;
    if (coding == "*") anything = wanted;
  }
  return anything;
}

}  // namespace

DashboardFiles::DashboardFiles()
    : document_(file_of(kDashboardDocument)),
      script_(file_of(kDashboardScript)),
      style_(file_of(kDashboardStyle)),
      verifier_(file_of(kVerifierScript)) {}

DashboardFiles::File DashboardFiles::file_of(std::string_view bytes) { return {bytes, gzip(bytes)}; }

http::Reply DashboardFiles::reply_of(const http::Request& request, const File& file, std::string_view type) {
  const bool is_compressed = accepts_gzip(request);
  http::Reply reply{.body = {},
                    .content_type = type,
                    .headers = {{"Vary", "Accept-Encoding"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Referrer-Policy", "no-referrer"}},
                    .static_body = is_compressed ? std::string_view(file.compressed) : file.bytes};
  if (is_compressed) reply.headers.push_back({"Content-Encoding", "gzip"});
  return reply;
}

http::Reply DashboardFiles::document(const http::Request& request) const {
  auto reply = reply_of(request, document_, "text/html; charset=utf-8");
  const auto tag = "W/\"" + std::string(kDashboardDocumentDigest) + "\"";
  if (request.headers.find("If-None-Match") == tag) {
    reply.status = 304;
    reply.static_body = {};
  }
  reply.headers.insert(reply.headers.end(), {{"ETag", tag},
                                             {"Cache-Control", "no-cache"},
                                             {"Content-Security-Policy", std::string(kPolicy)},
                                             {"Permissions-Policy", std::string(kPermissions)},
                                             {"Cross-Origin-Opener-Policy", "same-origin"},
                                             {"Cross-Origin-Embedder-Policy", "require-corp"},
                                             {"X-Frame-Options", "DENY"}});
  return reply;
}

std::optional<http::Reply> DashboardFiles::asset(const http::Request& request) const {
  std::optional<http::Reply> reply;
  if (request.path == kDashboardScriptPath)
    reply = reply_of(request, script_, "text/javascript; charset=utf-8");
  if (request.path == kVerifierScriptPath)
    reply = reply_of(request, verifier_, "text/javascript; charset=utf-8");
  if (request.path == kDashboardStylePath) reply = reply_of(request, style_, "text/css; charset=utf-8");
  if (reply) reply->headers.push_back({"Cache-Control", "public, max-age=31536000, immutable"});
  return reply;
}

}  // namespace pixledger::web
