#include "tools/operations/banks/callback_registration.h"

#include <algorithm>
#include <array>

#include "base/process/options.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "base/values/webhook_url.h"
#include "eventstore/keys/connection_secrets.h"

namespace pixledger::tools {
namespace {

constexpr const char* kThisMachine = "127.0.0.1";
// Limit of the base, so that with connection and secret the URL is accepted everywhere.
constexpr std::size_t kBaseBytesMax = 1024;

}  // namespace

std::string callback_address(const std::string& base, const domain::ConnectionId& connection,
                             bool allow_http) {
  const auto parsed = parse_webhook_url(base);
  if (const auto* refused = std::get_if<TargetRefused>(&parsed)) throw UsageError("--url " + refused->reason);
  const auto& url = std::get<WebhookUrl>(parsed);
  if (!url.https && !(allow_http && url.host == kThisMachine))
    throw UsageError(
        "--url must begin with https://; http://127.0.0.1 is for development alone, with --allow-http");
  if (url.path.find('?') != std::string::npos)
    throw UsageError("--url must have no query: connection and secret are appended to it");
  if (base.size() > kBaseBytesMax)
    throw UsageError("--url must have at most " + std::to_string(kBaseBytesMax) + " bytes");
  std::string address = base;
  while (address.back() == '/') address.pop_back();
  return address + "/" + connection.text();
}

std::string with_secret(std::string_view address, std::string_view secret) {
  return std::string(address) + "/" + std::string(secret);
}

std::string masked(std::string_view url) {
  const auto host = url.find("://");
  const auto slash = url.substr(0, url.find('?')).rfind('/');
  if (host == std::string_view::npos || slash <= host + 2) return std::string(url.substr(0, url.find('?')));
  return std::string(url.substr(0, slash + 1)) + "…";
}

namespace {

using eventstore::ConnectionSecrets;
using workers::NotFound;
using workers::OutcomeUnknown;
using workers::problem_of;

// The bank's present registration; `known` is false if the query failed.
struct AtBank {
  bool known = false;
  std::optional<std::string> url;
  std::string problem = {};
};
AtBank ask(BankSession& bank) {
  const auto shown = bank.client().show_callback(bank.turn());
  if (const auto* url = std::get_if<std::string>(&shown)) return {.known = true, .url = *url};
  if (std::holds_alternative<NotFound>(shown)) return {.known = true, .url = std::nullopt};
  return {.known = false, .url = std::nullopt, .problem = problem_of(shown)};
}

// Seals these secrets for the connection. False if the ledger rejects it, with a message.
bool seal_as(BankSession& bank, eventstore::Ledger& ledger, const ConnectionSecrets& secrets,
             std::uint32_t made_from) {
  const auto& known = bank.known();
  auto configuration = known.bank->configuration;
  configuration.secrets =
      eventstore::seal(known.connection.id, secrets, ledger.keyring, bank.context().entropy);
  return execute(bank.context(), ledger,
                 domain::ChangeConnection{
                     .project = known.project,
                     .connection = known.connection.id,
                     .configuration = domain::NewBankConfiguration{std::move(configuration), made_from}})
      .has_value();
}

// True if the bank rejects it because another address is registered (Itaú), which a PUT should replace.
bool is_taken(const workers::BankResult<workers::DoneWithoutWord>& told) {
  if (std::holds_alternative<workers::Duplicate>(told)) return true;
  const auto* refused = std::get_if<workers::Refused>(&told);
  if (refused == nullptr || workers::denies_access(*refused)) return false;
  const auto words = fold(to_string(refused->error));
  constexpr std::array kWords{"already", "registered", "ja existe", "existente", "cadastrad", "duplic"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return words.find(word) != std::string::npos; });
}

// Normalises a URL for comparison: removes the suffix that banks append and a final slash, and ignores the
// host's case.
std::string normal(std::string url) {
  const auto path = std::min(url.size(), url.find('/', url.find("://") + 3));
  for (std::size_t i = 0; i < path; ++i) url[i] = to_ascii_lower(url[i]);
  const auto drop = [&](std::string_view end) {
    if (url.ends_with(end)) url.resize(url.size() - end.size());
  };
  drop("/");
  drop("/pix");
  drop("/");
  return url;
}
bool is_same(const std::optional<std::string>& one, const std::optional<std::string>& other) {
  return one && other ? normal(*one) == normal(*other) : one == other;
}

// The bank keeps its registration until that is removed. If it then rejects the new one, the old one is
// registered again.
workers::BankResult<workers::DoneWithoutWord> replace(BankSession& bank, const std::string& old_url,
                                                      const std::string& url) {
  auto removed = bank.client().remove_callback(bank.turn());
  if (!std::holds_alternative<workers::DoneWithoutWord>(removed) &&
      !std::holds_alternative<NotFound>(removed))
    return removed;
  auto told = bank.client().register_callback(url, bank.turn());
  const bool is_unsure =
      std::holds_alternative<workers::DoneWithoutWord>(told) || std::holds_alternative<OutcomeUnknown>(told);
  if (!is_unsure) bank.client().register_callback(old_url, bank.turn());
  return told;
}

CallbackOutcome note(BankSession& bank, eventstore::Ledger& ledger, std::optional<std::string> address) {
  const bool noted =
      execute(bank.context(), ledger, domain::NoteCallback{bank.known().connection.id, std::move(address)})
          .has_value();
  return {noted ? "" : "the bank has taken it, but the ledger has not noted it: run this again"};
}

// Neither the bank nor another holder of the secret may call any more.
CallbackOutcome shut(BankSession& bank, eventstore::Ledger& ledger) {
  const auto& known = bank.known();
  auto secrets = eventstore::unseal(known.connection.id, known.bank->configuration.secrets, ledger.keyring);
  secrets.callback_secret = eventstore::new_callback_secret(bank.context().entropy);
  if (!seal_as(bank, ledger, secrets, known.bank->revision))
    return {"the bank has taken it away, but its secret is taken still: run this again"};
  return note(bank, ledger, std::nullopt);
}

}  // namespace

