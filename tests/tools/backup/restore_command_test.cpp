#include <atomic>
#include <csignal>
#include <set>

#include "base/platform/durable_files.h"
#include "stores/deliveries/delivery_repository.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/tools/backup/backup_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace fs = std::filesystem;

TEST_CASE("without keys a ledger is restored, with a note on what they would open") {
  const BackupWorld world;
  world.backup("b");
  const auto restored = world.restore("r", {"b"});
  CHECK(json_at(restored, "/keys") == "false");
  CHECK(json_at(restored, "/unusableWithoutKeys/channelSecrets") == "1");
  CHECK_FALSE(fs::exists(world.path("r") / "keys"));
  CHECK(world.run_on("r", {"verify"}).code == 0);
  CHECK(world.run_on("r", {"checkpoint"}).code == 3);
  CHECK(says(world.done_on("r2", {"restore", world.path("b").string()}),
             "the sealed webhook secrets of 1 channels"));

  fs::copy(world.pixledger.data() / "keys", world.path("r") / "keys");
  world.done_on("r", {"checkpoint"});
}

TEST_CASE("keys come from the backup when they are in it") {
  const BackupWorld world;
  CHECK(json_at(world.backup("b", {"--with-keys"}), "/keys") == "true");
  const auto restored = world.restore("r", {"b"});
  CHECK(json_at(restored, "/keys") == "true");
  CHECK(json_at(restored, "/unusableWithoutKeys") == "null");
  world.done_on("r", {"checkpoint"});
  world.done_on("r", {"key", "issue", "--project", world.project, "--env", "live"});
}

TEST_CASE(
    "a restore says how to look at the ledger without sending anything, and how to go on, by its name") {
  const BackupWorld world;
  world.backup("b");
  const auto path = world.path("it's new");
  const auto said = world.done_on("it's new", {"restore", world.path("b").string()});
  const auto quoted = "'" + path.parent_path().string() + "/it'\\''s new'";
  CHECK(says(said, "pixledger up --data " + quoted + " --only server\n"));
  world.restore("plain", {"b"});
  CHECK(says(world.done_on("plain2", {"restore", world.path("b").string()}),
             "pixledger up --data " + world.path("plain2").string() + " "));
}

TEST_CASE("keys can be given, but not another ledger's") {
  const BackupWorld world;
  const BackupWorld other;
  world.backup("b");
  const auto refused = world.try_restore("r", {"b"}, {"--keys", (other.pixledger.data() / "keys").string()});
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "do not belong to the ledger"));
  CHECK_FALSE(fs::exists(world.path("r")));
  world.restore("r", {"b"}, {"--keys", (world.pixledger.data() / "keys").string()});
  world.done_on("r", {"checkpoint"});
}

TEST_CASE("a restore wants no data directory, or an empty one") {
  const BackupWorld world;
  world.backup("b");
  const auto refused = world.try_restore("data", {"b"});
  CHECK(refused.code == 1);
  CHECK(says(refused.err, "is not empty"));
  fs::create_directories(world.path("empty") / "lost+found");
  world.restore("empty", {"b"});
  CHECK(world.events_of("empty") == world.events());
}

TEST_CASE("a backup is not restored while it is being added to, nor added to while it is being restored") {
  const BackupWorld world;
  world.backup("b");
  {
    const DirectoryLock adding(world.path("b"));
    const auto refused = world.try_restore("r", {"b"});
    CHECK(refused.code == 1);
    CHECK(says(refused.err, "is under way"));
    CHECK_FALSE(fs::exists(world.path("r")));
  }
  {
    const auto restoring = DirectoryLock::try_share(world.path("b"));
    REQUIRE(restoring);
    const auto refused = world.try_backup("b");
    CHECK(refused.code == 1);
    CHECK(says(refused.err, "a restore from it, is under way"));
    world.restore("r", {"b"});
  }
  world.backup("b");
}

TEST_CASE("a killed restore leaves no data directory, and the next restore replaces its files") {
  const BackupWorld world;
  world.backup("b");
  fs::create_directories(world.path("r") / "restoring" / "ledger");
  fs::create_directories(world.path("r") / "keys");
  fs::create_directories(world.path("r") / "workers" / "webhooks");
  CHECK(world.run_on("r", {"events"}).code == 3);
  const auto init = world.run_on("r", {"init"});
  CHECK(init.code == 3);
  CHECK(says(init.err, "was interrupted"));
  world.restore("r", {"b"});
  CHECK_FALSE(fs::exists(world.path("r") / "keys"));
  CHECK_FALSE(fs::exists(world.path("r") / "workers"));
  CHECK_FALSE(fs::exists(world.path("r") / "restoring"));
  CHECK(world.events_of("r") == world.events());
}

