#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/values/cents.h"

namespace pixledger::web {

// A page's language.
enum class Language { kPortuguese, kEnglish };

using domain::PageState;

// A checkout session as the API shows it to a payer.
struct PayerSession {
  struct Charge {
    std::string id;
    std::optional<std::string> pix_code;  // only while it awaits payment
    std::optional<std::string> receiver;  // as banks show it: the code's merchant name
    Timestamp created_at;
    Timestamp expires_at;
    std::optional<Timestamp> paid_at;
    std::optional<std::string> end_to_end_id;  // once paid
    std::optional<domain::Cents> paid;         // the received amount; may differ from the requested one
    domain::Cents unapplied{0};                // received, and not applied yet
    domain::Cents refunded{0};
    std::optional<bool> is_refund_moved;  // by a bank; else the shop recorded it and sends it itself
    std::optional<std::string> status;    // as in the API
  };
  struct Customer {
    std::string name, document;  // masked
  };
  struct Logo {
    std::string digest;  // hex of its SHA-256
    std::string type;
  };
  struct Store {
    std::string name;
    std::string timezone;
    std::optional<std::string> color;  // "#rrggbb"
    std::optional<std::string> contact;
    std::optional<Logo> logo;
    std::vector<std::string> embed_origins{};
    bool payer_proofs = false;
  };

  std::string id;
  bool is_sandbox = false;
  PageState state = PageState::kWaiting;
  std::optional<Language> language;
  std::int64_t version = 0;  // grows with every visible change
  domain::Cents amount{0};
  std::optional<std::string> description;
  std::optional<std::string> order;  // the shop's number of it
  std::optional<Charge> charge;
  bool can_renew = false;
  std::optional<Customer> customer;
  Store store;
  std::optional<std::string> return_url;  // signed; only once paid
  std::optional<std::string> cancel_url;

  // Parses the API's answer. Returns nullopt if it has an unknown form.
  static std::optional<PayerSession> parse(std::string_view answer);

  // Equal for two sessions if their pages look the same.
  std::string tag() const;
  bool is_paid() const;
};

// A change of a session, from a line of the API's stream.
struct SessionChange {
  std::string session;
  std::string tag;
  std::string state;

  static std::optional<SessionChange> parse(std::string_view line);
};

// A change as a server-sent event for pages.
std::string live_event(std::string_view tag, std::string_view state);

// An error of the API.
struct ApiError {
  std::string code;
  std::vector<std::string> fields;  // the invalid fields, as named in the request

  static ApiError parse(std::string_view answer);
};

// Returns whether a text has the form of a payment link's token: a session's id, a dot, and 22 characters of
// base64url. Only the API knows whether the session exists.
bool is_page_token(std::string_view text);

// `token` must have that form.
inline std::string_view session_of(std::string_view token) { return token.substr(0, token.find('.')); }

}  // namespace pixledger::web
