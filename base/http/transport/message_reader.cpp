#include "base/http/transport/message_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/http/message/syntax.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kTargetBytesMax = 8 * 1024;
constexpr Refusal kTargetTooLong{414, "The request target is too long."};

constexpr std::size_t kRequestIdBytesMax = 64;
// More than any body limit, and within every integer type.
constexpr std::size_t kContentBytesSaturated = 0x7FFFFFFF;

constexpr Refusal bad(std::string_view message) { return {400, message}; }

constexpr bool is_control(char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }

bool is_field_value(std::string_view text) {
  const auto forbidden = [](char c) { return is_control(c) && c != '\t'; };
  return std::none_of(text.begin(), text.end(), forbidden);
}

// =?charset?encoding?text?= (RFC 2047 §2), which a proxy or a log reader could decode differently.
bool holds_encoded_word(std::string_view text) {
  std::size_t at = text.find("=?");
  for (const std::string_view mark : {"?", "?", "?="}) {
    if (at == std::string_view::npos) return false;
    at = text.find(mark, at + 2);
  }
  return at != std::string_view::npos;
}

// These are ignored if they are invalid (W3C Trace Context §3.2), and no proxy acts on them.
bool is_of_trace(std::string_view name) {
  return equal_without_case(name, "traceparent") || equal_without_case(name, "tracestate");
}

