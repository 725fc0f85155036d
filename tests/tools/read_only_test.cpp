// Auditors' read-only copies and mounts.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

#include "projections/generations/generation.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/emails/email_repository.h"
#include "stores/status/worker_state.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

// A data directory with a paid charge, read models and a webhook worker's state.
struct World {
  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");
  std::string charge;
  fs::path kept = pixledger.directory() / "kept";
  fs::path statement = pixledger.directory() / "statement.csv";

  World() {
    const auto id = domain::ProjectId::parse(project).value();
    {
      LedgerWithCharges ledger(pixledger.data());
      const auto paid = ledger.create_charge(id);
      ledger.pay(id, paid);
      charge = paid.text();
      projections::Generation::open_or_build(pixledger.data() / "views", ledger.log(), one_gigabyte());
      const auto webhooks = pixledger.data() / "workers" / "webhooks";
      fs::create_directories(webhooks);
      stores::DeliveryRepository(webhooks / stores::kDeliveriesFile)
          .add({}, eventstore::cursor_at(ledger.log(), ledger.log().head().position));
      const auto emails = pixledger.data() / "workers" / "emails";
      fs::create_directories(emails);
      const stores::EmailRepository made(emails / stores::kEmailDatabase.file);
    }
    std::ofstream(kept) << pixledger.done({"checkpoint"});
    std::ofstream(statement) << "endToEndId,amountCents,paidAt\n";
    fs::create_directory(pixledger.directory() / "out");
    fs::permissions(pixledger.directory() / "out", fs::perms::all);
  }

  std::vector<std::vector<std::string>> reading_commands() const {
    return {{"verify"},
            {"verify", "--structure-only"},
            {"verify", "--against", kept.string()},
            {"verify", "--since", kept.string()},
            {"events"},
            {"report"},
            {"checkpoint"},
            {"checkpoint", "--public-key"},
            {"prove", "--id", charge},
            {"history", "--id", charge},
            {"export", "--format", "csv"},
            {"export", "--format", "csv", "--what", "payments"},
            {"export", "--format", "jsonl", "--what", "deliveries"},
            {"reconcile", "--project", project, "--statement", statement.string()},
            {"project", "list"},
            {"projections", "status"},
            {"emails", "list"},
            {"projections", "verify"},
            {"backup", (pixledger.directory() / "out" / "backup").string()}};
  }
};

// Every file and directory with the time of its last change.
std::map<std::string, fs::file_time_type> files_of(const fs::path& root) {
  std::map<std::string, fs::file_time_type> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    files[entry.path().string()] = entry.last_write_time();
  return files;
}

// During its life the commands, which run as the directory's owner, may only read it.
class OnlyReadable {
 public:
  explicit OnlyReadable(const World& world) : root_(world.pixledger.data()) {
    fs::permissions(world.pixledger.directory(), fs::perms(0755));
    for (const auto& path : paths()) {
      // Root may write everywhere.
      if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), kNobody, kNobody) == 0);
      fs::permissions(path, fs::perms(fs::is_directory(path) ? 0500 : 0400));
    }
  }
  ~OnlyReadable() {
    for (const auto& path : paths()) fs::permissions(path, fs::perms(fs::is_directory(path) ? 0700 : 0600));
  }
  OnlyReadable(const OnlyReadable&) = delete;
  OnlyReadable& operator=(const OnlyReadable&) = delete;

 private:
  std::vector<fs::path> paths() const {
    std::vector<fs::path> all{root_};
    for (const auto& entry : fs::recursive_directory_iterator(root_)) all.push_back(entry.path());
    return all;
  }

  fs::path root_;
};

// Runs a command with the data directory mounted read-only, for that command only.
ProcessResult run_mounted(const PixledgerCommand& pixledger, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"-m"};
  if (::geteuid() != 0) all.push_back("-r");
  all.insert(all.end(),
             {"/bin/sh", "-c",
              "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" || exit 77; exec \"$@\"",
              pixledger.data().string(), built_program("pixledger").string()});
  const auto own = pixledger.arguments(arguments);
  all.insert(all.end(), own.begin(), own.end());
  return run_process("/usr/bin/unshare", all);
}

}  // namespace

TEST_CASE("a directory that its user may only read can be audited, and is not changed") {
  const World world;
  const OnlyReadable only_readable(world);
  const auto before = files_of(world.pixledger.data());
  for (const auto& command : world.reading_commands()) {
    const auto ran = world.pixledger.run(command);
    INFO(command.front() << "\n" << ran.out << ran.err);
    CHECK(ran.code == 0);
  }
  CHECK(json_at(world.pixledger.done({"verify", "--json"}), "/readModels") == "equal");
  const auto doctor = world.pixledger.run({"doctor"});
  CHECK(doctor.code == 1);
  CHECK(doctor.out.find("problem  data directory: ") != std::string::npos);
  CHECK(doctor.out.find("may not be written by user") != std::string::npos);
  CHECK(world.pixledger.run({"project", "create", "--name", "Nova"}).code == 3);
  CHECK(files_of(world.pixledger.data()) == before);
}

TEST_CASE("a directory on a read-only mount can be audited") {
  const World world;
  if (const auto tried = run_mounted(world.pixledger, {"--version"}); tried.code != 0) {
    WARN("nothing can be mounted here, so only missing rights were tried: " << tried.err);
    return;
  }
  for (const auto& command : world.reading_commands()) {
    const auto ran = run_mounted(world.pixledger, command);
    INFO(command.front() << "\n" << ran.out << ran.err);
    CHECK(ran.code == 0);
  }
  const auto doctor = run_mounted(world.pixledger, {"doctor"});
  CHECK(doctor.code == 1);
  CHECK(doctor.out.find("is mounted read-only") != std::string::npos);
  CHECK(run_mounted(world.pixledger, {"project", "create", "--name", "Nova"}).code == 3);
}

TEST_CASE("a ledger that is open elsewhere is not read by a process that cannot use its locks") {
  const World world;
  const LedgerWithCharges open(world.pixledger.data());
  const OnlyReadable only_readable(world);
  const auto refused = world.pixledger.run({"events"});
  CHECK(refused.code == 3);
  CHECK(refused.err.find("is in use, and this process may not write there") != std::string::npos);
}
