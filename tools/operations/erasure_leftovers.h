#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
    std::string type;  // of what it blocks: "document", "email"
    bool is_removed;   // by the merchant, which leaves it in the ledger
  };
  struct Text {
    Position position;  // of the event that has it
    std::string field;  // "requestId", "externalId", "product"
    std::string names;  // see domain::mentioned_in
  };

  std::vector<Entry> blocklist;
  std::vector<Text> texts;  // the first kListedMax
  std::uint64_t texts_found = 0;
  // An account of the dashboard has the customer's e-mail address.
  bool has_account = false;
  // Why the accounts could not be checked; empty if they were.
  std::string accounts_unread{};
};

// What a customer is called, and was called before: each creation of a charge may have renamed them. Empty
// where that is erased.
using KnownDetails = std::vector<domain::CustomerDetails>;
KnownDetails details_of(const eventstore::Log& log, const domain::StreamName& stream,
                        const domain::CustomerId& customer);

// The part of any of them that a text gives away, as domain::mentioned_in has it.
std::optional<std::string_view> mentioned_in(std::string_view text, const KnownDetails& known);

// Looks through the blocklists of the project, removed entries too, and the events of the customer's stream,
// of their charges and of what was refused to them. Throws LogCorrupt.
ErasureLeftovers find_leftovers(const eventstore::Log& log, const domain::StreamName& stream,
                                const domain::ProjectId& project, const KnownDetails& known,
                                const eventstore::ErasedRecords& records);

}  // namespace pixledger::tools
