#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <unistd.h>

#include "base/platform/time_zone.h"
#include "base/process/configuration.h"
#include "tests/support/servers/pixledger_command.h"
#include "tools/commands/commands.h"

using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("a QR code is drawn with half blocks inside a quiet zone") {
  const PixledgerCommand pixledger;
  const auto lines = lines_of(pixledger.done({"qr", "00020126"}));
  REQUIRE(lines.size() == 15);  // 21 modules and two times four quiet ones, two a line
  CHECK(lines[0] == std::string(29, ' '));
  CHECK(lines[1] == std::string(29, ' '));
  // The finder pattern in the upper left corner.
  CHECK(lines[2].substr(0, 4 + 7 * 3) == "    █▀▀▀▀▀█");
  CHECK(lines[3].substr(0, 4 + 1 + 5 * 3 + 1) == "    █ ███ █");
  CHECK(lines[4].substr(0, 4 + 1 + 5 * 3 + 1) == "    █ ▀▀▀ █");
  CHECK(lines[5].substr(0, 4 + 7 * 3) == "    ▀▀▀▀▀▀▀");
}

TEST_CASE("a text that no QR code can hold is a usage error") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.run({"qr", std::string(5000, 'x')}).code == 2);
  CHECK(pixledger.run({"qr"}).code == 2);
}

TEST_CASE("accepting the clock needs a ledger") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.run({"clock", "accept"}).code == 3);
  pixledger.done({"init"});
  CHECK(pixledger.done({"clock", "accept"}).find("accepted") != std::string::npos);
  CHECK(json_at(pixledger.done({"clock", "accept", "--json"}), "/accepted").back() == 'Z');
}

TEST_CASE("help is done, a missing or unknown command is a usage error") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.done({"--help"}).find("verify") != std::string::npos);
  CHECK(pixledger.done({"key", "issue", "--help"}).find("--scopes") != std::string::npos);
  CHECK(pixledger.done({"--version"}).find("pixledger ") == 0);
  CHECK(pixledger.run({}).code == 2);
  CHECK(pixledger.run({"frobnicate"}).code == 2);
  CHECK(pixledger.run({"key"}).code == 2);
}

TEST_CASE("an unknown command is named with where to look") {
  const PixledgerCommand pixledger;
  CHECK(pixledger.run({"bogus"}).err.find("unknown command 'bogus'; see pixledger --help") !=
        std::string::npos);
  CHECK(pixledger.run({"key", "isue"})
            .err.find("unknown command 'isue'; did you mean issue?; see pixledger key --help") !=
        std::string::npos);
}

TEST_CASE("an option's problem is one sentence that names the option") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto directory = pixledger.directory().string();
  const std::string above_zero = "must be an integer above 0";
  const std::string is_directory = "must be a file, and " + directory + " is a directory";
  const std::string backwards = "--from must not be after --to";
  const std::string future = "--as-of must not be in the future";
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"backup", directory + "/b", "--rate", "0"}, "--rate: must be a number above 0"},
      {{"backup", directory + "/b", "--rate", "nan"}, "--rate: must be a number above 0"},
      {{"backup", directory + "/b", "--from-position", "0"}, "--from-position: " + above_zero},
      {{"restore", directory, "--until-position", "0"}, "--until-position: " + above_zero},
      {{"events", "--from", "0"}, "--from: " + above_zero},
      {{"events", "--to", "-1"}, "--to: " + above_zero},
      {{"events", "--from", "2", "--to", "1"}, backwards},
      {{"export", "--format", "csv", "--amount-min", "-1"}, "--amount-min: must be an integer of 0 or more"},
      {{"export", "--format", "csv", "--from", "2026-02-01", "--to", "2026-01-31"}, backwards},
      {{"report", "--from", "2026-01-01T12:00:00Z", "--to", "2026-01-01T11:59:59Z"}, backwards},
      {{"report", "--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01"}, backwards},
      {{"report", "--timezone", "Mars"}, "--timezone " + std::string(TimeZone::kRule)},
      {{"report", "--as-of", "2999-01-01"}, future},
      {{"report", "--as-of", "2999-01-01T00:00:00Z"}, future},
      {{"check-proof", directory}, "FILE: " + is_directory},
      {{"verify", "--against", directory}, "--against: " + is_directory},
      {{"reconcile", "--project", project, "--statement", directory}, "--statement: " + is_directory},
      {{"project", "list", "--config", directory}, "--config: " + is_directory},
      {{"project", "list", "--config", directory + "/none"}, "--config: cannot read " + directory + "/none"},
  };
  for (const auto& [arguments, sentence] : wrong) {
    const auto result = pixledger.run(arguments);
    INFO(arguments.front() << ": " << result.err);
    CHECK(result.code == 2);
    CHECK(result.err == "pixledger: " + sentence + "\nRun with --help for more information.\n");
  }
  const auto ca_file = run_process(built_program("pixledger-webhooks"), {"--ca-file", directory});
  CHECK(ca_file.code == 2);
  CHECK(ca_file.err.find("--ca-file: " + is_directory) != std::string::npos);
}

