#include <algorithm>
#include <catch2/catch.hpp>
#include <future>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_sharing.h"
#include "eventstore/log/cluster.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/cluster_look.h"
#include "eventstore/postgres/copy_guard.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/node_presence.h"
#include "eventstore/postgres/publish.h"
#include "eventstore/postgres/shared_node.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/shared_ledger.h"

// The node name of a directory, and how it is claimed.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace fs = std::filesystem;

namespace {

// The time after which a name without a running node may be taken over.
constexpr std::chrono::milliseconds kSoon{100};

NodeFile named(const SharedDatabase& database, const std::string& name) {
  return {database.uri(), NodeName::parse(name).value()};
}

std::vector<std::string> names_in(const SharedDatabase& database) {
  std::vector<std::string> names;
  for (const auto& row : database.run("SELECT name FROM pixledger.node ORDER BY name"))
    names.push_back(row.at(0).as<std::string>());
  return names;
}

// The directory in the only row.
std::string directory_in(const SharedDatabase& database) {
  return database.run("SELECT directory FROM pixledger.node").at(0).at(0).as<std::string>();
}

std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string problem_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

// A ledger with keys, made on one machine and moved to the database by its first node.
struct Shared {
  Shared() {
    SeededEntropy entropy(7);
    const FixedClock clock(Timestamp(1));
    Ledger::create(data(), entropy, clock, one_gigabyte());
    share_ledger(data(), one_gigabyte(), named(database, "n1"), database.owner());
    end_sharing(data());
  }

  DataDirectory data() const { return {directory.path() / "n1"}; }
  // Another directory, with the first one's keys or those of another ledger.
  DataDirectory joining(const std::string& name, bool has_other_keys = false) const {
    DataDirectory there{directory.path() / name};
    fs::create_directory(there.root);
    SeededEntropy entropy(8);
    if (has_other_keys)
      Keyring::create(there.keys(), entropy, Timestamp(1));
    else
      fs::copy(data().keys(), there.keys(), fs::copy_options::recursive);
    return there;
  }

  TemporaryDirectory directory;
  SharedDatabase database;
};

}  // namespace

TEST_CASE("a renamed node has one row, which keeps its erasure progress") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "first");
  node.make(database);
  node.open().note_erased(Position(7));
  node.close();
  auto renamed = node.node();
  renamed.name = "n1";
  renamed.may_rename = true;
  DeadlineWatch watch;
  SECTION("a new one") {}
  SECTION("the name of a directory that is gone") {
    SharedNodeDirectory other(database, "n1");
    other.open();
    other.close();
    renamed.times.standstill = kSoon;
  }
  const auto client = start_client(renamed, nullptr, watch);
  CHECK(names_in(database) == std::vector<std::string>{"n1"});
  CHECK(read_nodes(*client).at(0).erased == Position(7));
}

TEST_CASE("a refused name leaves the directory its old name") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  node.open();
  SharedNodeDirectory other(database, "n2");
  other.open();
  other.close();
  auto renamed = other.node();
  renamed.may_rename = true;
  renamed.times.standstill = std::chrono::milliseconds(0);
  DeadlineWatch watch;
  SECTION("another directory has it, and its node runs") {
    renamed.name = "n1";
    renamed.times = {};
    const auto problem = problem_of([&] { start_client(renamed, nullptr, watch); });
    CHECK(problem.find(": " + node.node().directory.string() + ", and this is " + renamed.directory.string() +
                       " here;") != std::string::npos);
  }
  SECTION("it was opened before, and the directory was renamed since") {
    renamed.name = "n3";
    renamed.may_rename = false;
    const auto problem = problem_of([&] { start_client(renamed, nullptr, watch); });
    CHECK(problem.find("is the node n2 by now, and here n3") != std::string::npos);
  }
  SECTION("the directory was copied from another machine, where it is another node") {
    renamed.name = "n3";
    database.run("UPDATE pixledger.node SET boot = 'another' WHERE name = 'n2'");
    const auto problem = problem_of([&] { start_client(renamed, nullptr, watch); });
    CHECK(problem.find("n2") != std::string::npos);
    CHECK(problem.find("n3") != std::string::npos);
    CHECK(problem.find("node.id") != std::string::npos);
  }
  CHECK(names_in(database) == std::vector<std::string>{"n1", "n2"});
}

