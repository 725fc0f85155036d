#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/command_line.h"

namespace CLI {
class Config;
}  // namespace CLI

// The configuration file that all programs share: TOML 1.0. A key outside any table is an option of any
// program, and counts for the one that runs where it, or its command in use, has it; a table is a command of
// `pixledger`, with options of that command alone. The environment wins over the file, flags over both.
namespace pixledger {

// `--map-size` → PIXLEDGER_MAP_SIZE
std::string environment_name(std::string_view option);

// Of the options whose value is the file's: where that stands, "FILE:LINE:COLUMN", by their names.
using OptionPlaces = std::map<std::string, std::string>;

// Where the value stands in the file that a usage error is about, "--listen must be …": that of the first
// option it names which has a place; "" when none has.
std::string place_of(std::string_view usage, const OptionPlaces& places);
// The error as the file's: "FILE:LINE:COLUMN: listen must be …".
std::string located(std::string_view place, std::string_view usage);

// What CLI11 asks for the file's values. What is wrong is added to `problems`, "FILE:LINE:COLUMN: …", and has
// no effect: what does not parse as TOML, keys and tables that no program knows, values of the wrong kind,
// and values that their option does not take. `places` gets those of all others that count. `file` is read
// when the file is.
std::shared_ptr<CLI::Config> configuration_reader(CLI::App& app, const std::filesystem::path& file,
                                                  std::vector<std::string>& problems, OptionPlaces& places);

// Sets the options of a service from the environment and the file, for who looks at them without starting it.
struct ReadOptions {
  std::vector<std::string> problems;  // with either
  OptionPlaces places;
};
ReadOptions read_options(CommandLine& service, const std::filesystem::path& file);

// What a program declares: its commands, and the keys that it or any command has and that are neither common
// to all programs nor a service's. Sorted, each once.
std::vector<std::string> declared_tables(CommandLine& line);
std::vector<std::string> declared_keys(CommandLine& line);

// Whether the file is valid TOML. If not, none of it is used.
bool is_toml(const std::filesystem::path& file);

// What `pixledger` alone has in the configuration file that all programs share. Its commands are declared in
// tools, which the services do not see, and still they must tell these names from mistakes; a test holds them
// against what is declared.

// clang-format off
constexpr auto kTablesOfPixledger = std::to_array<std::string_view>(
    {"backup",    "channel",    "charge",  "check-proof", "checkout", "checkpoint", "clock",   "connection",
     "customer",  "deliveries", "doctor",  "emails",      "events",     "export",  "history",
     "init",      "kept",       "key",     "ledger",
     "listen",  "migrate", "payment", "project",     "projections", "prove",  "qr",
     "receive",   "reconcile",  "report",  "restore",     "secrets",    "up",      "user",        "verify"});

// Keys of its commands that are no service's.
constexpr auto kKeysOfPixledger = std::to_array<std::string_view>(
    {"abandon", "accept-probable", "add", "after", "against", "alias", "all", "allow-ip", "amount-cents", "amount-max",
    "amount-min", "api-version", "as-of", "base-url", "by", "callback-cn", "cancel-url", "cert", "channel",
    "client-id",
    "client-secret-file", "code", "code-deadline-ms", "connection", "connection-id", "consistency",
    "contact", "copy-alone", "count", "customer-address-city", "customer-address-complement",
    "customer-address-country",
    "customer-address-neighborhood", "customer-address-state", "customer-address-street",
    "customer-address-street-number", "customer-address-zip-code",
    "customer-document", "customer-email", "customer-id", "customer-name",
    "customer-phone", "dev", "dev-mode", "document", "domain", "email", "end-to-end-id", "env",
    "environment", "environments", "events", "expiration-days", "expires", "expires-in-minutes",
    "external-id", "fallback", "fee-basis-points", "fee-fixed-cents", "follow", "format", "forward-to",
    "from", "from-position", "id", "json", "kept", "key", "key-id", "keys", "language", "ledger-owner",
    "limit", "locale", "max-amount-cents",
    "merchant-city", "merchant-name", "metadata", "name", "no-dev-mode", "no-verify-documents", "only",
    "origin-domain", "overlap-seconds", "paid-at", "pay", "pfx", "pfx-password-file",
    "pix-expiration-minutes", "pix-key", "product", "project", "provider", "provider-id", "provider-name",
    "psp", "psp-app-key", "public-key", "quantity", "rate", "reason", "recorded-only", "reset",
    "role",
    "sandbox-only", "scopes", "search", "secret", "send-back", "since", "state", "statement", "status", "stream",
    "structure-only", "success-url", "timeout", "timezone", "to", "token-auth", "token-url", "type", "until",
    "until-position", "url", "user-id", "verify-documents", "wait", "web-port-file", "webhook-api-version",
    "webhook-url", "what",
    "with-keys"});
// clang-format on

}  // namespace pixledger
