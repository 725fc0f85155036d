#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdlib.h>

#include "eventstore/ledger_options.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// An environment variable that the destructor removes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class Redirected {
 public:
  explicit Redirected(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~Redirected() { stream_.rdbuf(before_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* before_;
};

// A program with options of its own and a command with options of its own.
struct Program {
  eventstore::LedgerOptions common;
  std::string listen = "default";
  std::vector<std::string> targets;
  bool dev = false;
  std::int64_t from = 0;
  int runs = 0;
  std::string err;
  std::string out;

  int run(std::vector<std::string> arguments, ProgramKind kind = ProgramKind::kCommand) {
    return run(std::move(arguments), kind, [this] {
      ++runs;
      return 0;
    });
  }

  int run(std::vector<std::string> arguments, ProgramKind kind, const std::function<int()>& body) {
    CommandLine app("A program");
    add_common_options(app, common);
    CommandLine up = app.add_command("up", "");
    up.add_option("--listen", listen, "");
    up.add_list_option("--allow-target", targets, "");
    up.add_flag("--dev,!--no-dev", dev, "");
    app.add_command("report", "").add_option("--from", from, "");
    std::vector<const char*> pointers{"/usr/bin/program"};
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    const Redirected to_err(std::cerr);
    const Redirected to_out(std::cout);
    const int code = eventstore::run_on_ledger(app, common, static_cast<int>(pointers.size()),
                                               pointers.data(), kind, body);
    err = to_err.text();
    out = to_out.text();
    return code;
  }
};

struct File {
  TemporaryDirectory directory;
  std::string path = directory.path() / "config.toml";
  explicit File(const std::string& text) { std::ofstream(path) << text; }
};

constexpr std::size_t kGiB = std::size_t{1} << 30;

}  // namespace

TEST_CASE("without any options there are defaults") {
  Program program;
  REQUIRE(program.run({}) == 0);
  CHECK(program.runs == 1);
  CHECK(program.common.data.root == "data");
  CHECK(program.common.map_bytes == 1024 * kGiB);
  CHECK(program.common.lmdb().map_bytes == 1024 * kGiB);
}

TEST_CASE("common options stand before or after the command") {
  Program before;
  REQUIRE(before.run({"--data", "elsewhere", "--map-size", "2GiB", "up"}) == 0);
  CHECK(before.common.data.root == "elsewhere");
  CHECK(before.common.map_bytes == 2 * kGiB);
  Program after;
  REQUIRE(after.run({"up", "--data=elsewhere", "--map-size=1073741824"}) == 0);
  CHECK(after.common.data.root == "elsewhere");
  CHECK(after.common.map_bytes == kGiB);
}

TEST_CASE("every option is an environment variable as well, lists with commas") {
  const Variable map_size("PIXLEDGER_MAP_SIZE", "2GiB");
  const Variable listen("PIXLEDGER_LISTEN", "from environment");
  const Variable targets("PIXLEDGER_ALLOW_TARGET", "10.0.0.0/8,11.0.0.0/8");
  const Variable dev("PIXLEDGER_DEV", "true");
  const Variable log_format("PIXLEDGER_LOG_FORMAT", "text");
  Program program;
  REQUIRE(program.run({"up"}) == 0);
  CHECK(program.common.map_bytes == 2 * kGiB);
  CHECK(program.common.log_format == LogFormat::kText);
  CHECK(program.listen == "from environment");
  CHECK(program.targets == std::vector<std::string>{"10.0.0.0/8", "11.0.0.0/8"});
  CHECK(program.dev);
}

TEST_CASE("every option is a key of the configuration file as well") {
  const File file(
      "map-size = \"2GiB\"\n[up]\nlisten = \"from file\"\nallow-target = [\"10.0.0.0/8\", \"11.0.0.0/8\"]\n");
  Program program;
  REQUIRE(program.run({"up", "--config", file.path}) == 0);
  CHECK(program.common.map_bytes == 2 * kGiB);
  CHECK(program.common.config == file.path);
  CHECK(program.listen == "from file");
  CHECK(program.targets.size() == 2);
}

TEST_CASE("a key outside any section belongs to the command in use, and one of another program is ignored") {
  const File file("listen = \"from file\"\ndev = true\nsmtp = \"of another program\"\n");
  Program program;
  REQUIRE(program.run({"up", "--config", file.path}) == 0);
  CHECK(program.listen == "from file");
  CHECK(program.dev);
  Program other;
  REQUIRE(other.run({"report", "--config", file.path}) == 0);
  CHECK(other.listen == "default");
}

TEST_CASE("a flag wins over the environment, which wins over the file, which wins over the default") {
  const File file("listen = \"from file\"\nmap-size = \"3GiB\"\n");
  const Variable config("PIXLEDGER_CONFIG", file.path);
  Program from_file;
  REQUIRE(from_file.run({"up"}) == 0);
  CHECK(from_file.listen == "from file");
  CHECK(from_file.common.map_bytes == 3 * kGiB);
  CHECK(from_file.common.config == file.path);

  const Variable listen("PIXLEDGER_LISTEN", "from environment");
  const Variable map_size("PIXLEDGER_MAP_SIZE", "2GiB");
  Program from_environment;
  REQUIRE(from_environment.run({"up"}) == 0);
  CHECK(from_environment.listen == "from environment");
  CHECK(from_environment.common.map_bytes == 2 * kGiB);

  Program from_flag;
  REQUIRE(from_flag.run({"--map-size", "1GiB", "up", "--listen", "from flag"}) == 0);
  CHECK(from_flag.listen == "from flag");
  CHECK(from_flag.common.map_bytes == kGiB);
}

TEST_CASE("a flag overrides what the environment says") {
  const Variable dev("PIXLEDGER_DEV", "true");
  Program program;
  REQUIRE(program.run({"up", "--no-dev"}) == 0);
  CHECK_FALSE(program.dev);
}

TEST_CASE("a variable for one command is no bad value of another") {
  const Variable from("PIXLEDGER_FROM", "2026-01-01");
  CHECK(Program().run({"up"}) == 0);
  CHECK(Program().run({"report"}) == 2);
}

TEST_CASE("a list takes one value a flag, or several with commas") {
  Program program;
  REQUIRE(program.run({"up", "--allow-target", "a", "--allow-target", "b,c"}) == 0);
  CHECK(program.targets == std::vector<std::string>{"a", "b", "c"});
  CHECK(Program().run({"up", "--allow-target", "a", "b"}) == 2);
}

TEST_CASE("bad options are usage errors and the body does not run") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--unknown"},
                                             {"nothing"},
                                             {"--map-size", "12"},
                                             {"--map-size", "large"},
                                             {"--map-size", "1000PiB"},
                                             {"--log-format", "xml"},
                                             {"--data", ""},
                                             {"--config", "/nowhere/at/all.toml"}}) {
    Program program;
    CHECK(program.run(arguments) == 2);
    CHECK(program.runs == 0);
    CHECK(program.err.find("program: ") == 0);
    CHECK(program.out.empty());
  }
}

