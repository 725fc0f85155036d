#include "projections/exports/customer_directory.h"

#include "eventstore/reading/erasure.h"

namespace pixledger::projections {
namespace {

constexpr std::size_t kCustomersKnownMax = 4096;

}  // namespace

const domain::Customer* CustomerDirectory::find(const domain::CustomerId& id) {
  auto found = known_.find(id.text());
  if (found == known_.end()) {
    if (known_.size() >= kCustomersKnownMax) known_.clear();
    found = known_.emplace(id.text(), eventstore::find_customer(log_, id, as_of_)).first;
  }
  return found->second ? &*found->second : nullptr;
}

}  // namespace pixledger::projections
