#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "stores/deliveries/delivery_repository.h"
#include "stores/emails/email_repository.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// A copy of `pixledger` beside stand-ins for the programs that it supervises. Each prints "NAME PID
// ARGUMENTS" and then runs until it is stopped.
class World {
 public:
  World() {
    std::filesystem::create_directory(programs());
    std::filesystem::copy_file(built_program("pixledger"), programs() / "pixledger");
    for (const char* name : {"server", "web", "webhooks", "emails", "expiry", "providers"})
      stand_in(name, kRuns);
    pixledger.done({"init"});
  }

  static constexpr const char* kRuns = "exec sleep 1000";

  void stand_in(const std::string& name, const std::string& command) const {
    const auto file = programs() / ("pixledger-" + name);
    std::ofstream(file) << "#!/bin/sh\necho \"" << name << " $$ $*\"\n" << command << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  std::unique_ptr<Process> up(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "up");
    return std::make_unique<Process>(programs() / "pixledger", pixledger.arguments(more));
  }

  PixledgerCommand pixledger;

 private:
  std::filesystem::path programs() const { return pixledger.directory() / "bin"; }
};

// The lines "NAME PID ARGUMENTS" so far.
std::vector<std::string> starts_of(const Process& up, const std::string& name) {
  std::vector<std::string> starts;
  for (const std::string& line : lines_of(up.out())) {
    if (line.find(name + " ") == 0) starts.push_back(line);
  }
  return starts;
}

pid_t pid_in(const std::string& start) { return std::stoi(start.substr(start.find(' ') + 1)); }

// Returns false if `up` ended before.
bool wait_for_start(Process& up, const std::string& name, std::size_t count) {
  const auto started = [&] { return starts_of(up, name).size() >= count; };
  while (!started() && !up.wait(std::chrono::milliseconds(50))) {
  }
  return started();
}

// Waits for it: the log may name a program before the program has printed a line.
std::string first_start(Process& up, const std::string& name) {
  REQUIRE(wait_for_start(up, name, 1));
  return starts_of(up, name)[0];
}

