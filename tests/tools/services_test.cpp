#include <catch2/catch.hpp>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/platform/descriptor.h"
#include "base/process/version.h"
#include "eventstore/lmdb/database_facts.h"
#include "projections/generations/generation_directory.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/first_row.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_certificates.h"

// The services as processes, for behaviour that only a process shows.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

std::vector<std::string> listening(const PixledgerCommand& pixledger) {
  return pixledger.arguments({"--listen", "127.0.0.1:0"});
}

}  // namespace

TEST_CASE("a server that waits for the read models of another logs it and stops on a signal") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  Process first(built_program("pixledger-server"), listening(pixledger));
  REQUIRE(first.wait_for_out("ready on"));
  Process second(built_program("pixledger-server"), listening(pixledger));
  REQUIRE(second.wait_for_err("\"usedBy\":\"process " + std::to_string(first.pid()) + "\""));
  const auto start = lines_of(second.err()).front();
  CHECK(json_at(start, "/message") == "starting");
  CHECK(json_at(start, "/lastRun") == "has not ended");
  second.send(SIGTERM);
  CHECK(second.wait() == 0);
  first.send(SIGTERM);
  CHECK(first.wait() == 0);
}

TEST_CASE(
    "a server that builds anew read models that disagreed with the ledger says so, and where it keeps them") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto views = pixledger.data() / "views";
  const auto serve = [&](const std::string& until) {
    Process server(built_program("pixledger-server"), listening(pixledger));
    CHECK(server.wait_for_err(until));
    REQUIRE(server.wait_for_out("ready on"));
    server.send(SIGTERM);
    CHECK(server.wait() == 0);
    return server.err();
  };
  CHECK(serve("the API is served").find("disagreed") == std::string::npos);
  const auto built = pixledger::projections::find_own_generations(views).at(0).path;
  // The position of their last event.
  change_first_row(built, one_gigabyte(), "meta", [](std::string& cursor) { cursor.back() ^= 1; });
  const auto log = serve("the read models disagreed with the ledger and are built again");
  CHECK(log.find("\"level\":\"error\"") != std::string::npos);
  CHECK(log.find("\"keptIn\":\"" + pixledger::projections::kept_path(built).string()) != std::string::npos);
  CHECK(std::filesystem::exists(pixledger::projections::kept_path(built)));
}

TEST_CASE("a webhook worker without state begins afresh where there is no channel, and asks where there is") {
  const PixledgerCommand pixledger;
  const std::string project = json_at(pixledger.create_project(), "/projectId");
  {
    Process worker(built_program("pixledger-webhooks"), pixledger.arguments({}));
    REQUIRE(worker.wait_for_err("is at work"));
    worker.send(SIGTERM);
    CHECK(worker.wait() == 0);
  }
  std::filesystem::remove_all(pixledger.data() / "workers");
  pixledger.done({"channel", "add", "--project", project, "--url", "http://127.0.0.1:9/", "--allow-http",
                  "--allow-target", "127.0.0.0/8"});
  const auto refused = run_process(built_program("pixledger-webhooks"), pixledger.arguments({}));
  CHECK(refused.code == 3);
  CHECK(refused.err.find("--resume-from head") != std::string::npos);
}

TEST_CASE("a webhook worker gives way to the server with all it does but writing to the ledger") {
  const int own = ::getpriority(PRIO_PROCESS, 0);
  if (own >= 10) {
    WARN("the test runs with a low priority itself, so the worker's cannot be seen");
    return;
  }
  const PixledgerCommand pixledger;
  pixledger.create_project();
  Process worker(built_program("pixledger-webhooks"), pixledger.arguments({}));
  REQUIRE(worker.wait_for_err("is at work"));
  std::map<int, int> threads_at;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(worker.pid()) + "/task"))
    ++threads_at[::getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoi(thread.path().filename())))];
  CHECK(threads_at[own] > 0);
  CHECK(threads_at[10] > 1);
  CHECK(threads_at.size() == 2);
}

TEST_CASE("an e-mail worker without state begins afresh where there is no charge, and asks where there is") {
  const PixledgerCommand pixledger;
  const auto project =
      parsed<pixledger::domain::ProjectId>(json_at(pixledger.create_project(), "/projectId"));
  {
    Process worker(built_program("pixledger-emails"), pixledger.arguments({}));
    REQUIRE(worker.wait_for_err("is at work"));
    worker.send(SIGTERM);
    CHECK(worker.wait() == 0);
  }
  std::filesystem::remove_all(pixledger.data() / "workers");
  LedgerWithCharges(pixledger.data()).create_charge(project);
  const auto refused = run_process(built_program("pixledger-emails"), pixledger.arguments({}));
  CHECK(refused.code == 3);
  CHECK(refused.err.find("--resume-from head") != std::string::npos);
}

