#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/platform/owner_lock.h"
#include "projections/due_charges.h"
#include "projections/generations/generation.h"
#include "stores/deliveries/delivery_repository.h"
#include "tests/support/foreign_reader.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/tools/doctor_findings.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

// Every file with its size and the time of its last change.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files_of(const fs::path& root) {
  std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[entry.path().string()] = {entry.file_size(), entry.last_write_time()};
  }
  return files;
}

eventstore::LmdbOptions small_map() {
  const auto options = tests::one_gigabyte();
  return options;
}

}  // namespace

TEST_CASE("the doctor finds nothing wrong with a new ledger and changes nothing") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto before = files_of(pixledger.data());
  const auto ran = pixledger.run({"doctor", "--json"});
  INFO(ran.out << ran.err);
  CHECK(ran.code == 0);
  CHECK(json_at(ran.out, "/well") == "true");
  CHECK(is(ran.out, "ledger", "ok"));
  CHECK(is(ran.out, "keys", "ok"));
  CHECK(is(ran.out, "clock", "ok"));
  CHECK(is(ran.out, "server", "warning"));
  CHECK(is(ran.out, "worker webhooks", "ok"));
  CHECK(files_of(pixledger.data()) == before);
  CHECK(pixledger.done({"doctor"}).find("ok       ledger") != std::string::npos);
}

TEST_CASE("the doctor names the process that goes on reading an old snapshot, and how to end it") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const ForeignReader reader(pixledger.data() / "ledger", small_map(), ForeignReader::Of::kLedger);
  reader.stop();
  CHECK(is(pixledger.run({"doctor", "--json"}).out, "ledger readers", "ok"));
  pixledger.create_project("Outra");
  const auto ran = pixledger.run({"doctor"});
  INFO(ran.out);
  const auto pid = std::to_string(reader.pid());
  CHECK(ran.out.find("process " + pid + " (") != std::string::npos);
  CHECK(ran.out.find("kill " + pid) != std::string::npos);
}

TEST_CASE("the doctor says where there is no ledger") {
  const PixledgerCommand pixledger;
  fs::remove_all(pixledger.data());
  const auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(is(ran.out, "data directory", "problem"));
}

TEST_CASE(
    "for keys without a ledger the doctor says that they may be a shared ledger's, whose copy is fetched") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  fs::remove_all(pixledger.data() / "ledger");
  const auto alone = pixledger.run({"doctor", "--json"});
  CHECK(alone.code == 1);
  CHECK(has(advice_on(alone.out, "ledger"), "with --ledger and --node"));
  CHECK(has(advice_on(alone.out, "ledger"), "restore the last backup into another directory"));
  const auto joining =
      pixledger.run({"doctor", "--json", "--ledger", "postgresql://pix@127.0.0.1:1/pix", "--node", "n9"});
  CHECK(joining.code == 1);
  CHECK(has(of(joining.out, "ledger"), "has no copy"));
  CHECK(has(advice_on(joining.out, "ledger"), "the first of them fetches it"));
  CHECK_FALSE(has(joining.out, "restore"));
}

TEST_CASE("the doctor says what to do if a directory cannot be opened as a node") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const std::vector<std::string> as_node{"doctor", "--json", "--ledger", "postgresql://pix@127.0.0.1:1/pix",
                                         "--node", "n9"};
  auto ran = pixledger.run(as_node);
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "node"), "there is a ledger of its own"));
  CHECK(has(advice_on(ran.out, "node"), "another data directory"));
  std::ofstream(pixledger.data() / "node") << "garbage";
  for (const auto& command : {std::vector<std::string>{"doctor", "--json"}, as_node}) {
    ran = pixledger.run(command);
    CHECK(ran.code == 1);
    CHECK(has(of(ran.out, "node"), "does not say which ledger this is a node of"));
    CHECK(has(advice_on(ran.out, "node"),
              "move it away; if this is a node of a shared ledger, name both with --ledger and --node"));
  }
}

TEST_CASE("the doctor names keys that others may read or that do not open") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto master = pixledger.data() / "keys" / "master.key";
  fs::permissions(master, fs::perms::group_read, fs::perm_options::add);
  auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(of(ran.out, "keys").find("has mode 0640") != std::string::npos);
  fs::permissions(master, fs::perms::group_read, fs::perm_options::remove);
  std::ofstream(master) << std::string(64, '0') << "\n";
  ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(is(ran.out, "keys", "problem"));
}

TEST_CASE("the doctor knows the keys of another ledger") {
  const PixledgerCommand pixledger;
  const PixledgerCommand other;
  pixledger.create_project();
  other.create_project();
  fs::remove_all(pixledger.data() / "keys");
  fs::copy(other.data() / "keys", pixledger.data() / "keys");
  const auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "keys"), "another ledger"));
  CHECK(has(advice_on(ran.out, "keys"), "restore keys/"));
}

