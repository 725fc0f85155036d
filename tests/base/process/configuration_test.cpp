#include "base/process/configuration.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/process/service_options.h"
#include "eventstore/ledger_options.h"
#include "tests/support/temporary_directory.h"

// Configuration files of a program with commands, and of a service, which has none.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct Program {
  TemporaryDirectory directory;
  std::string path = directory.path() / "config.toml";
  eventstore::LedgerOptions common;
  pixledger::ServerOptions server;
  std::string from;
  bool explains = false;  // as `pixledger doctor` does
  int code = -1;
  bool ran = false;

  // Returns the problems found, without the file's name.
  std::vector<std::string> read(const std::string& toml, std::vector<std::string> arguments = {"up"}) {
    std::ofstream(path) << toml;
    CommandLine line("A program");
    add_common_options(line, common);
    const bool is_service = arguments.empty();
    if (is_service) {
      add_server_options(line, server);
    } else {
      auto up = line.add_command("up", "");
      add_server_options(up, server);
      auto group = line.add_command("group", "");
      group.add_command("report", "").add_option("--from", from, "");
      if (explains) common.explains_configuration = "up";
    }
    arguments.insert(arguments.begin(), {"program", "--config", path});
    std::vector<const char*> pointers;
    for (const auto& argument : arguments) pointers.push_back(argument.c_str());
    code = eventstore::run_on_ledger(line, common, static_cast<int>(pointers.size()), pointers.data(),
                                     ProgramKind::kService, [this] {
                                       ran = true;
                                       return 0;
                                     });
    auto problems = common.configuration_problems;
    for (auto& problem : problems) {
      REQUIRE(problem.find(path + ":") == 0);
      problem.erase(0, path.size() + 1);
    }
    return problems;
  }
};

using Problems = std::vector<std::string>;

// Returns the problem that stops both a program with commands and a service from starting.
std::string refused(const std::string& toml) {
  Program program;
  Program service;
  const auto problems = program.read(toml);
  CHECK(service.read(toml, {}) == problems);
  CHECK((program.code == 2 && service.code == 2));
  CHECK_FALSE((program.ran || service.ran));
  return problems.size() == 1 ? problems.front() : std::to_string(problems.size()) + " problems";
}

}  // namespace

TEST_CASE("a configuration file that is no TOML is refused at the place of its first error") {
  CHECK(refused("data = \"d1\n").rfind("1:", 0) == 0);
  CHECK(refused("map-size = \"2GiB\"\nlisten \"x\"\n").rfind("2:", 0) == 0);
  CHECK(refused("listen = \"a:1\"\nlisten = \"b:1\"\n").rfind("2:", 0) == 0);
}

TEST_CASE("keys and tables unknown to every program are refused") {
  CHECK(refused("# here\n  listen-on = \"x\"\n") ==
        "2:3: no program knows the key listen-on; did you mean listen?");
  CHECK(refused("[server]\nlisten = \"a:1\"\n") == "1:2: no program knows the table [server]");
  CHECK(refused("smtp.user = \"u\"\n") == "1:1: no program knows the table [smtp]");
  CHECK(refused("config = \"other.toml\"\n") == "1:1: no program knows the key config");
}

TEST_CASE("a value of the wrong kind is refused, also one of another program") {
  CHECK(refused("rate-live = \"x\"\n") == "1:13: rate-live must be an integer");
  CHECK(refused("listen = 5\n") == "1:10: listen must be a string");
  CHECK(refused("allow-http = \"true\"\n") == "1:14: allow-http must be true or false");
  CHECK(refused("allow-target = [\"10.0.0.0/8\", 5]\n") == "1:16: allow-target must be an array of strings");
  CHECK(refused("attempt-timeout = \"15\"\n") == "1:19: attempt-timeout must be a number");
  CHECK(refused("smtp = [\"a:25\"]\n") == "1:8: smtp must be a string");
  CHECK(refused("map-size = true\n") == "1:12: map-size must be a number of bytes, such as \"64GiB\"");
  CHECK(refused("[[listen]]\n").find("listen must be a string") != std::string::npos);
}

TEST_CASE("an invalid value is refused with its place in the file") {
  CHECK(refused("\nrate-live = 1000001\n") == "2:13: rate-live: Value 1000001 not in range 0 to 1000000");
  CHECK(refused("tls-cert = \"/usr\"\n") == "1:12: tls-cert: must be a file, and /usr is a directory");
}

