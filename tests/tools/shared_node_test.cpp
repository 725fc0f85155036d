#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "eventstore/ledger.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/tools/shared_node_fixture.h"

// The programs of a node as processes, whose copy of the shared ledger is damaged while they run.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::size_t kPage = 4096;

void overwrite(const std::filesystem::path& file, std::size_t at, const std::string& bytes) {
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(at));
  out << bytes;
}

// Damages the text at any place in the file.
std::vector<std::size_t> places_of(const std::string& text, const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::size_t> places;
  for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) places.push_back(at);
  REQUIRE_FALSE(places.empty());
  return places;
}

void change_a_byte(const Node& node, const std::string& text) {
  auto other = text.substr(0, 1);
  other[0] ^= 1;
  for (const auto at : places_of(text, node.copy())) overwrite(node.copy(), at, other);
}

void wait_for_end(Server& server, int code) {
  const auto ended = server.process().wait();
  INFO(server.process().err());
  REQUIRE(ended);
  CHECK(*ended == code);
}

}  // namespace

TEST_CASE("a server that reads damage in its node's copy ends, and comes back with a copy that is right") {
  const Node node;
  std::string charge;
  {
    Server server(node);
    charge = server.create();
    server.process().send(SIGTERM);
    CHECK(server.process().wait() == 0);
  }
  const auto path = "/api/v1/transactions/" + charge;
  auto server = std::make_unique<Server>(node);
  std::string why = "is not the one whose leaf the tree has";
  int code = 3;
  SECTION("the bytes of an event are others") {
    change_a_byte(node, kProduct);
    SECTION("a read") { CHECK(server->status("GET", path + "/receipt") == 0); }
    SECTION("a command") { CHECK(server->status("POST", path + "/cancel") == 0); }
  }
  SECTION("the bytes of personal data are others") {
    change_a_byte(node, kName);
    why = "the personal data of the event";
    // Unchanged: from the copy, whatever the read models have.
    CHECK(server->status("GET", path + "?asOf=2100-01-01") == 0);
  }
  SECTION("its pages are none any more") {
    for (const auto at : places_of(kProduct, node.copy()))
      overwrite(node.copy(), at / kPage * kPage, std::string(kPage, '\0'));
    why = "mdb_";
    SECTION("a read") { CHECK(server->status("GET", path + "/receipt") == 0); }
    SECTION("a command") { CHECK(server->status("POST", path + "/cancel") == 0); }
  }
  SECTION("all of its pages are invalid, and no request comes") {
    const auto size = std::filesystem::file_size(node.copy());
    overwrite(node.copy(), 2 * kPage, std::string(size - 2 * kPage, '\0'));
    why = "";
  }
  SECTION("its pages cannot be read") {
    std::filesystem::resize_file(node.copy(), 2 * kPage);
    why = "";
    code = -SIGBUS;
  }
  wait_for_end(*server, code);
  CHECK(server->process().err().find("the next start fetches it anew") != std::string::npos);
  CHECK(server->process().err().find(why) != std::string::npos);
  CHECK(node.is_marked_bad());
  // The only sign if a full disk has no room for the mark.
  CHECK_FALSE(std::filesystem::exists(node.pixledger.data() / "ledger.boot"));

  server = std::make_unique<Server>(node);
  CHECK(server->status("GET", "/readyz") == 200);
  const auto shown = server->send("GET", path);
  REQUIRE(shown);
  CHECK(shown->body.find(kProduct) != std::string::npos);
  CHECK(shown->body.find(kName) != std::string::npos);
  CHECK(server->status("GET", path + "/receipt") == 200);
  CHECK_FALSE(node.is_marked_bad());
  node.pixledger.done({"verify"});
}

