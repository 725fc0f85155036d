#include "web/common/payer_session.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "base/platform/json.h"
#include "base/platform/json_reader.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "domain/pix/br_code.h"

namespace pixledger::web {
namespace {

// Returns what `read` makes of a JSON object of the API, or nullopt if it is not as the API writes it.
template <class Read>
auto read_json(std::string_view text, const Read& read)
    -> std::optional<decltype(read(std::declval<const JsonFields&>()))> {
  try {
    const JsonDocument document(text);
    return read(JsonFields(document.root()));
  } catch (const JsonRefused&) {
    return std::nullopt;
  }
}

PageState state_of(const JsonFields& fields) {
  return fields.required(domain::parse_page_state(fields.get<std::string_view>("state")), "state");
}

std::optional<domain::Cents> cents_of(const JsonFields& fields, std::string_view name) {
  const auto cents = fields.integer(name, 0, std::numeric_limits<std::int64_t>::max());
  return cents ? std::optional(domain::Cents(*cents)) : std::nullopt;
}

std::optional<Language> language_of(std::optional<std::string_view> locale) {
  if (!locale) return std::nullopt;
  return *locale == "en" ? Language::kEnglish : Language::kPortuguese;
}

// The merchant name in a BR Code; nullopt if the code is invalid.
std::optional<std::string> receiver_of(const std::optional<std::string>& pix_code) {
  if (!pix_code) return std::nullopt;
  const auto parsed = domain::parse_br_code(*pix_code);
  const auto* fields = std::get_if<std::vector<domain::BrCodeField>>(&parsed);
  if (!fields) return std::nullopt;
  const auto found =
      std::find_if(fields->begin(), fields->end(), [](const auto& field) { return field.id == "59"; });
  return found == fields->end() ? std::nullopt : std::optional(found->value);
}

PayerSession::Charge charge_of(const JsonFields& fields) {
  const auto pix_code = fields.find<std::string>("pixCode");
  return {.id = fields.get<std::string>("id"),
          .pix_code = pix_code,
          .receiver = receiver_of(pix_code),
          .created_at = fields.get<Timestamp>("createdAt"),
          .expires_at = fields.get<Timestamp>("expiresAt"),
          .paid_at = fields.find<Timestamp>("paidAt"),
          .end_to_end_id = fields.find<std::string>("endToEndId"),
          .paid = cents_of(fields, "paidAmountCents"),
          .unapplied = cents_of(fields, "unappliedAmountCents").value_or(domain::Cents(0)),
          .refunded = cents_of(fields, "refundedAmountCents").value_or(domain::Cents(0)),
          .is_refund_moved = fields.find<bool>("refundMoved"),
          .status = fields.find<std::string>("status")};
}

// It goes into a style, which must contain only a colour.
bool is_color(std::string_view text) {
  constexpr std::size_t kSize = 7;
  return text.size() == kSize && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return hex_digit(c) >= 0; });
}

// It goes into a page's policy, where a blank or a semicolon would begin another part.
bool is_origin(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_ascii_alnum(c) || std::string_view(":/.-[]").find(c) != std::string_view::npos;
  });
}

std::optional<PayerSession::Logo> logo_of(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  PayerSession::Logo logo{fields->get<std::string>("digest"), fields->get<std::string>("type")};
  if (!digest_from_hex(logo.digest)) fields->refuse("digest", "must be a SHA-256 in hex");
  return logo;
}

PayerSession::Store store_of(const JsonFields& fields, bool is_sandbox) {
  PayerSession::Store store{.name = fields.get<std::string>("name"),
                            .timezone = fields.get<std::string>("timezone"),
                            .color = fields.find<std::string>("color"),
                            .contact = fields.find<std::string>("supportContact"),
                            .logo = logo_of(fields.find<JsonFields>("logo")),
                            .payer_proofs = fields.find<bool>("payerProofs").value_or(false)};
  if (store.color && !is_color(*store.color)) store.color.reset();
  const auto origins = fields.texts("embedOrigins", "must be a list of texts");
  for (const auto origin : origins.value_or(std::vector<std::string_view>())) {
    if (!is_origin(origin)) continue;
    // Developers of a shop's pages test them on their own machine, where no money moves.
    if (is_sandbox || origin.starts_with("https://")) store.embed_origins.emplace_back(origin);
  }
  return store;
}

PayerSession read_session(const JsonFields& fields) {
  PayerSession session;
  session.id = fields.get<std::string>("id");
  session.is_sandbox = fields.get<std::string_view>("environment") != "live";
  session.state = state_of(fields);
  session.language = language_of(fields.find<std::string_view>("locale"));
  session.version = fields.get<std::int64_t>("version");
  const auto payment = fields.get<JsonFields>("payment");
  session.amount = domain::Cents(payment.get<std::int64_t>("amountCents"));
  session.description = payment.find<std::string>("description");
  session.order = payment.find<std::string>("externalId");
  if (const auto charge = fields.find<JsonFields>("charge")) session.charge = charge_of(*charge);
  session.can_renew = fields.find<bool>("canRenew").value_or(false);
  if (const auto customer = fields.find<JsonFields>("customer"))
    session.customer = {customer->get<std::string>("name"), customer->get<std::string>("document")};
  session.store = store_of(fields.get<JsonFields>("store"), session.is_sandbox);
  session.return_url = fields.find<std::string>("returnUrl");
  session.cancel_url = fields.find<std::string>("cancelUrl");
  return session;
}

std::string tag_of(std::int64_t version, std::string_view state) {
  return std::to_string(version) + "-" + std::string(state);
}

}  // namespace

std::optional<PayerSession> PayerSession::parse(std::string_view answer) {
  return read_json(answer, [](const JsonFields& root) { return read_session(root.get<JsonFields>("data")); });
}

std::string PayerSession::tag() const { return tag_of(version, to_string(state)); }

bool PayerSession::is_paid() const { return domain::is_paid(state); }

std::optional<SessionChange> SessionChange::parse(std::string_view line) {
  return read_json(line, [](const JsonFields& root) {
    const auto state = to_string(state_of(root));
    return SessionChange{root.get<std::string>("session"), tag_of(root.get<std::int64_t>("version"), state),
                         std::string(state)};
  });
}

std::string live_event(std::string_view tag, std::string_view state) {
  Json json;
  json.begin_object().field("tag", tag).field("state", state).end_object();
  return "event: state\ndata: " + json.take() + "\n\n";
}

ApiError ApiError::parse(std::string_view answer) {
  const auto error = read_json(answer, [](const JsonFields& root) {
    ApiError found{root.get<std::string>("code"), {}};
    for (const auto& detail : root.objects("details").value_or(std::vector<JsonFields>()))
      found.fields.push_back(detail.get<std::string>("field"));
    return found;
  });
  return error.value_or(ApiError{});
}

namespace {

constexpr std::size_t kIdSize = 25;
constexpr std::size_t kCodeSize = 22;

}  // namespace

bool is_page_token(std::string_view text) {
  if (text.size() != kIdSize + 1 + kCodeSize || text[kIdSize] != '.') return false;
  const auto id = text.substr(0, kIdSize), code = text.substr(kIdSize + 1);
  return std::all_of(id.begin(), id.end(), is_ascii_alnum) &&
         std::all_of(code.begin(), code.end(),
                     [](char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; });
}

}  // namespace pixledger::web