TEST_CASE("a server makes no new ledger where one is lost or not mounted") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  {
    Process server(built_program("pixledger-server"), listening(pixledger));
    REQUIRE(server.wait_for_out("ready on"));
    server.send(SIGTERM);
    CHECK(server.wait() == 0);
  }
  std::filesystem::remove_all(pixledger.data() / "ledger");
  const auto refused = run_process(built_program("pixledger-server"), listening(pixledger));
  CHECK(refused.code == 3);
  CHECK(refused.err.find("keys/, views/ of it are there, but not ledger/") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(pixledger.data() / "ledger"));
}

TEST_CASE("a server reloads its certificate at SIGHUP, and keeps the old one if the new one is invalid") {
  const TestAuthority authority;
  const auto files = authority.issue("localhost");
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  Process server(built_program("pixledger-server"),
                 pixledger.arguments({"--listen", "127.0.0.1:0", "--tls-cert", files.cert_file, "--tls-key",
                                      files.key_file}));
  REQUIRE(server.wait_for_out("ready on https://"));
  server.send(SIGHUP);
  CHECK(server.wait_for_err("the certificate was read anew"));
  std::ofstream(files.cert_file) << "nonsense";
  server.send(SIGHUP);
  CHECK(server.wait_for_err("the new certificate cannot be used, the old one stays"));
  server.send(SIGTERM);
  CHECK(server.wait() == 0);
}

TEST_CASE("the providers' worker reloads the certificate of callbacks at SIGHUP, and goes on") {
  const TestAuthority authority;
  const auto files = authority.issue("localhost");
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  Process worker(
      built_program("pixledger-providers"),
      pixledger.arguments({"--callback-listen", "127.0.0.1:0", "--callback-cert", files.cert_file,
                           "--callback-key", files.key_file, "--callback-client-ca", authority.ca_file()}));
  REQUIRE(worker.wait_for_err("is at work"));
  worker.send(SIGHUP);
  CHECK(worker.wait_for_err("the certificate was read anew"));
  std::ofstream(files.cert_file) << "nonsense";
  worker.send(SIGHUP);
  CHECK(worker.wait_for_err("the new certificate cannot be used, the old one stays"));
  worker.send(SIGTERM);
  CHECK(worker.wait() == 0);
}

TEST_CASE("a worker that stands by for another goes on doing so at SIGHUP where that asks for its files") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  Process first(built_program("pixledger-providers"), pixledger.arguments({}));
  REQUIRE(first.wait_for_err("is at work"));
  Process second(built_program("pixledger-providers"), pixledger.arguments({}));
  REQUIRE(second.wait_for_err("standing by"));
  second.send(SIGHUP);
  first.send(SIGTERM);
  CHECK(first.wait() == 0);
  CHECK(second.wait_for_err("the providers' worker is at work"));
  second.send(SIGHUP);
  CHECK(second.wait_for_err("there is no certificate to read anew"));
  second.send(SIGTERM);
  CHECK(second.wait() == 0);
}

TEST_CASE("every program may open as many files as its hard limit allows") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  std::vector<std::string> arguments = {"-c", "ulimit -Sn 256; exec \"$0\" \"$@\"",
                                        built_program("pixledger-expiry")};
  for (const auto& argument : pixledger.arguments({})) arguments.push_back(argument);
  Process worker("/bin/sh", arguments);
  REQUIRE(worker.wait_for_err("is at work"));
  std::ifstream limits("/proc/" + std::to_string(worker.pid()) + "/limits");
  std::string line;
  while (std::getline(limits, line) && line.rfind("Max open files", 0) != 0) {
  }
  CHECK(line.rfind("Max open files", 0) == 0);
  CHECK(line.find(" 256 ") == std::string::npos);
}

