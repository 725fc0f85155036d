#include <arpa/inet.h>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <rapidcheck.h>

#include "base/net/webhook_target.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using pixledger::tests::FakeResolver;

namespace {

using V4 = std::array<std::uint8_t, 4>;
using V6 = std::array<std::uint8_t, 16>;

// An address in a range that webhooks must not reach.
rc::Gen<V4> not_public() {
  const auto starts =
      rc::gen::element<V4>(V4{0, 1, 2, 3}, V4{10, 0, 0, 1}, V4{100, 64, 0, 1}, V4{127, 0, 0, 1},
                           V4{169, 254, 169, 254}, V4{172, 16, 0, 1}, V4{192, 0, 0, 8}, V4{192, 168, 1, 1},
                           V4{198, 18, 0, 1}, V4{224, 0, 0, 1}, V4{255, 255, 255, 255});
  return rc::gen::map(rc::gen::pair(starts, rc::gen::arbitrary<std::uint8_t>()), [](const auto& pair) {
    auto address = pair.first;
    if (address[0] != 169 && address[0] != 192) address[3] = pair.second;
    return address;
  });
}

V6 with_v4(std::initializer_list<std::uint8_t> prefix, const V4& v4, std::size_t at) {
  V6 bytes{};
  std::copy(prefix.begin(), prefix.end(), bytes.begin());
  std::copy(v4.begin(), v4.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

// The ways in which IPv6 carries an IPv4 address.
std::vector<IpAddress> carriers_of(const V4& v4) {
  const V4 inverted{static_cast<std::uint8_t>(~v4[0]), static_cast<std::uint8_t>(~v4[1]),
                    static_cast<std::uint8_t>(~v4[2]), static_cast<std::uint8_t>(~v4[3])};
  return {
      IpAddress::from_v6(with_v4({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, v4, 12)),  // mapped
      IpAddress::from_v6(with_v4({}, v4, 12)),                                          // compatible
      IpAddress::from_v6(with_v4({0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0}, v4, 12)),  // translated
      IpAddress::from_v6(with_v4({0, 0x64, 0xff, 0x9b}, v4, 12)),                       // NAT64
      IpAddress::from_v6(with_v4({0, 0x64, 0xff, 0x9b, 0, 1}, v4, 12)),                 // local NAT64
      IpAddress::from_v6(with_v4({0x20, 0x02}, v4, 2)),                                 // 6to4
      IpAddress::from_v6(with_v4({0x20, 0x01, 0, 0}, inverted, 12)),                    // Teredo
  };
}

bool is_accepted(const std::string& url, const Resolver& resolver) {
  return std::holds_alternative<PinnedTarget>(check_webhook_target(url, {}, resolver));
}
bool is_accepted(const std::string& url) { return is_accepted(url, FakeResolver()); }

std::string url_of(const IpAddress& address) {
  return address.is_v4() ? "https://" + address.text() + "/" : "https://[" + address.text() + "]/";
}

std::string printed(const char* format, unsigned number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

}  // namespace

TEST_CASE("no way in which IPv6 carries an address that is not public leads to it") {
  REQUIRE(rc::check([] {
    const auto v4 = *not_public();
    RC_ASSERT(!is_public_address(IpAddress::from_v4(v4)));
    RC_ASSERT(!is_accepted(url_of(IpAddress::from_v4(v4))));
    for (const auto& carrier : carriers_of(v4)) {
      RC_ASSERT(!is_public_address(carrier));
      RC_ASSERT(!is_accepted(url_of(carrier)));
    }
    return true;
  }));
}

TEST_CASE("an address in a URL is accepted exactly when it is public") {
  REQUIRE(rc::check([](const V4& v4, const V6& v6) {
    for (const auto& address : {IpAddress::from_v4(v4), IpAddress::from_v6(v6)})
      RC_ASSERT(is_accepted(url_of(address)) == is_public_address(address));
    return true;
  }));
}

TEST_CASE("an address is read in one spelling only") {
  REQUIRE(rc::check([](const V4& v4) {
    const unsigned number = static_cast<unsigned>(v4[0]) << 24 | static_cast<unsigned>(v4[1]) << 16 |
                            static_cast<unsigned>(v4[2]) << 8 | v4[3];
    const auto part = [&](std::size_t i) { return std::to_string(v4[i]); };
    const std::vector<std::string> spellings = {
        std::to_string(number),
        printed("0x%08x", number),
        printed("0X%X", number),
        printed("0%o", number),
        part(0) + "." + std::to_string(number & 0xffffffU),
        part(0) + "." + part(1) + "." + std::to_string(number & 0xffffU),
        printed("0%o", v4[0]) + "." + part(1) + "." + part(2) + "." + part(3),
        part(0) + "." + part(1) + "." + part(2) + "." + printed("0x%x", v4[3]),
        part(0) + "." + part(1) + "." + part(2) + "." + part(3) + ".",
    };
    for (const auto& host : spellings)
      RC_ASSERT(std::holds_alternative<TargetRefused>(parse_webhook_url("https://" + host)));
    return true;
  }));
}

TEST_CASE("no host that is parsed as a name is an address to the C library") {
  const auto hosts = rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789abcdefxX..-"))));
  REQUIRE(rc::check([&hosts] {
    const auto host = *hosts;
    const auto parsed = parse_webhook_url("https://" + host + "/");
    const auto* url = std::get_if<WebhookUrl>(&parsed);
    if (!url || url->address()) return true;
    in_addr address{};
    return ::inet_aton(url->host.c_str(), &address) == 0;
  }));
}

TEST_CASE("a name is accepted exactly when all its addresses are public") {
  REQUIRE(rc::check([](const std::vector<std::pair<V4, bool>>& drawn) {
    std::vector<std::string> texts;
    bool all_public = !drawn.empty();
    for (const auto& [v4, carried] : drawn) {
      const auto address = carried ? carriers_of(v4).front() : IpAddress::from_v4(v4);
      texts.push_back(address.text());
      all_public = all_public && is_public_address(address);
    }
    const FakeResolver names(std::map<std::string, std::vector<std::string>>{{"shop.example", texts}});
    return is_accepted("https://shop.example/", names) == all_public;
  }));
}

TEST_CASE("an accepted target is plain, and parses again as itself") {
  const auto tails = rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  REQUIRE(rc::check([&tails] {
    const auto text = "https://shop.example" + *tails;
    const auto parsed = parse_webhook_url(text);
    const auto* url = std::get_if<WebhookUrl>(&parsed);
    if (!url) return true;
    for (const char c : text) RC_ASSERT(c > ' ' && c < 0x7f && c != '\\' && c != '#');
    const auto again = std::get<WebhookUrl>(parse_webhook_url("https://" + url->host_header() + url->path));
    return again.host == url->host && again.port == url->port && again.path == url->path;
  }));
}
