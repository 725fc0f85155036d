#include "eventstore/codec/codec.h"
#include "eventstore/proof/event_id.h"
#include "http/api/common/event_cursor.h"
#include "tests/http/feed/feed_pages.h"
#include "tests/support/memory_log.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// A history that shares the service's first two events, and differs after them.
eventstore::MemoryContents other_contents(TestService& service, std::uint64_t events) {
  eventstore::MemoryContents contents;
  const auto first = service.log().read_after({}, 2);
  const auto stream = eventstore::decode(first.front()).stream;
  for (const auto& event : first) contents.append(stream, event, {});
  while (contents.events.size() < events) contents.append(stream, {Position(), "other", sha256(""), ""}, {});
  return contents;
}

}  // namespace

TEST_CASE("a cursor is valid only for its own project and ledger") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto cursor = page_of(ask(service, project.test_key)).next;
  CHECK(ask(service, project.test_key, "?after=" + cursor).status == 200);
  CHECK(ask(service, project.live_key, "?after=" + cursor).status == 200);
  CHECK(ask(service, other.test_key, "?after=" + cursor).status == 400);
}

TEST_CASE("a cursor of release 0.1.0 is valid, as long as its epoch lasts") {
  TestService service;
  const auto project = service.create_project();
  const auto all = read_all(service, project.live_key, 100);
  auto identity = service.log().identity();
  const auto of = [&](std::uint64_t position) {
    return "?after=" + http::old_event_cursor(identity, project.id, Position(position));
  };
  const auto page = page_of(ask(service, project.live_key, of(1)));
  REQUIRE(page.items.size() == all.size() - 1);
  CHECK(page.items.front().id == all[1].id);
  CHECK(ask(service, project.live_key, of(service.log().head().position.value() + 1)).status == 400);
  identity.epoch += 1;
  CHECK(ask(service, project.live_key, of(1)).status == 400);
}

TEST_CASE("a cursor of an unknown epoch is a conflict that resumes at the beginning") {
  TestService service;
  const auto project = service.create_project();
  const eventstore::MemoryLog before(service.log().identity(), other_contents(service, 3));
  const eventstore::EventIds ids(service.keyring(), before, {}, project.id);
  const auto kept = page_of(ask(service, project.live_key, "?after=" + ids.of(Position(2))));
  CHECK(kept.items.front().id == read_all(service, project.live_key, 100)[2].id);
  const auto answer = ask(service, project.live_key, "?after=" + ids.of(Position(3)));
  CHECK(outcome_of(answer) == "409 ERR_CURSOR_001");
  CHECK(answer.at("/details/0/field") == "after");
  CHECK(answer.at("/details/0/reason").find("resumeAfter") != std::string::npos);
  const auto again = page_of(ask(service, project.live_key, "?after=" + answer.at("/details/0/resumeAfter")));
  CHECK(names(again.items) == names(read_all(service, project.live_key, 100)));
}

TEST_CASE("a cursor cut off by a restore resumes where its history left the ledger's, or at the beginning") {
  TestServiceOptions options;
  options.ended_epochs = {{7, Position(2)}, {9, Position(4)}};
  TestService service(std::move(options));
  const auto project = service.create_project();
  for (int i = 0; i < 3; ++i) create_charge(service, project.test_key);
  const auto all = read_all(service, project.live_key, 100);
  const auto resumption_after = [&](const std::string& cursor) {
    const auto answer = ask(service, project.live_key, "?after=" + cursor);
    CHECK(outcome_of(answer) == "409 ERR_CURSOR_001");
    return answer.at("/details/0/resumeAfter");
  };
  const auto id = [&](std::uint32_t epoch, const std::vector<eventstore::EndedEpoch>& ended,
                      std::uint64_t position) {
    const eventstore::MemoryLog log({service.log().identity().ledger_id, epoch}, other_contents(service, 50));
    return eventstore::EventIds(service.keyring(), log, ended, project.id).of(Position(position));
  };
  for (const std::uint64_t position : {3, 5, 50}) CHECK(resumption_after(id(7, {}, position)) == all[1].id);
  for (const std::uint64_t position : {5, 50})
    CHECK(resumption_after(id(9, {{7, Position(2)}}, position)) == all[3].id);
  // If another restore replaced it, the place where it left the history is unknown.
  const auto beginning = resumption_after(id(8, {{7, Position(1)}}, 50));
  CHECK(page_of(ask(service, project.live_key, "?after=" + beginning)).items.front().id == all[0].id);
  // Release 0.1.0 named the epoch in its cursors.
  const auto old = [&](std::uint32_t epoch, std::uint64_t position) {
    return http::old_event_cursor({service.log().identity().ledger_id, epoch}, project.id,
                                  Position(position));
  };
  CHECK(resumption_after(old(7, 3)) == all[1].id);
  CHECK(resumption_after(old(9, 50)) == all[3].id);
  CHECK(page_of(ask(service, project.live_key, "?after=" + old(9, 4))).items.front().id == all[4].id);
  CHECK(ask(service, project.live_key, "?after=" + old(8, 1)).status == 400);
}

