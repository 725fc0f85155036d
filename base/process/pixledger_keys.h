#pragma once

#include <array>
#include <string_view>

// What `pixledger` alone has in the configuration file that all programs share. Its commands are declared in
// tools, which the services do not see, and still they must tell these names from mistakes; a test holds them
// against what is declared.
namespace pixledger {

// clang-format off
constexpr auto kTablesOfPixledger = std::to_array<std::string_view>(
    {"backup",    "channel",    "charge",  "check-proof", "checkout", "checkpoint", "clock",   "connection",
     "customer",  "deliveries", "doctor",  "emails",      "events",     "export",  "history",
     "init",      "kept",       "key",     "ledger",
     "listen",  "migrate", "payment", "project",     "projections", "prove",  "qr",
     "receive",   "reconcile",  "report",  "restore",     "secrets",    "up",      "user",        "verify"});

// Keys of its commands that are no service's.
constexpr std::array<std::string_view, 133> kKeysOfPixledger{
    "abandon", "accept-probable", "add", "after", "against", "alias", "all", "allow-ip", "amount-cents", "amount-max",
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
    "with-keys"};
// clang-format on

}  // namespace pixledger