TEST_CASE("an unknown command is named") {
  Program program;
  CHECK(program.run({"bogus", "--data", "x"}) == 2);
  CHECK(program.err == "program: unknown command 'bogus'; see program --help\n");
}

TEST_CASE("for a misspelt name the nearest known one is suggested") {
  const auto err_of = [](const std::vector<std::string>& arguments) {
    Program program;
    CHECK(program.run(arguments) == 2);
    return program.err;
  };
  const auto means = [](const std::string& text, const std::string& name) {
    return text.find("did you mean " + name + "?") != std::string::npos;
  };
  CHECK(means(err_of({"--map-szie", "2GiB"}), "--map-size"));
  CHECK(means(err_of({"up", "--lisen=127.0.0.1:0"}), "--listen"));
  CHECK(means(err_of({"up", "--alow-target", "10.0.0.0/8"}), "--allow-target"));
  CHECK(means(err_of({"repotr"}), "report"));
  for (const std::string unlike : {"--something-else", "--x"})
    CHECK(err_of({unlike}).find("did you mean") == std::string::npos);
}

TEST_CASE("help and version go to stdout and are done") {
  Program help;
  CHECK(help.run({"--help"}) == 0);
  CHECK(help.out.find("PIXLEDGER_MAP_SIZE") != std::string::npos);
  CHECK(help.runs == 0);
  Program version;
  CHECK(version.run({"--version"}) == 0);
  CHECK(version.out.find("pixledger ") == 0);
}

TEST_CASE("the body's code is the program's") {
  Program program;
  CHECK(program.run({}, ProgramKind::kCommand, [] { return 1; }) == 1);
}

TEST_CASE("an exception is a fault, reported in one line") {
  Program command;
  CHECK(command.run({}, ProgramKind::kCommand,
                    []() -> int { throw std::runtime_error("the disk is full"); }) == 3);
  CHECK(command.err == "program: the disk is full\n");
}

TEST_CASE("a usage error thrown by the body is reported as one") {
  Program program;
  CHECK(program.run({}, ProgramKind::kCommand, []() -> int { throw UsageError("--x must be y"); }) == 2);
  CHECK(program.err.find("program: --x must be y\n") == 0);
}
