#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <map>
#include <set>

#include "tests/support/paths.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/shared_ledger.h"

// The programs under the restrictions of their systemd units (tests/packaging/in_unit), on a node of a shared
// ledger, where they need the most.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

struct Node {
  Node() {
    pixledger.done(
        {"init", "--ledger", database.uri().text, "--ledger-owner", database.owner().text, "--node", "n1"});
    pixledger.create_project();
    for (const auto& place : {etc, backups}) fs::create_directory(place);
    std::ofstream(etc / "pixledger.toml") << "data = \"" << pixledger.data().string()
                                          << "\"\nmap-size = \"1GiB\"\nlisten = \"127.0.0.1:0\"\n"
                                             "smtp = \"127.0.0.1:1\"\nsmtp-tls = \"off\"\n"
                                             "smtp-from = \"loja@example.com\"\nlog-format = \"json\"\n"
                                             "pay-listen = \"127.0.0.1:0\"\nresume-from = \"beginning\"\n";
  }

  std::unique_ptr<Process> start(const std::string& unit) const {
    const auto file = fs::exists(built_file("packaging/systemd/" + unit))
                          ? built_file("packaging/systemd/" + unit)
                          : source_file("packaging/systemd/" + unit);
    return std::make_unique<Process>(
        source_file("tests/packaging/in_unit"),
        std::vector<std::string>{file, "/usr/bin=" + built_program("pixledger").parent_path().string(),
                                 "/etc/pixledger=" + etc.string(),
                                 "/var/lib/pixledger=" + pixledger.data().string(),
                                 "/var/backups/pixledger=" + backups.string()});
  }

  const SharedDatabase database;
  const PixledgerCommand pixledger;
  const fs::path etc = pixledger.directory() / "etc";
  const fs::path backups = pixledger.directory() / "backups";
};

// The line of a service's log that shows it works.
const std::map<std::string, std::string> kServices{
    {"pixledger-server.service", "the API is served"}, {"pixledger-webhooks.service", "at work"},
    {"pixledger-emails.service", "at work"},           {"pixledger-expiry.service", "at work"},
    {"pixledger-providers.service", "at work"},
};
// It knows nothing of the ledger; the package's own test starts it.
constexpr const char* kWeb = "pixledger-web.service";

}  // namespace

TEST_CASE("the timers' units let a backup and a verification do their work on a node of a shared ledger") {
  const Node node;
  for (const std::string task : {"backup", "verify"}) {
    const auto ended = node.start("pixledger-" + task + ".service");
    const auto code = ended->wait(std::chrono::minutes(2));
    INFO(task << ": " << ended->out() << ended->err());
    CHECK(code == 0);
    CHECK(ended->err().find("not compared") == std::string::npos);
  }
  CHECK(fs::exists(node.backups / "MANIFEST"));
}

TEST_CASE("each service's unit lets it do its work on a node of a shared ledger") {
  const Node node;
  for (const auto& [unit, at_work] : kServices) {
    const auto service = node.start(unit);
    const bool works = service->wait_for_err(at_work, std::chrono::minutes(1));
    INFO(unit << ": " << service->err());
    CHECK(works);
    service->send(SIGTERM);
    CHECK(service->wait());
  }
}

TEST_CASE("every unit is listed here") {
  std::set<std::string> units;
  for (const auto& directory : {built_file("packaging/systemd"), source_file("packaging/systemd")})
    for (const auto& entry : fs::directory_iterator(directory))
      if (entry.path().extension() == ".service") units.insert(entry.path().filename().string());
  std::set<std::string> known{"pixledger-backup.service", "pixledger-verify.service", kWeb};
  for (const auto& [unit, at_work] : kServices) known.insert(unit);
  CHECK(units == known);
}