bool all_started(Process& up) {
  return up.wait_for_out("server ") && up.wait_for_out("webhooks ") && up.wait_for_out("emails ") &&
         up.wait_for_out("expiry ") && up.wait_for_out("providers ") &&
         up.wait_for_err("pixledger-providers");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_gone_now(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return !std::getline(status, text) || contains(text, ") Z ");
}

// The worker's option for where to begin, or "". Stops everything.
std::string resume_option(Process& up, const std::string& worker) {
  REQUIRE(all_started(up));
  const std::string start = first_start(up, worker);
  up.send(SIGTERM);
  REQUIRE(up.wait() == 0);
  const auto at = start.find("--resume-from");
  return at == std::string::npos ? "" : start.substr(at);
}

// The option for a worker that starts at the ledger's head.
std::string from_next(const World& world) {
  const auto head = LedgerWithCharges(world.pixledger.data()).log().head().position;
  return "--resume-from " + std::to_string(head.value() + 1);
}

// Waits until the process with this id is gone.
bool is_gone(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    if (is_gone_now(pid)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("up starts everything with its options and stops it on a signal") {
  const World world;
  const auto up = world.up({"--listen", "127.0.0.1:0", "--port-file", "port", "--polls", "1s:1m", "--dev"});
  REQUIRE(all_started(*up));
  const std::string common = "--data " + world.pixledger.data().string() +
                             " --map-size 1073741824 --on-lost-commits stop --log-format json";
  const std::string dev = " --allow-http --allow-target 127.0.0.0/8";
  const std::string server = first_start(*up, "server");
  const std::string webhooks = first_start(*up, "webhooks");
  const std::string emails = first_start(*up, "emails");
  const std::string expiry = first_start(*up, "expiry");
  const std::string providers = first_start(*up, "providers");
  CHECK(contains(server, common + dev + " --listen 127.0.0.1:0 --port-file port"));
  CHECK(contains(webhooks, common + dev + " " + from_next(world)));
  CHECK(contains(emails, common + " " + from_next(world)));
  CHECK(contains(expiry, common));
  CHECK_FALSE(contains(expiry, "--allow-http"));
  CHECK(contains(providers, common + " --allow-http --polls 1s:1m"));
  CHECK_FALSE(contains(providers, "--allow-target"));

  up->send(SIGTERM);
  CHECK(up->wait() == 0);
  for (const std::string& start : {server, webhooks, emails, expiry, providers})
    CHECK(is_gone(pid_in(start)));
}

TEST_CASE("up makes no ledger; for development it makes one where none was lost") {
  const World world;
  const auto& data = world.pixledger.data();
  std::filesystem::remove_all(data);
  const auto refused = world.up();
  CHECK(refused->wait() == 3);
  CHECK(contains(refused->err(), "pixledger init"));
  for (const auto& line : lines_of(refused->err())) CHECK(json_at(line, "/level") == "error");
  CHECK_FALSE(std::filesystem::exists(data));
  {
    const auto up = world.up({"--dev"});
    REQUIRE(all_started(*up));
    up->send(SIGTERM);
    CHECK(up->wait() == 0);
  }
  REQUIRE(std::filesystem::exists(data / "ledger" / "data.mdb"));
  std::filesystem::remove_all(data / "ledger");
  const auto lost = world.up({"--dev"});
  CHECK(lost->wait() == 3);
  CHECK(contains(lost->err(), "is missing"));
  CHECK_FALSE(std::filesystem::exists(data / "ledger"));
}

TEST_CASE("up starts only the requested programs, and a server alone does not change the workers' state") {
  const World world;
  const auto up = world.up({"--only", "server"});
  REQUIRE(up->wait_for_out("server "));
  REQUIRE(up->wait_for_err("\"started\",\"program\":\"pixledger-server\""));
  up->send(SIGTERM);
  CHECK(up->wait() == 0);
  CHECK_FALSE(contains(up->err(), "pixledger-webhooks"));
  CHECK(starts_of(*up, "webhooks").empty());
  CHECK(starts_of(*up, "emails").empty());
  CHECK(starts_of(*up, "expiry").empty());
  CHECK(starts_of(*up, "providers").empty());
  CHECK_FALSE(std::filesystem::exists(world.pixledger.data() / "workers"));

  const auto two = world.up({"--only", "expiry,webhooks"});
  REQUIRE(two->wait_for_out("webhooks "));
  REQUIRE(two->wait_for_out("expiry "));
  two->send(SIGTERM);
  CHECK(two->wait() == 0);
  CHECK(starts_of(*two, "server").empty());
  CHECK(starts_of(*two, "emails").empty());

  const auto wrong = world.up({"--only", "serve"});
  CHECK(wrong->wait() == 2);
  CHECK(contains(wrong->err(), "serve"));
}

TEST_CASE("up without a terminal passes SIGHUP on to the services that have certificates") {
  const World world;
  for (const std::string name : {"server", "providers"})
    world.stand_in(name, "trap 'echo " + name + " reads anew' HUP; echo " + name +
                             " traps; while :; do sleep 0.1; done");
  const auto up = world.up();
  REQUIRE(all_started(*up));
  for (const auto* name : {"server", "providers"}) REQUIRE(up->wait_for_out(std::string(name) + " traps"));
  up->send(SIGHUP);
  for (const auto* name : {"server", "providers"}) CHECK(up->wait_for_out(std::string(name) + " reads anew"));
  up->send(SIGTERM);
  CHECK(up->wait() == 0);
  CHECK_FALSE(contains(up->err(), "starting it again"));
}

TEST_CASE("up says where in the file a worker's options are wrong, and starts the others") {
  const World world;
  const auto file = world.pixledger.directory() / "config.toml";
  for (const auto& [toml, problem] : {std::pair{"retry-schedule = \"1parsec\"\n", ":1:18: retry-schedule"},
                                      std::pair{"polls = \"often\"\n", ":1:9: polls must be"},
                                      std::pair{"smtp-tls = \"maybe\"\n", ":1:12: smtp-tls must be"}}) {
    std::ofstream(file) << toml;
    const auto up = world.up({"--config", file.string()});
    REQUIRE(all_started(*up));
    CHECK(contains(up->err(), "a worker's options are wrong"));
    CHECK(contains(up->err(), file.string() + problem));
    up->send(SIGTERM);
    CHECK(up->wait() == 0);
  }
  const auto wrong = world.up({"--resume-from", "foo"});
  CHECK(wrong->wait() == 2);
  CHECK(contains(wrong->err(), "--resume-from"));
}

TEST_CASE("up gives up when the only program that it is asked for cannot stay up") {
  const World world;
  world.stand_in("webhooks", "exit 2");
  const auto up = world.up({"--only", "webhooks"});
  CHECK(up->wait() == 3);
}

TEST_CASE("a program that dies is started again") {
  const World world;
  const auto up = world.up();
  REQUIRE(all_started(*up));
  ::kill(pid_in(first_start(*up, "webhooks")), SIGKILL);
  REQUIRE(up->wait_for_err("killed by signal 9"));
  REQUIRE(wait_for_start(*up, "webhooks", 2));
  CHECK(starts_of(*up, "server").size() == 1);
  up->send(SIGINT);
  CHECK(up->wait() == 0);
}

TEST_CASE(
    "a worker that is started again without state on a ledger that has charges by now is told nothing") {
  const World world;
  const auto project =
      domain::ProjectId::parse(json_at(world.pixledger.create_project(), "/projectId")).value();
  const auto up = world.up();
  REQUIRE(all_started(*up));
  CHECK(contains(first_start(*up, "emails"), "--resume-from "));
  LedgerWithCharges(world.pixledger.data()).create_charge(project);
  ::kill(pid_in(first_start(*up, "emails")), SIGKILL);
  REQUIRE(wait_for_start(*up, "emails", 2));
  CHECK_FALSE(contains(starts_of(*up, "emails")[1], "--resume-from"));
  up->send(SIGTERM);
  CHECK(up->wait() == 0);
}

TEST_CASE("a server that never stays up ends everything with a fault") {
  const World world;
  world.stand_in("server", "exit 3");
  const auto up = world.up();
  CHECK(up->wait() == 3);
  CHECK(starts_of(*up, "server").size() == 5);
  CHECK(is_gone(pid_in(first_start(*up, "expiry"))));
}

TEST_CASE("a server that does not understand its options is not started again") {
  const World world;
  world.stand_in("server", "exit 2");
  const auto up = world.up();
  CHECK(up->wait() == 3);
  CHECK(starts_of(*up, "server").size() == 1);
}

TEST_CASE("a worker that cannot start does not take the server down") {
  const World world;
  const char* end = GENERATE("exit 3", "exit 2");
  world.stand_in("webhooks", end);
  const auto up = world.up();
  REQUIRE(up->wait_for_err("the others go on without it"));
  CHECK_FALSE(is_gone_now(pid_in(first_start(*up, "server"))));
  CHECK(starts_of(*up, "server").size() == 1);
  up->send(SIGTERM);
  CHECK(up->wait() == 0);
}

TEST_CASE("the programs end when their supervisor is killed") {
  const World world;
  const auto up = world.up();
  REQUIRE(all_started(*up));
  up->send(SIGKILL);
  CHECK(up->wait() == -SIGKILL);
  for (const char* name : {"server", "webhooks", "emails", "expiry", "providers"})
    CHECK(is_gone(pid_in(first_start(*up, name))));
}

TEST_CASE("a worker without state gets a place to begin only if there was nothing to send before") {
  const World world;
  const auto project =
      domain::ProjectId::parse(json_at(world.pixledger.create_project(), "/projectId")).value();
  const auto add_channel = [&] {
    const std::string added = world.pixledger.done(
        {"channel", "add", "--project", project.text(), "--url", "https://8.8.8.8/hooks", "--json"});
    return json_at(added, "/channelId");
  };
  const auto resume_of = [&](std::vector<std::string> more) {
    return resume_option(*world.up(std::move(more)), "webhooks");
  };
  LedgerWithCharges(world.pixledger.data()).create_charge(project);
  CHECK(resume_of({}) == from_next(world));
  const auto channel = domain::ChannelId::parse(add_channel()).value();
  CHECK(resume_of({}) == from_next(world));
  LedgerWithCharges(world.pixledger.data())
      .execute(domain::RequestChannelTest{{project}, channel, domain::Environment::kSandbox});
  CHECK(resume_of({}).empty());
  CHECK(resume_of({"--resume-from", "head"}) == "--resume-from head");

  const auto directory = world.pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(directory);
  stores::DeliveryRepository store(directory / "deliveries.sqlite");
  CHECK(resume_of({"--resume-from", "head"}) == "--resume-from head");
  store.add({}, eventstore::cursor_at(LedgerWithCharges(world.pixledger.data()).log(), Position()));
  CHECK(resume_of({"--resume-from", "head"}).empty());
}

TEST_CASE("a worker with the state from before a restore gets a place to go on from") {
  const World world;
  world.pixledger.create_project();
  const auto directory = world.pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(directory);
  auto cursor = eventstore::cursor_at(LedgerWithCharges(world.pixledger.data()).log(), Position(1));
  cursor.log.epoch = 0;
  stores::DeliveryRepository(directory / "deliveries.sqlite").add({}, cursor);
  const auto resume_of = [&](std::vector<std::string> more) {
    return resume_option(*world.up(std::move(more)), "webhooks");
  };
  CHECK(resume_of({}).empty());
  CHECK(resume_of({"--resume-from", "restored"}) == "--resume-from restored");
}

TEST_CASE("on a data directory of a release without e-mails they begin with later events") {
  const World world;
  const auto project =
      domain::ProjectId::parse(json_at(world.pixledger.create_project(), "/projectId")).value();
  const auto resume_of_emails = [&] { return resume_option(*world.up(), "emails"); };
  LedgerWithCharges(world.pixledger.data()).create_charge(project);
  CHECK(resume_of_emails().empty());

  const auto webhooks = world.pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(webhooks);
  const auto cursor = eventstore::cursor_at(LedgerWithCharges(world.pixledger.data()).log(), Position());
  stores::DeliveryRepository(webhooks / "deliveries.sqlite").add({}, cursor);
  CHECK(resume_of_emails() == "--resume-from head");

  const auto emails = world.pixledger.data() / "workers" / "emails";
  std::filesystem::create_directories(emails);
  CHECK(resume_of_emails().empty());
  stores::EmailRepository(emails / "emails.sqlite").add({}, cursor);
  CHECK(resume_of_emails().empty());
}

TEST_CASE("e-mails whose worker has never come up since before the first charge do not begin after it") {
  const World world;
  world.stand_in("emails", "exit 2");
  const auto project =
      domain::ProjectId::parse(json_at(world.pixledger.create_project(), "/projectId")).value();
  const auto resume_of_emails = [&] { return resume_option(*world.up(), "emails"); };
  CHECK(resume_of_emails() == from_next(world));
  const auto webhooks = world.pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(webhooks);
  LedgerWithCharges ledger(world.pixledger.data());
  stores::DeliveryRepository(webhooks / "deliveries.sqlite")
      .add({}, eventstore::cursor_at(ledger.log(), Position()));
  ledger.create_charge(project);
  CHECK(resume_of_emails().empty());
}

TEST_CASE("up runs payers' pages where it is said where they listen, once the server has made their key") {
  const World world;
  const auto without = world.up();
  REQUIRE(all_started(*without));
  CHECK(starts_of(*without, "web").empty());
  without->send(SIGTERM);
  CHECK(without->wait() == 0);
  const auto key_file = world.pixledger.data() / "web-key";
  world.stand_in("server", "sleep 0.3; touch " + key_file.string() + "; " + World::kRuns);
  const auto up = world.up({"--pay-listen", "127.0.0.1:0", "--trusted-proxy", "10.0.0.0/8"});
  const std::string web = first_start(*up, "web");
  CHECK(std::filesystem::exists(key_file));
  CHECK_FALSE(contains(web, "--data"));
  CHECK(contains(web, "--log-format json --trusted-proxy 10.0.0.0/8"));
  const auto url = web.substr(web.find("--pay-url"), web.find(" --web-key-file") - web.find("--pay-url"));
  CHECK(contains(first_start(*up, "server"), url));
  // Links still lead to it.
  ::kill(pid_in(web), SIGKILL);
  REQUIRE(wait_for_start(*up, "web", 2));
  CHECK(contains(starts_of(*up, "web")[1], url));
}
