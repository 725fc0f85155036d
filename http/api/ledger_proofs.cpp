#include "eventstore/keys/keyring.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/tree/merkle.h"
#include "http/api/endpoints.h"
#include "http/routing/input.h"

namespace pixledger::http {

Reply get_checkpoint(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto checkpoint = eventstore::checkpoint_of(services.log);
  Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_checkpoint(json, checkpoint,
                               eventstore::sign_checkpoint(checkpoint, services.keyring.signing_key()));
  json.end_object();
  return {200, json.take()};
}

Reply get_consistency(const Services& services, const Request& request) {
  Input input(request);
  const auto checkpoint = eventstore::checkpoint_of(services.log);
  const auto rule =
      "must be how many events a checkpoint of this ledger has, from 1 to " + std::to_string(checkpoint.size);
  const auto to = input.integer("to", 1, checkpoint.size, rule).value_or(checkpoint.size);
  const auto violations = input.violations().size();
  const auto given = input.integer("from", 1, checkpoint.size, rule);
  if (!given && input.violations().size() == violations) input.violations().push_back({"from", rule});
  const auto from = given.value_or(1);
  if (input.violations().empty() && from > to)
    input.violations().push_back({"from", "must not be greater than to"});
  if (!input.finish()) return input.refusal();
  const auto proof = eventstore::consistency_proof(from, to, eventstore::TreeOfLog(services.log));
  Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_consistency(json, from, to, proof,
                                eventstore::sign_checkpoint(checkpoint, services.keyring.signing_key()));
  json.end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
