#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

// /api/v1/members: who may sign in for the project. For its owners.
//
// An invitation lets its holder in as that user, in all their projects, so an owner gets one only of who is
// in no other: whoever is to be in several is added by an operator.
namespace pixledger::http {

Reply list_members(const Services& services, const Request& request);
Answer add_member(const Services& services, const Request& request);
Answer change_member(const Services& services, const Request& request);
// Whoever is in no project any more has no account.
Answer remove_member(const Services& services, const Request& request);
// A new invitation, also of who has lost what they signed in with.
Answer invite_member(const Services& services, const Request& request);

}  // namespace pixledger::http