TEST_CASE("a running node keeps its name, however old its row is") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  node.open().catch_up();  // its first client writes its row
  // As after an outage, in which the row could not be written.
  database.run("UPDATE pixledger.node SET seen = seen - interval '1 minute'");
  const SharedNodeDirectory other(database, "n1");
  DeadlineWatch watch;
  CHECK_THROWS_AS(start_client(other.node(), nullptr, watch), NodeTaken);
  CHECK(directory_in(database) == place_of(node.node()));
}

TEST_CASE("a conflicting node is taken over once it has stopped, and never without waiting") {
  const SharedDatabase database;
  SharedNodeDirectory first(database, "n1");
  first.make(database);
  DeadlineWatch watch;
  start_client(first.node(), nullptr, watch);
  SharedNodeDirectory other(database, "n1");
  auto heir = other.node();
  SECTION("another directory") {}
  SECTION("the same one, before the machine was restarted") {
    heir = first.node();
    database.run("UPDATE pixledger.node SET boot = 'another'");
  }
  SECTION("the same one under another name, which its file does not have yet") {
    heir = first.node();
    heir.name = "n2";
  }
  // The row's age does not matter.
  database.run("UPDATE pixledger.node SET seen = seen - interval '1 minute'");
  heir.times.standstill = std::chrono::milliseconds(0);
  CHECK_THROWS_AS(start_client(heir, nullptr, watch), LogUnavailable);
  heir.times.standstill = kSoon;
  start_client(heir, nullptr, watch);
  CHECK(names_in(database) == std::vector<std::string>{heir.name});
  CHECK(directory_in(database) == place_of(heir));
}

TEST_CASE("the same directory by another path is the same place") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  DeadlineWatch watch;
  start_client(node.node(), nullptr, watch);
  const TemporaryDirectory links;
  fs::create_directory_symlink(node.node().directory, links.path() / "link");
  auto again = node.node();
  again.times.standstill = std::chrono::milliseconds(0);
  SECTION("a link") { again.directory = links.path() / "link"; }
  SECTION("with a dot") { again.directory = node.node().directory / "."; }
  SECTION("with a slash at its end") { again.directory = node.node().directory / ""; }
  start_client(again, nullptr, watch);
  CHECK(mark_of_place(directory_in(database)) == mark_of_place(place_of(node.node())));
}

TEST_CASE("a copy of a whole directory is another place, and a directory that was moved is the same one") {
  const TemporaryDirectory parent;
  fs::create_directory(parent.path() / "node");
  const auto place = [&](const char* name) {
    const SharedNode node{.uri = {}, .name = "n1", .directory = parent.path() / name};
    const auto text = place_of(node);
    REQUIRE(text.find('#') != std::string::npos);
    return text.substr(text.find('#'));
  };
  const auto first = place("node");
  fs::copy(parent.path() / "node", parent.path() / "copy", fs::copy_options::recursive);
  CHECK(read_if_there(parent.path() / "node" / "node.id") ==
        read_if_there(parent.path() / "copy" / "node.id"));
  CHECK(place("copy") != first);
  fs::rename(parent.path() / "node", parent.path() / "moved");
  CHECK(place("moved") == first);
}

