#include <catch2/catch.hpp>
#include <png.h>
#include <vector>

#include "base/http/images/qr_code.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

struct Fixture {
  TestService service;
  TestService::Project project = service.create_project();
  std::string id = create_charge(service, project.test_key);

  HttpAnswer get(const std::string& what, const std::string& key) const {
    return service.send("GET", "/api/v1/transactions/" + id + "/" + what, key);
  }
  HttpAnswer get(const std::string& what) const { return get(what, project.test_key); }
  std::string code() const {
    return service.send("GET", "/api/v1/transactions/" + id, project.test_key).at("/data/pixCode");
  }
};

struct Picture {
  int side = 0;
  std::vector<unsigned char> gray;

  bool is_dark(int x, int y) const { return gray[static_cast<std::size_t>(y * side + x)] == 0; }
};

Picture read_png(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0);
  REQUIRE(image.width == image.height);
  image.format = PNG_FORMAT_GRAY;
  Picture picture{static_cast<int>(image.width), std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
  REQUIRE(png_image_finish_read(&image, nullptr, picture.gray.data(), 0, nullptr) != 0);
  return picture;
}

}  // namespace

TEST_CASE("a code is drawn as SVG with its quiet zone, black on white") {
  const Fixture fixture;
  const auto drawn = fixture.get("qr.svg");
  REQUIRE(drawn.status == 200);
  CHECK(drawn.headers.at("Content-Type") == "image/svg+xml");
  const http::QrCode code(fixture.code());
  CHECK(drawn.body.find(R"(width="512" height="512")") != std::string::npos);
  CHECK(drawn.body.find("<path d=\"" + code.path() + "\"/>") != std::string::npos);
  for (int i = 0; i < code.size(); ++i) CHECK_FALSE((code.is_dark(i, 3) || code.is_dark(3, i)));
  CHECK(code.is_dark(4, 4));
  CHECK(fixture.get("qr.svg?size=300").body.find(R"(width="300" height="300")") != std::string::npos);
}

TEST_CASE("a code is drawn as PNG whose modules are whole pixels, in any requested size") {
  const Fixture fixture;
  const http::QrCode code(fixture.code());
  for (const int side : {192, 301, 512, 1024}) {
    const auto drawn = fixture.get("qr.png?size=" + std::to_string(side));
    REQUIRE(drawn.status == 200);
    CHECK(drawn.headers.at("Content-Type") == "image/png");
    const auto picture = read_png(drawn.body);
    REQUIRE(picture.side == side);
    const int scale = side / code.size();
    const int margin = (side - scale * code.size()) / 2;
    bool fits = true;
    for (int y = 0; y < code.size() * scale; ++y)
      for (int x = 0; x < code.size() * scale; ++x)
        fits = fits && picture.is_dark(margin + x, margin + y) == code.is_dark(x / scale, y / scale);
    CHECK(fits);
    for (int i = 0; i < side; ++i) CHECK_FALSE((picture.is_dark(i, 0) || picture.is_dark(side - 1, i)));
  }
  CHECK(read_png(fixture.get("qr.png").body).side == 512);
}

TEST_CASE("the size of a drawing is bounded") {
  const Fixture fixture;
  for (const std::string size : {"0", "191", "1025", "1000000000", "-1", "big", "512.5"}) {
    for (const std::string what : {"qr.svg", "qr.png"}) {
      const auto refused = fixture.get(what + "?size=" + size);
      CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
      CHECK(refused.at("/details/0/field") == "size");
    }
  }
}

TEST_CASE("the longest code fits the smallest drawing") {
  const http::QrCode code(std::string(512, 'a'));
  CHECK(code.size() <= 192);
  CHECK(read_png(http::qr_png(code, 192)).side == 192);
}

TEST_CASE("a code that cannot be paid any more is not drawn") {
  Fixture paid;
  paid.service.send("POST", "/api/sandbox/transactions/" + paid.id + "/pay", paid.project.test_key);
  CHECK(outcome_of(paid.get("qr.svg")) == "400 ERR_TRANSACTION_002");
  Fixture overdue;
  overdue.service.clock().advance_millis(366LL * 24 * 60 * 60 * 1000);
  CHECK(outcome_of(overdue.get("qr.png")) == "400 ERR_TRANSACTION_002");
}

TEST_CASE("a drawing is returned to callers who may see the transaction") {
  Fixture fixture;
  const auto stranger = fixture.service.create_project();
  const auto cannot_read = fixture.service.issue_key(fixture.project.id, domain::Environment::kSandbox,
                                                     domain::ScopeSet::parse("customers:read").value());
  CHECK(outcome_of(fixture.get("qr.svg", stranger.test_key)) == "403 ERR_TRANSACTION_003");
  CHECK(outcome_of(fixture.get("qr.png", cannot_read)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(fixture.get("qr.svg", "")) == "401 ERR_AUTH_009");
  const auto live = create_charge(fixture.service, fixture.project.live_key);
  CHECK(outcome_of(fixture.service.send("GET", "/api/v1/transactions/" + live + "/qr.svg",
                                        fixture.project.test_key)) == "403 ERR_AUTH_010");
  const std::string missing = "/api/v1/transactions/cmissing00000000000000000/qr.svg";
  CHECK(outcome_of(fixture.service.send("GET", missing, fixture.project.test_key)) ==
        "404 ERR_TRANSACTION_001");
}

}  // namespace pixledger::tests
