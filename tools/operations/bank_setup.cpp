#include "tools/operations/bank_setup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/process/options.h"
#include "base/text/text.h"
#include "base/values/webhook_url.h"
#include "domain/values/names.h"
#include "tools/cli/files.h"
#include "workers/banks/api_pix/bank_credentials.h"
#include "workers/banks/api_pix/bank_profile.h"

namespace pixledger::tools {
namespace {

using domain::Environment;
using GivenFile = std::optional<std::string> BankOptions::*;

constexpr std::size_t kSecretFileBytesMax = 64 * 1024;
constexpr std::size_t kSecretBytesMax = 4 * 1024;

constexpr std::array<std::pair<const char*, GivenFile>, 6> kCredentials{
    {{"--client-secret-file", &BankOptions::client_secret_file},
     {"--cert", &BankOptions::cert},
     {"--key", &BankOptions::key},
     {"--pfx", &BankOptions::pfx},
     {"--pfx-password-file", &BankOptions::pfx_password_file},
     {"--psp-app-key", &BankOptions::psp_app_key}}};
constexpr std::array<std::pair<const char*, GivenFile>, 7> kOfBank{
    {{"--psp", &BankOptions::psp},
     {"--base-url", &BankOptions::base_url},
     {"--token-url", &BankOptions::token_url},
     {"--token-auth", &BankOptions::token_auth},
     {"--scopes", &BankOptions::scopes},
     {"--client-id", &BankOptions::client_id},
     {"--callback-cn", &BankOptions::callback_cn}}};
constexpr std::array<std::pair<const char*, GivenFile>, 3> kTerms{{{"--pix-key", &BankOptions::pix_key},
                                                                   {"--code", &BankOptions::code},
                                                                   {"--fallback", &BankOptions::fallback}}};

template <std::size_t N>
const char* first_of(const BankOptions& options,
                     const std::array<std::pair<const char*, GivenFile>, N>& names) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return options.*each.second; });
  return found == names.end() ? nullptr : found->first;
}

[[noreturn]] void refuse(std::string_view flag, const std::string& problem) {
  throw UsageError(std::string(flag) + " " + problem);
}

const std::string& needed(const char* flag, const std::optional<std::string>& value) {
  if (!value) refuse(flag, "is needed with --provider api-pix");
  return *value;
}

const workers::BankProfile& profile_of(std::string_view name) {
  if (const auto* profile = workers::find_bank_profile(name)) return *profile;
  std::string names;
  for (const auto& profile : workers::bank_profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  refuse("--psp", "must be one of " + names);
}

std::string read_file(const char* flag, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  auto bytes = file ? read_at_most(file, kSecretFileBytesMax) : std::nullopt;
  if (!file.is_open() || file.bad())
    refuse(flag, "cannot be read: " + path + ": " + std::generic_category().message(errno));
  if (!bytes) refuse(flag, "is larger than 64 KiB: " + path);
  return *std::move(bytes);
}

// The only line of a file.
std::string read_line(const char* flag, const std::string& path) {
  auto text = read_file(flag, path);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.size() > kSecretBytesMax || !is_clean_text(text))
    refuse(flag, "must hold one line of at most 4 KiB: " + path);
  return text;
}

std::string checked_url(const char* flag, const std::string& text, bool allow_http) {
  const auto parsed = parse_webhook_url(text);
  if (const auto* refused = std::get_if<TargetRefused>(&parsed)) refuse(flag, refused->reason);
  const auto& url = std::get<WebhookUrl>(parsed);
  if (!url.https && !allow_http) refuse(flag, "must begin with https://; for development see --allow-http");
  if (url.path.find('?') != std::string::npos) refuse(flag, "must have no query");
  auto kept = text;
  while (kept.back() == '/') kept.pop_back();
  return kept;
}

const char* flag_of(workers::CredentialPart part) {
  switch (part) {
    case workers::CredentialPart::kCertificate:
      return "--cert";
    case workers::CredentialPart::kPrivateKey:
      return "--key";
    case workers::CredentialPart::kPfx:
      return "--pfx";
    case workers::CredentialPart::kPfxPassword:
      return "--pfx-password-file";
  }
  return "--cert";
}

