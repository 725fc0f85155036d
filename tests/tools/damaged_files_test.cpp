// Files beside the ledger, each needed by a part of the service: a damaged one stops only that part.
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/tools/doctor_findings.h"
#include "tests/tools/erasure_world.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

enum class Damage { kGarbage, kCut };

void damage(const fs::path& file, Damage kind) {
  const auto size = fs::file_size(file);
  REQUIRE(size > 1);
  if (kind == Damage::kCut) return fs::resize_file(file, size / 2);
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  for (std::uintmax_t at = 0; at < std::min<std::uintmax_t>(size, 4096); at += 4) out << "\xde\xad\xbe\xef";
}

// A data directory that all programs have worked on, in a good state again for each damage.
class Good {
 public:
  Good() {
    world_.start_server();
    world_.start_workers();
    Process providers(built_program("pixledger-providers"), world_.pixledger.arguments({}));
    Process expiry(built_program("pixledger-expiry"), world_.pixledger.arguments({}));
    charge_ = world_.create(zuleica());
    CHECK(world_.call("POST", "/api/sandbox/transactions/" + charge_ + "/pay").status == 200);
    REQUIRE(eventually([&] { return world_.has_email(); }));
    for (const auto* made : {"workers/providers/providers.db", "workers/expiry/data.mdb",
                             "workers/webhooks/deliveries.sqlite", "key-uses"})
      REQUIRE(eventually([&] { return fs::exists(file(made)); }));
    for (auto* const one : {&providers, &expiry}) {
      one->send(SIGTERM);
      CHECK(one->wait() == 0);
    }
    World::stop(world_.webhooks);
    World::stop(world_.emails);
    World::stop(world_.server);
    world_.pixledger.run({"verify"});  // writes operations.json
    fs::copy(world_.pixledger.data(), kept(), fs::copy_options::recursive);
  }

  World& world() { return world_; }
  fs::path file(const std::string& name) const { return world_.pixledger.data() / name; }
  // The newest read models.
  fs::path of_views(const std::string& name) const {
    for (const auto& entry : fs::directory_iterator(file("views")))
      if (entry.is_directory()) return entry.path() / name;
    throw std::runtime_error("there are no read models");
  }
  void restore() const {
    fs::remove_all(world_.pixledger.data());
    fs::copy(kept(), world_.pixledger.data(), fs::copy_options::recursive);
  }
  // Payers' and merchants' services go on.
  void check_served() const {
    CHECK(world_.call("POST", "/api/v1/transactions", somebody(1)).status == 201);
    CHECK(json_at(world_.call("GET", "/api/v1/transactions").body, "/meta/total") == "2");
    CHECK(world_.call("GET", "/api/v1/transactions/" + charge_).status == 200);
    CHECK(world_.call("GET", "/api/v1/exports/charges").status == 200);
    CHECK(world_.call("GET", "/api/v1/search?q=zuleica").status == 200);
    CHECK(world_.call("GET", "/readyz").status == 200);
    CHECK(world_.call("GET", "/metrics").status == 200);
  }

 private:
  fs::path kept() const { return world_.pixledger.directory() / "kept"; }

  World world_;
  std::string charge_;
};

}  // namespace

TEST_CASE(
    "a worker's damaged database stops only that worker, and every program that needs it names the file") {
  Good good;
  struct Database {
    std::string worker, file;
  };
  for (const auto& [worker, name] : std::vector<Database>{
           {"webhooks", "deliveries.sqlite"}, {"emails", "emails.sqlite"}, {"providers", "providers.db"}})
    for (const auto kind : {Damage::kGarbage, Damage::kCut}) {
      INFO(name << (kind == Damage::kCut ? ", cut" : ", overwritten"));
      good.restore();
      const auto file = good.file("workers/" + worker + "/" + name);
      damage(file, kind);
      good.world().start_server();
      good.check_served();
      const auto ended =
          run_process(built_program("pixledger-" + worker), good.world().pixledger.arguments({}));
      CHECK(ended.code == 3);
      CHECK(has(ended.out + ended.err, file.string()));
      CHECK(has(ended.out + ended.err, "pixledger doctor says what to do"));
      const auto found = good.world().pixledger.run({"doctor", "--json"});
      CHECK(found.code == 1);
      CHECK(is(found.out, "worker " + worker, "problem"));
      CHECK(has(of(found.out, "worker " + worker), file.string()));
      auto server = std::move(good.world().server);
      server->send(SIGTERM);
      CHECK(server->wait() == 0);
      // The metrics of that worker are left out.
      CHECK(has(server->out() + server->err(), file.string()));
    }
}

TEST_CASE("damaged files that are made again stop nothing") {
  Good good;
  const std::vector<std::string> beside{"key-uses", "views/run", "workers/expiry/data.mdb",
                                        "workers/expiry/checkpoint"};
  std::vector<fs::path> files;
  for (const auto& name : beside) files.push_back(good.file(name));
  for (const auto* name : {"data.mdb", "lists", "checkpoint"}) files.push_back(good.of_views(name));
  for (const auto& file : files)
    for (const auto kind : {Damage::kGarbage, Damage::kCut}) {
      INFO(file << (kind == Damage::kCut ? ", cut" : ", overwritten"));
      good.restore();
      damage(file, kind);
      good.world().start_server();
      good.check_served();
      Process expiry(built_program("pixledger-expiry"), good.world().pixledger.arguments({}));
      REQUIRE((expiry.wait_for_err("is at work") || expiry.wait_for_out("is at work")));
      const auto found = good.world().pixledger.run({"doctor", "--json"});
      CHECK(has(of(found.out, "worker expiry"), "runs"));
      CHECK_FALSE(has(found.out, "\"problem\""));
      expiry.send(SIGTERM);
      CHECK(expiry.wait() == 0);
      World::stop(good.world().server);
    }
}

TEST_CASE("a damaged record of backups and verifications is reported by the doctor, and rewritten") {
  Good good;
  const auto file = good.file("operations.json");
  for (const auto kind : {Damage::kGarbage, Damage::kCut}) {
    good.restore();
    damage(file, kind);
    const auto found = good.world().pixledger.run({"doctor", "--json"});
    CHECK(is(found.out, "backup", "warning"));
    CHECK(has(of(found.out, "backup"), file.string() + " is damaged"));
    good.world().check_verified();
    CHECK(is(good.world().pixledger.run({"doctor", "--json"}).out, "verification", "ok"));
  }
}

TEST_CASE("a damaged key file stops programs that open sealed data, and is named") {
  Good good;
  for (const auto* name : {"keys/keyring", "keys/master.key"})
    for (const auto kind : {Damage::kGarbage, Damage::kCut}) {
      INFO(name);
      good.restore();
      damage(good.file(name), kind);
      const auto ended = run_process(built_program("pixledger-server"),
                                     good.world().pixledger.arguments({"--listen", "127.0.0.1:0"}));
      CHECK(ended.code == 3);
      CHECK(has(ended.out + ended.err, good.file(name).string()));
      CHECK(has(good.world().pixledger.run({"doctor"}).out, good.file(name).string()));
    }
}
