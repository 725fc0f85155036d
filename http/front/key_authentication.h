#pragma once

#include <optional>

#include "http/front/authentication.h"

namespace pixledger::http {

// The guard's answer to who does not show a sign-in's token: nothing once the request's caller is set.
std::optional<Reply> admit_key(const GuardServices& services, Request& request, const Route& route);

// Of a caller with a key, see refuse_lack_of_scope.
std::optional<Reply> refuse_key_without(const Services& services, const Request& request,
                                        std::string_view scope);

// Whether the key that the request shows is good as of a head of the log.
bool lets_key_in(eventstore::StateReader& states, const Clock& clock, const Request& request,
                 const Head& head);

// Of a caller with a key, see refuse_ended_caller.
std::optional<Reply> refuse_ended_key(const Services& services, const Request& request);

}  // namespace pixledger::http
