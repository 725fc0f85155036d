#include "web/gateway/guide.h"

#include <catch2/catch.hpp>

namespace pixledger::tests {
namespace {

const web::GuideFile kFiles[] = {{"/docs/guide", "index.html", "<h1>Guide</h1>", "d1"},
                                 {"/docs/guide/pt/refunds", "pt-refunds.html", "<h1>Devoluções</h1>", "d2"},
                                 {"/docs/guide/pictures/a.webp", "pictures-a.webp", "RIFF", "d3"}};

http::Request request(std::string path,
                      std::initializer_list<std::pair<std::string_view, std::string_view>> fields = {}) {
  http::Request made;
  made.path = std::move(path);
  for (const auto& [name, value] : fields) made.headers.add(name, value);
  return made;
}

std::string header_of(const http::Reply& reply, std::string_view wanted) {
  std::string found;
  for (const auto& [name, value] : reply.headers)
    if (name == wanted) found += value;
  return found;
}

}  // namespace

TEST_CASE("pages of the guide are found with and without a slash, and others are not") {
  const web::Guide guide(kFiles);
  CHECK(guide.find(request("/docs/guide")).value().static_body == "<h1>Guide</h1>");
  CHECK(guide.find(request("/docs/guide/")).value().static_body == "<h1>Guide</h1>");
  CHECK(guide.find(request("/docs/guide/pt/refunds/")).value().static_body == "<h1>Devoluções</h1>");
  CHECK(guide.find(request("/docs/guide/pt/refunds")).value().content_type == "text/html; charset=utf-8");
  CHECK(guide.find(request("/docs/guide/pictures/a.webp")).value().content_type == "image/webp");
  for (const auto* none :
       {"/docs/guide/pt", "/docs/guide/refunds", "/docs/guide//", "/docs/guide/pt/refunds.html"})
    CHECK_FALSE(guide.find(request(none)));
}

TEST_CASE("a page of the guide loads styles and pictures of its host, and nothing else") {
  const web::Guide guide(kFiles);
  const auto reply = guide.find(request("/docs/guide")).value();
  const auto policy = header_of(reply, "Content-Security-Policy");
  CHECK(policy.starts_with("default-src 'none'; style-src 'self'; img-src 'self';"));
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find("script") == std::string::npos);
  CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
}

TEST_CASE(
    "a page of the guide is sent compressed where that is accepted, and only to browsers that lack it") {
  const web::Guide guide(kFiles);
  const auto small = guide.find(request("/docs/guide", {{"Accept-Encoding", "gzip"}})).value();
  CHECK(header_of(small, "Content-Encoding") == "gzip");
  CHECK(small.static_body != "<h1>Guide</h1>");
  const auto picture =
      guide.find(request("/docs/guide/pictures/a.webp", {{"Accept-Encoding", "gzip"}})).value();
  CHECK(header_of(picture, "Content-Encoding").empty());
  const auto tag = header_of(small, "ETag");
  const auto again = guide.find(request("/docs/guide", {{"If-None-Match", tag}})).value();
  CHECK(again.status == 304);
  CHECK(again.static_body.empty());
  CHECK(guide.find(request("/docs/guide/pt/refunds", {{"If-None-Match", tag}})).value().status == 200);
}

TEST_CASE("the built guide has the first page of each language, and texts without scripts") {
  const web::Guide guide;
  CHECK(guide.find(request("/docs/guide")));
  CHECK(guide.find(request("/docs/guide/pt")));
  CHECK(guide.find(request("/docs/guide/first-charge")));
  for (const auto& file : web::guide_files()) {
    CAPTURE(file.path);
    CHECK((file.path.starts_with("/docs/guide") || file.path.starts_with("/llms")));
    if (!file.name.ends_with(".html")) continue;
    CHECK(file.bytes.starts_with("<!doctype html>"));
    for (const auto* inline_part : {"<script", "<style", " style=\"", " onclick=", "<iframe", "<form"})
      CHECK(file.bytes.find(inline_part) == std::string_view::npos);
  }
}

TEST_CASE("every page of the guide is there for programs, and their list leads to each") {
  const web::Guide guide;
  const auto list = guide.find(request("/llms.txt")).value();
  CHECK(list.content_type == "text/plain; charset=utf-8");
  CHECK(list.static_body.starts_with("# pixledger\n\n> "));
  CHECK(guide.find(request("/llms-full.txt")).value().static_body.size() <= 300'000);
  std::size_t pages = 0;
  for (const auto& file : web::guide_files()) {
    if (!file.name.ends_with(".html") || file.name == "index.html" || file.name == "pt.html") continue;
    CAPTURE(file.path);
    const auto path = std::string(file.path) + ".md";
    const auto page = guide.find(request(path)).value();
    CHECK(page.content_type == "text/markdown; charset=utf-8");
    CHECK(page.static_body.starts_with("# "));
    CHECK(page.static_body.find("<!--") == std::string_view::npos);
    CHECK(page.static_body.find("](../") == std::string_view::npos);
    CHECK(list.static_body.find("](" + path + "): ") != std::string_view::npos);
    ++pages;
  }
  CHECK(pages >= 30);
}

}  // namespace pixledger::tests
