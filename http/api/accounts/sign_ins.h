#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

// People sign in, see where they have, and sign out. All wait for a database, so they take long.
namespace pixledger::http {

// Anybody's; for a purpose that is not to sign in, who shows the token of a sign-in.
Reply create_challenge(const Services& services, const Request& request);

// Anybody's. 401 ERR_AUTH_011 for whatever is wrong with a credential, 429 after too many failures.
Reply create_sign_in(const Services& services, const Request& request);
// Whether a body names a password, which then is hashed.
bool names_password(const Request& request);

Reply get_current_sign_in(const Services& services, const Request& request);
Reply end_current_sign_in(const Services& services, const Request& request);
Reply confirm_current_sign_in(const Services& services, const Request& request);
Reply list_sign_ins(const Services& services, const Request& request);
Reply end_sign_in(const Services& services, const Request& request);

}  // namespace pixledger::http
