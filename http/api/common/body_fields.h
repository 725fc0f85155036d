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

// A field that is validated elsewhere, or together with others.
struct AnyText {
  static constexpr std::string_view kRule = "must be a text";
  static std::optional<AnyText> parse(std::string_view text) { return AnyText{std::string(text)}; }
  std::string text;
};

// The required field `originDomain`. nullopt with a violation, which mentions an underscore if that is the
// cause.
std::optional<OriginHost> read_origin_domain(const JsonObject& body);

// The field `metadata`; {} is empty metadata. nullopt if absent or invalid.
std::optional<domain::Metadata> read_metadata(const JsonObject& body);

// The parameters `metadata[key]=value`, which must all match. Adds a violation for each invalid one.
std::vector<domain::MetadataEntry> read_metadata_filter(const Query& query, Violations& violations);

inline constexpr std::string_view kConnectionRule =
    "is not an enabled connection of this project and environment";

// Adds violations of the project's settings to those of a body, so that the caller sees all at once. A body
// without violations goes to the decision, which checks the settings itself: it may repeat a request that was
// accepted under other settings.
void add_violations_of_creation(const domain::Project& project, domain::Environment environment,
                                const Input& input, Violations& violations);
void add_violations_of_customer(const domain::Project& project, const Input& input, Violations& violations);

// Checks the check digits of a payer's document, whatever the store verifies.
void add_violations_of_payer(const Input& input, Violations& violations);

}  // namespace pixledger::http
