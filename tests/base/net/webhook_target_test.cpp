#include "base/net/webhook_target.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using pixledger::tests::FakeResolver;
using pixledger::tests::parsed;

namespace {

const FakeResolver kNames({{"shop.example", {"93.184.216.34"}},
                           {"two.example", {"93.184.216.34", "2606:2800:220:1::1"}},
                           {"rebind.example", {"93.184.216.34", "10.0.0.1"}},
                           {"mapped.example", {"::ffff:127.0.0.1"}}});

bool is_accepted(std::string_view url, const TargetPolicy& policy = {}) {
  return std::holds_alternative<PinnedTarget>(check_webhook_target(url, policy, kNames));
}

WebhookUrl url_of(std::string_view text) { return std::get<WebhookUrl>(parse_webhook_url(text)); }

}  // namespace

TEST_CASE("a target is read into its parts") {
  const auto plain = url_of("https://Shop.Example/hooks?a=b");
  REQUIRE(plain.https);
  REQUIRE(plain.host == "shop.example");
  REQUIRE(plain.port == 443);
  REQUIRE(plain.path == "/hooks?a=b");
  REQUIRE(plain.host_header() == "shop.example");

  const auto with_port = url_of("http://[2001:DB8::1]:8080?x");
  REQUIRE_FALSE(with_port.https);
  REQUIRE(with_port.host == "2001:db8::1");
  REQUIRE(with_port.path == "/?x");
  REQUIRE(with_port.host_header() == "[2001:db8::1]:8080");
}

TEST_CASE("a target with more than one reading is refused") {
  for (const auto* text : {"",
                           "shop.example",
                           "ftp://shop.example",
                           "https://",
                           "https:///path",
                           "https://user@shop.example",
                           "https://user:pw@shop.example",
                           "https://shop.example@evil.example",
                           "https://shop.example#f",
                           "https://shop.example:0",
                           "https://shop.example:65536",
                           "https://shop.example:",
                           "https://shop.example:80x",
                           "https://shop.example:+443",
                           "https://shop.example: 443",
                           "https://shop.example:443:443",
                           "https://shop.example/a b",
                           "https://shop.example/\r\nX: y",
                           "https://shop.example\\@evil.example",
                           "https://[::1",
                           "https://[127.0.0.1]",
                           "https://[fe80::1%25eth0]",
                           "https://shop.example.",
                           "https://-a.example",
                           "https://.shop.example",
                           "https://shop..example",
                           "https://shop.example..",
                           "https://shop%2eexample",
                           "https://%31%32%37.0.0.1",
                           "https://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1",
                           "https://127\xe3\x80\x82"
                           "0.0.1",
                           "https:shop.example",
                           "https:/shop.example",
                           "https:\\\\shop.example",
                           " https://shop.example",
                           "https://shop.example\t/",
                           "https://[::1]@shop.example",
                           "https://[shop.example]",
                           "https://::1/",
                           "https://[::1]x/",
                           "javascript://shop.example",
                           "https://caf\xc3\xa9.example"}) {
    CAPTURE(text);
    REQUIRE(std::holds_alternative<TargetRefused>(parse_webhook_url(text)));
  }
}

TEST_CASE("a host with an underscore is a target in development alone, and otherwise refused by name") {
  const auto reason = [](std::string_view url, const TargetPolicy& policy) {
    const auto target = check_webhook_target(url, policy, kNames);
    const auto* refused = std::get_if<TargetRefused>(&target);
    return refused ? refused->reason : "";
  };
  CHECK(reason("https://my_shop.example/hooks", {}) == kNoUnderscoreRule);
  // In development it parses as a name, which here does not resolve.
  const TargetPolicy development{true, {*Cidr::parse("127.0.0.0/8")}};
  CHECK(reason("http://my_shop.example/hooks", development).find("resolves") != std::string::npos);
  CHECK(reason("http://my_shop-.example/hooks", development).find("host name") != std::string::npos);
}

