#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {

// A data directory with a project, a channel and a paid charge, its backups, and their restores.
struct BackupWorld {
  PixledgerCommand pixledger;
  std::string project = json_at(pixledger.create_project(), "/projectId");

  BackupWorld() {
    pixledger.done({"channel", "add", "--project", project, "--url", "http://127.0.0.1:9/", "--allow-http",
                    "--allow-target", "127.0.0.0/8"});
    add_paid_charge();
  }

  // Two events, and one more of the customer the first time.
  void add_paid_charge() const {
    LedgerWithCharges ledger(pixledger.data());
    const auto id = domain::ProjectId::parse(project).value();
    ledger.pay(id, ledger.create_charge(id));
  }

  std::filesystem::path path(const std::string& name) const { return pixledger.directory() / name; }

  // `backup NAME --json …` of the data directory.
  ProcessResult try_backup(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"backup", path(name).string(), "--json"});
    return pixledger.run(more);
  }
  std::string backup(const std::string& name, std::vector<std::string> more = {}) const {
    const auto result = try_backup(name, std::move(more));
    INFO(result.err);
    REQUIRE(result.code == 0);
    return result.out;
  }

  // Any command on another data directory.
  ProcessResult run_on(const std::string& data, std::vector<std::string> arguments) const {
    for (const auto& argument : {std::string("--data"), path(data).string(), std::string("--map-size=1GiB")})
      arguments.push_back(argument);
    return run_process(built_program("pixledger"), arguments);
  }
  std::string done_on(const std::string& data, std::vector<std::string> arguments) const {
    const auto result = run_on(data, std::move(arguments));
    INFO(result.out << result.err);
    REQUIRE(result.code == 0);
    return result.out;
  }

  // `restore FROM… --json …` to a data directory of that name.
  ProcessResult try_restore(const std::string& data, const std::vector<std::string>& from,
                            const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"restore", "--json"};
    for (const auto& name : from) arguments.push_back(path(name).string());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_on(data, arguments);
  }
  std::string restore(const std::string& data, const std::vector<std::string>& from,
                      const std::vector<std::string>& more = {}) const {
    const auto result = try_restore(data, from, more);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return result.out;
  }

  // Every event as a line.
  std::string events() const { return pixledger.done({"events"}); }
  std::string events_of(const std::string& data) const { return done_on(data, {"events"}); }
};

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace pixledger::tests
