#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <thread>

#include "base/platform/owner_lock.h"
#include "eventstore/codec/codec.h"
#include "http/services/worker_records.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

// Charges through a bank: the API's answers, and its waits for the bank. The tests send the commands that the
// bank's worker would send.
namespace pixledger::tests {
namespace {

using domain::CodeFallback;

constexpr const char* kCode = "00020101021226580014br.gov.bcb.pix2536bank.example/qr/v2/abc6304ABCD";
constexpr const char* kPath = "/api/v1/transactions";
constexpr std::uint32_t kLong = domain::kCodeDeadlineMsMax;
constexpr std::uint32_t kShort = domain::kCodeDeadlineMsMin;

struct Fixture {
  explicit Fixture(CodeFallback fallback = CodeFallback::kStatic, std::uint32_t deadline_ms = kLong) {
    auto added = sample_bank_connection("banco", domain::Environment::kLive);
    added.project = project.id;
    added.api_pix.fallback = fallback;
    added.api_pix.code_deadline_ms = deadline_ms;
    service.execute(added);
    service.execute(domain::SetDefaultConnection{project.id, added.id});
  }

  std::filesystem::path workers() const { return service.deliveries_file().parent_path().parent_path(); }
  // Pretends that the worker runs.
  void begin_worker() {
    worker = OwnerLock::try_take(workers() / "providers" / "lock");
    REQUIRE(worker);
  }

  HttpAnswer create(const std::string& idempotency_key = "") const {
    std::map<std::string, std::string> headers;
    if (!idempotency_key.empty()) headers["Idempotency-Key"] = idempotency_key;
    return service.send("POST", kPath, project.live_key, creation_body(), headers);
  }
  HttpAnswer post(const std::string& id, const std::string& operation, const std::string& body = "",
                  const std::map<std::string, std::string>& headers = {}) const {
    return service.send("POST", std::string(kPath) + "/" + id + "/" + operation, project.live_key, body,
                        headers);
  }
  HttpAnswer detail(const std::string& id) const {
    return service.send("GET", std::string(kPath) + "/" + id, project.live_key);
  }
  std::future<HttpAnswer> creating(const std::string& idempotency_key = "") {
    return std::async(std::launch::async, [this, idempotency_key] { return create(idempotency_key); });
  }

  // The charge that the newest event of that kind belongs to, once there is one after `after`.
  template <class Event>
  domain::ChargeId await(Position after) {
    for (;;) {
      for (const auto& stored : service.log().read_after(after, 100)) {
        const auto event = eventstore::decode(stored);
        const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
        if (of_charge && std::holds_alternative<Event>(*of_charge))
          return parsed<domain::ChargeId>(event.stream.key());
      }
      std::this_thread::yield();
    }
  }
  Position head() { return service.log().head().position; }

  // A cancellation that was requested from the bank.
  std::future<HttpAnswer> cancelling(const domain::ChargeId& id) {
    const auto before = head();
    auto answer = std::async(std::launch::async, [this, id] { return post(id.text(), "cancel"); });
    await<domain::ChargeCancelRequested>(before);
    return answer;
  }
  // A charge with the bank's code.
  domain::ChargeId with_code() {
    const auto before = head();
    auto creation = creating();
    const auto id = await<domain::ChargeCreated>(before);
    service.execute(domain::SetChargeCode{id, kCode});
    CHECK(outcome_of(creation.get()) == "201");
    return id;
  }
  domain::ChargeId paid() {
    const auto id = with_code();
    service.execute(domain::ReportPayment{project.id, id, sample_end_to_end_id(), domain::Cents(1990), {}});
    return id;
  }

