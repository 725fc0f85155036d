#include <catch2/catch.hpp>
#include <thread>
#include <utility>

#include "eventstore/keys/tokens.h"
#include "http/dispatch/subscriptions.h"
#include "tests/http/feed/feed_pages.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/raw_http.h"

// The feed as server-sent events.
using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct StreamedEvent {
  std::string id, event, data;
};

// A reader of one stream.
class Reader {
 public:
  Reader(const TestService& service, const std::string& key, const std::string& query = "",
         const std::string& headers = "")
      : connection_(service.port()) {
    connection_.send("GET /api/v1/events" + query +
                     " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer " +
                     key + "\r\n" + headers + "\r\n");
    head_ = connection_.read_stream_head();
  }

  const RawReply& head() const { return head_; }

  StreamedEvent next() {
    std::size_t end = 0;
    StreamedEvent found;
    // Comments are skipped.
    while (found.data.empty()) {
      while ((end = text_.find("\n\n")) == std::string::npos) text_ += connection_.read_chunk();
      const std::string_view block = std::string_view(text_).substr(0, end + 1);
      found = {line(block, "id: "), line(block, "event: "), line(block, "data: ")};
      text_.erase(0, end + 2);
    }
    return found;
  }

  // Everything until the stream's proper end.
  std::string rest() {
    for (auto chunk = connection_.read_chunk(); !chunk.empty(); chunk = connection_.read_chunk())
      text_ += chunk;
    return std::exchange(text_, {});
  }

 private:
  static std::string line(std::string_view block, std::string_view name) {
    const auto begin = block.find(name);
    if (begin == std::string_view::npos) return {};
    const auto rest = block.substr(begin + name.size());
    return std::string(rest.substr(0, rest.find('\n')));
  }

  RawConnection connection_;
  RawReply head_;
  std::string text_;
};

void await_streams(TestService& service, double count) {
  while (metric(service.metrics(), "pixledger_http_long_polls") != count) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a stream begins at the head and has each event as the feed has it") {
  TestService service;
  const auto project = service.create_project();
  create_charge(service, project.test_key);
  Reader reader(service, project.test_key);
  CHECK(reader.head().status == 200);
  CHECK(reader.head().header("content-type") == "text/event-stream");
  CHECK(reader.head().header("transfer-encoding") == "chunked");
  await_streams(service, 1);
  const auto after = page_of(ask(service, project.test_key)).next;
  const auto charge = create_charge(service, project.test_key);
  const auto page = ask(service, project.test_key, "?after=" + after);
  const auto streamed = reader.next();
  CHECK(streamed.event == "transaction.created");
  CHECK(streamed.id == page.at("/data/0/id"));
  CHECK(page.body.find(streamed.data) != std::string::npos);
  CHECK(streamed.data.find(charge) != std::string::npos);
}

TEST_CASE("a stream continues after its reader's last event, in every way to name it") {
  TestService service;
  const auto project = service.create_project();
  const auto beginning = page_of(ask(service, project.test_key)).next;
  std::vector<std::string> charges;
  for (int i = 0; i < 3; ++i) charges.push_back(create_charge(service, project.test_key));
  Reader first(service, project.test_key, "?types=transaction.created&after=" + beginning);
  const auto had = first.next();
  CHECK(had.data.find(charges[0]) != std::string::npos);
  Reader second(service, project.test_key, "?types=transaction.created&after=" + beginning,
                "Last-Event-ID: " + had.id + "\r\n");
  CHECK(second.next().data.find(charges[1]) != std::string::npos);
  CHECK(second.next().data.find(charges[2]) != std::string::npos);
}

TEST_CASE("an invalid cursor is refused as by the feed") {
  TestService service;
  const auto project = service.create_project();
  const std::map<std::string, std::string> stream{{"Accept", "text/event-stream"}};
  CHECK(outcome_of(service.send("GET", "/api/v1/events?after=nonsense", project.test_key, "", stream)) ==
        "400 ERR_VALIDATION_001");
  auto with_last = stream;
  with_last["Last-Event-ID"] = "nonsense";
  const auto refused = service.send("GET", "/api/v1/events", project.test_key, "", with_last);
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "Last-Event-ID");
}

TEST_CASE("a test key's stream has the sandbox only") {
  TestService service;
  const auto project = service.create_project();
  Reader reader(service, project.test_key);
  await_streams(service, 1);
  create_charge(service, project.live_key);
  const auto mine = create_charge(service, project.test_key);
  // The customer comes first: one in each world.
  auto streamed = reader.next();
  while (streamed.event != "transaction.created") streamed = reader.next();
  CHECK(streamed.data.find(mine) != std::string::npos);
}

TEST_CASE("a stream ends with its key, and frees its place when its reader leaves") {
  TestService service;
  const auto project = service.create_project();
  const auto key = service.issue_key(project.id, domain::Environment::kSandbox, domain::ScopeSet::all());
  Reader reader(service, key);
  {
    Reader leaves(service, project.test_key);
    await_streams(service, 2);
  }
  await_streams(service, 1);
  service.execute(domain::RevokeApiKey{domain::ApiKeyId::parse(eventstore::api_key_id(sha256(key))).value()});
  create_charge(service, project.test_key);
  CHECK(reader.rest().find("event: ") == std::string::npos);
  await_streams(service, 0);
}

TEST_CASE("a stopping server ends its streams") {
  TestService service;
  const auto project = service.create_project();
  Reader reader(service, project.test_key);
  await_streams(service, 1);
  service.restart();
  CHECK(reader.rest().find("event: ") == std::string::npos);
}
