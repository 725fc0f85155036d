#pragma once

#include <cstddef>
#include <vector>

#include "base/values/email_address.h"
#include "domain/aggregates/customer.h"
#include "domain/values/document.h"
#include "eventstore/ledger.h"

// A project's customers of both environments as the ledger has them now; erased ones are not found.
namespace pixledger::tools {

// The document names the stream, so nothing is searched through.
std::vector<domain::Customer> customers_with(const eventstore::Ledger& ledger,
                                             const domain::ProjectId& project,
                                             const domain::Document& document);

constexpr std::size_t kFoundCustomersMax = 1'000;
// Reads the whole ledger, since nothing in it is ordered by address. At most kFoundCustomersMax, the first
// registered first.
std::vector<domain::Customer> customers_with(const eventstore::Ledger& ledger,
                                             const domain::ProjectId& project, const EmailAddress& email);

}  // namespace pixledger::tools
