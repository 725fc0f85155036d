#include "web/gateway/guide.h"

#include <array>
#include <utility>

namespace pixledger::web {
namespace {

// The pages have no scripts and no forms.
constexpr std::string_view kGuidePolicy =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'";

std::string_view type_of_file(std::string_view name) {
  using Type = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Type, 6> kFileTypes{{{".html", "text/html; charset=utf-8"},
                                            {".md", "text/markdown; charset=utf-8"},
                                            {".txt", "text/plain; charset=utf-8"},
                                            {".css", "text/css; charset=utf-8"},
                                            {".svg", "image/svg+xml"},
                                            {".webp", "image/webp"}}};
  for (const auto& [suffix, type] : kFileTypes) {
    if (name.ends_with(suffix)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

Guide::Guide(std::span<const GuideFile> files) {
  for (const auto& file : files) {
    const auto type = type_of_file(file.name);
    const bool is_text = type.starts_with("text/");
    entries_.emplace(file.path, Entry{file, type, is_text ? http::gzip(file.bytes) : std::string()});
  }
}

std::optional<http::Reply> Guide::find(const http::Request& request) const {
  std::string_view path = request.path;
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto found = entries_.find(path);
  if (found == entries_.end()) return std::nullopt;
  const auto& [file, type, compressed] = found->second;
  const auto tag = "W/\"" + std::string(file.digest) + "\"";
  http::Reply reply{.body = {},
                    .content_type = type,
                    .headers = {{"ETag", tag},
                                {"Cache-Control", "no-cache"},
                                {"Content-Security-Policy", std::string(kGuidePolicy)},
                                {"Cross-Origin-Opener-Policy", "same-origin"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Vary", "Accept-Encoding"},
                                {"X-Frame-Options", "DENY"}},
                    .static_body = file.bytes};
  if (request.headers.find("If-None-Match") == tag) {
    reply.status = 304;
    reply.static_body = {};
  } else if (!compressed.empty() && accepts_gzip(request.headers)) {
    reply.static_body = compressed;
    reply.headers.push_back({"Content-Encoding", "gzip"});
  }
  return reply;
}

}  // namespace pixledger::web
