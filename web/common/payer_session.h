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

// In which language a page is.
enum class Language { kPortuguese, kEnglish };

using domain::PageState;

// A session of checkout as the API tells a payer of it.
struct PayerSession {
  struct Charge {
    std::string id;
    std::optional<std::string> pix_code;  // only while it waits to be paid
    Timestamp created_at;
    Timestamp expires_at;
    std::optional<Timestamp> paid_at;
    std::optional<std::string> end_to_end_id;  // once paid
    std::optional<domain::Cents> paid;         // what came; may be another amount than was asked for
    domain::Cents unapplied{0};                // what came and paid nothing yet
    domain::Cents refunded{0};
    std::optional<bool> is_refund_moved;  // by a bank; else the shop has recorded it and sends it itself
    std::optional<std::string> status;    // as the API has it
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
  std::int64_t version = 0;  // grows with every change that a page could show
  domain::Cents amount{0};
  std::optional<std::string> description;
  std::optional<Charge> charge;
  bool can_renew = false;
  std::optional<Customer> customer;
  Store store;
  std::optional<std::string> return_url;  // signed; only once paid
  std::optional<std::string> cancel_url;

  // Of the API's answer. nullopt when it is not what the API is known to answer.
  static std::optional<PayerSession> parse(std::string_view answer);

  // Tells whether two pages show the same.
  std::string tag() const;
  bool is_paid() const;
};

// What changed of which session, of a line of the API's stream.
struct SessionChange {
  std::string session;
  std::string tag;
  std::string state;

  static std::optional<SessionChange> parse(std::string_view line);
};

// What pages are told of it, as a server-sent event.
std::string live_event(std::string_view tag, std::string_view state);

// Why the API refused something.
struct ApiError {
  std::string code;
  std::vector<std::string> fields;  // that are wrong, as they were named

  static ApiError parse(std::string_view answer);
};

// Whether a text has the form of the token in a payment link: a session's id, a dot, and 22 characters of
// base64url. Whether there is such a session the API says.
bool is_page_token(std::string_view text);

// Of what has that form.
inline std::string_view session_of(std::string_view token) { return token.substr(0, token.find('.')); }

}  // namespace pixledger::web