bool is_request_id(std::string_view text) {
  const auto allowed = [](char c) { return is_ascii_alnum(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kRequestIdBytesMax && std::all_of(text.begin(), text.end(), allowed);
}

// Checks the characters of uri-host [ ":" port ] (RFC 9110 §7.2); empty if the target has no authority.
bool is_host(std::string_view text) {
  const auto allowed = [](char c) {
    return is_ascii_alnum(c) || std::string_view("-._~%!$&'()*+,;=:[]").find(c) != std::string_view::npos;
  };
  return std::all_of(text.begin(), text.end(), allowed);
}

Method to_method(std::string_view token) {
  for (const Method method : {Method::kGet, Method::kPost, Method::kPatch, Method::kDelete, Method::kHead,
                              Method::kPut, Method::kOptions}) {
    if (token == method_name(method)) return method;
  }
  return Method::kOther;
}

// The authority of a target in absolute form.
struct Authority {
  std::string_view text;
  std::string_view default_port;  // ":80"

  // Whether the Host header names the same host (RFC 9112 §3.2.2), with or without the scheme's port.
  bool is_same(std::string_view host) const {
    return !text.empty() && equal_without_case(without_port(text), without_port(host));
  }

 private:
  std::string_view without_port(std::string_view given) const {
    return given.ends_with(default_port) ? given.substr(0, given.size() - default_port.size()) : given;
  }
};

// Origin form, absolute form (whose authority must match the Host header) or "*" (RFC 9112 §3.2).
bool parse_target(std::string_view target, Request& request, std::optional<Authority>& authority) {
  if (std::any_of(target.begin(), target.end(), is_control)) return false;
  for (const auto& [scheme, port] : {std::pair{"http://"sv, ":80"sv}, std::pair{"https://"sv, ":443"sv}}) {
    if (!equal_without_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t path_at = std::min(target.find_first_of("/?"), target.size());
    authority = Authority{target.substr(0, path_at), port};
    target.remove_prefix(path_at);
    if (target.substr(0, 1) != "/") {
      request.path = "/";
      request.query = target.substr(std::min<std::size_t>(1, target.size()));
      return true;
    }
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  return target.substr(0, 1) == "/" || (target == "*" && request.method == Method::kOptions);
}

// RFC 9112 §2.3.
constexpr std::size_t kMajorAt = 5;
bool is_version(std::string_view text) {
  return text.size() == 8 && text.starts_with("HTTP/") && is_ascii_digit(text[kMajorAt]) && text[6] == '.' &&
         is_ascii_digit(text[7]);
}

// Framing headers, collected and then validated together.
struct FramingFields {
  int hosts = 0;
  int content_lengths = 0;
  int transfer_encodings = 0;
  int request_ids = 0;
  std::optional<Authority> authority;
  std::string_view host;
  std::string_view content_length;
  std::string_view transfer_encoding;
  std::string_view request_id;
  bool close = false;
  bool keep_alive = false;
};

std::optional<Refusal> parse_request_line(std::string_view line, Request& request, Framing& framing,
                                          FramingFields& fields) {
  const std::size_t method_end = std::min(line.find(' '), line.size());
  const std::size_t target_end = line.rfind(' ');
  if (method_end == line.size() || target_end == method_end) return bad("The request line is not complete.");
  const std::string_view method = line.substr(0, method_end);
  const std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  const std::string_view version = line.substr(target_end + 1);
  if (!is_version(version)) return bad("Use HTTP/1.1.");
  if (version[kMajorAt] != '1') return Refusal{505, "Use HTTP/1.1."};
  // Treats a later minor version like the highest known one (RFC 9110 §2.5).
  framing.is_http_1_0 = version == "HTTP/1.0";
  if (target.size() > kTargetBytesMax) return kTargetTooLong;
  if (!is_token(method)) return bad("The method is not a token.");
  request.method = to_method(method);
  if (target.find(' ') != std::string_view::npos || !parse_target(target, request, fields.authority)) {
    return bad("The request target is not a path.");
  }
  return std::nullopt;
}

void note_connection(std::string_view value, FramingFields& fields) {
  while (!value.empty()) {
    const std::string_view option = next_item(value, ',');
    if (equal_without_case(option, "close")) fields.close = true;
    if (equal_without_case(option, "keep-alive")) fields.keep_alive = true;
  }
}

void note(std::string_view name, std::string_view value, FramingFields& fields, Framing& framing) {
  const auto is = [&](std::string_view known) { return equal_without_case(name, known); };
  switch (name.size()) {
    case 4:
      if (!is("Host")) break;
      ++fields.hosts;
      fields.host = value;
      break;
    case 6:
      if (is("Expect")) framing.expects_continue = equal_without_case(value, "100-continue");
      break;
    case 10:
      if (is("Connection")) note_connection(value, fields);
      break;
    case 12:
      if (!is("X-Request-Id")) break;
      ++fields.request_ids;
      fields.request_id = value;
      break;
    case 14:
      if (!is("Content-Length")) break;
      ++fields.content_lengths;
      fields.content_length = value;
      break;
    case 17:
      if (!is("Transfer-Encoding")) break;
      ++fields.transfer_encodings;
      fields.transfer_encoding = value;
      break;
    default:
      break;
  }
}

std::optional<Refusal> parse_field(std::string_view line, Request& request, FramingFields& fields,
                                   Framing& framing) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return bad("A header line has no colon.");
  const std::string_view name = line.substr(0, colon);
  // Also rejects a blank before the colon and folded lines (RFC 9112 §5.1, §5.2).
  if (!is_token(name)) return bad("A header's name is not a token.");
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (!is_field_value(value)) return bad("A header holds control characters.");
  if (holds_encoded_word(value) && !is_of_trace(name)) return bad("A header holds an encoded word.");
  request.headers.add(name, value);
  note(name, value, fields, framing);
  return std::nullopt;
}

std::optional<Refusal> parse_content_length(std::string_view text, Framing& framing) {
  if (text.empty() || !all_ascii_digits(text)) return bad("Content-Length is not a number.");
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), framing.content_bytes);
  if (parsed.ec != std::errc()) framing.content_bytes = kContentBytesSaturated;
  framing.content_bytes = std::min(framing.content_bytes, kContentBytesSaturated);
  return std::nullopt;
}

// Rejects everything that two parsers could interpret differently (RFC 9112 §3.2, §6.1–§6.3).
std::optional<Refusal> judge(const FramingFields& fields, Framing& framing) {
  if (fields.hosts > 1 || (fields.hosts == 0 && !framing.is_http_1_0)) return bad("Send one Host header.");
  if (!is_host(fields.host)) return bad("The Host header is not a host with or without a port.");
  // If they differ, a proxy may have checked one and the server would use the other.
  if (fields.authority && !(fields.hosts > 0 ? fields.authority->is_same(fields.host) : framing.is_http_1_0))
    return bad("The request target names another host than the Host header.");
  if (fields.content_lengths > 1) return bad("Content-Length is given more than once.");
  if (fields.transfer_encodings > 0) {
    if (fields.content_lengths > 0) return bad("Content-Length and Transfer-Encoding exclude each other.");
    if (framing.is_http_1_0) return bad("HTTP/1.0 has no Transfer-Encoding.");
    if (fields.transfer_encodings > 1 || !equal_without_case(fields.transfer_encoding, "chunked")) {
      return bad("The only Transfer-Encoding understood is chunked.");
    }
    framing.chunked = true;
  }
  framing.keep_alive = !fields.close && (!framing.is_http_1_0 || fields.keep_alive);
  framing.expects_continue = framing.expects_continue && !framing.is_http_1_0;
  if (fields.content_lengths == 1) return parse_content_length(fields.content_length, framing);
  return std::nullopt;
}

// The refusal of an oversized head. Depends on the request line only, so a long target gets the same status
// however the bytes arrive.
Refusal too_large(std::string_view bytes) {
  constexpr std::size_t kBesideTarget = 32;  // upper bound for method and version
  if (std::min(bytes.find("\r\n"), bytes.size()) > kTargetBytesMax + kBesideTarget) return kTargetTooLong;
  return {431, "The request line and headers are too large."};
}

}  // namespace

HeadEnd find_head_end(std::string_view bytes, const HeadLimits& limits) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t end = bytes.find(kEnd);
  if (end != std::string_view::npos) {
    if (end + kEnd.size() > limits.head_bytes_max) return {0, too_large(bytes)};
    return {end + kEnd.size(), std::nullopt};
  }
  if (bytes.size() >= limits.head_bytes_max) return {0, too_large(bytes)};
  // Rejected at once, because a head with other line ends would never end.
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') return {0, bad("Lines must end with CR LF.")};
  }
  return {};
}