TEST_CASE("a period may be a single day or moment") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"2026-01-01", "2026-01-01"},
                                                        {"2026-01-01T12:00:00Z", "2026-01-01T12:00:00Z"},
                                                        {"2026-01-01T12:00:00Z", "2026-01-01"},
                                                        {"2026-01-01", "2026-01-01T12:00:00Z"},
                                                        {"2h", "1min"}})
    pixledger.done({"report", "--from", from, "--to", to});
}

TEST_CASE("every command takes a time, a date, or so long ago, and says so") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const std::string nobody = "cnobody00000000000000000a";
  const std::string payment = "E12345678202603011200abcdefghijk";
  const std::vector<std::vector<std::string>> commands{
      {"report", "--from"},
      {"report", "--to"},
      {"report", "--as-of"},
      {"export", "--format", "csv", "--from"},
      {"export", "--format", "csv", "--to"},
      {"deliveries", "recover", "--channel", nobody, "--since"},
      {"deliveries", "recover", "--channel", nobody, "--since", "2020-01-01", "--until"},
      {"charge", "confirm", "--id", nobody, "--end-to-end-id", payment, "--amount-cents", "1", "--paid-at"}};
  for (auto command : commands) {
    command.emplace_back("2h");
    for (const auto* time : {"2h", "1d", "2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00-03:00"}) {
      command.back() = time;
      CAPTURE(command);
      CHECK(pixledger.run(command).code < 2);
    }
    for (const auto* time : {"yesterday", "2026-02-30", "2", "31d", "31/01/2026"}) {
      command.back() = time;
      CAPTURE(command);
      const auto result = pixledger.run(command);
      // A number is a position of the ledger to --as-of.
      if (command[command.size() - 2] == "--as-of" && std::string(time) == "2") continue;
      CHECK(result.code == 2);
      CHECK(result.err.find("a date (2026-01-31), or 2h for so long ago") != std::string::npos);
    }
  }
}

TEST_CASE("an option of any service may stand in a configuration file that all programs share") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const auto path = (pixledger.directory() / "config.toml").string();
  for (const char* service :
       {"pixledger-server", "pixledger-webhooks", "pixledger-emails", "pixledger-providers"}) {
    std::ofstream file(path);
    for (const auto& line : lines_of(run_process(built_program(service), {"--help"}).out)) {
      std::istringstream words(line);
      std::string name, kind, more;
      words >> name >> kind >> more;
      // Options that pixledger has, too, are checked.
      const bool is_common = name == "--data" || name == "--map-size" || name == "--ledger" ||
                             name == "--node" || name == "--on-lost-commits" ||
                             name == "--allow-plain-postgres" || name == "--log-format";
      if (line.find("(Env:PIXLEDGER_") == std::string::npos || is_common) continue;
      const auto value = kind.find("(Env") == 0   ? "true"
                         : more == "..."          ? "[\"a\"]"
                         : kind.find("TEXT") == 0 ? "\"a\""
                                                  : "1";
      file << name.substr(2) << " = " << value << "\n";
    }
    file.close();
    const auto result = pixledger.run({"project", "list", "--config", path});
    INFO(result.err);
    CHECK(result.code == 0);
    CHECK(result.err.empty());
  }
}

TEST_CASE("pixledger's declared options equal those that the services know of it") {
  tools::CommandContext context;
  auto program = tools::declare_program(context);
  using Names = std::vector<std::string>;
  CHECK(declared_tables(program) == Names(kTablesOfPixledger.begin(), kTablesOfPixledger.end()));
  CHECK(declared_keys(program) == Names(kKeysOfPixledger.begin(), kKeysOfPixledger.end()));
}

