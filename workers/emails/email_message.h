#pragma once

#include <string>
#include <string_view>

#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/project.h"

namespace pixledger::workers {

// The data of a purchase confirmation: the streams as of the event's position.
struct EmailFacts {
  std::string_view name;           // of the e-mail, see email_name()
  std::string_view ledger_id;      // makes the Message-ID globally unique
  Timestamp recorded_at;           // when the event was recorded
  const domain::Charge& charge;    // paid
  const domain::Payment& payment;  // the payment that paid the charge
  const domain::CustomerDetails& customer;
  const domain::StoreSettings& store;
  const EmailAddress& from;
};

// "event-1042.1795262730123": the same for every attempt of an event, but another one for a restored ledger's
// event at that position. Safe as a file name and in a Message-ID.
std::string email_name(Position position, Timestamp recorded_at);

// The exact bytes to send (RFC 5322, lines end in CRLF, ASCII only, no line starts with a dot). A
// multipart/alternative of text and HTML in Brazilian Portuguese, with the store's logo, without external
// references. Pure, so every attempt sends the same bytes.
std::string email_message(const EmailFacts& facts);

// RFC 5322 and MIME encoding of an e-mail's parts. Pure. Output line ends come from these functions only,
// never from input, so no text can add a header.

// Encodes unstructured text or a display name as encoded words (RFC 2047), folded between them; plain
// letters, digits and spaces stay unchanged. Every encoded word contains whole characters.
std::string encode_header_text(std::string_view utf8);

// "Sat, 21 Nov 2026 05:05:30 -0300" (RFC 5322 §3.3), in Brasília time.
std::string mail_date(Timestamp moment);

}  // namespace pixledger::workers