TEST_CASE("only the requested events are returned, and the cursor moves past the others") {
  TestService service;
  const auto project = service.create_project();
  const auto charge = create_charge(service, project.test_key);
  const auto path = "/api/v1/transactions/" + charge + "/refund";
  service.send("POST", "/api/sandbox/transactions/" + charge + "/pay", project.test_key);
  service.send("POST", path, project.test_key, R"({"amountCents":90})");
  service.send("POST", path, project.test_key, "{}");
  const auto all = read_all(service, project.test_key, 100);
  const auto of = [&](const std::string& types) {
    return page_of(ask(service, project.test_key, "?types=" + types));
  };
  CHECK(names(of("transaction.refunded").items) == std::vector<std::string>{"transaction.refunded"});
  CHECK(names(of("transaction.partially_refunded,customer.created").items) ==
        std::vector<std::string>{"customer.created", "transaction.partially_refunded"});
  CHECK(of("customer.blocked").items.empty());
  CHECK(of("customer.blocked").next == all.back().id);
  const auto limited = page_of(ask(service, project.test_key, "?limit=1&types=transaction.paid"));
  REQUIRE(limited.items.size() == 1);
  CHECK(limited.next == limited.items.front().id);
  for (const char* types : {"transaction.payd", "transaction.paid,", ",", "Transaction.paid"}) {
    const auto answer = ask(service, project.test_key, std::string("?types=") + types);
    CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
    CHECK(answer.at("/details/0/field") == "types");
  }
}

TEST_CASE("a reader that begins now gets later events only") {
  TestService service;
  const auto project = service.create_project();
  create_charge(service, project.test_key);
  const auto now = page_of(ask(service, project.test_key, "?after=now"));
  CHECK(now.items.empty());
  CHECK(now.next == read_all(service, project.test_key, 100).back().id);
  const auto charge = create_charge(service, project.test_key);
  const auto page = page_of(ask(service, project.test_key, "?after=" + now.next));
  REQUIRE_FALSE(page.items.empty());
  CHECK(page.items.back().transaction == charge);
}

TEST_CASE("a change of the store has the values before and after, and shows no whole Pix key") {
  TestService service;
  const auto project = service.create_project();
  const auto change = [&](domain::StoreSettingsChange settings) {
    service.execute(domain::ChangeStoreSettings{project.id, std::move(settings)});
  };
  change({.pix_key = domain::PixKey::parse("+5511987654321")});
  change({.fee_fixed = domain::Cents(35), .fee_basis_points = 199});
  const auto answer = ask(service, project.live_key, "?types=store.changed");
  CHECK(answer.at("/data/0/data/changed/0") == "pixKey");
  CHECK_FALSE(answer.has("/data/0/data/changed/1"));
  CHECK(answer.at("/data/0/data/before/pixKey") != answer.at("/data/0/data/after/pixKey"));
  CHECK(answer.at("/data/0/data/after/pixKey") == "+55********321");
  CHECK(answer.at("/data/0/data/name") == answer.at("/data/0/data/after/name"));
  CHECK(answer.at("/data/1/data/before/feeFixedCents") == "0");
  CHECK(answer.at("/data/1/data/before/pixKey") == answer.at("/data/0/data/after/pixKey"));
  CHECK(answer.at("/data/1/data/after/feeFixedCents") == "35");
  CHECK(answer.at("/data/1/data/after/feeBasisPoints") == "199");
  CHECK(answer.at("/data/1/data/changed/1") == "feeBasisPoints");
  CHECK(answer.body.find("987654321") == std::string::npos);
}