// Nullopt if neither form is given.
std::optional<workers::BankCredentials> credentials_of(const BankOptions& options, Timestamp now) {
  if (options.pfx && (options.cert || options.key))
    refuse("--pfx", "and --cert with --key exclude each other");
  if (options.cert.has_value() != options.key.has_value()) refuse("--cert", "and --key belong together");
  if (options.pfx_password_file && !options.pfx) refuse("--pfx-password-file", "belongs to --pfx");
  try {
    if (options.cert)
      return workers::read_pem_credentials(read_file("--cert", *options.cert),
                                           read_file("--key", *options.key), now);
    if (!options.pfx) return std::nullopt;
    const auto password =
        options.pfx_password_file ? read_line("--pfx-password-file", *options.pfx_password_file) : "";
    return workers::read_pfx_credentials(read_file("--pfx", *options.pfx), password, now);
  } catch (const workers::CredentialError& error) {
    if (error.part() == workers::CredentialPart::kPfxPassword && !options.pfx_password_file)
      refuse("--pfx", "has a password: --pfx-password-file says which file holds it");
    refuse(flag_of(error.part()), error.what());
  }
}

void take_credentials(BankSetup& setup, const BankOptions& options, const workers::BankProfile& profile,
                      Timestamp now) {
  if (options.client_secret_file) {
    setup.secrets.client_secret = read_line("--client-secret-file", *options.client_secret_file);
    if (setup.secrets.client_secret.empty()) refuse("--client-secret-file", "is empty");
  }
  if (options.psp_app_key) {
    if (profile.app_key_parameter.empty())
      refuse("--psp-app-key", "is nothing that " + std::string(profile.name) + " asks for");
    setup.secrets.app_key = parse_option<domain::Label>("--psp-app-key", *options.psp_app_key).text();
  }
  if (const auto credentials = credentials_of(options, now)) {
    setup.configuration.certificate =
        domain::CertificateFacts{.subject = credentials->subject, .ends_at = credentials->ends_at};
    setup.secrets.certificate_pem = credentials->certificate_pem;
    setup.secrets.private_key_pem = credentials->private_key_pem;
  }
}

void take_profile(domain::BankConfiguration& configuration, const workers::BankProfile& profile,
                  Environment environment) {
  const auto& urls = environment == Environment::kLive ? profile.live : profile.test;
  configuration.psp = profile.name;
  configuration.base_url = urls.base;
  configuration.token_url = urls.token;
  configuration.token_auth = profile.token_auth;
  configuration.scopes = workers::kUsualScopes;
}

void check_whole(const BankSetup& setup, const workers::BankProfile& profile) {
  const auto& configuration = setup.configuration;
  const auto unknown = "is needed: that of " + std::string(profile.title) + " is not known here";
  if (configuration.base_url.empty()) refuse("--base-url", unknown);
  if (configuration.token_url.empty()) refuse("--token-url", unknown);
  if (configuration.token_auth != domain::TokenAuth::kNone && setup.secrets.client_secret.empty())
    refuse("--client-secret-file",
           "is needed with --token-auth " + std::string(to_string(configuration.token_auth)));
}

domain::CodeKind code_of(const std::string& text) {
  const auto kind = domain::parse_code_kind(text);
  if (!kind) refuse("--code", "must be dynamic or static");
  return *kind;
}

domain::CodeFallback fallback_of(const std::string& text) {
  const auto fallback = domain::parse_code_fallback(text);
  if (!fallback) refuse("--fallback", "must be static or none");
  return *fallback;
}

}  // namespace

const char* BankOptions::first_given() const {
  if (const auto* name = first_of(*this, kTerms)) return name;
  if (const auto* name = first_of(*this, kOfBank)) return name;
  if (const auto* name = first_of(*this, kCredentials)) return name;
  if (code_deadline_ms) return "--code-deadline-ms";
  if (rate) return "--rate";
  return allow_http ? "--allow-http" : nullptr;
}

bool BankOptions::has_credentials() const { return client_id || first_of(*this, kCredentials); }

bool BankOptions::concerns_bank() const { return rate || first_of(*this, kOfBank) || has_credentials(); }

