#include "eventstore/executor/state_cache.h"

#include <cassert>
#include <iterator>
#include <utility>

#include "domain/decisions/state_weight.h"
#include "eventstore/codec/codec.h"

namespace pixledger::eventstore {
namespace {

void apply_to(std::optional<domain::AggregateState>& state, std::uint32_t& version,
              const std::vector<StoredEvent>& events) {
  for (const auto& stored : events) {
    const auto event = decode(stored);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
    version = event.version;
  }
}

}  // namespace

bool StateCache::load(const LogWrite& write, const domain::ReadSet& read_set) {
  unfinished_.clear();
  fresh_versions_.clear();
  claims_.clear();
  stream_faults_.clear();
  claim_faults_.clear();
  write_ = &write;

  LoadSet set;
  request(write, read_set, set);
  set.claims = read_set.claims;
  Loaded loaded;
  try {
    loaded = write.load(set);
  } catch (const LogCorrupt&) {
    load_one_by_one(write, set);
    return unfinished_.empty();
  }
  for (std::size_t i = 0; i < set.streams.size(); ++i) take(set.streams[i].name, loaded.streams[i]);
  for (std::size_t i = 0; i < set.claims.size(); ++i) {
    if (loaded.claims[i]) claims_.emplace(set.claims[i], *loaded.claims[i]);
  }
  return unfinished_.empty();
}

void StateCache::read_ahead(const Log& log) {
  write_ = nullptr;
  for (const auto& stream : unfinished_) {
    try {
      read_on(stream, [&](std::uint32_t after) { return log.read_stream(stream, after, kNoLimit); });
    } catch (const LogCorrupt&) {
      // The next load meets the same damage and reports it.
    } catch (const WrittenByNewerRelease&) {
      // Likewise.
    }
  }
}

void StateCache::finish_load(const LogWrite& write) {
  for (const auto& stream : unfinished_) {
    try {
      read_on(stream, [&](std::uint32_t after) {
        return std::move(write.load({{{stream, after}}, {}, {}}).streams.front());
      });
      touch(stream).checked_in = generation_;
    } catch (const LogCorrupt&) {
      blame(stream);
    } catch (const WrittenByNewerRelease&) {
      blame(stream);
    }
  }
}

template <class Read>
void StateCache::read_on(const StreamName& stream, const Read& read) {
  auto& entry = touch(stream);
  bool more = true;
  while (more) {
    const auto batch = read(entry.version);
    fold(entry, batch.events);
    more = batch.more;
  }
}

void StateCache::load_one_by_one(const LogWrite& write, const LoadSet& set) {
  for (const auto& stream : set.streams) {
    try {
      take(stream.name, write.load({{stream}, {}, {}}).streams.front());
    } catch (const LogCorrupt&) {
      blame(stream.name);
    }
  }
  for (const auto& claim : set.claims) {
    try {
      if (auto holder = write.load({{}, {claim}, {}}).claims.front())
        claims_.emplace(claim, *std::move(holder));
    } catch (const LogCorrupt& fault) {
      claim_faults_.emplace(claim, fault.what());
    }
  }
}

void StateCache::take(const StreamName& stream, const StreamBatch& batch) {
  auto& entry = touch(stream);
  try {
    fold(entry, batch.events);
  } catch (const LogCorrupt&) {
    return blame(stream);
  } catch (const WrittenByNewerRelease&) {
    return blame(stream);
  }
  if (!batch.more) return;
  entry.checked_in = 0;
  unfinished_.push_back(stream);
}

void StateCache::fold(Entry& entry, const std::vector<StoredEvent>& events) {
  apply_to(entry.state, entry.version, events);
  weigh(entry);
}

void StateCache::blame(const StreamName& stream) {
  forget(stream);
  stream_faults_.emplace(stream, std::current_exception());
}

void StateCache::request(const LogWrite& write, const domain::ReadSet& read_set, LoadSet& set) {
  // Another process has written since the last batch: any stream may have grown, and each is checked when it
  // is needed.
  if (write.head().position != as_of_) ++generation_;
  for (const auto& stream : read_set.streams) {
    auto& entry = touch(stream);
    if (entry.checked_in == generation_) continue;
    set.streams.push_back({stream, entry.version});
    entry.checked_in = generation_;
  }
}

StateCache::Entry& StateCache::touch(const StreamName& stream) {
  const auto [found, inserted] = entries_.try_emplace(stream);
  if (inserted) {
    weight_ += found->second.weight;
    by_use_.push_front(&found->first);
    found->second.use = by_use_.begin();
  } else {
    by_use_.splice(by_use_.begin(), by_use_, found->second.use);
  }
  return found->second;
}

const domain::AggregateState* StateCache::find(const StreamName& stream) const {
  const auto found = entries_.find(stream);
  if (found != entries_.end()) return found->second.state ? &*found->second.state : nullptr;
  if (const auto fault = stream_faults_.find(stream); fault != stream_faults_.end())
    std::rethrow_exception(fault->second);
  return nullptr;
}

const StreamName* StateCache::claim_holder(const ClaimName& claim) const {
  const auto found = claims_.find(claim);
  if (found != claims_.end()) return &found->second;
  if (const auto fault = claim_faults_.find(claim); fault != claim_faults_.end())
    throw LogCorrupt(fault->second);
  return nullptr;
}

std::optional<StreamName> StateCache::holder_of(const ClaimName& claim) const {
  assert(write_);
  if (const auto* const holder = claim_holder(claim)) return *holder;
  return std::move(write_->load({{}, {claim}, {}}).claims.front());
}

std::uint32_t StateCache::version_of(const StreamName& stream) const {
  assert(write_);
  const auto cached = entries_.find(stream);
  if (cached != entries_.end() && cached->second.checked_in == generation_) return cached->second.version;
  const auto fresh = fresh_versions_.find(stream);
  return fresh != fresh_versions_.end() ? fresh->second : write_->version_of(stream);
}

std::optional<domain::AggregateState> StateCache::state_of(const StreamName& stream) const {
  assert(write_);
  const auto cached = entries_.find(stream);
  if (cached != entries_.end() && cached->second.checked_in == generation_) return cached->second.state;
  std::optional<domain::AggregateState> state;
  std::uint32_t version = 0;
  for (bool more = true; more;) {
    const auto batch = std::move(write_->load({{{stream, version}}, {}, {}}).streams.front());
    apply_to(state, version, batch.events);
    more = batch.more;
  }
  return state;
}

void StateCache::record(const domain::RecordedEvent& event, const std::vector<ClaimName>& claims) {
  const auto cached = entries_.find(event.stream);
  if (cached != entries_.end() && cached->second.checked_in == generation_) {
    auto& entry = cached->second;
    entry.state = domain::apply(std::move(entry.state), event.event, event.recorded_at);
    entry.version = event.version;
    weigh(entry);
  } else {
    fresh_versions_[event.stream] = event.version;
  }
  for (const auto& claim : claims) claims_.emplace(claim, event.stream);
}

void StateCache::committed(Position head) {
  as_of_ = head;
  write_ = nullptr;
  evict();
}

void StateCache::aborted() {
  write_ = nullptr;
  entries_.clear();
  by_use_.clear();
  weight_ = 0;
  long_weight_ = 0;
}

void StateCache::weigh(Entry& entry) {
  weight_ -= entry.weight;
  if (entry.is_long) long_weight_ -= entry.weight;
  entry.weight = domain::weight_of(entry.state ? &*entry.state : nullptr);
  entry.is_long = entry.version >= kLongStreamEvents;
  weight_ += entry.weight;
  if (entry.is_long) long_weight_ += entry.weight;
}

void StateCache::forget(const StreamName& stream) {
  const auto found = entries_.find(stream);
  weight_ -= found->second.weight;
  if (found->second.is_long) long_weight_ -= found->second.weight;
  by_use_.erase(found->second.use);
  entries_.erase(found);
}

void StateCache::evict() {
  while (weight_ > states_max_ && !by_use_.empty()) {
    const auto& oldest = *by_use_.back();
    // While long streams use less than half of the weight, there is another stream to evict.
    if (long_weight_ <= states_max_ / 2 && entries_.find(oldest)->second.is_long)
      by_use_.splice(by_use_.begin(), by_use_, std::prev(by_use_.end()));
    else
      forget(oldest);
  }
}

}  // namespace pixledger::eventstore
