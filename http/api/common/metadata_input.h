#pragma once

#include <optional>
#include <vector>

#include "base/http/json/json_body.h"
#include "domain/values/metadata.h"
#include "http/routing/query.h"

namespace pixledger::http {

// The field `metadata`; {} is one that is empty. Nullopt when it is absent, or with violations.
std::optional<domain::Metadata> read_metadata(const JsonObject& body);

// The parameters `metadata[key]=value`, all of which have to be met. What is not valid is a violation.
std::vector<domain::MetadataEntry> read_metadata_filter(const Query& query, Violations& violations);

}  // namespace pixledger::http
