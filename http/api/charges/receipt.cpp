#include "eventstore/proof/receipt.h"

#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/proof/receipt_json.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {

Reply get_receipt(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  auto receipt = eventstore::make_receipt(services.log, services.keyring.signing_key(), *id,
                                          [&request] { request.budget.check(); });
  if (!receipt) throw eventstore::LogCorrupt("a charge has vanished from the ledger");
  // The leaves hold the digests of what is left out.
  if (request.caller->masks_personal_data())
    for (auto& event : receipt->events) event.stored.personal.clear();
  Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_receipt(json, *receipt);
  json.end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
