#include "web/common/payer_session.h"

#include <algorithm>
#include <simdjson.h>

#include "base/platform/json.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"

namespace pixledger::web {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// What the API does not answer so.
struct NotUnderstood {};

// Of an answer, read field by field.
class AnswerFields {
 public:
  explicit AnswerFields(object fields) : fields_(fields) {}

  std::optional<std::string> optional_text(std::string_view name) const {
    const auto found = find(name);
    if (!found) return std::nullopt;
    std::string_view text;
    if (found->get(text) != simdjson::SUCCESS) throw NotUnderstood();
    return std::string(text);
  }
  std::string text(std::string_view name) const { return needed(optional_text(name)); }

  std::int64_t integer(std::string_view name) const {
    std::int64_t number = 0;
    if (needed(find(name)).get(number) != simdjson::SUCCESS) throw NotUnderstood();
    return number;
  }
  std::optional<bool> optional_truth(std::string_view name) const {
    const auto found = find(name);
    if (!found) return std::nullopt;
    bool is_true = false;
    if (found->get(is_true) != simdjson::SUCCESS) throw NotUnderstood();
    return is_true;
  }
  bool truth(std::string_view name) const { return optional_truth(name).value_or(false); }
  std::optional<domain::Cents> optional_cents(std::string_view name) const {
    if (!find(name)) return std::nullopt;
    const auto amount = integer(name);
    if (amount < 0) throw NotUnderstood();
    return domain::Cents(amount);
  }
  domain::Cents cents(std::string_view name) const { return optional_cents(name).value_or(domain::Cents(0)); }
  std::optional<Timestamp> optional_time(std::string_view name) const {
    const auto text = optional_text(name);
    if (!text) return std::nullopt;
    return needed(parse_iso8601(*text));
  }
  Timestamp time(std::string_view name) const { return needed(optional_time(name)); }

  std::optional<AnswerFields> optional_fields(std::string_view name) const {
    const auto found = find(name);
    if (!found) return std::nullopt;
    object inner;
    if (found->get(inner) != simdjson::SUCCESS) throw NotUnderstood();
    return AnswerFields(inner);
  }
  AnswerFields fields(std::string_view name) const { return needed(optional_fields(name)); }

  std::vector<element> items(std::string_view name) const {
    const auto found = find(name);
    if (!found) return {};
    simdjson::dom::array array;
    if (found->get(array) != simdjson::SUCCESS) throw NotUnderstood();
    return {array.begin(), array.end()};
  }

 private:
  // What is null counts as absent.
  std::optional<element> find(std::string_view name) const {
    element found;
    if (fields_.at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
    return found;
  }
  template <class Value>
  static Value needed(std::optional<Value> value) {
    if (!value) throw NotUnderstood();
    return *std::move(value);
  }

  object fields_;
};

// What `read` makes of the JSON object, which lives as long as its parser.
template <class Read>
auto read_json(std::string_view text, const Read& read)
    -> std::optional<decltype(read(std::declval<AnswerFields>()))> {
  simdjson::dom::parser parser;
  object root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  try {
    return read(AnswerFields(root));
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

PageState state_of(std::string_view name) {
  const auto state = domain::parse_page_state(name);
  if (!state) throw NotUnderstood();
  return *state;
}

std::optional<Language> language_of(const std::optional<std::string>& locale) {
  if (!locale) return std::nullopt;
  return *locale == "en" ? Language::kEnglish : Language::kPortuguese;
}

PayerSession::Charge charge_of(const AnswerFields& fields) {
  return {.id = fields.text("id"),
          .pix_code = fields.optional_text("pixCode"),
          .created_at = fields.time("createdAt"),
          .expires_at = fields.time("expiresAt"),
          .paid_at = fields.optional_time("paidAt"),
          .end_to_end_id = fields.optional_text("endToEndId"),
          .paid = fields.optional_cents("paidAmountCents"),
          .unapplied = fields.cents("unappliedAmountCents"),
          .refunded = fields.cents("refundedAmountCents"),
          .is_refund_moved = fields.optional_truth("refundMoved"),
          .status = fields.optional_text("status")};
}

// It goes into a style, where nothing but a colour may stand.
bool is_color(std::string_view text) {
  constexpr std::size_t kSize = 7;
  return text.size() == kSize && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return hex_digit(c) >= 0; });
}

// It goes into a page's policy, where a blank or a semicolon would begin something else.
bool is_origin(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_ascii_alnum(c) || std::string_view(":/.-[]").find(c) != std::string_view::npos;
  });
}

