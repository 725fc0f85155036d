#include "eventstore/batch_states.h"

#include <cassert>

#include "eventstore/codec.h"

namespace pixledger::eventstore {

void BatchStates::load(const LogWrite& write, const domain::Needs& needs) {
  fresh_versions_.clear();
  claims_.clear();
  prefix_counts_.clear();
  write_ = &write;

  LoadSet set;
  request(write, needs, set);
  set.claims = needs.claims;
  set.claim_prefixes = needs.claim_prefixes;
  const auto loaded = write.load(set);

  for (std::size_t i = 0; i < set.streams.size(); ++i) {
    auto& entry = touch(set.streams[i].name);
    for (const auto& stored : loaded.streams[i]) {
      const auto event = decode(stored);
      entry.state = domain::apply(std::move(entry.state), event.event, event.recorded_at);
      entry.version = event.version;
    }
  }
  for (std::size_t i = 0; i < set.claims.size(); ++i) {
    if (loaded.claims[i]) claims_.emplace(set.claims[i], *loaded.claims[i]);
  }
  for (std::size_t i = 0; i < set.claim_prefixes.size(); ++i)
    prefix_counts_[set.claim_prefixes[i]] = loaded.claim_prefixes[i];
}

void BatchStates::request(const LogWrite& write, const domain::Needs& needs, LoadSet& set) {
  // Somebody else has written since the last batch: any stream may have grown, and each is checked when it is
  // needed.
  if (write.head().position != as_of_) ++generation_;
  for (const auto& stream : needs.streams) {
    auto& entry = touch(stream);
    if (entry.checked_in == generation_) continue;
    set.streams.push_back({stream, entry.version});
    entry.checked_in = generation_;
  }
}

BatchStates::Entry& BatchStates::touch(const StreamName& stream) {
  const auto [found, inserted] = entries_.try_emplace(stream);
  if (inserted) {
    by_use_.push_front(&found->first);
    found->second.use = by_use_.begin();
  } else {
    by_use_.splice(by_use_.begin(), by_use_, found->second.use);
  }
  return found->second;
}

const domain::AggregateState* BatchStates::find(const StreamName& stream) const {
  const auto found = entries_.find(stream);
  return found == entries_.end() || !found->second.state ? nullptr : &*found->second.state;
}

const StreamName* BatchStates::claim_holder(const ClaimName& claim) const {
  const auto found = claims_.find(claim);
  return found == claims_.end() ? nullptr : &found->second;
}

std::size_t BatchStates::claims_with_prefix(const std::string& prefix) const {
  const auto found = prefix_counts_.find(prefix);
  return found == prefix_counts_.end() ? 0 : found->second;
}

std::uint32_t BatchStates::version_of(const StreamName& stream) const {
  assert(write_);
  const auto cached = entries_.find(stream);
  if (cached != entries_.end() && cached->second.checked_in == generation_) return cached->second.version;
  const auto fresh = fresh_versions_.find(stream);
  return fresh != fresh_versions_.end() ? fresh->second : write_->version_of(stream);
}

void BatchStates::record(const domain::RecordedEvent& event, const std::vector<ClaimName>& claims) {
  const auto cached = entries_.find(event.stream);
  if (cached != entries_.end() && cached->second.checked_in == generation_) {
    auto& entry = cached->second;
    entry.state = domain::apply(std::move(entry.state), event.event, event.recorded_at);
    entry.version = event.version;
  } else {
    fresh_versions_[event.stream] = event.version;
  }
  for (const auto& claim : claims) {
    claims_.emplace(claim, event.stream);
    for (auto& [prefix, count] : prefix_counts_) {
      if (claim.text().compare(0, prefix.size(), prefix) == 0) ++count;
    }
  }
}

void BatchStates::committed(Position head) {
  as_of_ = head;
  write_ = nullptr;
  evict();
}

void BatchStates::aborted() {
  write_ = nullptr;
  entries_.clear();
  by_use_.clear();
}

void BatchStates::evict() {
  while (entries_.size() > states_max_) {
    const auto found = entries_.find(*by_use_.back());
    by_use_.pop_back();
    entries_.erase(found);
  }
}

}  // namespace pixledger::eventstore
