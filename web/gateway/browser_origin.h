#pragma once

#include <string>

#include "base/http/message/request.h"
#include "base/net/http_url.h"

namespace pixledger::web {

// The origin that the dashboard is known to be at, and whether a browser says that a request comes from a
// page of it.
class BrowserOrigin {
 public:
  explicit BrowserOrigin(const HttpUrl& url)
      : origin_(url.origin()), authority_(url.authority()), is_tls_(url.is_tls) {}

  const std::string& text() const { return origin_; }
  bool is_tls() const { return is_tls_; }

  // The host that was asked is this one, and Sec-Fetch-Site says same-origin; of browsers from before there
  // was that, Origin names this one. Who says neither, or one of them twice, is none of its pages.
  bool has_sent(const http::Headers& headers) const;
  // Whether it was asked for by an address of this machine where it has the name localhost, with which alone
  // passkeys work.
  bool is_named_by_address(const http::Headers& headers) const;

 private:
  std::string origin_;
  std::string authority_;
  bool is_tls_;
};

}  // namespace pixledger::web