CallbackOutcome register_callback(BankSession& bank, eventstore::Ledger& ledger, const std::string& address) {
  const auto& known = bank.known();
  const auto before =
      eventstore::unseal(known.connection.id, known.bank->configuration.secrets, ledger.keyring);
  auto fresh = before;
  fresh.callback_secret = eventstore::new_callback_secret(bank.context().entropy);
  // First, because some banks test the address before they accept it.
  if (!seal_as(bank, ledger, fresh, known.bank->revision))
    return {"the bank was not told: nothing has changed"};
  const auto url = with_secret(address, fresh.callback_secret);
  auto told = bank.client().register_callback(url, bank.turn());
  if (std::holds_alternative<workers::DoneWithoutWord>(told)) return note(bank, ledger, address);

  auto there = ask(bank);
  if (there.url && !is_same(there.url, url) && is_taken(told)) {
    told = replace(bank, *there.url, url);
    if (std::holds_alternative<workers::DoneWithoutWord>(told)) return note(bank, ledger, address);
    there = ask(bank);
  }
  const auto reason = problem_of(told);
  if (is_same(there.url, url)) return note(bank, ledger, address);
  if (!there.known && std::holds_alternative<OutcomeUnknown>(told))
    return {"whether the bank has taken it is not known: " + reason +
            "; run this again, and the bank is told anew"};
  // The bank keeps using the existing secret.
  const bool is_as_before = seal_as(bank, ledger, before, known.bank->revision + 1);
  return {"the bank has not taken it: " + reason +
          (is_as_before ? "; all is as before" : "; its calls are refused until this is run again")};
}

ShownCallback show_callback(BankSession& bank) {
  const auto& known = bank.known();
  const auto secrets =
      eventstore::unseal(known.connection.id, known.bank->configuration.secrets, bank.keyring());
  ShownCallback shown;
  if (const auto& noted = known.bank->callback_url) shown.noted = masked(with_secret(*noted, "-"));
  const auto there = ask(bank);
  shown.problem = there.problem;
  if (!there.known) return shown;
  if (there.url) shown.at_bank = masked(*there.url);
  const auto expected = known.bank->callback_url
                            ? std::optional(with_secret(*known.bank->callback_url, secrets.callback_secret))
                            : std::nullopt;
  shown.agree = is_same(there.url, expected);
  return shown;
}

CallbackOutcome remove_callback(BankSession& bank, eventstore::Ledger& ledger) {
  const auto removed = bank.client().remove_callback(bank.turn());
  // No secret was ever sent to the bank.
  if (std::holds_alternative<NotFound>(removed) && !bank.known().bank->callback_url) return {""};
  if (std::holds_alternative<workers::DoneWithoutWord>(removed) || std::holds_alternative<NotFound>(removed))
    return shut(bank, ledger);
  const auto reason = problem_of(removed);
  const auto there = ask(bank);
  if (there.known && !there.url) return shut(bank, ledger);
  if (there.known) return {"the bank has not taken it away: " + reason};
  return {"whether the bank has taken it away is not known: " + reason + "; run this again"};
}

}  // namespace pixledger::tools
