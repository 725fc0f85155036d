#include "http/api/charges/transaction_qr.h"

#include "base/http/images/qr_code.h"
#include "base/platform/clock.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/command_reply.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// In pixels. The longest code has fewer modules along a side than the smallest image.
constexpr std::uint64_t kSideMin = 192;
constexpr std::uint64_t kSideMax = 1024;
constexpr int kSideDefault = 512;

std::optional<domain::Rejection> guard_code(const domain::Charge& charge, Timestamp now) {
  if (charge.status != domain::ChargeStatus::kWaitingPayment || domain::is_overdue(charge, now))
    return domain::Rejection::kTransactionStatus;
  if (domain::awaits_code(charge)) return domain::Rejection::kBankSilent;
  return std::nullopt;
}

Reply draw(const Services& services, const Request& request, std::string_view type,
           std::string (*draw_code)(const QrCode&, int)) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  const auto side = input.integer("size", kSideMin, kSideMax);
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  if (const auto rejection = guard_code(*charge, services.clock.now()))
    return rejection_reply(request, *rejection);
  const int pixels = side ? static_cast<int>(*side) : kSideDefault;
  return {.body = draw_code(QrCode(charge->pix_code), pixels), .content_type = type};
}

}  // namespace

std::string qr_path(const domain::ChargeId& id) { return "/api/v1/transactions/" + id.text() + "/qr.svg"; }

Reply get_qr_svg(const Services& services, const Request& request) {
  return draw(services, request, "image/svg+xml", qr_svg);
}

Reply get_qr_png(const Services& services, const Request& request) {
  return draw(services, request, "image/png", qr_png);
}

}  // namespace pixledger::http
