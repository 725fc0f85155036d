#include "http/api/events/feed_look.h"

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"
#include "http/api/events/event_json.h"
#include "projections/generations/generation.h"

namespace pixledger::http {
namespace {

using eventstore::StoredEvent;

// Read together: a busy ledger has few neighbouring events of one project, a quiet one many.
constexpr std::size_t kRunMax = 100;

// The events at the consecutive positions from `first` on.
std::vector<StoredEvent> read_run(const eventstore::Log& log, const std::vector<Position>& positions,
                                  std::size_t first) {
  const auto begin = positions[first];
  std::size_t length = 1;
  while (length < kRunMax && first + length < positions.size() &&
         positions[first + length].value() == begin.value() + length)
    ++length;
  auto run = log.read_after(Position(begin.value() - 1), length);
  if (run.empty() || run.front().position != begin)
    throw eventstore::LogCorrupt("the read models list an event that the ledger does not have");
  return run;
}

}  // namespace

std::optional<std::string_view> find_feed_name(std::string_view name) {
  // Events outside all feeds have an empty name.
  if (name.empty()) return std::nullopt;
  if (name == kPartialRefund) return kPartialRefund;
  std::optional<std::string_view> found;
  domain::for_each_event_kind([&]<class Event>() {
    if (domain::kind_of<Event>().feed_name == name) found = domain::kind_of<Event>().feed_name;
  });
  return found;
}

void write_item(Json& json, const std::string& id, PageStates& states, const domain::RecordedEvent& event,
                PersonalData personal) {
  json.begin_object().field("id", id);
  write_event(json, states, event, personal);
  json.end_object();
}

FeedItems::FeedItems(const eventstore::Log& log, eventstore::StreamCustomers& customers,
                     const eventstore::EventIds& ids, std::set<std::string_view> types, FeedBounds bounds)
    : log_(log), ids_(ids), types_(std::move(types)), bounds_(std::move(bounds)), states_(log, customers) {}

bool FeedItems::have_ended() const {
  if (count_ >= bounds_.items_max || bytes_ >= bounds_.bytes_max) return true;
  return has_looked_ && !bounds_.may_go_on();
}

std::size_t FeedItems::add(const std::vector<Position>& positions, const Write& write) {
  std::size_t looked_at = 0;
  while (looked_at < positions.size()) {
    for (const auto& stored : read_run(log_, positions, looked_at)) {
      if (have_ended()) return looked_at;
      add(stored, write);
      has_looked_ = true;
      ++looked_at;
    }
  }
  return looked_at;
}

void FeedItems::add(const StoredEvent& stored, const Write& write) {
  const auto event = eventstore::decode(stored);
  if (!types_.empty() && types_.count(feed_name_of(states_, event)) == 0) return;
  write(ids_.of(stored), states_, event);
  ++count_;
  bytes_ += stored.bytes.size() + stored.personal.size();
}

namespace {

constexpr std::size_t kLookedAtMax = 1000;  // at a time, if only some kinds are wanted

}  // namespace

FeedLooked look_at_feed(const Services& services, const FeedAsked& asked, const eventstore::EventIds& ids,
                        std::chrono::milliseconds look_max, const std::function<bool()>& is_over,
                        const FeedItems::Write& write) {
  using Clock = std::chrono::steady_clock;
  const auto look_until = Clock::now() + look_max;
  auto query = asked.query;
  FeedItems items(
      services.log, services.customers, ids, asked.types,
      {.items_max = query.limit, .may_go_on = [&] { return Clock::now() < look_until && !is_over(); }});
  if (!asked.types.empty()) query.limit = kLookedAtMax;
  FeedLooked looked;
  do {
    const auto found = projections::read_feed(*services.views.database(), query);
    const auto looked_at = items.add(found.positions, write);
    looked.at_end = found.at_end && looked_at == found.positions.size();
    looked.as_of = found.as_of;
    if (looked_at == found.positions.size())
      query.after = found.looked_until;
    else if (looked_at > 0)
      query.after = found.positions[looked_at - 1];
  } while (!looked.at_end && !items.have_ended());
  looked.items = items.count();
  looked.after = query.after;
  return looked;
}

}  // namespace pixledger::http
