#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

// What somebody can sign in with, for themselves. What changes it wants a confirmed sign-in (403
// ERR_AUTH_013) once there is something that they can sign in with. All wait for a database, so they take
// long.
namespace pixledger::http {

Reply list_passkeys(const Services& services, const Request& request);
Reply add_passkey(const Services& services, const Request& request);
Reply remove_passkey(const Services& services, const Request& request);
// Hashes a password. The user's other sign-ins end.
Reply set_password(const Services& services, const Request& request);
// Without a code a new secret, with one of its codes that takes effect.
Reply set_totp(const Services& services, const Request& request);
Reply remove_totp(const Services& services, const Request& request);
Reply replace_recovery_codes(const Services& services, const Request& request);

}  // namespace pixledger::http
