#include <algorithm>

#include "base/http/transport/connection.h"
#include "base/http/transport/connection_set.h"

// Of a connection, what it reads of a request behind its head.
namespace pixledger::http {

std::optional<Refusal> Connection::refusal_of_length() {
  auto& context = set_.context();
  const auto& request = exchange_->request;
  const auto usual = context.options.body_bytes_max;
  if (framing_.content_bytes <= usual) return std::nullopt;
  const auto most = context.services.body_bytes_max ? context.services.body_bytes_max(request) : usual;
  if (framing_.content_bytes > most) return Refusal{413, "The body is too large."};
  auto share = context.large_bodies.take(request.caller_address, framing_.content_bytes);
  if (!share)
    return Refusal{503, "Too many files are being received, from this address or from all; try again."};
  exchange_->body_share = *std::move(share);
  return std::nullopt;
}

std::size_t Connection::read_body(std::string_view bytes) {
  if (chunks_) return read_chunks(bytes);
  std::string& body = exchange_->request.body;
  const std::size_t missing = framing_.content_bytes - body.size();
  if (body.empty() && missing <= bytes.size()) body.reserve(missing + kBodyPaddingBytes);
  const std::size_t used = std::min(missing, bytes.size());
  body.append(bytes.substr(0, used));
  if (used == missing)
    serve();
  else
    needs_bytes_ = true;
  return used;
}

std::size_t Connection::read_chunks(std::string_view bytes) {
  const std::size_t used = chunks_->feed(bytes, exchange_->request.body);
  switch (chunks_->state()) {
    case ChunkedBody::State::kIncomplete:
      needs_bytes_ = true;
      return used;
    case ChunkedBody::State::kDone:
      serve();
      return used;
    case ChunkedBody::State::kMalformed:
      refuse({400, "The chunked body is malformed."});
      return bytes.size();
    case ChunkedBody::State::kTooLarge:
      refuse({413, "The body is too large."});
      return bytes.size();
  }
  return used;
}

}  // namespace pixledger::http
