#include <Poco/ByteOrder.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "eventstore/postgres/pg_client.h"
#include "tests/support/shared_ledger.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// Answers like a PostgreSQL whose pg_hba.conf rejects every client (PostgreSQL 15, section 55.7,
// ErrorResponse).
class RefusingServer {
 public:
  RefusingServer()
      : listener_(Poco::Net::SocketAddress("127.0.0.1", 0)), thread_([this] {
          if (!listener_.poll(Poco::Timespan(10, 0), Poco::Net::Socket::SELECT_READ)) return;
          auto caller = listener_.acceptConnection();
          char startup[1'024];
          caller.receiveBytes(startup, sizeof startup);
          const std::string fields("SFATAL\0VFATAL\0C28000\0Mno pg_hba.conf entry\0\0", 44);
          const auto length =
              Poco::ByteOrder::toNetwork(static_cast<Poco::UInt32>(fields.size() + sizeof(Poco::UInt32)));
          const auto answer =
              "E" + std::string(reinterpret_cast<const char*>(&length), sizeof length) + fields;
          caller.sendBytes(answer.data(), static_cast<int>(answer.size()));
        }) {}
  ~RefusingServer() { thread_.join(); }
  RefusingServer(const RefusingServer&) = delete;
  RefusingServer& operator=(const RefusingServer&) = delete;

  std::string port() const { return std::to_string(listener_.address().port()); }

 private:
  Poco::Net::ServerSocket listener_;
  std::thread thread_;
};

// The URI with two hosts, one port each.
LedgerUri with_hosts(const LedgerUri& uri, const std::string& first, const std::string& second) {
  return LedgerUri::parse("postgresql://" + uri.user + "@127.0.0.1:" + first + ",127.0.0.1:" + second + "/" +
                          uri.database + "?sslmode=disable")
      .value();
}

}  // namespace

TEST_CASE("a host that refuses the session does not end the search") {
  const SharedDatabase database;
  const RefusingServer refuses;
  DeadlineWatch watch;
  PgClient client(with_hosts(database.uri(), refuses.port(), database.uri().ports.front()), {}, watch);
  CHECK(client.run("SELECT 1").at(0).at(0).as<int>() == 1);
}

TEST_CASE("the error says for each host why there is no session") {
  const SharedDatabase database;
  DeadlineWatch watch;
  Poco::Net::ServerSocket nobody(Poco::Net::SocketAddress("127.0.0.1", 0));
  const auto port = std::to_string(nobody.address().port());
  nobody.close();
  const RefusingServer refuses;
  CHECK_THROWS_WITH(PgClient(with_hosts(database.uri(), refuses.port(), port), {}, watch),
                    Catch::Contains("no pg_hba.conf entry") && Catch::Contains("refused"));
}

TEST_CASE("a passfile that cannot be read is named, rather than a missing password") {
  const SharedDatabase database;
  DeadlineWatch watch;
  const TemporaryDirectory directory;
  const auto file = directory.path() / "owner pgpass";
  const auto uri =
      LedgerUri::parse(database.uri().text + "?passfile=" + directory.path().string() + "/owner%20pgpass")
          .value();
  CHECK_THROWS_WITH(PgClient(uri, {}, watch),
                    Catch::Contains("the passfile " + file.string()) && Catch::Contains("cannot be read by"));
  std::ofstream(file) << "*:*:*:" << uri.user << ":unasked\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  PgClient client(uri, {}, watch);
  CHECK(client.run("SELECT 1").at(0).at(0).as<int>() == 1);
}

TEST_CASE("each host of a URI has its address and its port") {
  const auto of = [](const char* text) { return LedgerUri::parse(text).value().of_each_host(); };
  CHECK(of("postgresql://pix@db1,db2:5433/ledger") ==
        std::vector<std::string>{"postgresql://pix@db1,db2:5433/ledger?host=db1&port=",
                                 "postgresql://pix@db1,db2:5433/ledger?host=db2&port=5433"});
  CHECK(of("postgresql://pix@[::1]/ledger?host=a,b&hostaddr=10.0.0.1,::1&port=7") ==
        std::vector<std::string>{"postgresql://pix@[::1]/ledger?host=a,b&hostaddr=10.0.0.1,::1&port=7"
                                 "&host=a&hostaddr=10.0.0.1&port=7",
                                 "postgresql://pix@[::1]/ledger?host=a,b&hostaddr=10.0.0.1,::1&port=7"
                                 "&host=b&hostaddr=%3A%3A1&port=7"});
}
