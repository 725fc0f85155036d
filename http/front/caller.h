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
  bool is_confirmed;                 // has confirmed their identity within ten minutes
  std::optional<domain::Role> role;  // in the caller's project; absent on routes without a project
};

// The caller: a key, a payer or a user, and the log's head when the request arrived. A reply shows at least
// the events up to there.
struct Caller {
  std::optional<domain::ApiKeyId> key{};
  domain::ProjectId project;  // of_no_project() if missing
  domain::Environment environment;
  Head arrival;
  // The session of the payer for whom the page server calls.
  std::optional<domain::CheckoutSessionId> payer_of{};
  std::optional<UserCaller> user{};

  // Test keys, and users in the sandbox, see and change sandbox data only.
  bool sandbox_only() const { return environment == domain::Environment::kSandbox; }
  domain::Caller on_behalf() const { return {project, sandbox_only()}; }
  // Whether names, documents, e-mails, addresses and metadata are masked: see
  // http/api/common/personal_json.h.
  bool masks_personal_data() const { return user && user->role == domain::Role::kViewer; }
};

// The project of callers without one. No project has this id: none is generated in this form.
domain::ProjectId of_no_project();

// As events name it: "key-<id>", "user-<id>", "payer-<session>".
std::string actor_of(const Caller& caller);

// The queue of the caller's requests: the project's, or the user's own without a project.
const std::string& line_of(const Caller& caller);
// As above; before the caller is known, the queue of its address' network, as one customer of a provider has
// it.
std::string line_of(const Request& request);

}  // namespace pixledger::http