TEST_CASE("a process whose node was taken over learns it, and by which machine") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  const auto copy = open_copy(node.node(), one_gigabyte());
  DeadlineWatch watch;
  start_client(node.node(), copy.get(), watch);
  std::promise<std::string> told;
  std::atomic<bool> was_told = false;
  const LastWords last_words;
  const CopyGuard guard(node.node(), *copy, last_words);
  const NodePresence presence(
      node.node(), *copy, guard, [&] { return start_client(node.node(), copy.get(), watch); },
      [] { return std::string(); },
      [&](const std::string& problem) {
        if (!was_told.exchange(true)) told.set_value(problem);
      });
  // The new node runs under its name, or on another machine, as a copy of its disk.
  const bool is_copy = GENERATE(false, true);
  const std::string taken = is_copy ? "boot = 'another'" : "directory = '/elsewhere#1'";
  auto problem = told.get_future();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  do {
    REQUIRE(std::chrono::steady_clock::now() < until);
    database.run("UPDATE pixledger.node SET seen = clock_timestamp(), " + taken);
  } while (problem.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready);
  const auto text = problem.get();
  const auto here = node.node().directory.string();
  CHECK(text.find(": " + (is_copy ? here : "/elsewhere") + ", and this is " + here) != std::string::npos);
}

TEST_CASE("a directory remembers its requested node once it was opened as that node") {
  const Shared shared;
  auto data = shared.joining("n2");
  ask_for_node(data, named(shared.database, "n2"));
  CHECK_FALSE(fs::exists(data.node()));
  Ledger::open(data, one_gigabyte());
  CHECK(read_node_file(data)->text() == named(shared.database, "n2").text());
  CHECK(names_in(shared.database) == std::vector<std::string>{"n2"});

  DataDirectory again{data.root};
  const auto before = read_node_file(data)->text();
  SECTION("another database") {
    const SharedDatabase empty;
    ask_for_node(again, named(empty, "n2"));
    CHECK_THROWS_AS(Ledger::open(again, one_gigabyte()), LedgerMismatch);
  }
  SECTION("a database that cannot be reached") {
    ask_for_node(again, {LedgerUri::parse("postgresql://pix@127.0.0.1:1/ledger").value(),
                         NodeName::parse("n2").value()});
    CHECK_THROWS_AS(Ledger::open(again, one_gigabyte()), LogUnavailable);
  }
  SECTION("a name that is taken") {
    const auto first = Ledger::open(shared.data(), one_gigabyte());
    ask_for_node(again, named(shared.database, "n1"));
    CHECK_THROWS_AS(Ledger::open(again, one_gigabyte()), LedgerMismatch);
  }
  SECTION("a name that it is never opened with") { ask_for_node(again, named(shared.database, "n22")); }
  CHECK(read_node_file(data)->text() == before);
}

TEST_CASE("a running node's directory cannot be requested for another node") {
  const Shared shared;
  Ledger::open(shared.data(), one_gigabyte());
  auto data = shared.data();
  const auto busy =
      GENERATE(as<std::string>{}, "views/lock", "workers/webhooks/lock", "ledger.fetching.lock");
  auto lock = OwnerLock::try_take(data.root / busy);
  const auto problem = problem_of([&] { ask_for_node(data, named(shared.database, "n7")); });
  CHECK(problem.find("n1 of " + shared.database.uri().text) != std::string::npos);
  CHECK(problem.find("n7 of ") != std::string::npos);
  ask_for_node(data, named(shared.database, "n1"));
  CHECK(data.node_asked.empty());
  lock.reset();
  ask_for_node(data, named(shared.database, "n7"));
  Ledger::open(data, one_gigabyte());
  CHECK(names_in(shared.database) == std::vector<std::string>{"n7"});
}

TEST_CASE(
    "of two programs that request different nodes at once the later one finds the earlier one running") {
  const Shared shared;
  auto first = shared.joining("n2");
  DataDirectory second{first.root};
  ask_for_node(first, named(shared.database, "n2"));
  ask_for_node(second, named(shared.database, "n3"));
  {
    const auto opened = Ledger::open(first, one_gigabyte());
    const auto problem = problem_of([&] { Ledger::open(second, one_gigabyte()); });
    CHECK(problem.find("at work as the node n2") != std::string::npos);
    CHECK(problem.find("n3 of ") != std::string::npos);
  }
  CHECK(read_node_file(first)->text() == named(shared.database, "n2").text());
}

