#include "web/site/site_files.h"

#include "web/site/pages/assets.h"

namespace pixledger::web {
namespace {

constexpr std::string_view kScriptType = "text/javascript; charset=utf-8";

http::Reply script(std::string_view bytes, std::string_view cache, std::string_view readers) {
  return {.body = {},
          .content_type = kScriptType,
          .headers = {{"Cache-Control", std::string(cache)},
                      {"Cross-Origin-Resource-Policy", std::string(readers)}},
          .static_body = bytes};
}

}  // namespace

http::Reply site_file(const SiteRoute& route, const PageRequest& page) {
  if (route.place == SitePlace::kIcon)
    return {.status = 204, .body = {}, .headers = {{"Cache-Control", "public, max-age=86400"}}};
  if (route.place == SitePlace::kButton) return script(kButtonScript, "public, max-age=3600", "cross-origin");
  if (route.rest == script_path())
    return script(kPayScript, "public, max-age=31536000, immutable", "same-origin");
  return plain_page({404, messages::kGone, messages::kGoneMore}, page);
}

std::optional<std::string_view> logo_type(std::string_view type) {
  for (const std::string_view known : {"image/png", "image/webp"}) {
    if (type == known) return known;
  }
  return std::nullopt;
}

}  // namespace pixledger::web
