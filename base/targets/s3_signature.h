#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/values/timestamp.h"

namespace pixledger {

struct S3Credentials {
  std::string id;
  std::string secret;
  std::string session_token;  // empty: none
};

using S3Fields = std::vector<std::pair<std::string, std::string>>;

struct S3Request {
  std::string method;
  std::string path;       // percent-encoded
  S3Fields query = {};    // not encoded
  S3Fields headers = {};  // beside Host and Content-Length
  std::string_view body = {};
};

// "name=value&…", percent-encoded, in the order that signatures need; empty for an empty query.
std::string s3_query(const S3Fields& query);

// The request's headers and those of its signature by AWS Signature Version 4, for the service s3. All of
// them and Host are signed. `host`: the value of the Host header.
S3Fields sign_s3(const S3Request& request, const std::string& host, const std::string& region,
                 const S3Credentials& credentials, Timestamp now);

}  // namespace pixledger