TEST_CASE("the doctor says that a ledger's file has been cut, and to restore it") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto file = pixledger.data() / "ledger" / "data.mdb";
  fs::resize_file(file, fs::file_size(file) / 2);
  auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "ledger"), "is shorter than it says: damaged"));
  CHECK(has(advice_on(ran.out, "ledger"), "restore the last backup"));
  fs::resize_file(file, 0);
  ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "ledger"), "is empty: damaged"));
  fs::remove(file);
  ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK_FALSE(has(advice_on(ran.out, "ledger"), "init"));
  CHECK(has(advice_on(ran.out, "ledger"), "restore the last backup"));
}

TEST_CASE("the doctor says that programs cannot wake each other, which work all the same") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto page = pixledger.data() / "ledger" / "wake";
  CHECK_FALSE(has(pixledger.run({"doctor", "--json"}).out, "wake-ups"));
  REQUIRE(fs::remove(page));
  fs::create_directory(page);
  pixledger.create_project("Outra");
  const auto found = pixledger.run({"doctor", "--json"}).out;
  CHECK(is(found, "wake-ups", "warning"));
  CHECK(has(of(found, "wake-ups"), "look once a second"));
  CHECK(has(found, "start all programs again"));
}

TEST_CASE("the doctor sees that a restore was interrupted") {
  const PixledgerCommand pixledger;
  fs::create_directories(pixledger.data() / "restoring" / "ledger");
  const auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "restore"), "was interrupted"));
  CHECK(has(advice_on(ran.out, "restore"), "restore again"));
  CHECK_FALSE(has(ran.out, "pixledger init"));
}

TEST_CASE("the doctor finds damage anywhere in the deliveries, and says how to go on") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto file = pixledger.data() / "workers" / "webhooks" / stores::kDeliveriesFile;
  fs::create_directories(file.parent_path());
  {
    const LedgerWithCharges ledger(pixledger.data());
    stores::DeliveryRepository store(file);
    std::vector<stores::DeliveryChange> changes;
    for (std::uint64_t position = 1; position < 300; ++position)
      changes.emplace_back(sample_delivery(position));
    store.add(changes, sample_cursor(300));
  }
  const auto sound = fs::file_size(file);
  REQUIRE(sound > 20 * 4096);
  CHECK_FALSE(has(pixledger.run({"doctor", "--json"}).out, "is damaged"));
  for (const std::uintmax_t from : {std::uintmax_t{0}, sound / 2}) {
    INFO(from);
    const auto copy = pixledger.directory() / "sound.sqlite";
    fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
    {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(static_cast<std::streamoff>(from));
      stream << std::string(3 * 4096, '?');
    }
    const auto ran = pixledger.run({"doctor", "--json"});
    CHECK(ran.code == 1);
    CHECK(has(of(ran.out, "worker webhooks"), "deliveries.sqlite is damaged"));
    CHECK(has(advice_on(ran.out, "worker webhooks"), "--resume-from"));
    fs::rename(copy, file);
  }
}

TEST_CASE("the doctor remembers an erasure that was not finished") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  const auto erase = [&](const std::string& customer) {
    return pixledger.run({"customer", "erase", "--id", customer, "--reason", "asked for", "--wait", "0"});
  };
  std::string customer;
  {
    LedgerWithCharges ledger(pixledger.data());
    ledger.create_charge(project);
    const auto registered = pixledger.done({"events", "--type", "CustomerRegistered"});
    customer = json_at(lines_of(registered).at(0), "/data/customerId");
    CHECK(erase("c/../nobody00").code == 1);
    CHECK(pixledger.run({"doctor"}).code == 0);
    const eventstore::LmdbRead snapshot(ledger.log().environment());
    REQUIRE(erase(customer).code == 3);
  }
  // The personal data are gone from the ledger's records, but not from its file.
  const auto verified = pixledger.run({"verify"});
  CHECK(verified.code == 1);
  CHECK(has(verified.out, "The erasure of a customer is not finished: that of customer " + customer));
  const auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(has(of(ran.out, "erasure"), customer));
  CHECK(has(advice_on(ran.out, "erasure"), "pixledger customer erase --id " + customer));
  CHECK(erase(customer).code == 0);
  CHECK(pixledger.run({"verify"}).code == 0);
  CHECK(pixledger.run({"doctor"}).code == 0);
}

TEST_CASE("the doctor reports a worker that is behind, and one of another ledger") {
  const PixledgerCommand pixledger;
  const PixledgerCommand other;
  pixledger.create_project();
  other.create_project();
  const auto directory = pixledger.data() / "workers" / "expiry";
  {
    LedgerWithCharges ledger(pixledger.data());
    projections::DueCharges(directory, ledger.log(), small_map())
        .apply({}, eventstore::cursor_at(ledger.log(), Position(1)));
  }
  auto json = pixledger.done({"doctor", "--json"});
  CHECK(is(json, "worker expiry", "warning"));
  CHECK(of(json, "worker expiry").find("does not run, 2 events behind") != std::string::npos);
  const auto lock = OwnerLock::try_take(directory / "lock");
  CHECK(is(pixledger.done({"doctor", "--json"}), "worker expiry", "ok"));

  const auto elsewhere = other.data() / "workers" / "expiry";
  fs::create_directories(elsewhere.parent_path());
  fs::copy(directory, elsewhere);
  const auto ran = other.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(is(ran.out, "worker expiry", "problem"));
}