TEST_CASE("no program starts with a configuration file that is wrong, and each says where") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  const auto path = (pixledger.directory() / "config.toml").string();
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"data = \"d1\n", ":1:"},
      {"log-format = \"json\"\nlisten \"127.0.0.1:0\"\n", ":2:"},
      {"[server]\nlisten = \"127.0.0.1:0\"\n", ":1:2: no program knows the table [server]\n"},
      {"\nlisten-on = \"127.0.0.1:0\"\n", ":2:1: no program knows the key listen-on; did you mean listen?\n"},
      {"rate-live = \"x\"\n", ":1:13: rate-live must be an integer\n"}};
  for (const auto& [text, problem] : wrong) {
    std::ofstream(path) << text;
    for (const char* service : {"pixledger-server", "pixledger-expiry"}) {
      const auto ran = run_process(built_program(service),
                                   pixledger.arguments({"--config", path, "--log-format", "text"}));
      INFO(service << ": " << ran.err);
      CHECK(ran.code == 2);
      CHECK(ran.err.find(path + problem.substr(0, problem.find('\n'))) != std::string::npos);
    }
    const auto ran = pixledger.run({"project", "list", "--config", path});
    CHECK(ran.code == 2);
    CHECK(ran.err.find("pixledger: " + path + problem) == 0);
    const auto doctor = pixledger.run({"doctor", "--config", path});
    INFO(doctor.out << doctor.err);
    CHECK(doctor.code == 2);
    CHECK(doctor.out.find("problem  configuration: " + path + problem) != std::string::npos);
    CHECK(doctor.err.empty());
  }
}

TEST_CASE("commands that make the same data directory at the same time all use it") {
  const PixledgerCommand pixledger;
  std::vector<std::unique_ptr<Process>> commands;
  for (int i = 0; i < 8; ++i)
    commands.push_back(std::make_unique<Process>(
        built_program("pixledger"), pixledger.arguments({"project", "create", "--name", "Loja", "--json"})));
  for (const auto& command : commands) {
    CHECK(command->wait() == 0);
    INFO(command->err());
  }
  CHECK(lines_of(pixledger.done({"project", "list"})).size() == 9);
}

TEST_CASE("files made by a command are accessible to its user only") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(pixledger.data())) {
    INFO(entry.path());
    CHECK((entry.status().permissions() &
           (std::filesystem::perms::group_all | std::filesystem::perms::others_all)) ==
          std::filesystem::perms::none);
  }
}

TEST_CASE("output that cannot be written is a fault") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const std::vector<std::string> key{"key", "issue", "--project", project, "--env", "test", "--json"};
  for (const auto& command : {std::vector<std::string>{"events"}, key}) {
    for (const auto& [into, problem] :
         {std::pair(">/dev/full", "the output could not be written"),
          std::pair(">&-", "standard output is closed"), std::pair("<&- >&-", "standard output is closed")}) {
      auto arguments = pixledger.arguments(command);
      arguments.insert(arguments.begin(), {"-c", std::string("exec \"$0\" \"$@\" ") + into,
                                           built_program("pixledger").string()});
      const auto result = run_process("/bin/sh", arguments);
      CHECK(result.code == 3);
      CHECK(result.err.find(problem) != std::string::npos);
    }
  }
  pixledger.done({"verify"});
}

TEST_CASE("a missing directory for temporary files is named with what to set") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  const auto result = run_process(built_program("pixledger"),
                                  pixledger.arguments({"export", "--what", "payments", "--format", "xlsx"}),
                                  {"TMPDIR=/nonexist"});
  CHECK(result.code == 3);
  CHECK(result.err.find("set TMPDIR to one that this user may write, it is /nonexist") != std::string::npos);
}

TEST_CASE("run as root, a command becomes the owner of the data directory") {
  if (::geteuid() != 0) {
    WARN("needs root");
    return;
  }
  constexpr uid_t kNobody = 65534;
  const PixledgerCommand pixledger;
  pixledger.create_project();
  std::filesystem::permissions(pixledger.directory(), std::filesystem::perms(0755));
  REQUIRE(::chown(pixledger.data().c_str(), kNobody, kNobody) == 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(pixledger.data())) {
    REQUIRE(::chown(entry.path().c_str(), kNobody, kNobody) == 0);
  }
  Process follower(built_program("pixledger"), pixledger.arguments({"events", "--follow"}));
  REQUIRE(follower.wait_for_out("\"position\":3,"));
  std::ifstream status("/proc/" + std::to_string(follower.pid()) + "/status");
  std::string text((std::istreambuf_iterator<char>(status)), std::istreambuf_iterator<char>());
  CHECK(text.find("Uid:\t65534\t65534\t65534\t65534") != std::string::npos);
  CHECK(text.find("Gid:\t65534\t65534\t65534\t65534") != std::string::npos);
}
