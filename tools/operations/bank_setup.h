#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "eventstore/keys/connection_secrets.h"

// Converts the options of `pixledger connection` to a bank connection's configuration. Invalid options throw
// UsageError that names the option, before anything is recorded. No message contains a secret.
namespace pixledger::tools {

// From the command line; absent: not given.
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

  // The name of a given option; nullptr if no option was given.
  const char* first_given() const;
  // True if any credential option was given.
  bool has_credentials() const;
  // True if the bank's configuration changes, not only the terms of new charges.
  bool concerns_bank() const;
};

void add_bank_options(CommandLine& command, BankOptions& options);

// A connection's configuration for its bank; the secrets are unsealed, and not in `configuration`.
struct BankSetup {
  domain::BankConfiguration configuration{};
  eventstore::ConnectionSecrets secrets{};
};

// For a new connection in that environment.
BankSetup new_setup(const BankOptions& options, domain::Environment environment, Timestamp now);
domain::ApiPix new_terms(const BankOptions& options);
// The provider name shown to merchants, unless given.
std::string provider_name_of(const BankOptions& options);

// What the bank requires and the connection lacks, as a sentence for the operator; empty if nothing. Some
// banks accept a connection without it anyway.
std::string lack_of(const BankSetup& setup);

// Applies the given options; the rest stays. Another bank brings its own URLs.
BankSetup changed_setup(BankSetup setup, const BankOptions& options, domain::Environment environment,
                        Timestamp now);
domain::ConnectionChange changed_terms(const BankOptions& options);

}  // namespace pixledger::tools
