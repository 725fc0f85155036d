#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "base/process/options.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "tests/crash/ledger_audit.h"
#include "tests/crash/load.h"
#include "tests/crash/server_process.h"
#include "tests/crash/trace_check.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::size_t kTraceRecordsMax = 8'000'000;

// Clients that go on after refusals.
LoadOptions stubborn(const char* name, std::size_t refusals_max) {
  LoadOptions options;
  options.name = name;
  options.connections = 4;
  options.refusals_max = refusals_max;
  return options;
}

AskedCharge one_more(const char* label) {
  AskedCharge charge;
  charge.label = std::string(kLabelPrefix) + label;
  charge.document = document_of(1);
  return charge;
}

ApiAnswer create(ServerProcess& server, const LiveData& data, const AskedCharge& charge) {
  ApiClient client(server.port(), data.test_key);
  const auto answer = client.post("/api/v1/transactions", charge.body(), charge.headers());
  REQUIRE(answer);
  return *answer;
}

// A ledger too full for a batch of several commands may still hold a few single ones.
ApiAnswer create_until_refused(ServerProcess& server, const LiveData& data, std::vector<AskedCharge>& asked) {
  while (true) {
    asked.push_back(one_more(("alone-" + std::to_string(asked.size())).c_str()));
    auto answer = create(server, data, asked.back());
    asked.back().status = answer.status;
    if (answer.status != 201) return answer;
    asked.back().id = answer.text("id");
  }
}

void check_ledger(const LiveData& data, const std::vector<AskedCharge>& asked) {
  LedgerAudit audit;
  const eventstore::LmdbLog log(data.ledger(), data.lmdb());
  audit.read(log);
  audit.compare(asked);
  audit.print();
  CHECK(audit.is_clean());
  CHECK(data.verify() == 0);
}

}  // namespace

TEST_CASE("a full ledger refuses creations, keeps its data and goes on with more space") {
  const TemporaryDirectory directory;
  auto data = LiveData::create(directory.path() / "data", "4MiB");
  std::vector<AskedCharge> asked;
  {
    ServerProcess server(data);
    server.wait_until_ready();
    Load load(server.port(), data.test_key, stubborn("full", 20));
    REQUIRE_FALSE(
        load.wait_for_acknowledged(SIZE_MAX));  // all clients have been refused so often that they gave up
    asked = load.finish();
    for (const auto& charge : asked) {
      CHECK((charge.status == 201 || charge.status == 503));
      CHECK((!charge.pay_asked || charge.pay_status == 200 || charge.pay_status == 503));
    }
    const auto refused = create_until_refused(server, data, asked);
    CHECK(refused.status == 503);
    CHECK(refused.text("code") == "ERR_HTTP_503");
    CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
    CHECK(server.stop() == 0);
  }
  check_ledger(data, asked);

  data.map_size = "64MiB";
  ServerProcess server(data);
  server.wait_until_ready();
  CHECK(create(server, data, one_more("full-2")).status == 201);
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);
  CHECK(server.stop() == 0);
}

TEST_CASE("a disk that takes no pages or records for a while fails only the creations of that time") {
  const bool is_of_journal = GENERATE(false, true);
  const int failure = GENERATE(ENOSPC, EDQUOT, EFBIG, EROFS, EIO, static_cast<int>(kTraceShortWrite));
  // A short write of a record is overwritten, which would fail here, too.
  if (is_of_journal && failure == kTraceShortWrite) return;
  const auto fail = is_of_journal ? &TraceFile::fail_journal_with : &TraceFile::fail_pages_with;
  INFO(failure << (is_of_journal ? " of the journal" : ""));
  const TemporaryDirectory directory;
  const auto data = LiveData::create(directory.path() / "data");
  TraceFile trace(directory.path() / "trace", kTraceRecordsMax);
  ServerStart start;
  start.environment = trace.environment(data.ledger());
  ServerProcess server(data, start);
  server.wait_until_ready();

  Load load(server.port(), data.test_key, stubborn("before", 20));
  REQUIRE(load.wait_for_acknowledged(100));
  (trace.*fail)(failure);
  REQUIRE_FALSE(load.wait_for_acknowledged(SIZE_MAX));
  auto asked = load.finish();
  asked.push_back(one_more("disk-1"));
  const auto refused = create(server, data, asked.back());
  asked.back().status = refused.status;
  CHECK(refused.status == 503);
  CHECK(refused.text("code") == "ERR_HTTP_503");
  CHECK(count_wrong_answers(server.port(), data.test_key, asked) == 0);

  (trace.*fail)(0);
  Load later(server.port(), data.test_key, stubborn("after", 1));
  REQUIRE(later.wait_for_acknowledged(100));
  const auto asked_later = later.finish();
  asked.insert(asked.end(), asked_later.begin(), asked_later.end());
  CHECK(server.stop() == 0);
  CHECK(check_trace(trace.records()).violations.empty());
  check_ledger(data, asked);
}

TEST_CASE("a commit whose durability is unknown ends the server, unanswered") {
  struct Failure {
    const char* what;
    void (TraceFile::*inject)(int);
    int error;
  };
  const std::vector<Failure> failures = {
      {"a sync fails", &TraceFile::fail_syncs_with, EIO},
      {"a sync finds no space", &TraceFile::fail_syncs_with, ENOSPC},
      {"the meta page cannot be written", &TraceFile::fail_metas_with, EIO},
      {"no space for the meta page", &TraceFile::fail_metas_with, ENOSPC}};
  for (const auto& failure : failures) {
    INFO(failure.what);
    const TemporaryDirectory directory;
    const auto data = LiveData::create(directory.path() / "data");
    TraceFile trace(directory.path() / "trace", kTraceRecordsMax);
    ServerStart start;
    start.environment = trace.environment(data.ledger());
    ServerProcess server(data, start);
    server.wait_until_ready();

    Load load(server.port(), data.test_key, stubborn("unsure", 1));
    REQUIRE(load.wait_for_acknowledged(100));
    (trace.*failure.inject)(failure.error);
    CHECK(server.wait() == kExitFault);
    const auto asked = load.finish();
    // A request that was read between the failure and the end may still be refused; the audit checks that the
    // ledger has nothing of it.
    CHECK(check_trace(trace.records()).violations.empty());
    check_ledger(data, asked);

    ServerProcess next(data);
    next.wait_until_ready();
    CHECK(count_wrong_answers(next.port(), data.test_key, asked) == 0);
    CHECK(create(next, data, one_more("sure")).status == 201);
  }
}
