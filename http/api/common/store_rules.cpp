#include "http/api/common/store_rules.h"

#include "domain/values/document.h"

namespace pixledger::http {
namespace {

// A document of another form is a violation already.
void judge_document(const JsonObject& customer, std::string_view field, Violations& violations) {
  const auto document = customer.optional<domain::Document>("document");
  if (document && !domain::has_valid_check_digits(*document))
    violations.push_back({std::string(field), std::string(domain::kCheckDigitsRule)});
}

}  // namespace

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
