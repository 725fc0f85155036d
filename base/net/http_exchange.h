#pragma once

#include <Poco/Exception.h>
#include <Poco/Net/HTTPResponse.h>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace pixledger {

// Why a conversation failed: one line, short, printable, and the same for the same cause.
std::string describe_failure(const Poco::Exception& error);
// At most 200 characters of printable ASCII.
std::string printable_failure(std::string text);

// The peer closed the connection without a word; what is no HTTP has other causes.
bool was_closed(const Poco::Exception& error);

// The answer is still to come (RFC 9110 §15.2); after 101, which nobody asked for, no HTTP comes anymore.
bool is_interim(Poco::Net::HTTPResponse::HTTPStatus status);

// Appends a body to `text`; true when it ended within `bytes_max`. What was read is there, whatever happens;
// it may be a little more.
bool read_body(std::istream& body, std::size_t bytes_max, std::string& text);

}  // namespace pixledger
