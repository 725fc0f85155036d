#pragma once

#include <functional>
#include <optional>

#include "base/http/transport/exchange.h"
#include "base/platform/clock.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "http/routing/router.h"
#include "http/services/checkout_links.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// Whom the server of pages asks for.
inline constexpr const char* kAddressHeader = "Pixledger-Caller-Address";

// What was found out of a sign-in's token: nothing where the database could not be asked.
struct SignInLookup {
  bool is_known = false;
  std::optional<stores::SignIn> sign_in{};  // of a token that is good
};

// What has to be known before a request can be judged, and takes its time. All outlive it.
struct PreparationServices {
  const eventstore::Log& log;
  const Router& router;
  eventstore::StateReader& states;
  const Clock& clock;
  const CheckoutLinks& checkout;
  stores::AccountRepository& accounts;
  const eventstore::Cluster* cluster;  // others that write the log, too, and have to be asked; null: none
  // Has it done on another thread, in the turn of that line; false when too much waits for that.
  std::function<bool(const std::string& line, std::function<void()>)> run_on_pool;
};

// Finds out how far the log is for requests whose route asks for a key, and whose sign-in those have that
// show a sign-in's token: their `arrival` and `sign_in`. Both stay absent where that cannot be told, and
// where what was sent can be neither, which the guard refuses without. A key by its form has to wait, since
// another node may have issued it a moment ago; but where a request only has its command decided
// (Route::only_commands) nobody is asked about a key that the copy lets in: the command is decided at the
// head, the key with it. For ServerServices::prepare.
std::function<bool(const Responder&)> make_preparation(const PreparationServices& services);

// The server of pages asks on behalf of browsers: with the web key in `Pixledger-Web-Key` the request's
// caller is the address in `Pixledger-Caller-Address`. Without it both are ignored.
void adopt_browser_address(const CheckoutLinks& checkout, Request& request);

}  // namespace pixledger::http