TEST_CASE("a server takes no command where the next commit would come upon damage, and says so before") {
  const bool was_there = GENERATE(false, true);
  const Node node;
  auto server = std::make_unique<Server>(node);
  server->create();
  std::string damage;
  std::string mend;
  SECTION("an event written beyond the head") {
    node.database->run("INSERT INTO pixledger.event SELECT position + 1, 'something' FROM pixledger.head");
    damage = "behind its head it has events that belong to no commit";
    mend = "DELETE FROM pixledger.event WHERE position > (SELECT position FROM pixledger.head)";
  }
  SECTION("a head that is not the newest commit's") {
    const std::string change = "UPDATE pixledger.head SET root = set_byte(root, 0, get_byte(root, 0) # 1)";
    node.database->run(change);
    damage = "its head is not that of its newest commit";
    mend = change;
  }
  if (was_there) {
    server.reset();
    server = std::make_unique<Server>(node);
    CHECK(server->try_create().value().status == 503);
  }
  REQUIRE(eventually([&] { return server->status("GET", "/readyz") == 503; }));
  CHECK(server->send("GET", "/readyz")->body.find(damage) != std::string::npos);
  CHECK(server->try_create().value().status == 503);
  CHECK_FALSE(node.is_marked_bad());
  node.database->run(mend);
  REQUIRE(eventually([&] { return server->try_create().value().status == 201; }));
  CHECK(server->status("GET", "/readyz") == 200);
}

TEST_CASE("a signal from another process ends a server at once, and does not mark its copy") {
  const Node node;
  Server server(node);
  const auto signal = GENERATE(SIGBUS, SIGSEGV);
  server.process().send(signal);
  wait_for_end(server, -signal);
  CHECK_FALSE(node.is_marked_bad());
  CHECK(std::filesystem::exists(node.pixledger.data() / "ledger.boot"));
}

TEST_CASE("a worker that reads damage in its node's copy ends, and so do the node's other programs") {
  const Node node;
  Server server(node);
  server.create();
  change_a_byte(node, kProduct);
  const auto worker = run_process(built_program("pixledger-expiry"), node.pixledger.arguments({}));
  CHECK(worker.code == 3);
  CHECK(worker.err.find("is not the one whose leaf the tree has") != std::string::npos);
  wait_for_end(server, 3);
  const Server again(node);
  CHECK(again.status("GET", "/readyz") == 200);
  Process worker_again(built_program("pixledger-expiry"), node.pixledger.arguments({}));
  CHECK(worker_again.wait_for_err("is at work"));
}

TEST_CASE("a read-only process refuses a node's damaged copy, and says what to do") {
  const Node node;
  const DataDirectory directory{node.pixledger.data()};
  pixledger::eventstore::LmdbOptions options;
  options.read_only = true;
  CHECK_NOTHROW(pixledger::eventstore::Ledger::open_log(directory, options));
  std::ofstream(node.pixledger.data() / "ledger.astray") << "for a test\n";
  CHECK_THROWS_WITH(
      pixledger::eventstore::Ledger::open_log(directory, options),
      Catch::Contains("it was found to be bad: for a test") && Catch::Contains("fetches it anew"));
}

TEST_CASE("a server whose node was removed as gone records its erasure progress again") {
  const Node node;
  const Server server(node);
  const auto has_noted = [&] {
    return node.database->run("SELECT FROM pixledger.node WHERE name = 'n1' AND erased > 0").size() == 1;
  };
  REQUIRE(eventually(has_noted));
  node.database->run("DELETE FROM pixledger.node WHERE name = 'n1'");
  CHECK(eventually(has_noted));
}

TEST_CASE("verify reports the problem of a node's copy with its position") {
  const Node node;
  {
    const Server server(node);
    server.create();
  }
  change_a_byte(node, kProduct);
  const auto verified = node.pixledger.run({"verify", "--json"});
  INFO(verified.err);
  CHECK(verified.code == 1);
  CHECK(json_at(verified.out, "/consistent") == "false");
}

TEST_CASE("verify calls a node's copy damaged that was found to be, and fetches no other") {
  const Node node;
  { const Server server(node); }
  SECTION("by another program") { std::ofstream(node.pixledger.data() / "ledger.astray") << "for a test\n"; }
  SECTION("by one that could not say so") { std::filesystem::remove(node.pixledger.data() / "ledger.boot"); }
  SECTION("as it crashes in its pages") {
    const auto size = std::filesystem::file_size(node.copy());
    overwrite(node.copy(), 2 * kPage, std::string(size - 2 * kPage, '\xff'));
  }
  const auto before = std::filesystem::last_write_time(node.copy());
  const auto verified = node.pixledger.run({"verify", "--json"});
  INFO(verified.err);
  CHECK(verified.code == 1);
  CHECK(json_at(verified.out, "/consistent") == "false");
  CHECK(std::filesystem::last_write_time(node.copy()) == before);
}

