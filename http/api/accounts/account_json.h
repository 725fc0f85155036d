#pragma once

#include <string_view>

#include "base/platform/json.h"
#include "http/services/services.h"
#include "stores/accounts/account_rows.h"

namespace pixledger::http {

// "passkey", "password", "recovery_code", "invitation".
std::string_view sign_in_method_name(stores::SignInMethod method);

// The members of a sign-in's answer: until when it is good, whose it is, what they may do where.
void write_sign_in(Json& json, const Services& services, const stores::SignIn& sign_in);

// One of a list.
void write_listed_sign_in(Json& json, const stores::SignIn& sign_in, const domain::SignInId& current);

void write_passkey(Json& json, const stores::Passkey& passkey);

}  // namespace pixledger::http
