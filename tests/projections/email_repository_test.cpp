#include "projections/emails/email_repository.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::projections;

namespace {

LogCursor cursor(std::uint64_t position) {
  return {{"0123456789abcdef0123456789abcdef", 1}, domain::Position(position), {}};
}

NewEmail email(std::uint64_t position) {
  return {domain::Position(position), sample_charge_id(), domain::Environment::kLive,
          kStart.plus_millis(static_cast<std::int64_t>(position))};
}

std::vector<std::uint64_t> positions(const std::vector<Email>& emails) {
  std::vector<std::uint64_t> found;
  for (const auto& each : emails) found.push_back(each.position.value());
  return found;
}

}  // namespace

TEST_CASE("e-mails and cursor are kept together, and what is there already stays as it is") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "emails.sqlite";
  {
    EmailRepository store(file);
    CHECK_FALSE(store.cursor());
    store.add({email(3), email(5)}, cursor(6));
    store.record({domain::Position(3), EmailStatus::kPending, 1, kStart.plus_millis(500), "busy"});
  }
  EmailRepository store(file);
  store.add({email(3), email(8)}, cursor(8));
  CHECK(store.cursor() == cursor(8));
  CHECK(store.pending() == 3);
  CHECK(positions(store.due(kStart.plus_millis(7), 10)) == std::vector<std::uint64_t>{5});
  const auto due = store.due(kStart.plus_millis(500), 10);
  CHECK(positions(due) == std::vector<std::uint64_t>{5, 8, 3});
  CHECK(due.back().attempts == 1);
  CHECK(due.back().error == "busy");
  CHECK(due.back().charge == sample_charge_id());
  CHECK(due.back().environment == domain::Environment::kLive);
  CHECK(positions(store.due(kStart.plus_millis(500), 2)) == std::vector<std::uint64_t>{5, 8});
}

TEST_CASE("an e-mail that was sent is forgotten, and one that was given up is not due anymore") {
  const TemporaryDirectory directory;
  EmailRepository store(directory.path() / "emails.sqlite");
  store.add({email(1), email(2), email(3)}, cursor(3));
  store.record({domain::Position(1), EmailStatus::kSent, 1, {}, ""});
  store.record({domain::Position(2), EmailStatus::kRefused, 1, {}, "no"});
  store.record({domain::Position(3), EmailStatus::kExhausted, 12, {}, "busy"});
  CHECK(store.pending() == 0);
  CHECK(store.due(kStart.plus_millis(1000), 10).empty());
  const auto given_up = store.given_up(10);
  CHECK(positions(given_up) == std::vector<std::uint64_t>{3, 2});
  CHECK(given_up[0].status == EmailStatus::kExhausted);
  CHECK(given_up[0].attempts == 12);
}
