#pragma once

#include <string>
#include <string_view>

#include "base/values/email_address.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/project.h"

namespace pixledger::workers {

// Everything a purchase confirmation is made of: the streams as they were at the event's position.
struct EmailFacts {
  std::string_view name;           // of the e-mail, see email_name()
  std::string_view ledger_id;      // makes the Message-ID unique in the world
  Timestamp recorded_at;           // when the event was recorded
  const domain::Charge& charge;    // paid
  const domain::Payment& payment;  // that paid it
  const domain::CustomerDetails& customer;
  const domain::StoreSettings& store;
  const EmailAddress& from;
};

// "event-1042.1795262730123": the same for the same event at every attempt, another one for what a restored
// ledger records at that position. Safe as a file name and in a Message-ID.
std::string email_name(Position position, Timestamp recorded_at);

// The exact bytes to send (RFC 5322, lines end in CRLF, ASCII only, no line starts with a dot): a
// multipart/alternative of text and HTML in Brazilian Portuguese that refers to nothing outside itself.
// Pure, so every attempt sends the same bytes.
std::string email_message(const EmailFacts& facts);

}  // namespace pixledger::workers