TEST_CASE("a refused request is found in the log by the requestId of its answer, unless that is not wanted") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  for (const std::string which : {"errors", "none"}) {
    const auto port_file = pixledger.data() / "port";
    Process server(built_program("pixledger-server"),
                   pixledger.arguments({"--listen", "127.0.0.1:0", "--port-file", port_file.string(),
                                        "--log-requests", which}));
    REQUIRE(server.wait_for_out("ready on"));
    unsigned port = 0;
    std::ifstream(port_file) >> port;
    const auto reply = exchange(static_cast<std::uint16_t>(port),
                                "GET /api/v1/store HTTP/1.1\r\nHost: x\r\nX-Request-Id: find-me\r\n\r\n");
    CHECK(reply.status == 401);
    server.send(SIGTERM);
    CHECK(server.wait() == 0);
    const bool found = server.err().find("\"requestId\":\"find-me\"") != std::string::npos;
    CHECK(found == (which == "errors"));
  }
  const auto refused =
      run_process(built_program("pixledger-server"), pixledger.arguments({"--log-requests", "some"}));
  CHECK(refused.code == 2);
  CHECK(refused.err.find("--log-requests must be errors, all or none") != std::string::npos);
}

TEST_CASE("services make no ledger: they name the command that does") {
  const PixledgerCommand pixledger;
  for (const char* service : {"pixledger-server", "pixledger-webhooks", "pixledger-emails",
                              "pixledger-expiry", "pixledger-providers"}) {
    INFO(service);
    const auto refused = run_process(built_program(service), pixledger.arguments({}));
    CHECK(refused.code == 3);
    CHECK(refused.err.find("pixledger init") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(pixledger.data()));
  }
}

TEST_CASE("a service's log begins with its version and ledger, and the end of its last run") {
  const PixledgerCommand pixledger;
  const std::string project = json_at(pixledger.create_project(), "/projectId");
  const std::string id = json_at(pixledger.done({"projections", "status", "--json"}), "/ledger/ledgerId");
  const std::map<std::string, std::string> addresses{{"server", "http://127.0.0.1 with any free port"},
                                                     {"webhooks", "none"},
                                                     {"emails", "outbox"},
                                                     {"expiry", "none"},
                                                     {"providers", "none"}};
  for (const auto& [name, address] : addresses) {
    const auto start = [&](const std::string& last_run, int signal) {
      Process service(built_program("pixledger-" + name),
                      name == "server" ? listening(pixledger) : pixledger.arguments({}));
      REQUIRE(service.wait_for_err(name == "server" ? "the API is served" : "is at work"));
      const auto line = lines_of(service.err()).front();
      INFO(line);
      CHECK(json_at(line, "/message") == "starting");
      CHECK(json_at(line, "/program") == "pixledger-" + name);
      CHECK(json_at(line, "/version") == kReleaseVersion);
      CHECK(json_at(line, "/data") == pixledger.data().string());
      CHECK(json_at(line, "/ledgerId") == id);
      CHECK(json_at(line, "/epoch") == "1");
      CHECK(json_at(line, "/position") == "3");
      CHECK(json_at(line, "/lastRun") == last_run);
      CHECK(json_at(line, "/addresses") == address);
      service.send(signal);
      service.wait();
    };
    start("unknown", SIGTERM);
    start("ended cleanly", SIGKILL);
    start("did not end cleanly", SIGTERM);
  }
}

TEST_CASE(
    "a worker that stands by says what it is and whom it waits for, and later whom it takes over from") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  for (const std::string name : {"webhooks", "emails", "expiry", "providers"}) {
    INFO(name);
    Process first(built_program("pixledger-" + name), pixledger.arguments({}));
    REQUIRE(first.wait_for_err("is at work"));
    Process second(built_program("pixledger-" + name), pixledger.arguments({}));
    REQUIRE(second.wait_for_err("standing by"));
    REQUIRE(second.wait_for_err("\"usedBy\":\"process " + std::to_string(first.pid()) + "\""));
    const auto start = lines_of(second.err()).front();
    CHECK(json_at(start, "/message") == "starting");
    CHECK(json_at(start, "/program") == "pixledger-" + name);
    CHECK(json_at(start, "/lastRun") == "has not ended");
    first.send(SIGKILL);
    first.wait();
    REQUIRE(second.wait_for_err("taking over"));
    CHECK(json_at(lines_of(second.err()).at(2), "/message") == "taking over");
    CHECK(json_at(lines_of(second.err()).at(2), "/lastRun") == "did not end cleanly");
    second.send(SIGTERM);
    CHECK(second.wait() == 0);
  }
}

