// Files that name the ledger's place: without a valid one no program opens the ledger, and each names the
// file.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tests/support/ledgers/worker_fixture.h"
#include "tests/tools/doctor_findings.h"
#include "tests/tools/shared_node_fixture.h"

using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

enum class Damage { kEmpty, kGarbage, kDirectory, kUnreadable };

// Replaces the file, if any, by a damaged one.
void damage(const fs::path& file, Damage kind) {
  fs::remove_all(file);
  if (kind == Damage::kDirectory) {
    fs::create_directory(file);
    return;
  }
  std::ofstream(file) << (kind == Damage::kEmpty ? "" : std::string("\0\xde\xad\n\xbe\xef", 6));
  fs::permissions(file, kind == Damage::kUnreadable ? fs::perms::none : fs::perms(0600));
}

// Makes an unprivileged user the owner of everything.
void give_away(const PixledgerCommand& pixledger) {
  fs::permissions(pixledger.directory(), fs::perms(0755));
  if (::geteuid() != 0) return;
  for (const auto& entry : fs::recursive_directory_iterator(pixledger.directory()))
    REQUIRE(::chown(entry.path().c_str(), kNobody, kNobody) == 0);
}

// As that user.
std::unique_ptr<Process> start_service(const PixledgerCommand& pixledger, const std::string& name,
                                       const std::vector<std::string>& more = {}) {
  const auto program = built_program(name);
  const auto own = pixledger.arguments(more);
  if (::geteuid() != 0) return std::make_unique<Process>(program, own);
  std::vector<std::string> all{"--reuid=" + std::to_string(kNobody), "--regid=" + std::to_string(kNobody),
                               "--clear-groups", "--", program.string()};
  all.insert(all.end(), own.begin(), own.end());
  return std::make_unique<Process>("/usr/bin/setpriv", all);
}

void check_names(const std::string& text, const fs::path& file) {
  INFO(text);
  CHECK(has(text, file.string()));
  CHECK_FALSE(has(text, "pixledger init"));
  CHECK_FALSE(has(text, "restore"));
}

}  // namespace

TEST_CASE("a damaged file that names the ledger's place stops all programs, which say what to do") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const std::string name = GENERATE("node", "sharing");
  const auto kind = GENERATE(Damage::kEmpty, Damage::kGarbage, Damage::kDirectory, Damage::kUnreadable);
  INFO(name << ", damage " << static_cast<int>(kind));
  const auto file = pixledger.data() / name;
  damage(file, kind);
  give_away(pixledger);
  const std::string advice = kind == Damage::kUnreadable ? "run this as the owner of the data directory"
                             : name == "node"            ? "name both with --ledger and --node"
                                                         : "write the file anew";
  for (const std::string service : {"server", "webhooks", "emails", "expiry", "providers"}) {
    INFO(service);
    const auto refused = start_service(pixledger, "pixledger-" + service);
    CHECK(refused->wait() == 3);
    check_names(refused->out() + refused->err(), file);
    CHECK(has(refused->out() + refused->err(), advice));
  }
  for (const std::vector<std::string>& command : {std::vector<std::string>{"verify"},
                                                  {"project", "list"},
                                                  {"backup", pixledger.directory() / "backup"}}) {
    INFO(command.front());
    const auto refused = pixledger.run(command);
    CHECK(refused.code == 3);
    check_names(refused.err, file);
    CHECK(has(refused.err, advice));
  }
  const auto found = pixledger.run({"doctor"});
  CHECK(found.code == 1);
  check_names(found.out, file);
  CHECK(has(found.out, advice));
}

TEST_CASE("a damaged mark of trust costs a node another copy, and the doctor names it") {
  const Node node;
  const auto charge = [&] { return Server(node).create(); }();
  const auto kind = GENERATE(Damage::kEmpty, Damage::kGarbage, Damage::kDirectory, Damage::kUnreadable);
  INFO("damage " << static_cast<int>(kind));
  const auto file = node.pixledger.data() / "ledger.boot";
  damage(file, kind);
  give_away(node.pixledger);
  const auto found = node.pixledger.run({"doctor", "--json"});
  // A file with another text may be of an earlier boot.
  if (kind != Damage::kGarbage) {
    CHECK(is(found.out, "copy", "warning"));
    check_names(of(found.out, "copy"), file);
    const auto verified = node.pixledger.run({"verify"});
    CHECK(verified.code == 1);
    CHECK(has(verified.out + verified.err, file.string()));
  }
  const auto server = start_service(node.pixledger, "pixledger-server", {"--listen", "127.0.0.1:0"});
  const bool is_ready = server->wait_for_out("ready on");
  INFO(server->err());
  REQUIRE(is_ready);
  CHECK(node.pixledger.run({"history", "--id", charge}).code == 0);
  CHECK(fs::is_regular_file(file));
  server->send(SIGTERM);
  CHECK(server->wait() == 0);
  node.pixledger.done({"verify"});
}
