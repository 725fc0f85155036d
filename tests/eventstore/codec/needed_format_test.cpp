#include "eventstore/codec/needed_format.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "domain/aggregates/event.h"
#include "eventstore/log/ledger_log.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/support/paths.h"

using namespace pixledger;
using eventstore::needed_format;

namespace {

// The kinds of events that release 0.1.0 knows, by its own schema.
std::set<std::string> kinds_of_0_1_0() {
  std::ifstream in(tests::source_file("tests/upgrade/events.0.1.0.fbs"));
  std::stringstream schema;
  schema << in.rdbuf();
  const auto text = schema.str();
  const auto begin = text.find("enum EventType");
  const auto kinds = text.substr(begin, text.find('}', begin) - begin);
  static const std::regex kKind("(\\w+) = [1-9]");
  std::set<std::string> names;
  for (std::sregex_iterator kind(kinds.begin(), kinds.end(), kKind), end; kind != end; ++kind)
    names.insert((*kind)[1]);
  return names;
}

domain::RecordedEvent golden(const std::string& file) {
  for (const auto& [name, event] : tests::golden_events())
    if (name == file) return event;
  throw std::runtime_error("there is no golden event " + file);
}

bool is_read_by_0_1_0(const domain::RecordedEvent& event) {
  return needed_format(event) == eventstore::kLedgerFormatVersion;
}

}  // namespace

TEST_CASE("0.1.0 reads the kinds of events of its schema, in the streams that it knows") {
  const auto known = kinds_of_0_1_0();
  REQUIRE(known.count("ChargePaid") == 1);
  REQUIRE(known.count("CustomerErased") == 0);
  for (const auto& [file, event] : tests::golden_events()) {
    INFO(file);
    const bool is_known = known.count(std::string(domain::kind_of(event.event).name)) == 1;
    const bool is_of_sandbox = file.find("-sandbox") != std::string::npos && event.stream.environment() &&
                               *event.stream.environment() == domain::Environment::kSandbox;
    const bool names_later_webhooks = file == "ChannelAdded-numbered";
    CHECK(is_read_by_0_1_0(event) == (is_known && !is_of_sandbox && !names_later_webhooks));
  }
}

TEST_CASE("0.1.0 reads no document with letters, wherever an event has one") {
  auto registered = golden("CustomerRegistered");
  auto& customer = std::get<domain::CustomerRegistered>(std::get<domain::CustomerEvent>(registered.event));
  REQUIRE(is_read_by_0_1_0(registered));
  customer.details->document = domain::Document::parse("12ABC34501DE35").value();
  CHECK_FALSE(is_read_by_0_1_0(registered));

  auto listed = golden("BlocklistEntryAdded");
  auto& entry = std::get<domain::BlocklistEntryAdded>(std::get<domain::BlocklistEvent>(listed.event));
  entry.value = domain::Document::parse("12ABC34501DE35").value();
  CHECK_FALSE(is_read_by_0_1_0(listed));
}

TEST_CASE("0.1.0 reads no end-to-end id of another form than its own") {
  auto paid = golden("ChargePaid");
  auto& id = std::get<domain::ChargePaid>(std::get<domain::ChargeEvent>(paid.event)).end_to_end_id;
  for (const char* other : {"EABCDEFGH202603011200s1a2b3c4d5e", "00000000000000000000000000000001"}) {
    INFO(other);
    id = domain::EndToEndId::parse(other).value();
    CHECK_FALSE(is_read_by_0_1_0(paid));
  }
}

TEST_CASE("0.1.0 reads no channel with a kind of webhook that came later") {
  auto added = golden("ChannelAdded");
  auto& channel = std::get<domain::ChannelAdded>(std::get<domain::ChannelEvent>(added.event));
  channel.events = domain::WebhookEventSet::standard();
  CHECK(is_read_by_0_1_0(added));
  channel.events = domain::WebhookEventSet::all();
  CHECK_FALSE(is_read_by_0_1_0(added));
}
