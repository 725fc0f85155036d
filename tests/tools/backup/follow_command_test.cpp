#include <csignal>
#include <thread>

#include "tests/tools/backup/backup_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace fs = std::filesystem;

namespace {

struct FollowWorld : BackupWorld {
  ProcessResult try_follow(const std::string& target, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"follow", "--once", "--to", target});
    return pixledger.run(more);
  }
  void follow(const std::string& target, std::vector<std::string> more = {}) const {
    const auto result = try_follow(target, std::move(more));
    INFO(result.err);
    REQUIRE(result.code == 0);
  }
  std::string target() const { return path("t").string(); }
};

void write_file(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("what was followed restores and verifies, and the restored ledger continues the target") {
  const FollowWorld world;
  world.follow(world.target());
  CHECK(fs::exists(world.path("t") / "LEDGER"));
  CHECK(fs::exists(world.path("t") / "MANIFEST-1"));
  const auto checkpoint = world.pixledger.done({"checkpoint"});
  write_file(world.path("checkpoint"), checkpoint);

  const auto verified = world.pixledger.done(
      {"backup", "verify", world.target(), "--against", world.path("checkpoint").string(), "--json"});
  CHECK(json_at(verified, "/sound") == "true");
  CHECK(json_at(verified, "/against") == "consistent");
  CHECK(json_at(verified, "/lastPosition") == "7");
  CHECK(json_at(verified, "/rootHash") == json_at(world.pixledger.done({"verify", "--json"}), "/rootHash"));

  const auto restored = world.restore("r", {"t"}, {"--keys", world.pixledger.data().string() + "/keys"});
  CHECK(json_at(restored, "/target") == world.target());
  CHECK(json_at(restored, "/lastPosition") == "7");
  CHECK(world.events_of("r") == world.events());
  CHECK(world.run_on("r", {"verify"}).code == 0);

  CHECK(world.run_on("r", {"follow", "--once", "--to", world.target()}).code == 3);
  CHECK(world.run_on("r", {"follow", "--once", "--to", world.target(), "--take-over"}).code == 0);
  const auto fenced = world.try_follow(world.target());
  CHECK(fenced.code == 3);
  CHECK(says(fenced.err, "fenced"));
  const auto epoch = json_at(restored, "/epoch");
  CHECK(json_at(world.pixledger.done({"backup", "verify", world.target(), "--json"}), "/epoch") == epoch);
}

TEST_CASE("a restore of a target ends where it is told to") {
  const FollowWorld world;
  world.follow(world.target());
  CHECK(json_at(world.restore("until", {"t"}, {"--until-position", "4"}), "/lastPosition") == "4");
  CHECK(json_at(world.restore("at", {"t"}, {"--at", "2100-01-01T00:00:00-03:00"}), "/lastPosition") == "7");
  CHECK(world.try_restore("early", {"t"}, {"--at", "2001-01-01T00:00:00Z"}).code == 1);
  CHECK(world.try_restore("both", {"t"}, {"--at", "2100-01-01T00:00:00Z", "--until-position", "4"}).code ==
        2);
  CHECK(world.try_restore("local", {"t"}, {"--at", "2100-01-01T00:00:00"}).code == 2);
  CHECK(world.try_restore("epoch", {"t"}, {"--epoch", "77"}).code == 3);
  CHECK_FALSE(fs::exists(world.path("early") / "ledger"));
}

TEST_CASE("another backup is proven as a target is") {
  const FollowWorld world;
  world.backup("b");
  const auto verify = [&](const std::string& name) {
    return world.pixledger.run({"backup", "verify", world.path(name).string(), "--json"});
  };
  const auto verified = verify("b");
  CHECK(verified.code == 0);
  CHECK(json_at(verified.out, "/lastPosition") == "7");
  CHECK(json_at(verified.out, "/sound") == "true");
  CHECK(json_at(verified.out, "/encrypted") == "false");
  CHECK(verify("missing").code == 3);
  world.backup("piece", {"--from-position", "3"});
  CHECK(verify("piece").code == 2);
  fs::remove(world.path("b") / "state-1" / "idempotency");
  const auto damaged = verify("b");
  CHECK(damaged.code == 1);
  CHECK(says(damaged.err, "idempotency"));
}

TEST_CASE("a damaged target is named, and nothing is restored of it") {
  const FollowWorld world;
  world.follow(world.target());
  const auto events = fs::directory_iterator(world.path("t") / "events")->path();
  auto bytes = content_of(events);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(events, bytes);
  const auto verified = world.pixledger.run({"backup", "verify", world.target(), "--json"});
  CHECK(verified.code == 1);
  CHECK(json_at(verified.out, "/sound") == "false");
  CHECK(says(verified.err, events.string()));
  CHECK(world.try_restore("r", {"t"}).code == 1);
  CHECK_FALSE(fs::exists(world.path("r") / "ledger"));
}

TEST_CASE("a target that cannot be followed is refused in one sentence, and the others get all") {
  const FollowWorld world;
  CHECK(world.try_follow("relative").code == 2);
  CHECK(world.try_follow("UPPER=" + world.target()).code == 2);
  CHECK(world.try_follow(world.target(), {"--interval", "soon"}).code == 2);
  CHECK(world.try_follow((world.pixledger.data() / "copy").string()).code == 2);
  fs::create_directories(world.path("pictures"));
  write_file(world.path("pictures") / "holiday.jpg", "a picture");
  const auto result = world.try_follow(
      world.path("pictures").string(),
      {"--to", "away=" + (world.path("not-mounted") / "t").string(), "--to", "good=" + world.target()});
  CHECK(result.code == 3);
  CHECK(says(result.err, "foreign"));
  CHECK(says(result.err, "unreachable"));
  CHECK(fs::exists(world.path("t") / "MANIFEST-1"));
  CHECK(content_of(world.path("pictures") / "holiday.jpg") == "a picture");
  const auto doctor = world.pixledger.run({"doctor", "--json"});
  CHECK(says(doctor.out, "follow good"));
  CHECK(says(doctor.out, "follow away"));
}

TEST_CASE("a follower copies what comes within moments, and an erased customer leaves its target") {
  const FollowWorld world;
  Process follower(built_program("pixledger-follow"),
                   world.pixledger.arguments({"--to", world.target(), "--log-format", "json"}));
  REQUIRE(follower.wait_for_err("a target is followed"));
  const auto is_complete = [&] {
    const auto verified = world.pixledger.run({"backup", "verify", world.target(), "--json"});
    const auto events = std::to_string(lines_of(world.events()).size());
    return verified.code == 0 && json_at(verified.out, "/lastPosition") == events;
  };
  const auto wait_for = [](const auto& condition) {
    for (int tries = 0; tries < 600 && !condition(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return condition();
  };
  CHECK(wait_for(is_complete));
  world.add_paid_charge();
  CHECK(wait_for(is_complete));

  const auto customer = json_at(lines_of(world.events()).at(4), "/data/customerId");
  world.pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it"});
  const auto has_person = [&] {
    for (const auto& entry : fs::recursive_directory_iterator(world.path("t"))) {
      std::error_code is_gone;
      if (entry.is_regular_file(is_gone) && says(content_of(entry.path()), "Maria")) return true;
    }
    return false;
  };
  CHECK(wait_for([&] { return !has_person(); }));
  CHECK(wait_for([&] {
    return is_complete() && !says(world.pixledger.run({"doctor", "--json"}).out, "erasure at t1");
  }));
  follower.send(SIGTERM);
  CHECK(follower.wait() == 0);
}
