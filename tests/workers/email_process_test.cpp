// The e-mail worker as a process of its own, killed and started again.
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>

#include "domain/values/cuid.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/smtp_server.h"
#include "tests/support/servers/test_certificates.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

class World {
 public:
  World() : project_(domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value()) {
    pixledger.done({"project", "set", "--project", project_.text(), "--pix-key", "loja@example.com"});
  }

  std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(built_program("pixledger-emails"), pixledger.arguments(arguments));
  }
  ProcessResult run(const std::vector<std::string>& arguments) const {
    return run_process(built_program("pixledger-emails"), pixledger.arguments(arguments));
  }
  void pay(std::size_t charges) {
    LedgerWithCharges ledger(pixledger.data());
    for (std::size_t i = 0; i < charges; ++i) ledger.create_paid_live_charge(project_, ++payments_);
  }
  void pay_in_the_sandbox(std::size_t charges) const {
    LedgerWithCharges ledger(pixledger.data());
    for (std::size_t i = 0; i < charges; ++i) ledger.pay(project_, ledger.create_charge(project_));
  }
  std::size_t outbox_files() const {
    const auto outbox = pixledger.data() / "outbox";
    if (!std::filesystem::exists(outbox)) return 0;
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(outbox))
      count += file.path().extension() == ".eml" ? 1U : 0U;
    return count;
  }

  PixledgerCommand pixledger;

 private:
  const domain::ProjectId project_;
  unsigned payments_ = 0;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an e-mail worker that is killed again and again loses nothing and repeats only across a kill") {
  World world;
  constexpr std::size_t kPayments = 60;
  world.pay(kPayments);
  const SmtpServer server;
  const std::vector<std::string> smtp{"--smtp",           "127.0.0.1:" + std::to_string(server.port()),
                                      "--smtp-tls",       "off",
                                      "--smtp-from",      "loja@example.com",
                                      "--retry-schedule", "0,50ms,50ms"};
  auto first = smtp;
  first.insert(first.end(), {"--resume-from", "beginning"});
  std::size_t kills = 0;
  auto worker = world.start(first);
  for (std::size_t wanted = 5; wanted < kPayments; wanted += 10) {
    REQUIRE(eventually([&] { return server.mails().size() >= wanted; }));
    worker->send(SIGKILL);
    REQUIRE(worker->wait() == -SIGKILL);
    ++kills;
    worker = world.start(smtp);
  }
  std::map<std::string, std::size_t> times;
  REQUIRE(eventually([&] { return server.mails().size() >= kPayments; }));
  world.pay(1);
  REQUIRE(eventually([&] {
    times.clear();
    for (const auto& mail : server.mails()) {
      std::ifstream file(mail);
      for (std::string line; std::getline(file, line);) {
        if (contains(line, "Message-ID: ")) ++times[line];
      }
    }
    return times.size() == kPayments + 1;
  }));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
  constexpr std::size_t kSenders = 4;
  CHECK(server.mails().size() <= kPayments + 1 + kills * kSenders);
}

TEST_CASE("a mail server that accepts nothing is logged at once, and once") {
  World world;
  world.pay(3);
  const auto worker = world.start({"--resume-from", "beginning", "--smtp", "127.0.0.1:1", "--smtp-tls", "off",
                                   "--smtp-from", "loja@example.com", "--retry-schedule", "0,1ms"});
  constexpr const char* kWarning = "an e-mail could not be delivered; it is tried again";
  REQUIRE(worker->wait_for_err("an e-mail was given up"));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
  const auto first = worker->err().find(kWarning);
  REQUIRE(first != std::string::npos);
  CHECK(worker->err().find(kWarning, first + 1) == std::string::npos);
  CHECK(contains(worker->err(), "Connection refused"));
}

TEST_CASE("without a mail server the worker fills the outbox") {
  World world;
  world.pay(3);
  const auto worker = world.start({"--resume-from", "beginning"});
  REQUIRE(eventually([&] { return world.outbox_files() == 3; }));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
}

TEST_CASE("the outbox has no more e-mails of the sandbox than a day's share, and the rest is one line") {
  World world;
  world.pay_in_the_sandbox(25);
  const auto worker = world.start({"--resume-from", "beginning", "--log-format", "json"});
  REQUIRE(worker->wait_for_err("e-mails of the sandbox were capped"));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
  // Ten to a recipient, and ten more where a day has ended meanwhile.
  CHECK(world.outbox_files() >= 10);
  CHECK(world.outbox_files() <= 20);
  CHECK_FALSE(contains(worker->err(), "was given up"));
  std::size_t counted = 0;
  std::size_t lines = 0;
  for (const auto& line : lines_of(worker->err())) {
    if (!contains(line, "were capped")) continue;
    counted += std::stoul(json_at(line, "/count"));
    ++lines;
  }
  CHECK(counted == 25 - world.outbox_files());
  CHECK(lines <= 2);
}

TEST_CASE("e-mails that have lain in the outbox for longer than they are kept are removed") {
  World world;
  world.pay(1);
  const auto outbox = world.pixledger.data() / "outbox";
  std::filesystem::create_directory(outbox);
  const auto old = outbox / "event-1.1.eml";
  const auto other = outbox / "notes.txt";
  for (const auto& file : {old, other}) {
    std::ofstream(file) << "x";
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(31 * 24));
  }
  const auto work = [&](const std::vector<std::string>& more, bool removes) {
    const auto worker = world.start(more);
    REQUIRE(worker->wait_for_err("at work"));
    REQUIRE(eventually([&] { return world.outbox_files() == (removes ? 1U : 2U); }));
    worker->send(SIGTERM);
    CHECK(worker->wait() == 0);
  };
  work({"--resume-from", "beginning", "--outbox-keep", "0"}, false);
  CHECK(std::filesystem::exists(old));
  work({}, true);
  CHECK_FALSE(std::filesystem::exists(old));
  CHECK(std::filesystem::exists(other));
}

