#include "workers/providers/payment_account.h"

#include <algorithm>
#include <vector>

#include "eventstore/reading/state_reader.h"

namespace pixledger::workers {
namespace {

// So many banks at a time: whoever asks has other work.
constexpr std::size_t kAskedMax = 4;

}  // namespace

std::optional<BankAtHand> find_account_of(const domain::EndToEndId& payment, const BankAtHand& asked,
                                          const eventstore::Log& log, BankDirectory& banks,
                                          const BankTurn& turn, unsigned attempt) {
  const auto project = eventstore::fold_as<domain::Project>(log, domain::project_stream(asked.project));
  if (!project) return std::nullopt;
  std::vector<domain::ConnectionId> others;
  for (const auto& connection : project->connections)
    if (connection.api_pix && connection.environment == asked.connection.environment &&
        connection.id != asked.connection.id)
      others.push_back(connection.id);
  for (std::size_t i = 0; i < std::min(others.size(), kAskedMax); ++i) {
    auto bank = banks.find(asked.project, others[(attempt * kAskedMax + i) % others.size()]);
    if (bank && std::holds_alternative<BankPayment>(bank->client->get_pix(payment, turn))) return bank;
  }
  return std::nullopt;
}

}  // namespace pixledger::workers
