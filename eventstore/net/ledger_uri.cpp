#include "eventstore/net/ledger_uri.h"

#include <libpq-fe.h>
#include <memory>
#include <variant>

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kTextMax = 2'000;

struct FreeInfo {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
  void operator()(char* text) const { PQfreemem(text); }
};

// The parts, or what is wrong, which lasts.
std::variant<LedgerUri, std::string_view> take_apart(std::string_view text) {
  const auto is_uri = [&](std::string_view scheme) { return text.substr(0, scheme.size()) == scheme; };
  if (text.size() > kTextMax || (!is_uri("postgresql://") && !is_uri("postgres://"))) return LedgerUri::kRule;
  LedgerUri uri{std::string(text), {}, {}};
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeInfo> options(PQconninfoParse(uri.text.c_str(), &problem));
  const std::unique_ptr<char, FreeInfo> told(problem);
  if (!options)
    return "is no connection URI of libpq: by its form, or by a parameter that libpq does not know";
  for (const auto* option = options.get(); option->keyword; ++option) {
    const std::string_view name = option->keyword;
    if (!option->val || *option->val == '\0') continue;
    if (name == "password" || name == "sslpassword") return "may hold no password: it stands in a passfile";
    if (name == "options") return "may hold no options: pixledger sets those of its sessions";
    if (name == "user") uri.user = option->val;
    if (name == "dbname") uri.database = option->val;
  }
  if (uri.user.empty()) return "names no user";
  if (uri.database.empty()) return "names no database";
  return uri;
}

}  // namespace

std::string_view LedgerUri::rule_for(std::string_view text) {
  const auto parts = take_apart(text);
  const auto* problem = std::get_if<std::string_view>(&parts);
  return problem ? *problem : std::string_view();
}

std::optional<LedgerUri> LedgerUri::parse(std::string_view text) {
  auto parts = take_apart(text);
  if (auto* uri = std::get_if<LedgerUri>(&parts)) return std::move(*uri);
  return std::nullopt;
}

}  // namespace pixledger::eventstore
