#include "eventstore/postgres/ledger_uri.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

std::vector<std::string> plain(const std::string& place) {
  return LedgerUri::parse("postgresql://pix@" + place).value().plain_hosts();
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

using Hosts = std::vector<std::string>;

}  // namespace

TEST_CASE("a remote host counts as plain unless its certificate and name are verified") {
  for (const std::string mode :
       {"", "?sslmode=disable", "?sslmode=prefer", "?sslmode=require", "?sslmode=verify-ca", "?ssl=true"})
    CHECK(plain("db1/ledger" + mode) == Hosts{"db1"});
  CHECK(plain("db1/ledger?sslmode=verify-full").empty());
  CHECK(plain("db1,db2,127.0.0.1/ledger") == Hosts{"db1", "db2"});
  CHECK(plain("db1,db2/ledger?sslmode=verify-full").empty());
  CHECK(plain("10.0.0.1/ledger") == Hosts{"10.0.0.1"});
  CHECK(plain("[2001:db8::1]/ledger") == Hosts{"2001:db8::1"});
}

TEST_CASE("a connection within the machine needs no TLS") {
  for (const std::string host : {"127.0.0.1", "127.1", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]",
                                 "localhost", "%2Frun%2Fpostgresql", "%40pixledger"})
    CHECK(plain(host + "/ledger").empty());
  for (const std::string host :
       {"128.0.0.1", "0.0.0.0", "[::]", "[::ffff:10.0.0.1]", "localhost.example", "127.0.0.1.example"})
    CHECK(plain(host + "/ledger").size() == 1);
}

TEST_CASE("an address counts, whatever host name is beside it") {
  CHECK(plain("localhost/ledger?hostaddr=10.0.0.1") == Hosts{"localhost"});
  CHECK(plain("db1/ledger?hostaddr=127.0.0.1").empty());
  CHECK(plain("/ledger?hostaddr=10.0.0.1") == Hosts{"10.0.0.1"});
  CHECK(plain("localhost,db2/ledger?hostaddr=127.0.0.1,10.0.0.2") == Hosts{"db2"});
}

TEST_CASE("libpq's environment variables count like the URI") {
  {
    const Variable mode("PGSSLMODE", "verify-full");
    CHECK(plain("db1/ledger").empty());
    CHECK(plain("db1/ledger?sslmode=require") == Hosts{"db1"});
  }
  const Variable address("PGHOSTADDR", "10.0.0.1");
  CHECK(plain("localhost/ledger") == Hosts{"localhost"});
}

TEST_CASE("a service file may name any host, so it counts as remote") {
  CHECK(plain("localhost/ledger?service=other") == Hosts{"localhost"});
  CHECK(plain("localhost/ledger?service=other&sslmode=verify-full").empty());
}
