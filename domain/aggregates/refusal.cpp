#include "domain/aggregates/refusal.h"

namespace pixledger::domain {

std::string_view to_string(FraudType type) {
  switch (type) {
    case FraudType::kBlockedCustomer:
      return "blocked_customer";
    case FraudType::kBlocklistIp:
      return "blocklist_ip";
    case FraudType::kBlocklistEmail:
      return "blocklist_email";
    case FraudType::kBlocklistDocument:
      return "blocklist_document";
  }
  return "unknown";
}

}  // namespace pixledger::domain
