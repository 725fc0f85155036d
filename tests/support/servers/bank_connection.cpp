#include "tests/support/servers/bank_connection.h"

#include <simdjson.h>

namespace pixledger::tests {

BankConnection::BankConnection()
    : project(json_at(pixledger.create_project(), "/projectId")),
      secret_file_(bank.told("/client/clientSecretFile")) {
  add("banco", true);
}

void BankConnection::add(const std::string& alias, bool with_certificate, const std::string& environment,
                         const std::string& psp) const {
  Words words{"connection",
              "add",
              "--project",
              project,
              "--env",
              environment,
              "--alias",
              alias,
              "--provider",
              "api-pix",
              "--psp",
              psp,
              "--base-url",
              bank.told("/baseUrl"),
              "--token-url",
              bank.told("/tokenUrl"),
              "--pix-key",
              bank.told("/client/pixKey"),
              "--client-id",
              bank.told("/client/clientId"),
              "--client-secret-file",
              secret_file_};
  if (with_certificate)
    words.insert(words.end(),
                 {"--cert", bank.told("/client/certificate"), "--key", bank.told("/client/key")});
  pixledger.done(words);
}

BankConnection::Words BankConnection::naming(const Words& command, const std::string& alias) const {
  Words words{"connection"};
  words.insert(words.end(), command.begin(), command.end());
  words.insert(words.end(), {"--project", project, "--connection", alias});
  return words;
}

ProcessResult BankConnection::run(const Words& command, const Words& more, const std::string& alias) const {
  auto words = naming(command, alias);
  words.insert(words.end(), {"--ca-file", bank.told("/ca")});
  words.insert(words.end(), more.begin(), more.end());
  return pixledger.run(words);
}

std::string BankConnection::webhook() const {
  simdjson::dom::parser parser;
  const auto state = bank.drive("GET", "/state");
  const auto found = parser.parse(state).at_pointer("/accounts/0/webhook/webhookUrl");
  std::string_view url;
  return found.get_string().get(url) == simdjson::SUCCESS ? std::string(url) : "";
}

}  // namespace pixledger::tests
