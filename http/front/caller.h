#pragma once

#include <optional>
#include <string>

#include "base/http/message/request.h"
#include "domain/aggregates/api_key.h"
#include "domain/aggregates/team.h"
#include "domain/decisions/command.h"
#include "eventstore/log/log.h"

namespace pixledger::http {

// A person who has signed in.
struct UserCaller {
  domain::UserId id;
  domain::SignInId sign_in;
  bool is_confirmed;                 // has proven within ten minutes who they are
  std::optional<domain::Role> role;  // in the caller's project; absent on routes that are of no project
};

// Who called, with a key, as a payer or as a user, and how far the log was when the request arrived. A reply
// shows at least that much.
struct Caller {
  std::optional<domain::ApiKeyId> key{};
  domain::ProjectId project;  // of_no_project() where there is none
  domain::Environment environment;
  Head arrival;
  // Of a payer, for whom the pages' server asks: their session.
  std::optional<domain::CheckoutSessionId> payer_of{};
  std::optional<UserCaller> user{};

  // A test key, and a user who is in the sandbox, see and touch that alone.
  bool sandbox_only() const { return environment == domain::Environment::kSandbox; }
  domain::Caller on_behalf() const { return {project, sandbox_only()}; }
  // Whether answers show names, documents, e-mails, addresses and metadata only in outline: see
  // http/api/common/personal_json.h.
  bool masks_personal_data() const { return user && user->role == domain::Role::kViewer; }
};

// What stands for the project of who calls for none. No project's: none is minted in this form.
domain::ProjectId of_no_project();

// As events name it: "key-<id>", "user-<id>", "payer-<session>".
std::string actor_of(const Caller& caller);

// Whose requests take turns: the project's, or else the user's own.
const std::string& line_of(const Caller& caller);
// The same where nobody knows yet who calls: that of the address, as what one customer of a provider has.
std::string line_of(const Request& request);

}  // namespace pixledger::http