std::optional<PayerSession::Logo> logo_of(const std::optional<AnswerFields>& fields) {
  if (!fields) return std::nullopt;
  PayerSession::Logo logo{fields->text("digest"), fields->text("type")};
  if (!digest_from_hex(logo.digest)) throw NotUnderstood();
  return logo;
}

PayerSession::Store store_of(const AnswerFields& fields, bool is_sandbox) {
  PayerSession::Store store{.name = fields.text("name"),
                            .timezone = fields.text("timezone"),
                            .color = fields.optional_text("color"),
                            .contact = fields.optional_text("supportContact"),
                            .logo = logo_of(fields.optional_fields("logo")),
                            .payer_proofs = fields.truth("payerProofs")};
  if (store.color && !is_color(*store.color)) store.color.reset();
  for (const auto item : fields.items("embedOrigins")) {
    std::string_view origin;
    if (item.get(origin) != simdjson::SUCCESS || !is_origin(origin)) continue;
    // Whoever makes a shop's pages tries them on their own machine, where money is not moved.
    if (is_sandbox || origin.starts_with("https://")) store.embed_origins.emplace_back(origin);
  }
  return store;
}

PayerSession read_session(const AnswerFields& fields) {
  PayerSession session;
  session.id = fields.text("id");
  session.is_sandbox = fields.text("environment") != "live";
  session.state = state_of(fields.text("state"));
  session.language = language_of(fields.optional_text("locale"));
  session.version = fields.integer("version");
  const auto payment = fields.fields("payment");
  session.amount = domain::Cents(payment.integer("amountCents"));
  session.description = payment.optional_text("description");
  if (const auto charge = fields.optional_fields("charge")) session.charge = charge_of(*charge);
  session.can_renew = fields.truth("canRenew");
  if (const auto customer = fields.optional_fields("customer"))
    session.customer = {customer->text("name"), customer->text("document")};
  session.store = store_of(fields.fields("store"), session.is_sandbox);
  session.return_url = fields.optional_text("returnUrl");
  session.cancel_url = fields.optional_text("cancelUrl");
  return session;
}

std::string tag_of(std::int64_t version, std::string_view state) {
  return std::to_string(version) + "-" + std::string(state);
}

}  // namespace

std::optional<PayerSession> PayerSession::parse(std::string_view answer) {
  return read_json(answer, [](const AnswerFields& root) { return read_session(root.fields("data")); });
}

std::string PayerSession::tag() const { return tag_of(version, to_string(state)); }

bool PayerSession::is_paid() const { return domain::is_paid(state); }

std::optional<SessionChange> SessionChange::parse(std::string_view line) {
  return read_json(line, [](const AnswerFields& root) {
    const auto state = to_string(state_of(root.text("state")));
    return SessionChange{root.text("session"), tag_of(root.integer("version"), state), std::string(state)};
  });
}

std::string live_event(std::string_view tag, std::string_view state) {
  Json json;
  json.begin_object().field("tag", tag).field("state", state).end_object();
  return "event: state\ndata: " + json.take() + "\n\n";
}

ApiError ApiError::parse(std::string_view answer) {
  const auto error = read_json(answer, [](const AnswerFields& root) {
    ApiError found{root.text("code"), {}};
    for (const auto item : root.items("details")) {
      object detail;
      if (item.get(detail) == simdjson::SUCCESS) found.fields.push_back(AnswerFields(detail).text("field"));
    }
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
