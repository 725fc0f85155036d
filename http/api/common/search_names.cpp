#include "http/api/common/search_names.h"

#include "domain/pix/typed_document.h"
#include "domain/values/environment.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::http {

std::vector<domain::StreamName> customers_of_document(const Services& services,
                                                      const domain::ProjectId& project,
                                                      const domain::Document& document) {
  const auto token =
      domain::DocumentToken::parse(services.keyring.name_of_document(project.text(), document.text()));
  return {domain::customer_stream(project, domain::Environment::kLive, *token),
          domain::customer_stream(project, domain::Environment::kSandbox, *token)};
}

std::vector<domain::StreamName> customers_named(const Services& services, const domain::ProjectId& project,
                                                std::string_view text) {
  const auto typed = domain::TypedDocument::parse(text);
  return typed ? customers_of_document(services, project, typed->document)
               : std::vector<domain::StreamName>();
}

}  // namespace pixledger::http
