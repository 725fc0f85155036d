#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "eventstore/keys/connection_secrets.h"

// From the options of `pixledger connection` to what a connection to a bank is configured with. Whatever is
// wrong throws UsageError that names the option, before anything is recorded; no message holds a secret.
namespace pixledger::tools {

// As given on the command line; absent: not given.
struct BankOptions {
  std::optional<std::string> psp;
  std::optional<std::string> pix_key;
  std::optional<std::string> base_url;
  std::optional<std::string> token_url;
  std::optional<std::string> token_auth;
  std::optional<std::string> scopes;
  std::optional<std::string> client_id;
  std::optional<std::string> client_secret_file;
  std::optional<std::string> cert;
  std::optional<std::string> key;
  std::optional<std::string> pfx;
  std::optional<std::string> pfx_password_file;
  std::optional<std::string> psp_app_key;
  std::optional<std::string> code;
  std::optional<std::string> fallback;
  std::optional<std::int64_t> code_deadline_ms;
  std::optional<std::int64_t> rate;
  std::optional<std::string> callback_cn;
  bool allow_http = false;

  // The name of one that was given; nullptr: none was.
  const char* first_given() const;
  // Of those that let the client in.
  bool has_credentials() const;
  // Whether the bank's configuration is concerned, and not only what creations know.
  bool concerns_bank() const;
};

void add_bank_options(CommandLine& command, BankOptions& options);

// What a connection has that its bank is spoken to with; the secrets in the open, and not in `configuration`.
struct BankSetup {
  domain::BankConfiguration configuration{};
  eventstore::ConnectionSecrets secrets{};
};

// Of a new connection in that environment.
BankSetup new_setup(const BankOptions& options, domain::Environment environment, Timestamp now);
domain::ApiPix new_terms(const BankOptions& options);
// What merchants are told the provider's name is, unless it is given.
std::string provider_name_of(const BankOptions& options);

// What its bank asks for and it does not have, as a sentence for the operator; empty: nothing. Some banks let
// a connection without it in all the same.
std::string lack_of(const BankSetup& setup);

// With what the options say changed; the rest stays. Another bank comes with its own URLs.
BankSetup changed_setup(BankSetup setup, const BankOptions& options, domain::Environment environment,
                        Timestamp now);
domain::ConnectionChange changed_terms(const BankOptions& options);

}  // namespace pixledger::tools
