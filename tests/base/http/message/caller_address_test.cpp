#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/http/message/request.h"

using namespace pixledger;

namespace {

const std::vector<Cidr> kTrusted = {*Cidr::parse("10.0.0.0/8"), *Cidr::parse("2001:db8:aaaa::/48")};

std::string caller(const std::string& peer, const std::vector<std::string>& lines) {
  http::Headers headers;
  headers.add("Host", "x");
  for (const auto& line : lines) headers.add("x-forwarded-for", line);
  return http::forwarded_caller(*IpAddress::parse(peer), headers, kTrusted).text();
}

}  // namespace

TEST_CASE("the caller's address is the right-most one that is no trusted proxy's") {
  CHECK(caller("10.0.0.1", {"203.0.113.7"}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {"198.51.100.1, 203.0.113.7"}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {"198.51.100.1,203.0.113.7 , 10.0.0.2"}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {"203.0.113.7, 2001:DB8:AAAA::5"}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {"2001:db8:1::0:7"}) == "2001:db8:1::7");
  CHECK(caller("10.0.0.1", {"::ffff:203.0.113.7"}) == "203.0.113.7");
}

TEST_CASE("several header lines are one list, in order") {
  CHECK(caller("10.0.0.1", {"198.51.100.1", "203.0.113.7", "10.0.0.2"}) == "203.0.113.7");
  CHECK(caller("10.0.0.1", {"203.0.113.7, 10.0.0.3", "10.0.0.2"}) == "203.0.113.7");
}

TEST_CASE("without a forwarded address the proxy itself is the caller") {
  CHECK(caller("10.0.0.1", {}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {""}) == "10.0.0.1");
}

TEST_CASE("when all are trusted the first of them is the caller") {
  CHECK(caller("10.0.0.1", {"10.0.0.3, 10.0.0.2"}) == "10.0.0.3");
}

TEST_CASE("an entry that is no address ends the reading") {
  CHECK(caller("10.0.0.1", {"203.0.113.7, unknown"}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {"203.0.113.7, unknown, 10.0.0.2"}) == "10.0.0.2");
  CHECK(caller("10.0.0.1", {"203.0.113.7,"}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {"203.0.113.7:8080"}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {"010.0.0.2"}) == "10.0.0.1");
  CHECK(caller("10.0.0.1", {"unknown, 203.0.113.7"}) == "203.0.113.7");
}
