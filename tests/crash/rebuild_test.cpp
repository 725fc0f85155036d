#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "projections/generations/generation_directory.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/support/ledgers/first_row.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
namespace fs = std::filesystem;

namespace {

using projections::GenerationDirectory;

const std::string kOwnPrefix = std::to_string(projections::kViewSetVersion) + "-";

std::vector<std::string> rebuild_arguments(const LiveData& data) {
  return {"--data", data.root.string(), "--map-size", data.map_size, "projections", "rebuild", "--json"};
}

ProcessResult run_rebuild(const LiveData& data) {
  return run_process(pixledger::tests::program_file("pixledger"), rebuild_arguments(data), {},
                     std::chrono::seconds(120));
}

std::vector<GenerationDirectory> generations_of(const LiveData& data) {
  return projections::find_generations(data.root / "views");
}

void await(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it never came true");
    std::this_thread::yield();
  }
}

bool is_one_complete(const LiveData& data) {
  const auto found = generations_of(data);
  return found.size() == 1 && found.front().is_complete();
}

std::vector<AskedCharge> load_some(const LiveData& data, const ServerProcess& server, const char* name) {
  LoadOptions options;
  options.name = name;
  Load load(server.port(), data.test_key, options);
  REQUIRE(load.wait_for_acknowledged(200));
  load.stop();
  return load.finish();
}

// Answers made from the read models: status checks, lists, searches and the feed.
std::vector<std::string> answers_of(std::uint16_t port, const std::string& key,
                                    const std::vector<AskedCharge>& charges) {
  ApiClient client(port, key);
  std::vector<std::string> paths = {
      "/api/v1/transactions?limit=100", "/api/v1/transactions?limit=50&page=2&status=paid",
      "/api/v1/transactions?search=crash", "/api/v1/customers?limit=100", "/api/v1/events?limit=1000"};
  for (std::size_t i = 0; i < charges.size() && i < 100; ++i) {
    if (!charges[i].id.empty()) paths.push_back("/api/transactions/" + charges[i].id);
  }
  std::vector<std::string> answers;
  for (const auto& path : paths) {
    const auto answer = client.get(path);
    REQUIRE(answer);
    INFO(path << " " << answer->body);
    REQUIRE(answer->status == 200);
    answers.push_back(answer->body);
  }
  return answers;
}

std::size_t count_failed(const std::vector<AskedCharge>& asked) {
  std::size_t failed = 0;
  for (const auto& charge : asked) {
    if (charge.status != 201 || (charge.pay_asked && charge.pay_status != 200)) ++failed;
  }
  return failed;
}

// Damages a row of the generation in use.
void damage_a_charge(const LiveData& data) {
  change_first_row(generations_of(data).front().path, data.lmdb(), "charges",
                   [](std::string& row) { row.resize(row.size() / 2); });
}

}  // namespace

TEST_CASE("read models are rebuilt next to a loaded server without a failed request") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  ServerProcess server(data);
  server.wait_until_ready();
  LoadOptions options;
  options.name = "rebuild";
  Load load(server.port(), data.test_key, options);
  REQUIRE(load.wait_for_acknowledged(300));
  for (int i = 0; i < 3; ++i) {
    const auto rebuilt = run_rebuild(data);
    INFO(rebuilt.out << rebuilt.err);
    CHECK(rebuilt.code == 0);
    CHECK(rebuilt.out.find("\"equal\":true") != std::string::npos);
    CHECK(rebuilt.out.find("\"adopted\":true") != std::string::npos);
    CHECK(load.wait_for_acknowledged(load.acknowledged() + 50));
    // Verifications, too, compare rows while they change.
    CHECK(data.verify() == 0);
    const auto verified =
        run_process(pixledger::tests::program_file("pixledger"),
                    {"--data", data.root.string(), "--map-size", data.map_size, "projections", "verify"});
    INFO(verified.out << verified.err);
    CHECK(verified.code == 0);
  }
  load.stop();
  const auto asked = load.finish();
  CHECK(count_failed(asked) == 0);
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
  CHECK(is_one_complete(data));
  CHECK(generations_of(data).front().number == 4);

  const auto before = answers_of(server.port(), data.test_key, asked);
  CHECK(run_rebuild(data).code == 0);
  CHECK(answers_of(server.port(), data.test_key, asked) == before);
  CHECK(server.stop() == 0);
  CHECK(data.verify() == 0);
}