TEST_CASE("a server that finds the shared database damaged ends, names it, and leaves its copy alone") {
  Node first;
  Server writer(first);
  const Node node(first, "n2");
  Server server(node);
  std::string found;
  const auto alter = [&](const std::string& table, const std::string& change) {
    first.database->run("CREATE FUNCTION pixledger.alter_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
                        change + "; RETURN NEW; END $$");
    first.database->run("CREATE TRIGGER alter_it BEFORE INSERT ON pixledger." + table +
                        " FOR EACH ROW EXECUTE FUNCTION pixledger.alter_it()");
  };
  SECTION("personal data") {
    alter("personal", "NEW.bytes = set_byte(NEW.bytes, 20, get_byte(NEW.bytes, 20) # 1)");
    found = "the personal data of the event at position ";
  }
  SECTION("an invalid event") {
    alter("event", "NEW.leaf = substr(NEW.leaf, 1, 40)");
    found = "the event at position ";
  }
  SECTION("an invalid root") {
    alter("batch", "NEW.root = substr(NEW.root, 1, 31)");
    found = "a digest is not 32 bytes long";
  }
  writer.try_create();  // without an answer where the writer has read it before
  wait_for_end(server, 3);
  CHECK(server.process().err().find("the database " + first.database->uri().database + " is damaged") !=
        std::string::npos);
  CHECK(server.process().err().find(found) != std::string::npos);
  CHECK_FALSE(node.is_marked_bad());
}

TEST_CASE("the copy that a running server of the node has open is not replaced, nor its views") {
  const Node node;
  Server server(node);
  const auto charge = server.create();
  server.process().send(SIGSTOP);
  std::filesystem::remove_all(node.copy().parent_path());
  auto refused = node.pixledger.run({"project", "list"});
  // It may have been stopped in its turn, which PostgreSQL ends after a while.
  for (int tries = 0; tries < 3 && refused.err.find("has not let go of a lock") != std::string::npos; ++tries)
    refused = node.pixledger.run({"project", "list"});
  INFO(refused.err);
  CHECK(refused.code == 3);
  CHECK(refused.err.find("stop all programs on that directory") != std::string::npos);
  CHECK(std::filesystem::exists(node.pixledger.data() / "views" / "lock"));
  server.process().send(SIGCONT);
  wait_for_end(server, 3);
  node.pixledger.done({"project", "list"});
  const Server again(node);
  CHECK(again.status("GET", "/api/v1/transactions/" + charge) == 200);
}

TEST_CASE("a node whose copy has no room logs it once, and its acknowledged commits are at all nodes") {
  const Node node;
  const Node small(node, "n2");
  const Server server(node);
  auto full = std::make_unique<Server>(small, "1MiB");
  std::vector<std::string> acknowledged;
  constexpr std::size_t kMoreThanFits = 5'000;
  for (int status = 201; status == 201;) {
    REQUIRE(acknowledged.size() < kMoreThanFits);
    const auto reply = full->try_create();
    REQUIRE(reply);
    status = reply->status;
    if (status == 201) acknowledged.push_back(json_at(reply->body, "/data/id"));
  }
  // Other nodes' writes do not fit, either.
  acknowledged.push_back(server.create());
  REQUIRE(full->process().wait_for_err("this node cannot tell what the ledger has"));
  const auto ready = full->send("GET", "/readyz");
  REQUIRE(ready);
  CHECK(ready->status == 503);
  CHECK(ready->body.find("--map-size") != std::string::npos);
  CHECK(full->status("GET", "/healthz") == 200);
  CHECK(full->try_create()->status == 503);
  CHECK(server.status("GET", "/readyz") == 200);
  for (const auto& id : acknowledged) REQUIRE(server.status("GET", "/api/v1/transactions/" + id) == 200);
  full->process().send(SIGTERM);
  CHECK(full->process().wait() == 0);
  std::size_t said = 0;
  for (const auto& line : lines_of(full->process().err()))
    if (line.find("--map-size") != std::string::npos && line.find("cannot tell") != std::string::npos) ++said;
  CHECK(said == 1);

  full = std::make_unique<Server>(small);
  CHECK(full->status("GET", "/readyz") == 200);
  CHECK(full->status("GET", "/api/v1/transactions/" + acknowledged.back()) == 200);
}
