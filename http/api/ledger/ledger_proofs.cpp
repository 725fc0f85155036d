#include "http/api/ledger/ledger_proofs.h"

#include <charconv>

#include "eventstore/keys/keyring.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/proof/checkpoint_json.h"
#include "eventstore/tree/log_tree.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// A number of events, at least one and at most `max`. A violation where it is something else, or nothing is
// given and nothing `otherwise`.
std::uint64_t read_size(Input& input, std::string_view name, std::uint64_t max,
                        std::optional<std::uint64_t> otherwise) {
  const auto text = input.parameter(name);
  if (!text && otherwise) return *otherwise;
  std::uint64_t size = 0;
  const auto given = text.value_or("");
  const char* const end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, size);
  if (error == std::errc() && stop == end && size >= 1 && size <= max) return size;
  input.violations().push_back(
      {std::string(name),
       "must be how many events a checkpoint of this ledger has, from 1 to " + std::to_string(max)});
  return 0;
}

}  // namespace

Reply get_checkpoint(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto checkpoint = eventstore::checkpoint_of(services.log);
  eventstore::Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_checkpoint(json, checkpoint,
                               eventstore::sign_checkpoint(checkpoint, services.keyring.signing_key()));
  json.end_object();
  return {200, json.take()};
}

Reply get_consistency(const Services& services, const Request& request) {
  Input input(request);
  const auto checkpoint = eventstore::checkpoint_of(services.log);
  const auto to = read_size(input, "to", checkpoint.size, checkpoint.size);
  const auto from = read_size(input, "from", checkpoint.size, std::nullopt);
  if (input.violations().empty() && from > to)
    input.violations().push_back({"from", "must not be greater than to"});
  if (!input.finish()) return input.refusal();
  const auto proof = eventstore::consistency_proof(from, to, eventstore::TreeOfLog(services.log));
  eventstore::Json json;
  json.begin_object().field("success", true).key("data");
  eventstore::write_consistency(json, from, to, proof,
                                eventstore::sign_checkpoint(checkpoint, services.keyring.signing_key()));
  json.end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
