#include <catch2/catch.hpp>

#include "tests/support/full_disk.h"
#include "tests/workers/banks/bank_fixture.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/callback_server.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

struct DeskFixture : BankFixture {
  int post(const std::string& path, const std::string& body, const std::string& cn = "bank.example",
           const std::string& method = "POST") {
    if (const auto refusal = handler.refusal_of({.method = method, .path = path, .cn = cn})) return *refusal;
    ++bodies_read;
    return handler.store(path, body);
  }
  std::string path() const { return "/" + connection.text() + "/" + kCallbackSecret; }
  std::size_t kept() const { return database.payments_due(ledger.clock.now(), 20'000).size(); }

  int bodies_read = 0;
  int woken = 0;
  CallbackHandler handler{{.clock = ledger.clock,
                           .logger = ledger.logger,
                           .banks = banks,
                           .database = database,
                           .meters = meters,
                           .when_kept = [this] { ++woken; }}};
};

std::string naming(unsigned payment) {
  return R"({"endToEndId":")" + sample_end_to_end_id(payment).text() + R"(","valor":"1.00"})";
}
std::string list_of(const std::string& payments) { return R"({"pix":[)" + payments + "]}"; }

std::optional<std::size_t> count_in(const std::string& body) {
  const auto ids = read_callback(body);
  if (!ids) return std::nullopt;
  return ids->size();
}

}  // namespace

TEST_CASE("a callback names payments in a list or alone, each once, and whatever else is in it is nothing") {
  CHECK(count_in(list_of(naming(1) + "," + naming(2) + "," + naming(1))) == 2);
  CHECK(count_in(R"({"pix":)" + naming(1) + "}") == 1);
  CHECK(count_in(list_of(R"({"endToEndId":"short"},7,null,{"endToEndId":7},)" + naming(1))) == 1);
  for (const char* body : {"{}", "[]", R"({"pix":null})", R"({"pix":7})", R"({"evento":"teste_webhook"})"})
    CHECK(count_in(body) == 0);
  for (const char* body : {"", "7", "{", "pix", R"({"pix":[})"}) CHECK_FALSE(count_in(body));
}

TEST_CASE("a callback names its payments however it is spelt") {
  CHECK(count_in("[" + naming(1) + "," + naming(2) + "]") == 2);
  CHECK(count_in(naming(1)) == 1);
  const auto id = sample_end_to_end_id(1).text();
  CHECK(count_in("\xef\xbb\xbf" + list_of(R"({"e2eId":" )" + id + R"( "})")) == 1);
  CHECK(count_in(R"({"Pix":[{"EndToEndId":")" + id + R"(","infoPagador":"Jo)" + "\xe3" + R"(o"}]})") == 1);
}

TEST_CASE("a callback is stored before it is answered, once, with the suffix and without") {
  DeskFixture fixture;
  CHECK(fixture.post(fixture.path() + "/pix", list_of(naming(1))) == 200);
  CHECK(fixture.post(fixture.path(), list_of(naming(1) + "," + naming(2))) == 200);
  // After the prefix in the bank's registered URL.
  CHECK(fixture.post("/loja/volta" + fixture.path() + "/pix", list_of(naming(2))) == 200);
  CHECK(fixture.kept() == 2);
  CHECK(fixture.woken == 3);
}

TEST_CASE("an invalid callback is refused before its body is read, and nothing of it is stored") {
  DeskFixture fixture;
  const auto body = list_of(naming(1));
  const auto other = "/" + sample_bank_id(2).text() + "/" + kCallbackSecret;
  for (const auto& path :
       {std::string(), std::string("/"), std::string("/pix"), other, "/" + fixture.connection.text(),
        "/" + fixture.connection.text() + "/", fixture.path() + "0", fixture.path().substr(0, 40),
        fixture.path() + "/other", "/volta" + fixture.path() + "0", fixture.path().substr(1)})
    CHECK(fixture.post(path, body) == 404);
  CHECK(fixture.post(fixture.path(), body, "bank.example", "GET") == 405);
  CHECK(fixture.post(fixture.path(), body, "other.example") == 403);
  CHECK(fixture.post(fixture.path(), body, "") == 403);
  CHECK(fixture.bodies_read == 0);
  CHECK(fixture.post(fixture.path(), "pix") == 400);
  CHECK(fixture.kept() == 0);
  CHECK(fixture.woken == 0);
}

TEST_CASE("a connection has so much room, and takes no other's") {
  DeskFixture fixture;
  std::vector<domain::EndToEndId> many;
  for (unsigned i = 0; i < stores::ProviderRepository::kPaymentsMax; ++i)
    many.push_back(parsed<domain::EndToEndId>("E1234567820260301120" + std::to_string(100'000'000'000 + i)));
  const auto now = fixture.ledger.clock.now();
  const auto keep = [&](const domain::ConnectionId& connection, std::vector<domain::EndToEndId> ids) {
    return fixture.database.keep_payments(connection, ids, stores::ReadReason::kCalledBack, now, now);
  };
  CHECK(keep(fixture.connection, many) == many.size());
  CHECK(fixture.post(fixture.path(), list_of(naming(1))) == 503);
  // A body that has arrived needs none.
  CHECK(keep(fixture.connection, {many.front()}) == 0);
  CHECK(keep(sample_bank_id(2), {many.front()}) == 1);
}

TEST_CASE("a callback that a full disk keeps from being stored is refused, and stored when it comes again") {
  DeskFixture fixture;
  {
    const FullDisk full(0);
    CHECK(fixture.post(fixture.path(), list_of(naming(1))) == 503);
  }
  CHECK(fixture.kept() == 0);
  CHECK(fixture.woken == 0);
  CHECK(fixture.post(fixture.path(), list_of(naming(1))) == 200);
  CHECK(fixture.kept() == 1);
}

TEST_CASE("a certificate may be anybody's where the connection asks for no name") {
  DeskFixture fixture;
  auto configuration = eventstore::fold_as<domain::BankConnection>(
                           fixture.ledger.log, domain::connection_stream(fixture.connection))
                           ->configuration;
  configuration.callback_cn.reset();
  fixture.ledger.execute(domain::ChangeConnection{
      .project = fixture.ledger.project(),
      .connection = fixture.connection,
      .change = {},
      .configuration = domain::NewBankConfiguration{.configuration = configuration, .made_from = 1}});
  CHECK(fixture.post(fixture.path(), list_of(naming(1)), "stranger.example") == 200);
}