void add_bank_options(CommandLine& command, BankOptions& options) {
  std::string names;
  for (const auto& profile : workers::bank_profiles())
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  command.add_option("--psp", options.psp, "The bank: " + names);
  command.add_option("--pix-key", options.pix_key, "The account's Pix key, which charges are paid to");
  command.add_option("--base-url", options.base_url, "The bank's API Pix; the bank's own unless given");
  command.add_option("--token-url", options.token_url, "Where it gives tokens; the bank's own unless given");
  command.add_option("--token-auth", options.token_auth,
                     "How it is told the client's secret: basic, body or none; the bank's way unless given");
  command.add_option("--scopes", options.scopes, "What tokens are asked for, with blanks between");
  command.add_option("--client-id", options.client_id, "The client that the bank has registered");
  command.add_option("--client-secret-file", options.client_secret_file, "File with the client's secret");
  command.add_option("--cert", options.cert, "PEM file with the client's certificate");
  command.add_option("--key", options.key, "PEM file with the certificate's private key");
  command.add_option("--pfx", options.pfx, "PKCS #12 file with both, instead of --cert and --key");
  command.add_option("--pfx-password-file", options.pfx_password_file, "File with its password");
  command.add_option("--psp-app-key", options.psp_app_key,
                     "The application's key that Banco do Brasil gives");
  command.add_option(
      "--code", options.code,
      "dynamic: the bank makes a charge's code (the default); static: we do, without the bank");
  command.add_option("--fallback", options.fallback,
                     "What a charge gets without the bank's code in time: static (a static code; the default "
                     "where the bank is known to report those) or none (it fails)");
  command
      .add_option("--code-deadline-ms", options.code_deadline_ms,
                  "How long a charge waits for the bank's code; 2500 unless given")
      .range(std::int64_t{domain::kCodeDeadlineMsMin}, std::int64_t{domain::kCodeDeadlineMsMax});
  command.add_option("--rate", options.rate, "Requests a second at most; 10 unless given")
      .range(std::int64_t{1}, std::int64_t{domain::kBankRateMax});
  command.add_option("--callback-cn", options.callback_cn,
                     "The name in the client certificate of callbacks from the bank");
  command.add_flag("--allow-http", options.allow_http, "URLs may begin with http://, for development");
}

BankSetup new_setup(const BankOptions& options, Environment environment, Timestamp now) {
  needed("--psp", options.psp);
  needed("--client-id", options.client_id);
  return changed_setup({}, options, environment, now);
}

BankSetup changed_setup(BankSetup setup, const BankOptions& options, Environment environment, Timestamp now) {
  auto& configuration = setup.configuration;
  const auto& profile = profile_of(options.psp.value_or(configuration.psp));
  if (profile.name != configuration.psp) take_profile(configuration, profile, environment);
  if (options.base_url)
    configuration.base_url = checked_url("--base-url", *options.base_url, options.allow_http);
  if (options.token_url)
    configuration.token_url = checked_url("--token-url", *options.token_url, options.allow_http);
  if (options.token_auth) {
    const auto auth = domain::parse_token_auth(*options.token_auth);
    if (!auth) refuse("--token-auth", "must be basic, body or none");
    configuration.token_auth = *auth;
  }
  if (options.scopes) configuration.scopes = parse_option<domain::Label>("--scopes", *options.scopes).text();
  if (options.client_id)
    configuration.client_id = parse_option<domain::Label>("--client-id", *options.client_id).text();
  if (options.callback_cn)
    configuration.callback_cn = parse_option<domain::Label>("--callback-cn", *options.callback_cn);
  if (options.rate) configuration.rate = static_cast<std::uint32_t>(*options.rate);
  take_credentials(setup, options, profile, now);
  check_whole(setup, profile);
  return setup;
}

domain::ApiPix new_terms(const BankOptions& options) {
  const auto& profile = profile_of(needed("--psp", options.psp));
  domain::ApiPix terms{.pix_key =
                           parse_option<domain::PixKey>("--pix-key", needed("--pix-key", options.pix_key))};
  terms.fallback = profile.reports_static_codes ? domain::CodeFallback::kStatic : domain::CodeFallback::kNone;
  if (options.code) terms.code = code_of(*options.code);
  if (options.fallback) terms.fallback = fallback_of(*options.fallback);
  if (options.code_deadline_ms)
    terms.code_deadline_ms = static_cast<std::uint32_t>(*options.code_deadline_ms);
  return terms;
}

std::string provider_name_of(const BankOptions& options) {
  const auto& profile = profile_of(needed("--psp", options.psp));
  const bool has_name = !profile.live.base.empty() || !profile.test.base.empty();
  return has_name ? std::string(profile.title) : "API Pix";
}

domain::ConnectionChange changed_terms(const BankOptions& options) {
  domain::ConnectionChange change;
  if (options.pix_key) change.pix_key = parse_option<domain::PixKey>("--pix-key", *options.pix_key);
  if (options.code) change.code = code_of(*options.code);
  if (options.fallback) change.fallback = fallback_of(*options.fallback);
  if (options.code_deadline_ms)
    change.code_deadline_ms = static_cast<std::uint32_t>(*options.code_deadline_ms);
  return change;
}

std::string lack_of(const BankSetup& setup) {
  const auto& profile = profile_of(setup.configuration.psp);
  if (profile.app_key_parameter.empty() || !setup.secrets.app_key.empty()) return "";
  return std::string(profile.title) + " asks for its application's key with every call; give it with " +
         "pixledger connection set --psp-app-key K.";
}

}  // namespace pixledger::tools
