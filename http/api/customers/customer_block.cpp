#include "base/values/given_time.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/project_of.h"
#include "http/api/customers/customer_detail.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// Texts of the body, with the rules that a caller is told.
struct BlockTypeText {
  static constexpr std::string_view kRule = "must be manual or fraud";
  static std::optional<BlockTypeText> parse(std::string_view text) {
    const auto type = domain::parse_block_type(text);
    if (!type) return std::nullopt;
    return BlockTypeText{*type};
  }
  domain::BlockType type;
};

struct BlockBody {
  domain::BlockType type;
  domain::Label reason;
  std::optional<Timestamp> expires_at;
};

// Nullopt when there are violations.
std::optional<BlockBody> read_block(const JsonObject& body, const TimeZone& zone) {
  const auto type = body.required<BlockTypeText>("blockType");
  auto reason = body.required<domain::Label>("reason");
  const auto expires_at = body.optional<GivenTime>("expiresAt");
  if (!type || !reason) return std::nullopt;
  BlockBody block{type->type, std::move(*reason), std::nullopt};
  if (expires_at) block.expires_at = zone.first_of(*expires_at);
  return block;
}

Reply render(const Services& services, const Request& request, const domain::CustomerId& id,
             const eventstore::Completed& completed) {
  auto customer = eventstore::find_customer(services.history, id, completed.as_of);
  if (!customer) throw eventstore::LogCorrupt("a customer that was just changed is not in the ledger");
  const auto detail = customer_detail_as_of(services, request, *std::move(customer), completed.as_of);
  return render_customer_detail(services, detail, completed.decided_at, FraudEvents::kShown,
                                PersonalData::kShown);
}

Answer execute_on_customer(const Services& services, const Request& request, const domain::CustomerId& id,
                           domain::Command command, std::string_view canonical_body) {
  return execute_once(request, std::move(command), canonical_body,
                      [&services, &request, id](const eventstore::Completed& completed) {
                        return render(services, request, id, completed);
                      });
}

}  // namespace

Answer block_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CustomerId>();
  auto block = read_block(input.body(), zone_of(services, *request.caller));
  if (!input.finish()) return input.refusal();
  const auto stream = services.log.claim_holder(domain::customer_claim(*id));
  if (!stream) return rejection_reply(request, domain::Rejection::kCustomerNotFound);
  domain::BlockCustomer command{.caller = request.caller->on_behalf(),
                                .customer = *stream,
                                .id = *id,
                                .type = block->type,
                                .reason = std::move(block->reason),
                                .expires_at = block->expires_at};
  return execute_on_customer(services, request, *id, std::move(command), input.canonical_body());
}

Answer unblock_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::CustomerId>();
  if (!input.finish()) return input.refusal();
  const auto stream = services.log.claim_holder(domain::customer_claim(*id));
  if (!stream) return rejection_reply(request, domain::Rejection::kCustomerNotFound);
  return execute_on_customer(services, request, *id,
                             domain::UnblockCustomer{request.caller->on_behalf(), *stream, *id}, kNoBody);
}

}  // namespace pixledger::http
