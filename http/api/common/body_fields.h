#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/json/json_body.h"
#include "base/values/internet_address.h"
#include "domain/aggregates/project.h"
#include "domain/values/metadata.h"
#include "http/routing/input.h"

namespace pixledger::http {

// A field whose rule depends on others, or is another component's.
struct AnyText {
  static constexpr std::string_view kRule = "must be a text";
  static std::optional<AnyText> parse(std::string_view text) { return AnyText{std::string(text)}; }
  std::string text;
};

// The required field `originDomain`; nullopt with a violation, which names an underscore where there is one.
std::optional<OriginHost> read_origin_domain(const JsonObject& body);

// The field `metadata`; {} is one that is empty. Nullopt when it is absent, or with violations.
std::optional<domain::Metadata> read_metadata(const JsonObject& body);

// The parameters `metadata[key]=value`, all of which have to be met. What is not valid is a violation.
std::vector<domain::MetadataEntry> read_metadata_filter(const Query& query, Violations& violations);

inline constexpr std::string_view kConnectionRule =
    "is not an enabled connection of this project and environment";

// What the project's settings refuse of a body, so that its sender learns of all at once. A body without
// violations of its own is left to the decision first, which judges the same: it may repeat a request that
// was accepted under other settings.
void add_violations_of_creation(const domain::Project& project, domain::Environment environment,
                                const Input& input, Violations& violations);
void add_violations_of_customer(const domain::Project& project, const Input& input, Violations& violations);

// The check digits of a document that a payer has typed, whatever the store verifies.
void add_violations_of_payer(const Input& input, Violations& violations);

}  // namespace pixledger::http
