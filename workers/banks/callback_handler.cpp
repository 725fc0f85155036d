#include "workers/banks/callback_handler.h"

#include <Poco/Exception.h>
#include <openssl/crypto.h>

#include "base/net/http_status.h"
#include "workers/banks/api_pix/callback_body.h"

namespace pixledger::workers {
namespace {

constexpr std::string_view kNobody = "none";

// In a time that tells nothing of where they differ.
bool is_secret(std::string_view told, std::string_view secret) {
  return !secret.empty() && told.size() == secret.size() &&
         CRYPTO_memcmp(told.data(), secret.data(), secret.size()) == 0;
}

// "[PREFIX]/<connection>/<secret>[/pix]", as `connection callback register` makes it of any base; a query is
// the bank's own affair.
struct CallbackPath {
  std::optional<domain::ConnectionId> connection;
  std::string_view secret;

  explicit CallbackPath(std::string_view target) {
    auto path = target.substr(0, target.find('?'));
    constexpr std::string_view kSuffix = "/pix";
    if (path.ends_with(kSuffix)) path.remove_suffix(kSuffix.size());
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return;
    secret = path.substr(slash + 1);
    path = path.substr(0, slash);
    const auto before = path.rfind('/');
    if (before != std::string_view::npos) connection = domain::ConnectionId::parse(path.substr(before + 1));
  }
};

}  // namespace

int CallbackHandler::refuse(int status, const std::string& connection, std::string_view result) {
  parts_.meters.on_callback(connection, result);
  if (refusal_due_.due())
    parts_.logger.warning("a callback was refused", {{"connection", connection}, {"result", result}});
  return status;
}

int CallbackHandler::answer(const CallbackHead& head, const ReadBody& read_body) {
  const CallbackPath path(head.target);
  std::optional<CallbackTerms> terms;
  try {
    if (path.connection) terms = parts_.banks.callback_of(*path.connection);
  } catch (const eventstore::LogUnavailable&) {
    return refuse(kServiceUnavailable, std::string(kNobody), "fault");
  }
  if (!terms) return refuse(kNotFound, std::string(kNobody), "not_found");
  const auto& connection = path.connection->text();
  if (!is_secret(path.secret, terms->secret)) return refuse(kNotFound, connection, "not_found");
  if (head.method != "POST") return refuse(kMethodNotAllowed, connection, "wrong_method");
  if (terms->cn && *terms->cn != head.cn) return refuse(kForbidden, connection, "wrong_certificate");
  const auto body = read_body();
  if (!body) return refuse(kTooLarge, connection, "too_large");
  const auto ids = read_callback(*body);
  if (!ids) return refuse(kBadRequest, connection, "no_json");
  if (ids->empty()) {
    parts_.meters.on_callback(connection, "empty");
    return kOk;
  }
  if (const auto fault = keep(*path.connection, *ids)) return refuse(kServiceUnavailable, connection, *fault);
  parts_.meters.on_callback(connection, "stored");
  parts_.when_kept();
  return kOk;
}

// Before it is answered: the bank may not call again. Why it could not be; nullopt: it was.
std::optional<std::string_view> CallbackHandler::keep(const domain::ConnectionId& connection,
                                                      const std::vector<domain::EndToEndId>& ids) {
  const auto now = parts_.clock.now();
  try {
    if (!parts_.database.keep_payments(connection, ids, stores::ReadReason::kCalledBack, now, now))
      return "no_room";
    parts_.database.note_called_back(connection, now);
    return std::nullopt;
  } catch (const Poco::Exception&) {
    return "fault";
  }
}

}  // namespace pixledger::workers
