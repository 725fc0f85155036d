#include <catch2/catch.hpp>

#include "eventstore/postgres/pg_client.h"

using namespace pixledger;
using namespace pixledger::eventstore;

TEST_CASE("a problem says for each tried host why there is no session") {
  CHECK(
      problem_of_hosts("connection to server at \"127.0.0.1\", port 5431 failed: timeout expired\n"
                       "connection to server at \"db2\" (10.0.0.2), port 5432 failed: session is read-only\n"
                       "connection to server at \"db3\" (10.0.0.3), port 5432 failed: Connection refused\n"
                       "\tIs the server running on that host and accepting TCP/IP connections?\n") ==
      "127.0.0.1, port 5431: timeout expired; db2 (10.0.0.2), port 5432: session is read-only; "
      "db3 (10.0.0.3), port 5432: Connection refused");
  CHECK(
      problem_of_hosts("connection to server on socket \"/run/.s.PGSQL.5432\" failed: No such file\tor\n") ==
      "/run/.s.PGSQL.5432: No such file or");
}

TEST_CASE("a problem of no particular host is reported by its first line") {
  CHECK(problem_of_hosts(
            "could not translate host name \"db9\" to address: Name or service not known\nmore\n") ==
        "could not translate host name \"db9\" to address: Name or service not known");
  CHECK(problem_of_hosts("").empty());
}

TEST_CASE("a problem of many hosts is cut to the length of a log line") {
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += "connection to server at \"db\", port 5432 failed: no\n";
  const auto told = problem_of_hosts(text);
  CHECK(told.size() <= 1'000);
  CHECK(told.ends_with("no"));
}
