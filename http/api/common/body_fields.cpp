#include "http/api/common/body_fields.h"

#include <set>
#include <string>
#include <string_view>

#include "base/http/json/error_reply.h"
#include "base/text/text.h"
#include "domain/values/document.h"

namespace pixledger::http {
namespace {

struct GivenDomain {
  static constexpr std::string_view kRule = OriginHost::kRule;
  static std::optional<GivenDomain> parse(std::string_view text) { return GivenDomain{std::string(text)}; }
  std::string text;
};

constexpr std::string_view kField = "metadata";

std::string key_rule() { return "a key of it " + std::string(domain::MetadataKey::kRule); }

// A malformed document is a violation already.
void judge_document(const JsonObject& customer, std::string_view field, Violations& violations) {
  const auto document = customer.optional<domain::Document>("document");
  if (document && !domain::has_valid_check_digits(*document))
    violations.push_back({std::string(field), std::string(domain::kCheckDigitsRule)});
}

}  // namespace

std::optional<OriginHost> read_origin_domain(const JsonObject& body) {
  constexpr std::string_view kName = "originDomain";
  const auto given = body.required<GivenDomain>(kName);
  if (!given) return std::nullopt;
  auto host = OriginHost::parse(given->text);
  if (!host) body.violation(kName, std::string(host_name_rule(given->text, OriginHost::kRule)));
  return host;
}

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
    // clang 14: lambdas cannot capture structured bindings.
    const auto refuse = [&, &shown = name](std::string reason) {
      body.violation("metadata." + shown_name(shown), std::move(reason));
      valid = false;
    };
    // An invalid key may be any text, so it is not repeated in the message.
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

void add_violations_of_creation(const domain::Project& project, domain::Environment environment,
                                const Input& input, Violations& violations) {
  if (!input.json()) return;
  Violations known;
  const auto root = input.json()->root(known);
  const auto customer = root.optional_object("customer");
  if (customer && project.settings.verify_documents)
    judge_document(*customer, "customer.document", violations);
  const auto connection = root.optional<domain::ConnectionId>("connectionId");
  if (connection && !domain::find_connection(project, environment, connection))
    violations.push_back({"connectionId", std::string(kConnectionRule)});
}

void add_violations_of_customer(const domain::Project& project, const Input& input, Violations& violations) {
  if (project.settings.verify_documents) add_violations_of_payer(input, violations);
}

void add_violations_of_payer(const Input& input, Violations& violations) {
  if (!input.json()) return;
  Violations known;
  judge_document(input.json()->root(known), "document", violations);
}

}  // namespace pixledger::http
