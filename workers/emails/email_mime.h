#pragma once

#include <string>
#include <string_view>

#include "base/values/timestamp.h"

// The parts of RFC 5322 and MIME that an e-mail is written with. Pure. Whatever the texts hold, no output has
// a line end that was not put there by these functions, so no text can add a header.
namespace pixledger::workers {

constexpr std::string_view kCrLf = "\r\n";

// Unstructured text or a display name as encoded words (RFC 2047), folded between them; plain letters, digits
// and spaces stay as they are. Every encoded word holds whole characters.
std::string encode_header_text(std::string_view utf8);

// Base64 in lines of at most 76 characters, each ended by CRLF (RFC 2045 §6.8).
std::string encode_base64_lines(std::string_view bytes);
// In one line without an end.
std::string encode_base64(std::string_view bytes);

// "Sat, 21 Nov 2026 05:05:30 -0300" (RFC 5322 §3.3), in Brasília time.
std::string mail_date(Timestamp moment);

// Text for HTML, also inside quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace pixledger::workers
