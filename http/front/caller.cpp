#include "http/front/caller.h"

#include "base/values/ip_address.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kNoProject = "cwebwithoutproject";

}  // namespace

domain::ProjectId of_no_project() { return *domain::ProjectId::parse(kNoProject); }

std::string actor_of(const Caller& caller) {
  if (caller.payer_of) return "payer-" + caller.payer_of->text();
  if (caller.user) return "user-" + caller.user->id.text();
  return "key-" + caller.key.value().text();
}

std::string line_of(const Request& request) {
  if (request.caller) return line_of(*request.caller);
  const auto address = IpAddress::parse(request.caller_address);
  return address ? address->customer_network().text() : std::string();
}

const std::string& line_of(const Caller& caller) {
  return caller.user && !caller.user->role ? caller.user->id.text() : caller.project.text();
}

}  // namespace pixledger::http