TEST_CASE("a restore up to a position omits later events, and explains the consequences") {
  const BackupWorld world;
  world.add_paid_charge();
  world.backup("b", {"--with-keys"});
  const auto restored = world.restore("r", {"b"}, {"--until-position", "7"});
  CHECK(json_at(restored, "/lastPosition") == "7");
  CHECK(json_at(restored, "/leftOutEvents") == "2");
  const auto all = lines_of(world.events());
  const auto kept = lines_of(world.events_of("r"));
  CHECK(kept == std::vector<std::string>(all.begin(), all.begin() + 7));
  CHECK(world.run_on("r", {"verify"}).code == 0);
  world.done_on("r", {"key", "issue", "--project", world.project, "--env", "live"});
  CHECK(world.run_on("r", {"verify"}).code == 0);

  const auto told = world.done_on("r2", {"restore", world.path("b").string(), "--until-position", "8"});
  CHECK(says(told, "Left out: 1 events after position 8"));
  CHECK(json_at(world.restore("r3", {"b"}, {"--until-position", "9"}), "/leftOutEvents") == "0");
  CHECK(world.try_restore("r4", {"b"}, {"--until-position", "10"}).code == 1);
}

TEST_CASE(
    "personal data that have been erased do not come back, although older files of the backup have them") {
  const BackupWorld world;
  world.backup("b");
  const auto before = world.events();
  const auto customer = json_at(lines_of(before).at(4), "/data/customerId");
  world.pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it"});
  REQUIRE(lines_of(world.events()).at(4) != lines_of(before).at(4));
  world.add_paid_charge();
  world.backup("b");
  const auto restored = world.restore("r", {"b"});
  CHECK(json_at(restored, "/erased") == "1");
  CHECK(world.events_of("r") == world.events());
  CHECK(world.run_on("r", {"verify"}).code == 0);

  world.restore("r2", {"b"}, {"--until-position", "8"});
  CHECK(lines_of(world.events_of("r2")).size() == 8);
  const auto undone = world.try_restore("r3", {"b"}, {"--until-position", "7"});
  CHECK(undone.code == 1);
  CHECK(says(undone.err, "ending there would undo the erasure"));
  CHECK_FALSE(std::filesystem::exists(world.path("r3")));
}