std::optional<Refusal> parse_head(std::string_view head, const HeadLimits& limits, Request& request,
                                  Framing& framing) {
  framing = {};
  FramingFields fields;
  // Even a refused request is answered with its own id and in its accepted format, as far as it was parsed.
  std::optional<Refusal> refusal;
  std::size_t line_end = head.find("\r\n");
  refusal = parse_request_line(head.substr(0, line_end), request, framing, fields);
  head.remove_prefix(line_end + 2);
  while (!refusal && (line_end = head.find("\r\n")) != 0) {
    if (request.headers.size() == limits.header_count_max)
      refusal = Refusal{431, "There are too many headers."};
    if (!refusal) refusal = parse_field(head.substr(0, line_end), request, fields, framing);
    head.remove_prefix(line_end + 2);
  }
  if (fields.request_ids == 1 && is_request_id(fields.request_id)) request.request_id = fields.request_id;
  return refusal ? refusal : judge(fields, framing);
}

namespace {

constexpr std::size_t kSizeDigitsMax = 8;
// Limit on ignored extensions and trailers in a body.
constexpr std::size_t kDiscardedBytesMax = 4096;

// The characters of chunk-ext (RFC 9112 §7.1.1), including quoted strings.
bool is_extension(char c) { return is_ascii_printable(c) || c == '\t'; }

bool is_control_but_tab(char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7F; }

}  // namespace

std::size_t ChunkedBody::feed(std::string_view bytes, std::string& body) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ == State::kIncomplete) {
    if (expects_ != Expects::kData) {
      read(bytes[at++]);
      continue;
    }
    const std::size_t take = std::min(chunk_bytes_, bytes.size() - at);
    body.append(bytes.substr(at, take));
    at += take;
    chunk_bytes_ -= take;
    if (chunk_bytes_ == 0) expects_ = Expects::kDataReturn;
  }
  return at;
}

void ChunkedBody::read(char c) {
  switch (expects_) {
    case Expects::kSize:
      return read_size(c);
    case Expects::kExtensionMark:
      if (c == ' ' || c == '\t') return discard();
      return expect(c, ';', Expects::kExtension);
    case Expects::kExtension:
      if (c == '\r') return expect(c, '\r', Expects::kSizeLineFeed);
      if (!is_extension(c)) state_ = State::kMalformed;
      return discard();
    case Expects::kSizeLineFeed:
      if (c != '\n') state_ = State::kMalformed;
      return end_size_line();
    case Expects::kDataReturn:
      return expect(c, '\r', Expects::kDataLineFeed);
    case Expects::kDataLineFeed:
      return expect(c, '\n', Expects::kSize);
    case Expects::kTrailer:
      return read_trailer(c);
    case Expects::kTrailerLineFeed:
      expect(c, '\n', Expects::kTrailer);
      if (state_ == State::kIncomplete && line_bytes_ == 0) state_ = State::kDone;
      line_bytes_ = 0;
      return;
    case Expects::kData:
      return;
  }
}

void ChunkedBody::expect(char c, char wanted, Expects next) {
  if (c != wanted) state_ = State::kMalformed;
  expects_ = next;
}

void ChunkedBody::read_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0 && size_digits_ < kSizeDigitsMax) {
    chunk_bytes_ = chunk_bytes_ * 16 + static_cast<std::size_t>(digit);
    ++size_digits_;
    return;
  }
  if (size_digits_ == 0 || digit >= 0) {
    state_ = State::kMalformed;
  } else if (c == ';') {
    expects_ = Expects::kExtension;
  } else if (c == ' ' || c == '\t') {
    expects_ = Expects::kExtensionMark;
  } else {
    expect(c, '\r', Expects::kSizeLineFeed);
  }
}

void ChunkedBody::end_size_line() {
  size_digits_ = 0;
  decoded_bytes_ += chunk_bytes_;
  expects_ = chunk_bytes_ == 0 ? Expects::kTrailer : Expects::kData;
  if (state_ == State::kIncomplete && decoded_bytes_ > body_bytes_max_) state_ = State::kTooLarge;
}

// A trailer is a header line: a name without blanks, a colon, a value (RFC 9112 §5). Another parser could
// read any other form as the next request.
void ChunkedBody::read_trailer(char c) {
  if (c == '\r') {
    if (line_bytes_ > 0 && !has_colon_) state_ = State::kMalformed;
    return expect(c, '\r', Expects::kTrailerLineFeed);
  }
  if (line_bytes_++ == 0) has_colon_ = false;
  if (c == ':' && line_bytes_ > 1) has_colon_ = true;
  if (has_colon_ ? is_control_but_tab(c) : !is_token_character(c)) state_ = State::kMalformed;
  discard();
}

void ChunkedBody::discard() {
  if (++discarded_bytes_ > kDiscardedBytesMax) state_ = State::kMalformed;
}

}  // namespace pixledger::http
