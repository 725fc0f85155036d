#include "http/front/role_scopes.h"

#include <cassert>

#include "domain/aggregates/api_key.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kOperatorScopes =
    "transactions:write,customers:write,channels:write,events:write,store:read";
constexpr std::string_view kViewerScopes =
    "transactions:read,customers:read,channels:read,events:read,store:read";

domain::ScopeSet scopes_of(domain::Role role) {
  switch (role) {
    case domain::Role::kOwner:
      return domain::ScopeSet::all();
    case domain::Role::kOperator:
      return *domain::ScopeSet::parse(kOperatorScopes);
    case domain::Role::kViewer:
      break;
  }
  return *domain::ScopeSet::parse(kViewerScopes);
}

}  // namespace

bool is_of_users_alone(std::string_view scope) {
  return scope == kKeysScope || scope == kMembersScope || scope == kOperateScope || scope == kAccountScope;
}

bool allows(domain::Role role, std::string_view scope) {
  if (scope.empty() || scope == kAccountScope) return true;
  if (scope == kKeysScope || scope == kMembersScope) return role == domain::Role::kOwner;
  if (scope == kOperateScope) return role != domain::Role::kViewer;
  const auto needed = domain::ScopeSet::parse(scope);
  assert(needed);
  return scopes_of(role).allows_all(*needed);
}

}  // namespace pixledger::http