TEST_CASE("numbers that resolvers take for addresses are refused as hosts") {
  for (const auto* host : {"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.0x1",
                           "1.2.3.4.5", "017700000001", "shop.1"}) {
    CAPTURE(host);
    REQUIRE(std::holds_alternative<TargetRefused>(parse_webhook_url("https://" + std::string(host) + "/")));
  }
}

TEST_CASE("only public addresses are targets") {
  for (const auto* address : {"0.0.0.0",
                              "10.1.2.3",
                              "100.64.0.1",
                              "100.100.100.200",
                              "127.0.0.1",
                              "168.63.129.16",
                              "169.254.169.254",
                              "172.16.0.1",
                              "192.168.0.1",
                              "192.0.0.192",
                              "192.0.2.1",
                              "192.88.99.1",
                              "198.18.0.1",
                              "198.51.100.1",
                              "203.0.113.1",
                              "224.0.0.1",
                              "255.255.255.255",
                              "::",
                              "::1",
                              "fe80::1",
                              "fec0::1",
                              "100::1",
                              "5f00::1",
                              "64:ff9b:1::a00:1",
                              "fc00::1",
                              "fd00:ec2::254",
                              "ff02::1",
                              "::ffff:10.0.0.1",
                              "::ffff:127.0.0.1",
                              "::127.0.0.1",
                              "64:ff9b::7f00:1",
                              "2002:7f00:1::",
                              "2001::1",
                              "2001:db8::1",
                              "3fff::1"}) {
    CAPTURE(address);
    REQUIRE_FALSE(is_public_address(parsed<IpAddress>(address)));
  }
  for (const auto* address :
       {"8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:2800:220:1::1", "::ffff:8.8.8.8"}) {
    CAPTURE(address);
    REQUIRE(is_public_address(parsed<IpAddress>(address)));
  }
}

TEST_CASE("a target is pinned to the addresses that were checked") {
  const auto target = std::get<PinnedTarget>(check_webhook_target("https://two.example/", {}, kNames));
  REQUIRE(target.addresses ==
          std::vector{parsed<IpAddress>("93.184.216.34"), parsed<IpAddress>("2606:2800:220:1::1")});
}

TEST_CASE("one address that is not public refuses the host") {
  REQUIRE_FALSE(is_accepted("https://rebind.example/"));
  REQUIRE_FALSE(is_accepted("https://mapped.example/"));
  REQUIRE_FALSE(is_accepted("https://127.0.0.1/"));
  REQUIRE_FALSE(is_accepted("https://[::ffff:127.0.0.1]/"));
  REQUIRE_FALSE(is_accepted("https://unknown.example/"));
}

TEST_CASE("operators open ranges and http by name") {
  REQUIRE_FALSE(is_accepted("http://shop.example/"));
  REQUIRE(is_accepted("http://shop.example/", {true, {}}));
  const TargetPolicy loopback{false, {parsed<Cidr>("127.0.0.0/8")}};
  REQUIRE(is_accepted("https://127.0.0.1/", loopback));
  REQUIRE(is_accepted("https://mapped.example/", loopback));
  REQUIRE_FALSE(is_accepted("https://10.0.0.1/", loopback));
}

TEST_CASE("a port that belongs to another service is no target, unless an operator opened the range") {
  for (const auto* port : {"", ":80", ":443", ":1024", ":8443", ":65535"}) {
    CAPTURE(port);
    REQUIRE(is_accepted(std::string("https://shop.example") + port));
  }
  for (const auto* port : {":1", ":22", ":25", ":389", ":444", ":1023"}) {
    CAPTURE(port);
    REQUIRE_FALSE(is_accepted(std::string("https://shop.example") + port));
  }
  REQUIRE(is_accepted("https://127.0.0.1:9", {false, {parsed<Cidr>("127.0.0.0/8")}}));
}
