#pragma once

#include <string_view>

#include "eventstore/platform/json.h"
#include "http/services/services.h"
#include "projections/accounts/account_rows.h"

namespace pixledger::http {

// "passkey", "password", "recovery_code", "invitation".
std::string_view sign_in_method_name(projections::SignInMethod method);

// The members of a sign-in's answer: until when it is good, whose it is, what they may do where.
void write_sign_in(eventstore::Json& json, const Services& services, const projections::SignIn& sign_in);

// One of a list.
void write_listed_sign_in(eventstore::Json& json, const projections::SignIn& sign_in,
                          const domain::SignInId& current);

void write_passkey(eventstore::Json& json, const projections::Passkey& passkey);

}  // namespace pixledger::http
