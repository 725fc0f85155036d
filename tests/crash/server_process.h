#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tests/support/servers/process.h"

namespace pixledger::tests {

// A data directory with one project, made by `pixledger project create`.
struct LiveData {
  std::filesystem::path root;
  std::string map_size;  // a value of --map-size
  std::string project_id;
  std::string test_key;

  static LiveData create(const std::filesystem::path& root, const std::string& map_size = "1GiB");
  std::filesystem::path ledger() const { return root / "ledger"; }
  eventstore::LmdbOptions lmdb() const;
  // Returns the exit code of `pixledger verify`. Prints its output if that is not 0.
  int verify() const;
};

struct ServerStart {
  std::string program;                 // empty: the real server
  std::vector<std::string> arguments;  // additional ones
  std::vector<std::string> environment;
};

// A server on a free port.
class ServerProcess {
 public:
  ServerProcess(const LiveData& data, const ServerStart& start = {});

  // Returns as soon as it accepts requests. Throws if it ended instead.
  void wait_until_ready();
  std::uint16_t port() const { return port_; }
  void kill_now();
  // Sends SIGTERM. Returns the exit code. Throws if it does not end.
  int stop();
  int wait();

 private:
  std::filesystem::path port_file_;
  Process process_;
  std::uint16_t port_ = 0;
};

}  // namespace pixledger::tests
