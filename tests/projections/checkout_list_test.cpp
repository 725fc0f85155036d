#include "projections/views/checkout_list.h"

#include <catch2/catch.hpp>

#include "base/platform/faults.h"
#include "projections/generations/generation.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

using domain::CheckoutStatus;
using domain::Environment;
using projections::CheckoutQuery;

struct Sessions {
  domain::CheckoutSessionId create(const char* external_id = nullptr,
                                   Environment environment = Environment::kSandbox) {
    auto command = sample_checkout();
    command.id = parsed<domain::CheckoutSessionId>("csession0000000000000000" + std::to_string(++created));
    command.project = ledger.project();
    command.environment = environment;
    if (external_id) command.external_id = parsed<domain::ExternalId>(external_id);
    auto id = command.id;
    ledger.execute(std::move(command));
    return id;
  }
  void cancel(const domain::CheckoutSessionId& id) {
    ledger.execute(domain::CancelCheckoutSession{.caller = {}, .session = id, .newest = std::nullopt});
  }
  std::unique_ptr<projections::Generation> build() const {
    auto options = one_gigabyte();
    options.sync = false;
    return projections::Generation::open_or_build(ledger.directory.path() / "views", ledger.log, options);
  }
  projections::CheckoutPage list(projections::Generation& views, const CheckoutQuery& query,
                                 std::size_t offset = 0, std::size_t limit = 2) const {
    return projections::list_checkout_sessions(views.database(), ledger.project(), query, offset, limit,
                                               [] {});
  }
  // Makes the session's row unreadable.
  void damage(const std::filesystem::path& views, const domain::CheckoutSessionId& id) const {
    change_closed_value(views, one_gigabyte(), "checkout_sessions",
                        projections::checkout_key(ledger.project(), id.text()),
                        [](std::string& row) { row = "x"; });
  }

  LedgerInMemory ledger;
  unsigned created = 0;  // their ids ascend, as those of different milliseconds do
};

CheckoutQuery named(const std::string& external_id) {
  return {.external_id = parsed<domain::ExternalId>(external_id)};
}

std::vector<domain::CheckoutSessionId> ids_of(const projections::CheckoutPage& page) {
  std::vector<domain::CheckoutSessionId> ids;
  for (const auto& session : page.items) ids.push_back(session.id);
  return ids;
}

}  // namespace

TEST_CASE("sessions are counted by environment and status, and found by their external ids, as they change") {
  Sessions sessions;
  const auto first = sessions.create("order");
  const auto second = sessions.create();
  const auto live = sessions.create("order", Environment::kLive);
  sessions.cancel(second);
  const auto views = sessions.build();
  const auto all = sessions.list(*views, {});
  CHECK(all.total == 3);
  CHECK(ids_of(all) == std::vector{live, second});
  CHECK(ids_of(sessions.list(*views, {}, 2)) == std::vector{first});
  CHECK(sessions.list(*views, {.environment = Environment::kSandbox}).total == 2);
  CHECK(sessions.list(*views, {.status = CheckoutStatus::kOpen}).total == 2);
  const auto cancelled =
      sessions.list(*views, {.environment = Environment::kSandbox, .status = CheckoutStatus::kCancelled});
  CHECK(cancelled.total == 1);
  CHECK(ids_of(cancelled) == std::vector{second});
  CHECK(ids_of(sessions.list(*views, named("order"))) == std::vector{live, first});
  CHECK(sessions.list(*views, named("order"), 1).total == 2);
  auto of_live = named("order");
  of_live.environment = Environment::kLive;
  CHECK(ids_of(sessions.list(*views, of_live)) == std::vector{live});
  CHECK(ids_of(sessions.list(*views, named(second.text()))) == std::vector{second});
  CHECK(sessions.list(*views, named(first.text())).total == 0);
  CHECK(sessions.list(*views, named("orde")).total == 0);
}

TEST_CASE("a page of sessions, and those of an external id, are found without reading all others") {
  Sessions sessions;
  const auto other = sessions.create();
  const auto wanted = sessions.create("order");
  const auto newest = sessions.create();
  auto views = sessions.build();
  const auto directory = views->directory();
  views.reset();
  sessions.damage(directory, other);
  views = sessions.build();
  CHECK(ids_of(sessions.list(*views, {})) == std::vector{newest, wanted});
  CHECK(sessions.list(*views, {}).total == 3);
  CHECK(ids_of(sessions.list(*views, named("order"))) == std::vector{wanted});
  CHECK_THROWS_AS(sessions.list(*views, {.from = Timestamp()}), DataDamaged);
}
