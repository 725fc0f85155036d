#include "http/api/common/metadata_input.h"

#include <set>
#include <string>

#include "base/http/json/unknown_names.h"
#include "base/text/hidden_characters.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kField = "metadata";

std::string key_rule() { return "a key of it " + std::string(domain::MetadataKey::kRule); }

}  // namespace

std::optional<domain::Metadata> read_metadata(const JsonObject& body) {
  const auto texts = body.optional_named_texts(kField, domain::Metadata::kRule);
  if (!texts) return std::nullopt;
  if (texts->size() > domain::Metadata::kEntriesMax) {
    body.violation(kField, std::string(domain::Metadata::kRule));
    return std::nullopt;
  }
  std::vector<domain::MetadataEntry> entries;
  bool valid = true;
  std::set<std::string_view> names;
  for (const auto& [name, text] : *texts) {
    auto key = domain::MetadataKey::parse(name);
    const bool is_hidden = text && holds_hidden_characters(*text);
    auto value = text && !is_hidden ? domain::MetadataValue::parse(*text) : std::nullopt;
    // clang 14 has lambdas take no structured binding along.
    const auto refuse = [&, &shown = name](std::string reason) {
      body.violation("metadata." + shown_name(shown), std::move(reason));
      valid = false;
    };
    // A name that is no key may be anything, and is not repeated.
    if (!key) {
      body.violation(kField, key_rule());
      valid = false;
    } else if (!names.insert(name).second) {
      refuse("must be given once");
    } else if (!value) {
      refuse(text_rule(text.value_or(""), domain::MetadataValue::kRule));
    } else {
      entries.push_back({*std::move(key), *std::move(value)});
    }
  }
  if (!valid) return std::nullopt;
  return domain::Metadata::of(std::move(entries));
}

std::vector<domain::MetadataEntry> read_metadata_filter(const Query& query, Violations& violations) {
  std::vector<domain::MetadataEntry> wanted;
  for (const auto& [name, text] : query.values_in(kField, violations)) {
    auto key = domain::MetadataKey::parse(name);
    auto value = domain::MetadataValue::parse(text);
    if (!key)
      violations.push_back({std::string(kField), key_rule()});
    else if (!value)
      violations.push_back({"metadata[" + shown_name(name) + "]", std::string(domain::MetadataValue::kRule)});
    else
      wanted.push_back({*std::move(key), *std::move(value)});
  }
  if (wanted.size() > domain::Metadata::kEntriesMax)
    violations.push_back({std::string(kField), "must be at most 20 filters"});
  return wanted;
}

}  // namespace pixledger::http