TEST_CASE("receivers' answers about an erased customer's charges are not restored") {
  const BackupWorld world;
  const auto before = lines_of(world.events());
  const auto customer = json_at(before.at(4), "/data/customerId");
  const auto charge = domain::ChargeId::parse(json_at(before.at(5), "/data/transactionId")).value();
  world.pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it"});
  // As it is when a backup has copied the worker's state before the erasure, and the ledger after it.
  const auto directory = world.pixledger.data() / "workers" / "webhooks";
  fs::create_directories(directory);
  {
    LedgerWithCharges opened(world.pixledger.data());
    stores::DeliveryRepository store(directory / stores::kDeliveriesFile);
    auto delivery = sample_delivery(6);
    delivery.charge = charge;
    store.add({delivery}, eventstore::cursor_at(opened.log(), Position(7)));
    const auto due = store.due(delivery.channel, delivery.created_at, 1).at(0);
    store.record({attempt_of(due, stores::DeliveryStatus::kPending, 0, 10'000)}, delivery.created_at);
    REQUIRE(store.attempts_of(delivery.id).at(0).answer == "no");
  }
  world.backup("b");
  world.restore("r", {"b"});
  const stores::DeliveryRepository store(world.path("r") / "workers/webhooks" / stores::kDeliveriesFile);
  CHECK(store.attempts_of(sample_delivery(6).id).at(0).answer.empty());
}

namespace {

// Webhooks of a restored ledger, to a receiver that refuses them until it is switched on.
struct WebhookWorld {
  std::atomic<bool> accepts = false;
  HttpsReceiver receiver{
      [this](const ReceivedWebhook&, std::size_t) { return ReceiverAnswer{accepts ? 200 : 500}; }};
  PixledgerCommand pixledger;
  domain::ProjectId project =
      domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();

  WebhookWorld() {
    pixledger.done({"channel", "add", "--project", project.text(), "--url",
                    "http://127.0.0.1:" + std::to_string(receiver.port()) + "/", "--allow-http",
                    "--allow-target", "127.0.0.0/8"});
  }

  std::unique_ptr<Process> worker(std::vector<std::string> more) const {
    more.insert(more.end(), {"--allow-http", "--allow-target", "127.0.0.0/8", "--retry-schedule",
                             "0,500ms,500ms,500ms,500ms,500ms,500ms,500ms,500ms,500ms,500ms"});
    return std::make_unique<Process>(built_program("pixledger-webhooks"), pixledger.arguments(more));
  }

  std::string charge_of(const ReceivedWebhook& webhook) const {
    return json_at(webhook.body, "/data/transactionId");
  }
};

}  // namespace

TEST_CASE("a restored webhook worker asks where to go on, and then sends pending and new webhooks") {
  const bool by_name = GENERATE(true, false);
  WebhookWorld world;
  const auto before = LedgerWithCharges(world.pixledger.data()).create_charge(world.project);
  {
    const auto worker = world.worker({"--resume-from", "beginning"});
    REQUIRE_FALSE(world.receiver.wait_for(1).empty());
    worker->send(SIGTERM);
    REQUIRE(worker->wait() == 0);
  }
  const auto directory = (world.pixledger.directory() / "b").string();
  world.pixledger.done({"backup", directory, "--with-keys"});
  fs::remove_all(world.pixledger.data());
  const auto restored = world.pixledger.done({"restore", directory, "--json"});
  CHECK(json_at(restored, "/workers/0/name") == "webhooks");
  const auto last = json_at(restored, "/lastPosition");
  CHECK(json_at(restored, "/workers/0/handledUpTo") == last);
  CHECK(json_at(restored, "/resumeFrom") == std::to_string(std::stoul(last) + 1));
  const auto after = LedgerWithCharges(world.pixledger.data()).create_charge(world.project);

  const auto asking = world.worker({});
  CHECK(asking->wait() == 3);
  CHECK(
      says(asking->err(), "everything before position " + json_at(restored, "/resumeFrom") + " was handled"));
  CHECK(says(asking->err(), "--resume-from restored"));
  const auto beyond = world.worker({"--resume-from", "99"});
  CHECK(beyond->wait() == 2);

  const auto came_before = world.receiver.received().size();
  world.accepts = true;
  const auto worker =
      world.worker({"--resume-from", by_name ? "restored" : json_at(restored, "/resumeFrom")});
  const auto came = world.receiver.wait_for(came_before + 2);
  REQUIRE(came.size() == came_before + 2);
  std::set<std::string> told{world.charge_of(came[came_before]), world.charge_of(came[came_before + 1])};
  CHECK(told == std::set<std::string>{before.text(), after.text()});
  worker->send(SIGTERM);
  REQUIRE(worker->wait() == 0);

  // From now on its state is of this epoch.
  const auto again = world.worker({"--resume-from", "head"});
  CHECK(again->wait() == 2);
}

TEST_CASE("a worker's state loses the events that a restore cut off") {
  const BackupWorld world;
  const auto directory = world.pixledger.data() / "workers" / "webhooks";
  fs::create_directories(directory);
  {
    LedgerWithCharges opened(world.pixledger.data());
    stores::DeliveryRepository store(directory / stores::kDeliveriesFile);
    const auto delivery = [&](const char* id, std::uint64_t position) {
      const auto time = Timestamp(1'790'000'000'000);
      return stores::NewDelivery{domain::DeliveryId::parse(id).value(),
                                 domain::ChannelId::parse("cchannel0000000000000000a").value(),
                                 domain::ProjectId::parse(world.project).value(),
                                 domain::ChargeId::parse("ccharge00000000000000000a").value(),
                                 domain::Environment::kSandbox,
                                 domain::WebhookEvent::kTransactionCreated,
                                 domain::WebhookVersion::kV2,
                                 Position(position),
                                 1,
                                 time,
                                 time};
    };
    store.add({delivery("cdelivery000000000000000a", 6), delivery("cdelivery000000000000000b", 7)},
              eventstore::cursor_at(opened.log(), Position(7)));
  }
  world.backup("b");
  const auto restored = world.restore("r", {"b"}, {"--until-position", "6"});
  CHECK(json_at(restored, "/workers/0/handledUpTo") == "6");
  CHECK(json_at(restored, "/resumeFrom") == "7");
  const stores::DeliveryRepository store(world.path("r") / "workers/webhooks" / stores::kDeliveriesFile);
  CHECK(store.find(domain::DeliveryId::parse("cdelivery000000000000000a").value()));
  CHECK_FALSE(store.find(domain::DeliveryId::parse("cdelivery000000000000000b").value()));
  CHECK(store.cursor()->position == Position(6));
  CHECK(store.cursor()->log.epoch == 1);
}