TEST_CASE("a killed rebuild leaves nothing behind next to a running server") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  ServerProcess server(data);
  server.wait_until_ready();
  const auto asked = load_some(data, server, "tool-killed");
  const auto before = answers_of(server.port(), data.test_key, asked);
  for (int i = 0; i < 10; ++i) {
    const auto newest = generations_of(data).front().number;
    {
      Process tool(pixledger::tests::program_file("pixledger"), rebuild_arguments(data));
      await([&] { return generations_of(data).front().number > newest; });
      tool.send(SIGKILL);
      tool.wait();
    }
    await([&] { return is_one_complete(data); });
    CHECK(answers_of(server.port(), data.test_key, asked) == before);
  }
  CHECK(run_rebuild(data).code == 0);
  CHECK(server.stop() == 0);
}

TEST_CASE("what a killed rebuild left is removed by the next start of a server") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  fs::create_directories(data.root / "views" / (kOwnPrefix + "7"));
  std::ofstream(data.root / "views" / (kOwnPrefix + "7") / "BUILDING") << "1\n";
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(is_one_complete(data));
}

TEST_CASE("a server that is killed while it adopts read models starts with right ones") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  std::vector<AskedCharge> asked;
  for (unsigned i = 0; i < 6; ++i) {
    ServerProcess server(data);
    server.wait_until_ready();
    const auto more = load_some(data, server, ("server-killed-" + std::to_string(i)).c_str());
    asked.insert(asked.end(), more.begin(), more.end());
    const auto newest = generations_of(data).front();
    Process tool(pixledger::tests::program_file("pixledger"), rebuild_arguments(data));
    await([&] {
      const auto next = generations_of(data).front();
      return next.number > newest.number && (i % 2 == 0 || next.is_complete());
    });
    // Kills at a random moment of the search for it, the opening, the exchange or the deletion.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(i * 40);
    await([&] { return std::chrono::steady_clock::now() >= until; });
    server.kill_now();
    tool.send(SIGKILL);
    tool.wait();

    ServerProcess next(data);
    next.wait_until_ready();
    // The tool's last action may end a moment after the tool.
    await([&] { return is_one_complete(data); });
    CHECK(count_wrong_answers(next.port(), data.test_key, asked) == 0);
    CHECK(next.stop() == 0);
  }
}

TEST_CASE("without a server a rebuild leaves read models that the next server opens") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  std::vector<AskedCharge> asked;
  {
    ServerProcess server(data);
    server.wait_until_ready();
    asked = load_some(data, server, "without");
    CHECK(server.stop() == 0);
  }
  const auto rebuilt = run_rebuild(data);
  INFO(rebuilt.out << rebuilt.err);
  CHECK(rebuilt.code == 0);
  CHECK(rebuilt.out.find("\"adopted\":null") != std::string::npos);
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(is_one_complete(data));
  CHECK(generations_of(data).front().number == 2);
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
}

TEST_CASE("a damaged row in use is reported and healed by a rebuild") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  std::vector<AskedCharge> asked;
  {
    ServerProcess server(data);
    server.wait_until_ready();
    asked = load_some(data, server, "damaged");
    CHECK(server.stop() == 0);
  }
  damage_a_charge(data);
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 1);
  const auto rebuilt = run_rebuild(data);
  INFO(rebuilt.out << rebuilt.err);
  CHECK(rebuilt.code == 1);
  CHECK(rebuilt.out.find(R"({"table":"charges","rows":1})") != std::string::npos);
  CHECK(rebuilt.out.find("\"adopted\":true") != std::string::npos);
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
  CHECK(run_rebuild(data).code == 0);
}

TEST_CASE("read models whose pages are garbage do not keep a rebuild from ending") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  std::vector<AskedCharge> asked;
  {
    ServerProcess server(data);
    server.wait_until_ready();
    asked = load_some(data, server, "garbage");
    CHECK(server.stop() == 0);
  }
  const auto file = generations_of(data).front().path / "data.mdb";
  {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(16384);
    out << std::string(fs::file_size(file) - 16384, '\xa7');
  }
  const auto rebuilt = run_rebuild(data);
  INFO(rebuilt.out << rebuilt.err);
  CHECK(rebuilt.code == 1);
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(generations_of(data).front().number == 2);
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
}

TEST_CASE("a server leaves alone what another release has built") {
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  ServerProcess server(data);
  server.wait_until_ready();
  const auto newer = data.root / "views" / (std::to_string(projections::kViewSetVersion + 1) + "-1");
  const auto being_built = data.root / "views" / (std::to_string(projections::kViewSetVersion + 1) + "-2");
  fs::create_directory(being_built);
  fs::create_directory(newer);
  std::ofstream(newer / "COMPLETE") << "";
  CHECK(run_rebuild(data).code == 0);
  CHECK(server.stop() == 0);
  CHECK(fs::exists(newer / "COMPLETE"));
  CHECK(fs::exists(being_built));
}
