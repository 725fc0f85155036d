#include <csignal>
#include <thread>

#include "base/targets/s3_client.h"
#include "tests/support/servers/s3_service.h"
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

// One for all cases, which use prefixes of their own.
S3Service& s3() {
  static S3Service started;
  return started;
}

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

TEST_CASE("a bucket is followed, proven and restored, with versions and without") {
  const FollowWorld world;
  const std::vector<std::string> access{"--s3-credentials", s3().credentials().string()};
  for (const auto* const bucket :
       {"others/followed", "versions/followed", "slow-down/followed", "resets/followed"}) {
    CAPTURE(bucket);
    const auto uri = s3().uri(bucket);
    world.follow(uri, access);
    world.add_paid_charge();
    world.follow(uri, access);
    const auto events = std::to_string(lines_of(world.events()).size());
    const auto verified = world.pixledger.done({"backup", "verify", uri, access[0], access[1], "--json"});
    CHECK(json_at(verified, "/sound") == "true");
    CHECK(json_at(verified, "/target") == uri);
    CHECK(json_at(verified, "/lastPosition") == events);
    const auto data = "restored-" + std::string(bucket).substr(0, 3);
    const auto restored = world.done_on(data, {"restore", "--json", uri, access[0], access[1]});
    CHECK(json_at(restored, "/lastPosition") == events);
    CHECK(world.events_of(data) == world.events());
  }
}

TEST_CASE("a bucket that cannot be followed is refused in one sentence, without a secret") {
  const FollowWorld world;
  const auto access = s3().credentials().string();
  const auto wrong = world.path("wrong");
  write_file(wrong, "[default]\naws_access_key_id = S3RVER\naws_secret_access_key = guessed\n");
  const auto check = [&](const std::string& uri, const std::string& credentials, int code,
                         const std::string& reason) {
    const auto result = world.try_follow(uri, {"--s3-credentials", credentials});
    INFO(result.err);
    CHECK(result.code == code);
    CHECK(says(result.err, reason));
    CHECK_FALSE(says(result.err, "guessed"));
    CHECK_FALSE(says(result.err, S3Service::kSecret));
  };
  check(s3().uri("no-such-bucket"), access, 3, "there is no bucket");
  check(s3().uri("others/refused"), wrong.string(), 3, "refused");
  check(s3().uri("full"), access, 3, "full");
  check("s3://bucket?endpoint=http://127.0.0.1:1", access, 3, "unreachable");
  check("s3://bucket?endpoint=http://user:guessed@127.0.0.1", access, 2, "without credentials");
  check("s3://bucket?endpoint=http://s3.example", access, 2, "https");
  check(s3().uri("others/none"), world.path("missing").string(), 2, "there is no file");
  CHECK(world.try_follow(s3().uri("others/none")).code == 2);
}

TEST_CASE("age opens what is followed encrypted; without the identity it is proven, not read") {
  const FollowWorld world;
  const auto key = world.path("key.txt").string();
  const auto other = world.path("other.txt").string();
  for (const auto& file : {key, other}) REQUIRE(run_process("/usr/bin/age-keygen", {"-o", file}).code == 0);
  const auto recipient_of = [](const std::string& file) {
    auto text = run_process("/usr/bin/age-keygen", {"-y", file}).out;
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  };
  CHECK(world.try_follow(world.target(), {"--encrypt-to", "ssh-ed25519 AAAA"}).code == 2);
  CHECK(world.try_follow(world.target(), {"--encrypt-to", "age1qqqq"}).code == 2);
  const auto target = "secret=" + world.target();
  const auto followed = world.try_follow(target, {"--encrypt-to", recipient_of(key)});
  INFO(followed.err);
  REQUIRE(followed.code == 0);
  CHECK_FALSE(says(followed.err, "unencrypted"));
  CHECK(says(world.pixledger.run({"doctor", "--json"}).out, "encrypted"));

  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(world.path("t"))) {
    if (!entry.is_regular_file()) continue;
    CHECK_FALSE(says(content_of(entry.path()), "Maria"));
    if (entry.path().extension() != ".age") continue;
    ++files;
    const auto opened = run_process("/usr/bin/age", {"-d", "-i", key, entry.path().string()});
    CHECK(opened.code == 0);
    if (entry.path().parent_path().filename() == "events") CHECK(says(opened.out, "Maria"));
    CHECK(run_process("/usr/bin/age", {"-d", "-i", other, entry.path().string()}).code != 0);
  }
  CHECK(files >= 2);

  const auto verify = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"backup", "verify", world.target(), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return world.pixledger.run(arguments);
  };
  const auto proven = verify({});
  CHECK(proven.code == 0);
  CHECK(json_at(proven.out, "/encrypted") == "true");
  CHECK(json_at(proven.out, "/contentsRead") == "false");
  CHECK(json_at(verify({"--identity", other, "--identity", key}).out, "/contentsRead") == "true");
  const auto wrong = verify({"--identity", other});
  CHECK(wrong.code == 3);
  CHECK(says(wrong.err, "--identity"));
  CHECK(verify({"--identity", world.path("missing").string()}).code == 3);

  CHECK(world.try_restore("none", {"t"}).code == 3);
  CHECK_FALSE(fs::exists(world.path("none") / "ledger"));
  CHECK(world.try_restore("other", {"t"}, {"--identity", other}).code == 3);
  world.restore("r", {"t"}, {"--identity", key});
  CHECK(world.events_of("r") == world.events());
}

TEST_CASE("an erased customer leaves a bucket's old versions; what object lock keeps is named") {
  const FollowWorld world;
  const std::vector<std::string> access{"--s3-credentials", s3().credentials().string()};
  const auto versions = "versions=" + s3().uri("versions/erased");
  const auto locked = "locked=" + s3().uri("locked/erased");
  const auto follow = [&] { world.follow(versions, {"--to", locked, access[0], access[1]}); };
  follow();
  const auto customer = json_at(lines_of(world.events()).at(4), "/data/customerId");
  const auto erased =
      world.pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it", "--json"});
  CHECK(json_at(erased, "/targets/0/name") == "versions");
  CHECK(json_at(erased, "/targets/1/state") == "pending");
  follow();
  const auto doctor = world.pixledger.run({"doctor", "--json"}).out;
  CHECK_FALSE(says(doctor, "erasure at versions"));
  CHECK(says(doctor, "erasure at locked"));
  CHECK(says(doctor, "object lock keeps"));
  const SystemClock clock;
  S3Client bucket(S3Location::parse(s3().uri("versions")), S3CredentialSource(access[1]), clock);
  for (const std::string prefix : {"erased/events/", "erased/state/"}) {
    const auto listed = bucket.document(bucket.send("GET", {}, {{"versions", ""}, {"prefix", prefix}}));
    for (const auto& element : listed.elements)
      if (element.name == "Version") CHECK(element.fields.at("IsLatest") == "true");
  }
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
