#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/aggregates/customer.h"
#include "eventstore/reading/erasure.h"

namespace pixledger::tools {

// What names a customer and stays when they are erased: it belongs to the merchant, or is part of what the
// proofs are about.
struct ErasureLeftovers {
  static constexpr std::size_t kListedMax = 100;

  struct Entry {
    domain::BlocklistEntryId id;
    std::string_view type;  // of what it blocks: "document", "email"
  };
  struct Text {
    domain::Position position;  // of the event that has it
    std::string_view field;     // "requestId", "externalId", "product"
    std::string_view names;     // see domain::mentioned_in
  };

  std::vector<Entry> blocklist;
  std::vector<Text> texts;  // the first kListedMax
  std::uint64_t texts_found = 0;
  // An account of the dashboard has the customer's e-mail address.
  bool has_account = false;
  // Why the accounts could not be checked; empty if they were.
  std::string accounts_unread{};
};

// Looks through the blocklists of the customer's project, and the events of their stream and of their
// charges. `customer` is as before the erasure, details included. Throws LogCorrupt.
ErasureLeftovers find_leftovers(const eventstore::Log& log, const domain::StreamName& stream,
                                const domain::Customer& customer,
                                const std::vector<domain::ChargeId>& charges);

}  // namespace pixledger::tools
