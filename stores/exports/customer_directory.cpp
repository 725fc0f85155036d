#include "stores/exports/customer_directory.h"

#include "eventstore/reading/erasure.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kCustomersKnownMax = 4096;

}  // namespace

const domain::Customer* CustomerDirectory::find(const domain::CustomerId& id) {
  auto found = known_.find(id.text());
  if (found == known_.end()) {
    auto stream = log_.claim_holder(domain::customer_claim(id));
    if (!stream) return nullptr;
    if (known_.size() >= kCustomersKnownMax) known_.clear();
    found = known_.emplace(id.text(), Known{.stream = *std::move(stream), .customer = std::nullopt}).first;
  }
  auto& known = found->second;
  // An erasure is an event of the stream.
  if (const auto version = log_.version_of(known.stream); version != known.version) {
    known.customer = eventstore::find_customer(log_, id, as_of_);
    known.version = version;
  }
  return known.customer ? &*known.customer : nullptr;
}

}  // namespace pixledger::stores
