#include "tests/crash/server_process.h"

#include <csignal>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "tests/support/paths.h"

namespace pixledger::tests {
namespace {

// A limit that is never reached, even with sanitizers and on busy machines.
constexpr std::chrono::seconds kPatience{120};

std::vector<std::string> server_arguments(const LiveData& data, const ServerStart& start,
                                          const std::filesystem::path& port_file) {
  std::filesystem::remove(port_file);
  std::vector<std::string> arguments = {
      "--data",      data.root.string(), "--map-size",       data.map_size,  "--listen",
      "127.0.0.1:0", "--port-file",      port_file.string(), "--log-format", "json"};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  return arguments;
}

ProcessResult run_pixledger(const std::filesystem::path& data, const std::string& map_size,
                            const std::vector<std::string>& command) {
  std::vector<std::string> arguments = {"--data", data.string(), "--map-size", map_size};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return run_process(pixledger::tests::program_file("pixledger"), arguments, {}, kPatience);
}

std::string text_of_field(const std::string& json, const std::string& name) {
  const auto start = json.find("\"" + name + "\":\"");
  if (start == std::string::npos) throw std::runtime_error("no " + name + " in " + json);
  const auto value = start + name.size() + 4;
  return json.substr(value, json.find('"', value) - value);
}

}  // namespace

LiveData LiveData::create(const std::filesystem::path& root, const std::string& map_size) {
  const auto created = run_pixledger(root, map_size, {"project", "create", "--name", "Crash test", "--json"});
  if (created.code != 0) throw std::runtime_error("cannot make a project: " + created.err);
  return {root, map_size, text_of_field(created.out, "projectId"), text_of_field(created.out, "testKey")};
}

eventstore::LmdbOptions LiveData::lmdb() const {
  eventstore::LmdbOptions lmdb;
  const auto number = std::stoull(map_size);
  lmdb.map_bytes = map_size.find("GiB") != std::string::npos ? number << 30 : number << 20;
  return lmdb;
}

int LiveData::verify() const {
  const auto verified = run_pixledger(root, map_size, {"verify"});
  if (verified.code != 0) std::cout << "pixledger verify: " << verified.out << verified.err << std::endl;
  return verified.code;
}

ServerProcess::ServerProcess(const LiveData& data, const ServerStart& start)
    : port_file_(data.root.string() + ".port"),
      process_(start.program.empty() ? pixledger::tests::program_file("pixledger-server") : start.program,
               server_arguments(data, start, port_file_), start.environment) {}

void ServerProcess::wait_until_ready() {
  const bool is_ready = process_.wait_for_out("ready on", kPatience);
  std::ifstream(port_file_) >> port_;
  if (!is_ready || port_ == 0) throw std::runtime_error("the server is not ready: " + process_.err());
}

void ServerProcess::kill_now() {
  process_.send(SIGKILL);
  wait();
}

int ServerProcess::stop() {
  process_.send(SIGTERM);
  return wait();
}

int ServerProcess::wait() {
  const auto code = process_.wait(kPatience);
  if (!code) throw std::runtime_error("the server does not end: " + process_.err());
  return *code;
}

}  // namespace pixledger::tests
