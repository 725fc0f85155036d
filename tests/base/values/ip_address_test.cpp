#include "base/values/ip_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <utility>

namespace pixledger::domain {
namespace {

std::string canonical(const std::string& text) {
  const auto address = IpAddress::parse(text);
  return address ? address->text() : "refused";
}

bool contains(const std::string& range, const std::string& address) {
  return Cidr::parse(range)->contains(*IpAddress::parse(address));
}

// Bytes with many zeros, so that runs of zero groups are common.
rc::Gen<std::uint8_t> any_byte() {
  return rc::gen::weightedOneOf<std::uint8_t>({{3, rc::gen::just<std::uint8_t>(0)},
                                               {1, rc::gen::just<std::uint8_t>(0xff)},
                                               {2, rc::gen::arbitrary<std::uint8_t>()}});
}

rc::Gen<std::array<std::uint8_t, 16>> any_v6() {
  return rc::gen::container<std::array<std::uint8_t, 16>>(any_byte());
}

}  // namespace

TEST_CASE("addresses are written in the canonical form of RFC 5952") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"192.0.2.1", "192.0.2.1"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"2001:0db8::0001", "2001:db8::1"},
      {"2001:DB8:0:0:0:0:2:1", "2001:db8::2:1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"::ffff:192.0.2.1", "::ffff:192.0.2.1"},
      {"::FFFF:c000:201", "::ffff:192.0.2.1"},
  }));
  CAPTURE(text);
  CHECK(canonical(text) == expected);
}

TEST_CASE("texts that are no address are refused") {
  const auto* text = GENERATE("", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "256.1.1.1",
                              "01.2.3.4", "1.2.3.04", "0x1.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4",
                              "1.2.3.4/8", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
                              ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "1::2:", ":1::2", "::1:2:3:4:5:6:7:8",
                              "1:2:3:4::5:6:7:8", "12345::", "g::", "::1%eth0", "[::1]", "::1.2.3",
                              "::01.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "fe80::1/64");
  CAPTURE(text);
  CHECK_FALSE(IpAddress::parse(text));
}

TEST_CASE("an address reads back as itself, and the operating system reads it alike") {
  REQUIRE(rc::check([] {
    const auto bytes = *any_v6();
    const IpAddress address = IpAddress::from_v6(bytes);
    std::array<std::uint8_t, 16> system{};
    return IpAddress::parse(address.text()) == address &&
           inet_pton(AF_INET6, address.text().c_str(), system.data()) == 1 && system == bytes;
  }));
  REQUIRE(rc::check([](const std::array<std::uint8_t, 4>& bytes) {
    const IpAddress address = IpAddress::from_v4(bytes);
    return address.is_v4() && IpAddress::parse(address.text()) == address;
  }));
}

TEST_CASE("addresses are accepted and refused as the operating system does") {
  REQUIRE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("::::....0012af")));
    std::array<std::uint8_t, 16> system{};
    const bool v6 = inet_pton(AF_INET6, text.c_str(), system.data()) == 1;
    const bool v4 = inet_pton(AF_INET, text.c_str(), system.data()) == 1;
    const auto address = IpAddress::parse(text);
    return address.has_value() == (v4 || v6) &&
           (!address ||
            std::equal(system.begin(), system.begin() + static_cast<std::ptrdiff_t>(address->size()),
                       address->bytes()));
  }));
}

TEST_CASE("a mapped address carries an IPv4 address") {
  CHECK(IpAddress::parse("::ffff:10.1.2.3")->unmapped() == IpAddress::parse("10.1.2.3"));
  CHECK(IpAddress::parse("::1")->unmapped() == IpAddress::parse("::1"));
  CHECK(IpAddress::parse("10.1.2.3")->unmapped() == IpAddress::parse("10.1.2.3"));
}

TEST_CASE("a range contains the addresses that share its prefix") {
  CHECK(contains("10.0.0.0/8", "10.255.1.2"));
  CHECK_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  CHECK(contains("192.168.4.0/22", "192.168.7.255"));
  CHECK_FALSE(contains("192.168.4.0/22", "192.168.8.0"));
  CHECK(contains("192.0.2.7/32", "192.0.2.7"));
  CHECK_FALSE(contains("192.0.2.7/32", "192.0.2.6"));
  CHECK(contains("0.0.0.0/0", "203.0.113.9"));
  CHECK(contains("2001:db8::/32", "2001:db8:ffff::1"));
  CHECK_FALSE(contains("2001:db8::/32", "2001:db9::"));
  CHECK(contains("::/0", "2001:db8::1"));
}

TEST_CASE("families never match, except that a mapped address is the IPv4 address it carries") {
  CHECK_FALSE(contains("::/0", "10.0.0.1"));
  CHECK_FALSE(contains("0.0.0.0/0", "::1"));
  CHECK(contains("10.0.0.0/8", "::ffff:10.1.2.3"));
  CHECK_FALSE(contains("::/0", "::ffff:10.1.2.3"));
  CHECK(contains("::ffff:10.0.0.0/104", "10.1.2.3"));
}

TEST_CASE("a range is written as its first address and prefix") {
  CHECK(Cidr::parse("10.0.0.0/8")->text() == "10.0.0.0/8");
  CHECK(Cidr::parse("10.1.2.3/8")->text() == "10.0.0.0/8");
  CHECK(Cidr::parse("2001:DB8::1/32")->text() == "2001:db8::/32");
  CHECK(Cidr::parse("::ffff:10.0.0.0/104")->text() == "10.0.0.0/8");
  for (const auto* refused : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1",
                              "10.0.0.0/8/8", "10.0.0/8", "/8", "::/129", "10.0.0.0/8 ", "10.0.0.0/1a"}) {
    CAPTURE(refused);
    CHECK_FALSE(Cidr::parse(refused));
  }
}

TEST_CASE("a range reads back as itself and contains the address that it was made from") {
  REQUIRE(rc::check([] {
    const IpAddress address = IpAddress::from_v6(*any_v6());
    const auto range = Cidr::parse(address.text() + "/" + std::to_string(*rc::gen::inRange(0, 129)));
    const bool wider_than_mapped = address.unmapped() != address && !range->contains(address);
    return Cidr::parse(range->text()) == range && (range->contains(address) || wider_than_mapped);
  }));
}

}  // namespace pixledger::domain
