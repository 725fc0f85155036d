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

// The configuration file of all programs: TOML 1.0. A key outside any table is an option of any program, and
// applies if the running program, or its command in use, has it. A table is a command of `pixledger`, with
// that command's options. The environment overrides the file, and flags override both.
namespace pixledger {

// `--map-size` → PIXLEDGER_MAP_SIZE
std::string environment_name(std::string_view option);

// Where the file sets an option, "FILE:LINE:COLUMN", by option name; only for options whose value comes from
// the file.
using OptionPlaces = std::map<std::string, std::string>;

// The place of the first option named in a usage error ("--listen must be …") that has a place; "" if none.
std::string place_of(std::string_view usage, const OptionPlaces& places);
// The error with its place in the file: "FILE:LINE:COLUMN: listen must be …".
std::string located(std::string_view place, std::string_view usage);

// The object through which CLI11 reads the file. Appends errors to `problems`, as "FILE:LINE:COLUMN: …":
// invalid TOML, unknown keys and tables, values of the wrong kind and rejected values. These have no effect.
// `places` gets the places of all other values that apply. `file` is read when CLI11 reads the file.
std::shared_ptr<CLI::Config> configuration_reader(CLI::App& app, const std::filesystem::path& file,
                                                  std::vector<std::string>& problems, OptionPlaces& places);

// Sets a service's options from the environment and the file, to inspect them without starting it.
struct ReadOptions {
  std::vector<std::string> problems;  // of the environment and the file
  OptionPlaces places;
};
ReadOptions read_options(CommandLine& service, const std::filesystem::path& file);

// What a program declares: its commands, and the keys of it or any command that are neither common to all
// programs nor a service's. Sorted, without duplicates.
std::vector<std::string> declared_tables(CommandLine& line);
std::vector<std::string> declared_keys(CommandLine& line);

// Whether the file is valid TOML. If not, nothing of it applies.
bool is_toml(const std::filesystem::path& file);

// Tables that only `pixledger` has in the shared configuration file. Its commands are declared in tools,
// which services do not link, but services must tell these names from mistakes. A test compares the list with
// the declarations.

// clang-format off
constexpr auto kTablesOfPixledger = std::to_array<std::string_view>(
    {"backup",    "channel",    "charge",  "check-proof", "checkout", "checkpoint", "clock",   "connection",
     "customer",  "deliveries", "doctor",  "emails",      "events",     "export",  "follow",  "history",
     "init",      "kept",       "key",     "ledger",
     "listen",  "mcp", "migrate", "payment", "project",     "projections", "prove",  "qr",
     "receive",   "reconcile",  "report",  "restore",     "secrets",    "up",      "user",        "verify"});

// Keys of its commands that no service has.
constexpr auto kKeysOfPixledger = std::to_array<std::string_view>(
    {"abandon", "accept-probable", "add", "after", "against", "alias", "all", "allow-ip", "allow-live-reads",
    "amount-cents", "amount-max",
    "amount-min", "api-version", "as-of", "at", "base-url", "by", "callback-cn", "cancel-url", "cert", "channel",
    "client-id",
    "client-secret-file", "code", "code-deadline-ms", "connection", "connection-id", "consistency",
    "contact", "copy-alone", "count", "customer-address-city", "customer-address-complement",
    "customer-address-country",
    "customer-address-neighborhood", "customer-address-state", "customer-address-street",
    "customer-address-street-number", "customer-address-zip-code",
    "customer-document", "customer-email", "customer-id", "customer-name",
    "customer-phone", "dev", "dev-mode", "document", "domain", "email", "end-to-end-id", "env",
    "environment", "environments", "epoch", "erase-within", "events", "expiration-days", "expires",
    "expires-in-minutes",
    "external-id", "fallback", "fee-basis-points", "fee-fixed-cents", "follow", "format", "forward-to",
    "from", "from-position", "id", "identity", "interval", "json", "keep", "kept", "key", "key-file",
    "key-id", "keys",
    "language", "ledger-owner",
    "limit", "locale", "max-amount-cents",
    "merchant-city", "merchant-name", "metadata", "name", "no-dev-mode", "no-verify-documents", "only",
    "origin-domain", "overlap-seconds", "paid-at", "partly-refunded", "pay", "pfx", "pfx-password-file",
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