TEST_CASE("an e-mail worker without state asks where to begin, and with state is not told") {
  World world;
  world.pay(1);
  const auto unasked = world.run({});
  CHECK(unasked.code == 3);
  CHECK(contains(unasked.err, "--resume-from"));
  CHECK(world.run({"--resume-from", "1000"}).code == 2);

  const auto worker = world.start({"--resume-from", "head"});
  REQUIRE(worker->wait_for_err("at work"));
  world.pay(1);
  REQUIRE(eventually([&] { return world.outbox_files() == 1; }));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
  CHECK(world.run({"--resume-from", "head"}).code == 2);
}

TEST_CASE(
    "what is paid while the mail server's options are wrong is confirmed once they have been put right") {
  World world;
  const std::vector<std::string> bad =
      GENERATE(std::vector<std::string>{"--smtp", "mail.example:25"},
               std::vector<std::string>{"--smtp", "mail.example:25", "--smtp-from", "loja@example.com",
                                        "--smtp-user", "loja", "--smtp-password-file", "/no/such/file"},
               std::vector<std::string>{"--retry-schedule", "sometime"});
  CHECK(world.run(bad).code != 0);
  world.pay(1);
  const auto worker = world.start({});
  REQUIRE(worker->wait_for_err("at work"));
  CHECK(eventually([&] { return world.outbox_files() == 1; }));
  worker->send(SIGTERM);
  CHECK(worker->wait() == 0);
}

TEST_CASE("the sandbox mails one recipient ten times a day, also across restarts, and live e-mails all go") {
  World world;
  const SmtpServer server;
  std::vector<std::string> smtp{"--smtp",      "127.0.0.1:" + std::to_string(server.port()),
                                "--smtp-tls",  "off",
                                "--smtp-from", "loja@example.com"};
  const auto work = [&](std::vector<std::string> more) {
    more.insert(more.begin(), smtp.begin(), smtp.end());
    const auto worker = world.start(more);
    REQUIRE(worker->wait_for_err("at work"));
    REQUIRE(eventually([&] {
      const auto found = world.pixledger.run({"doctor"}).out;
      return contains(found, ", 0 events behind") && contains(found, "e-mails: 0 unsent");
    }));
    worker->send(SIGTERM);
    CHECK(worker->wait() == 0);
  };
  world.pay_in_the_sandbox(8);
  work({"--resume-from", "beginning"});
  CHECK(server.mails().size() == 8);
  world.pay_in_the_sandbox(5);
  world.pay(3);
  work({});
  // Between two days there may be more.
  CHECK(server.mails().size() >= 13);
  CHECK(world.outbox_files() == 0);
  const auto capped = 16 - server.mails().size();
  const auto listed = world.pixledger.done({"emails", "list", "--status", "capped", "--json"});
  if (capped > 0) {
    CHECK(json_at(listed, "/" + std::to_string(capped - 1) + "/status") == "capped");
    CHECK(contains(world.pixledger.run({"doctor"}).out, "of the sandbox not sent"));
  }
  // The outbox has no more of them than the mail server.
  world.pay_in_the_sandbox(1);
  work({"--sandbox-mail", "outbox"});
  const auto told = world.pixledger.done({"emails", "list", "--status", "capped", "--json"});
  std::size_t all_capped = 0;
  for (auto at = told.find("\"capped\""); at != std::string::npos; at = told.find("\"capped\"", at + 1))
    ++all_capped;
  CHECK(server.mails().size() + world.outbox_files() + all_capped == 17);
  CHECK(server.mails().size() + world.outbox_files() < 17);
}

TEST_CASE("the options for sandbox e-mails are given completely or not at all") {
  const World world;
  for (const auto& more :
       {std::vector<std::string>{"--sandbox-mail", "listed"},
        std::vector<std::string>{"--sandbox-mail-to", "dev@example.com"},
        std::vector<std::string>{"--sandbox-mail", "some"},
        std::vector<std::string>{"--sandbox-mail", "listed", "--sandbox-mail-to", "dev"}}) {
    std::vector<std::string> arguments{"--smtp", "127.0.0.1:1", "--smtp-from", "loja@example.com"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = world.run(arguments);
    CHECK(result.code == 2);
    CHECK(contains(result.err, "--sandbox-mail"));
  }
}

TEST_CASE("options that would send a password in plain text, or do not fit together, are refused") {
  World world;
  const auto file = (world.pixledger.directory() / "password").string();
  std::ofstream(file) << "segredo\n";
  const std::vector<std::vector<std::string>> bad{
      {"--smtp", "mail.example:25", "--smtp-from", "a@example.com", "--smtp-tls", "off", "--smtp-user",
       "loja", "--smtp-password-file", file},
      {"--smtp", "mail.example:25", "--smtp-from", "a@example.com", "--smtp-user", "loja"},
      {"--smtp", "mail.example:25"},
      {"--smtp", "mail.example", "--smtp-from", "a@example.com"},
      {"--smtp", "mail.example:25", "--smtp-from", "not an address"},
      {"--smtp", "mail.example:25", "--smtp-from", "a@example.com", "--smtp-tls", "maybe"}};
  for (const auto& arguments : bad) {
    const auto result = world.run(arguments);
    CAPTURE(result.err);
    CHECK(result.code == 2);
  }
}