  TestService service;
  TestService::Project project = service.create_project();
  std::unique_ptr<OwnerLock> worker;
};

}  // namespace

TEST_CASE("a creation is answered with the bank's code, and a repeat gets the same") {
  Fixture fixture;
  fixture.begin_worker();
  const auto before = fixture.head();
  auto creation = fixture.creating("once");
  const auto id = fixture.await<domain::ChargeCreated>(before);
  // Until the decision the charge shows its static code.
  CHECK(fixture.detail(id.text()).at("/data/pixCode") != kCode);
  auto repeat = fixture.creating("once");
  fixture.service.execute(domain::SetChargeCode{id, kCode});
  const auto answer = creation.get();
  CHECK(outcome_of(answer) == "201");
  CHECK(answer.at("/data/pixCode") == kCode);
  CHECK(repeat.get().body == answer.body);
  const auto again = fixture.create("once");
  CHECK(again.body == answer.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(fixture.detail(id.text()).at("/data/pixCode") == kCode);
}

TEST_CASE("if a bank does not answer in time the charge gets a static code, with the connection's own key") {
  Fixture fixture(CodeFallback::kStatic, kShort);
  fixture.begin_worker();
  const auto before = fixture.head();
  const auto answer = fixture.create();
  CHECK(outcome_of(answer) == "201");
  CHECK(answer.at("/data/pixCode").find("caixa@example.com") != std::string::npos);
  const auto id = fixture.await<domain::ChargeCodeSet>(before);
  fixture.service.execute(domain::SetChargeCode{id, kCode});
  CHECK(fixture.detail(id.text()).at("/data/pixCode") == answer.at("/data/pixCode"));
}

TEST_CASE("a charge without a code is refused if no static code is allowed, and so are its repeats") {
  Fixture fixture(CodeFallback::kNone, kShort);
  fixture.begin_worker();
  const auto answer = fixture.create("once");
  CHECK(outcome_of(answer) == "424 ERR_PROVIDER_001");
  const auto head = fixture.head();
  const auto again = fixture.create("once");
  CHECK(again.body == answer.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(fixture.head() == head);
}

TEST_CASE("no request waits for a bank whose worker does not run") {
  Fixture with_fallback;
  const auto answer = with_fallback.create();
  CHECK(outcome_of(answer) == "201");
  CHECK(answer.at("/data/pixCode").find("caixa@example.com") != std::string::npos);

  Fixture without(CodeFallback::kNone);
  const auto head = without.head();
  const auto refused = without.create("once");
  CHECK(outcome_of(refused) == "503 ERR_PROVIDER_002");
  CHECK(refused.headers.at("Retry-After") == "1");
  CHECK(without.head() == head);
}

TEST_CASE("no request waits for a bank that its worker has paused, but for other banks") {
  Fixture fixture(CodeFallback::kNone);
  fixture.begin_worker();
  const auto directory = fixture.workers() / "providers";
  const auto other = "c" + std::string(24, '1');
  stores::write_open_breakers(directory, {sample_bank_id().text(), other});
  const auto head = fixture.head();
  const auto refused = fixture.create("once");
  CHECK(outcome_of(refused) == "503 ERR_PROVIDER_002");
  CHECK(fixture.head() == head);

  stores::write_open_breakers(directory, {other});
  Fixture fresh(CodeFallback::kNone);  // its server has not checked yet
  fresh.begin_worker();
  stores::write_open_breakers(fresh.workers() / "providers", {other});
  fresh.with_code();
}

TEST_CASE("a limited number of creations wait for their codes, and each place is released") {
  Fixture fixture;
  fixture.begin_worker();
  http::BankPresence banks(fixture.workers());
  std::vector<http::BankPresence::Place> places;
  for (std::size_t i = 0; i < http::BankPresence::kCodeWaitsMax; ++i) {
    places.push_back(banks.take_place(sample_bank_id()));
    CHECK(places.back());
  }
  CHECK_FALSE(banks.take_place(sample_bank_id()));
  places.pop_back();
  CHECK(banks.take_place(sample_bank_id()));
  CHECK(banks.take_place(sample_bank_id()));
}

TEST_CASE("creations that come at once take no more places than there are") {
  Fixture fixture;
  fixture.begin_worker();
  const auto before = fixture.head();
  constexpr std::size_t kMore = 8;
  std::vector<std::future<HttpAnswer>> creations;
  for (std::size_t i = 0; i < http::BankPresence::kCodeWaitsMax + kMore; ++i)
    creations.push_back(fixture.creating());
  std::vector<domain::ChargeId> waiting;
  std::size_t created = 0;
  for (auto at = before; created < creations.size();) {
    for (const auto& stored : fixture.service.log().read_after(at, 1'000)) {
      const auto event = eventstore::decode(stored);
      at = event.position;
      const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
      const auto* charge = of_charge ? std::get_if<domain::ChargeCreated>(of_charge) : nullptr;
      if (!charge) continue;
      ++created;
      if (charge->code_awaited_until) waiting.push_back(charge->id);
    }
  }
  for (const auto& id : waiting) fixture.service.execute(domain::SetChargeCode{id, kCode});
  for (auto& creation : creations) CHECK(outcome_of(creation.get()) == "201");
  CHECK(waiting.size() == http::BankPresence::kCodeWaitsMax);
  // All places are free.
  fixture.with_code();
}

TEST_CASE("a cancellation is answered once the bank has taken its code back") {
  Fixture fixture;
  fixture.begin_worker();
  const auto id = fixture.with_code();
  auto cancelling = fixture.cancelling(id);
  CHECK(fixture.detail(id.text()).at("/data/status") == "waiting_payment");
  fixture.service.execute(domain::ConfirmCancel{id});
  const auto answer = cancelling.get();
  CHECK(outcome_of(answer) == "200");
  CHECK(answer.at("/data/status") == "cancelled");
}

TEST_CASE("a cancellation that comes too late is refused, and the charge is paid") {
  Fixture fixture;
  fixture.begin_worker();
  const auto id = fixture.with_code();
  auto cancelling = fixture.cancelling(id);
  fixture.service.execute(
      domain::ReportPayment{fixture.project.id, id, sample_end_to_end_id(), domain::Cents(1990), {}});
  CHECK(outcome_of(cancelling.get()) == "400 ERR_TRANSACTION_002");
  fixture.service.execute(domain::DropCancel{id});
  CHECK(fixture.detail(id.text()).at("/data/status") == "paid");
}

TEST_CASE("a cancellation without an answer stays requested, and a repeat returns its result") {
  Fixture fixture(CodeFallback::kStatic, kShort);
  fixture.begin_worker();
  // A wait that is long enough for the code on a busy machine.
  fixture.service.execute(domain::ChangeConnection{
      .project = fixture.project.id, .connection = sample_bank_id(), .change = {.code_deadline_ms = kLong}});
  const auto id = fixture.with_code();
  fixture.service.execute(domain::ChangeConnection{
      .project = fixture.project.id, .connection = sample_bank_id(), .change = {.code_deadline_ms = kShort}});
  const std::map<std::string, std::string> once{{"Idempotency-Key", "once"}};
  const auto silent = fixture.post(id.text(), "cancel", "", once);
  CHECK(outcome_of(silent) == "503 ERR_PROVIDER_002");
  CHECK(silent.headers.at("Retry-After") == "1");
  fixture.service.execute(domain::ConfirmCancel{id});
  const auto again = fixture.post(id.text(), "cancel", "", once);
  CHECK(outcome_of(again) == "200");
  CHECK(again.at("/data/status") == "cancelled");
}

TEST_CASE("refunds through a bank are pending until it has settled them, and all are in the status check") {
  Fixture fixture;
  fixture.begin_worker();
  const auto id = fixture.paid();
  const auto asked = fixture.post(id.text(), "refund", R"({"amountCents":490,"reason":"troca"})");
  CHECK(outcome_of(asked) == "200");
  CHECK(asked.at("/data/refundedAmountCents") == "0");
  CHECK(asked.at("/data/refunds/0/status") == "pending");
  CHECK(asked.at("/data/refunds/0/settledAt") == "null");
  CHECK(asked.at("/data/refundsMoveMoney") == "true");
  CHECK(asked.at("/data/refunds/0/moved") == "true");
  CHECK(outcome_of(fixture.post(id.text(), "refund", R"({"amountCents":1501})")) ==
        "400 ERR_TRANSACTION_005");
  const auto refund = parsed<domain::RefundId>(asked.at("/data/refunds/0/id"));
  fixture.service.execute(domain::SettleRefund{id, refund, fixture.service.clock().now()});
  fixture.service.execute(domain::ReportReversal{fixture.project.id, id, parsed<domain::RefundId>("med1"),
                                                 parsed<domain::ReturnId>("D1823612020260301120000000000001"),
                                                 domain::Cents(1500), fixture.service.clock().now()});
  const auto shown = fixture.detail(id.text());
  CHECK(shown.at("/data/status") == "refunded");
  CHECK(shown.at("/data/refundedAmountCents") == "1990");
  CHECK(shown.at("/data/refunds/0/status") == "done");
  CHECK(shown.at("/data/refunds/0/reason") == "troca");
  CHECK(shown.at("/data/refunds/1/origin") == "bank");
  CHECK(shown.at("/data/refunds/1/status") == "done");
  CHECK(shown.at("/data/refunds/1/moved") == "true");
  CHECK(shown.at("/data/refunds/1/id") == "med1");
}

}  // namespace pixledger::tests
