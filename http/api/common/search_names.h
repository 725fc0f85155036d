#pragma once

#include <string_view>
#include <vector>

#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "domain/values/stream_name.h"
#include "http/services/services.h"

namespace pixledger::http {

// The customers of a document in both environments.
std::vector<domain::StreamName> customers_of_document(const Services& services,
                                                      const domain::ProjectId& project,
                                                      const domain::Document& document);

// The same of a text that is searched for; empty when it is no document as people write one.
std::vector<domain::StreamName> customers_named(const Services& services, const domain::ProjectId& project,
                                                std::string_view text);

}  // namespace pixledger::http