TEST_CASE("a worker's fatal error names the program and the place of its files") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto directory = pixledger.data() / "workers" / "webhooks";
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "deliveries.sqlite") << std::string(4096, 'x');
  const auto ended = run_process(built_program("pixledger-webhooks"), pixledger.arguments({}));
  CHECK(ended.code == 3);
  const auto line = lines_of(ended.err).back();
  CHECK(json_at(line, "/program") == "pixledger-webhooks");
  CHECK(json_at(line, "/data") == pixledger.data().string());
  CHECK(json_at(line, "/fault").find(directory.string()) != std::string::npos);
}

TEST_CASE("a server refuses keys that do not belong to its ledger") {
  const PixledgerCommand mine;
  const PixledgerCommand other;
  mine.done({"init"});
  other.done({"init"});
  std::filesystem::remove_all(mine.data() / "keys");
  std::filesystem::rename(other.data() / "keys", mine.data() / "keys");
  const auto result = run_process(built_program("pixledger-server"), listening(mine));
  CHECK(result.code == 3);
  CHECK(result.err.find("do not belong to the ledger") != std::string::npos);
}

TEST_CASE("a worker that is still reading certificates holds no snapshot of the ledger") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto certificates = pixledger.directory() / "ca.pem";
  REQUIRE(::mkfifo(certificates.c_str(), 0600) == 0);
  const Process worker(
      built_program("pixledger-webhooks"),
      pixledger.arguments({"--resume-from", "beginning", "--ca-file", certificates.string()}));
  // Succeeds once the worker has opened it, and makes it wait for its content.
  std::optional<Descriptor> content;
  REQUIRE(eventually([&] { return bool(content.emplace(certificates, O_WRONLY | O_NONBLOCK)); }));
  pixledger.create_project("Outra");
  // But that of a checkpoint, which is followed by the next one.
  CHECK(eventually([&] {
    return !eventstore::inspect_database(pixledger.data() / "ledger", one_gigabyte().map_bytes).old_reader;
  }));
}

TEST_CASE("every program names the place in the file of a value that it refuses, and so does the doctor") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const auto file = (pixledger.directory() / "config.toml").string();
  const auto check = [&](const std::string& program, std::vector<std::string> arguments,
                         const std::string& toml, const std::string& problem) {
    std::ofstream(file) << toml;
    arguments.insert(arguments.end(), {"--config", file});
    const auto refused = run_process(built_program(program), pixledger.arguments(arguments));
    INFO(program << ": " << refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.find(file + problem) != std::string::npos);
    const auto doctor = pixledger.run({"doctor", "--config", file});
    INFO(doctor.out);
    CHECK(doctor.code == 1);
    CHECK(doctor.out.find(file + problem.substr(0, problem.find(' '))) != std::string::npos);
  };
  const std::string server = "pixledger-server";
  check(server, {}, "\nlisten = \"8080\"\n", ":2:10: listen must be");
  check("pixledger", {"up"}, "listen = \"8080\"\n", ":1:10: listen must be");
  check(server, {}, "log-requests = \"some\"\n", ":1:16: log-requests must be errors, all or none");
  check(server, {}, "allow-target = [\"everywhere\"]\n", ":1:16: allow-target");
  check(server, {}, "tls-cert = \"cert.pem\"\n", ":1:12: tls-cert and tls-key go together");
  check("pixledger-webhooks", {}, "retry-schedule = \"soon\"\n", ":1:18: retry-schedule");
  check("pixledger-emails", {}, "smtp = \"mail:25\"\n", ":1:8: smtp needs smtp-from");
  check("pixledger-emails", {}, "smtp-from = \"a@b.com\"\nsmtp = \"mail\"\n", ":2:8: smtp must be");
  check("pixledger-providers", {}, "polls = \"often\"\n", ":1:9: polls must be tiers");
  check("pixledger", {"report"}, "timezone = \"Nowhere\"\n", ":1:12: timezone must be UTC");
}

TEST_CASE("up names the place in the file of an option that a worker refuses, and the rest goes on") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const auto file = (pixledger.directory() / "config.toml").string();
  std::ofstream(file) << "smtp-from = \"a@b.com\"\nsmtp = \"mail\"\n";
  Process up(built_program("pixledger"),
             pixledger.arguments({"up", "--only", "emails,expiry", "--config", file}));
  CHECK(up.wait_for_err(file + ":2:8: smtp must be"));
  CHECK(up.wait_for_err("the expiry worker is at work"));
  up.send(SIGTERM);
  CHECK(up.wait() == 0);
}