TEST_CASE("all problems are reported at once") {
  CHECK(Program().read("listen = 5\nbogus = 1\n") ==
        Problems{"1:10: listen must be a string", "2:1: no program knows the key bogus"});
}

TEST_CASE("values of every kind come from the file") {
  Program program;
  REQUIRE(
      program
          .read("map-size = 1073741824\nlisten = 'h:1'\nrate-live = 1_000\nallow-http = true\n"
                "trusted-proxy = [\n  \"10.0.0.0/8\", # ours\n  \"::1/128\",\n]\nallow-target = \"a,b\"\n")
          .empty());
  CHECK(program.common.map_bytes == std::size_t{1} << 30);
  CHECK(program.server.listen == "h:1");
  CHECK(program.server.rate_live_per_s == 1000);
  CHECK(program.server.allow_http);
  CHECK(program.server.trusted_proxies == Problems{"10.0.0.0/8", "::1/128"});
  CHECK(program.server.allowed_targets == Problems{"a", "b"});
}

TEST_CASE("a command's table is for that command, with dotted keys as well") {
  Program in_use;
  REQUIRE(in_use.read("up.listen = \"h:1\"\n[group.report]\nfrom = \"then\"\n").empty());
  CHECK(in_use.server.listen == "h:1");
  CHECK(in_use.from.empty());
  Program other;
  REQUIRE(
      other.read("[group]\nreport.from = \"then\"\n[up]\nlisten = \"h:1\"\n", {"group", "report"}).empty());
  CHECK(other.from == "then");
  CHECK(other.server.listen == "127.0.0.1:8080");
  CHECK(Program().read("[up]\nbogus = 1\n[group.bogus]\n[report]\n") ==
        Problems{"2:1: no program knows the key up.bogus", "3:8: no program knows the table [group.bogus]",
                 "4:2: no program knows the table [report]"});
}

TEST_CASE("another program's options are left to that program") {
  Program service;
  CHECK(service
            .read("smtp = \"h:25\"\nretry-schedule = \"0\"\ntimezone = \"UTC\"\n[report]\nfrom = \"x\"\n", {})
            .empty());
  CHECK(service.code == 0);
}

TEST_CASE("a command that reports a wrong file itself runs, with the file's valid values") {
  Program program;
  program.explains = true;
  CHECK(program.read("listen = \"h:1\"\nbogus = 1\n").size() == 1);
  CHECK(program.ran);
  CHECK(program.server.listen == "h:1");
  Program other;
  other.explains = true;
  CHECK(other.read("bogus = 1\n", {"group", "report"}).size() == 1);
  CHECK(other.code == 2);
}

TEST_CASE("options that are missing because the file is wrong are not reported") {
  Program program;
  CHECK(program.read("listen = 5\n", {"up", "--bogus"}).size() == 1);
  CHECK(program.code == 2);
}

TEST_CASE("a service's options can be checked without starting it") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "config.toml";
  std::ofstream(file) << "listen = \"h:1\"\nrate-live = 2000000\n";
  CommandLine line("");
  pixledger::ServerOptions options;
  add_server_options(line, options);
  const auto read = read_options(line, file);
  CHECK(read.problems ==
        Problems{file.string() + ":2:13: rate-live: Value 2000000 not in range 0 to 1000000"});
  CHECK(read.places == OptionPlaces{{"listen", file.string() + ":1:10"}});
  CHECK(options.listen == "h:1");
  CHECK(options.rate_live_per_s == 0);
}

TEST_CASE("a program refuses values of the file with their place") {
  const OptionPlaces places{{"tls-key", "f.toml:2:11"}, {"from", "f.toml:3:8"}};
  const auto told = [&](const std::string& usage) { return located(place_of(usage, places), usage); };
  CHECK(told("--from must not be after --to") == "f.toml:3:8: from must not be after to");
  CHECK(told("--tls-cert and --tls-key go together") == "f.toml:2:11: tls-cert and tls-key go together");
  CHECK(place_of("--listen must be HOST:PORT", places).empty());
  CHECK(place_of("-- is no option, nor is --", places).empty());
}

TEST_CASE("a value from a flag or the environment has no place in the file") {
  Program flagged;
  flagged.read("listen = \"h:1\"\nrate-live = 5\n", {"up", "--listen", "h:2"});
  CHECK(flagged.code == 0);
  CHECK(flagged.common.configured_at == OptionPlaces{{"rate-live", flagged.path + ":2:13"}});
}