TEST_CASE("the doctor calls read models that are ahead of the ledger a problem") {
  const PixledgerCommand pixledger;
  const auto ledger = pixledger.data() / "ledger";
  const auto older = pixledger.directory() / "older";
  pixledger.create_project();
  fs::copy(ledger, older);
  pixledger.create_project();
  pixledger.done({"projections", "rebuild"});
  CHECK(is(pixledger.done({"doctor", "--json"}), "read models", "ok"));

  fs::remove_all(ledger);
  fs::copy(older, ledger);
  const auto ran = pixledger.run({"doctor", "--json"});
  CHECK(ran.code == 1);
  CHECK(is(ran.out, "read models", "problem"));
  CHECK(of(ran.out, "read models").find("either may be wrong") != std::string::npos);
}

TEST_CASE("the doctor checks the files of payers' pages") {
  PixledgerCommand pixledger;
  pixledger.create_project();
  const auto file = pixledger.data() / "config.toml";
  const auto key = pixledger.data() / "web-key";
  std::ofstream(file) << "web-key-file = \"" << key.string() << "\"\n";
  const auto says = [&] { return pixledger.run({"doctor", "--config", file.string()}).out; };
  CHECK(says().find("web-key-file") == std::string::npos);
  std::ofstream(key) << "wk_\n";
  std::filesystem::permissions(key, std::filesystem::perms(0640));
  CHECK(says().find("web-key-file") == std::string::npos);
  std::filesystem::permissions(key, std::filesystem::perms(0644));
  CHECK(says().find("web-key-file: " + key.string() + " lets everybody in") != std::string::npos);
}

TEST_CASE("the doctor sees options that contradict each other") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto file = pixledger.data() / "config.toml";
  std::ofstream(file) << "tls-cert = \"/nowhere/cert.pem\"\nsmtp-from = \"a@example.com\"\nno-such-key = 1\n"
                      << "ca-file = \"/usr\"\n"
                      << "listen = \"8080\"\ntrusted-proxy = [\"10.0.0.0/8\", \"proxy\"]\n";
  const auto ran = pixledger.run({"doctor", "--json", "--config", file.string()});
  INFO(ran.out << ran.err);
  CHECK(ran.code == 2);
  CHECK(ran.out.find("one of tls-cert and tls-key stands alone") != std::string::npos);
  CHECK(ran.out.find("/nowhere/cert.pem cannot be read") != std::string::npos);
  CHECK(ran.out.find("no program knows the key no-such-key") != std::string::npos);
  CHECK(ran.out.find("ca-file: must be a file, and /usr is a directory") != std::string::npos);
  CHECK(ran.out.find("SMTP is configured without smtp") != std::string::npos);
  CHECK(ran.out.find("listen must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080; it is 8080") !=
        std::string::npos);
  CHECK(ran.out.find("; it is proxy\"") != std::string::npos);
  CHECK(ran.out.find("; it is 10.0.0.0/8\"") == std::string::npos);
}

TEST_CASE("read models are compared with the ledger, and a difference is named") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  CHECK(pixledger.run({"projections", "verify"}).code == 1);
  fs::path directory;
  std::string charge;
  {
    LedgerWithCharges ledger(pixledger.data());
    charge = ledger.create_charge(project).text();
    const auto generation =
        projections::Generation::open_or_build(pixledger.data() / "views", ledger.log(), small_map());
    directory = generation->directory();
  }
  const auto equal = pixledger.done({"projections", "verify", "--json"});
  CHECK(json_at(equal, "/equal") == "true");
  CHECK(json_at(equal, "/complete") == "true");
  change_closed_value(directory, small_map(), "charges", charge,
                      [](std::string& row) { row.back() = static_cast<char>(~row.back()); });
  const auto ran = pixledger.run({"projections", "verify", "--json"});
  CHECK(ran.code == 1);
  CHECK(json_at(ran.out, "/equal") == "false");
  CHECK(json_at(ran.out, "/difference").find(charge) != std::string::npos);

  const auto rebuilt = pixledger.run({"projections", "rebuild", "--json"});
  CHECK(rebuilt.code == 1);
  CHECK(json_at(rebuilt.out, "/comparison/differences/0/table") == "charges");
  CHECK(json_at(rebuilt.out, "/comparison/charges/0") == charge);
  CHECK(json_at(pixledger.done({"projections", "verify", "--json"}), "/equal") == "true");
}