TEST_CASE("a copy fetched by a process that was killed before it recorded that is no ledger of its own") {
  const Shared shared;
  auto data = shared.joining("n2");
  ask_for_node(data, named(shared.database, "n2"));
  Ledger::open(data, one_gigabyte());
  fs::remove(data.node());
  DataDirectory again{data.root};
  ask_for_node(again, named(shared.database, "n2"));
  Ledger::open(again, one_gigabyte());
  CHECK(read_node_file(data)->text() == named(shared.database, "n2").text());
}

TEST_CASE("a directory whose copy a command has open cannot be requested for another node") {
  const Shared shared;
  auto data = shared.data();
  {
    const auto command = Ledger::open(data, one_gigabyte());
    const auto problem = problem_of([&] { ask_for_node(data, named(shared.database, "n7")); });
    CHECK(problem.find("at work as the node n1") != std::string::npos);
  }
  ask_for_node(data, named(shared.database, "n7"));
  CHECK_FALSE(data.node_asked.empty());
}

TEST_CASE("a node with other keys is refused before anything is fetched, and leaves nothing") {
  const Shared shared;
  auto data = shared.joining("n2", true);
  ask_for_node(data, named(shared.database, "n2"));
  const auto problem = problem_of([&] { Ledger::open(data, one_gigabyte()); });
  CHECK(problem.find(data.keys().string()) != std::string::npos);
  CHECK(problem.find("the database " + shared.database.uri().database) != std::string::npos);
  CHECK(files_in(data.root) == std::vector<std::string>{"keys"});
  CHECK(names_in(shared.database).empty());
}

TEST_CASE("keys that were exchanged under a copy are refused, too") {
  const Shared shared;
  Ledger::open(shared.data(), one_gigabyte());
  const auto other = shared.joining("other", true);
  fs::remove_all(shared.data().keys());
  fs::copy(other.keys(), shared.data().keys(), fs::copy_options::recursive);
  CHECK_THROWS_AS(Ledger::open(shared.data(), one_gigabyte()), KeyringError);
}

TEST_CASE("a directory without keys, or with a ledger of its own, becomes no node") {
  const SharedDatabase database;
  const TemporaryDirectory directory;
  DataDirectory data{directory.path()};
  CHECK(problem_of([&] { ask_for_node(data, named(database, "n1")); }).find("no keys") != std::string::npos);
  SeededEntropy entropy(9);
  Ledger::create(data, entropy, FixedClock(Timestamp(1)), one_gigabyte());
  CHECK(problem_of([&] { ask_for_node(data, named(database, "n1")); }).find("of its own") !=
        std::string::npos);
}

TEST_CASE("for a role that may not make a schema the error names the right option, before anything is made") {
  const SharedDatabase database;
  const auto& servers = database.uri();
  CHECK_THROWS_AS(refuse_to_share(servers, servers), MayNotPublish);
  CHECK(problem_of([&] { refuse_to_share(servers, servers); }).find("--ledger-owner") != std::string::npos);
  auto nobody = servers;
  nobody.user = "nobody_of_that_name";
  CHECK_THROWS_AS(refuse_to_share(database.owner(), nobody), MayNotPublish);
  refuse_to_share(database.owner(), servers);
}

TEST_CASE("a servers' role that may change events is reported, and a restricted one is not") {
  const SharedDatabase database;
  SharedNodeDirectory node(database, "n1");
  node.make(database);
  CHECK(node.open().excess_rights().empty());
  CHECK(look_at_cluster(database.uri()).excess_rights.empty());
  CHECK(look_at_cluster(database.owner()).excess_rights.find("postgres") != std::string::npos);
  database.run("GRANT UPDATE (leaf) ON pixledger.event TO " + database.uri().user);
  CHECK(node.log().excess_rights().find(database.uri().user) != std::string::npos);
}
