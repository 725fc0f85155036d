#pragma once

#include <string>

#include "base/targets/s3_signature.h"
#include "base/values/webhook_url.h"

namespace pixledger {

// Where objects of an S3 service are: "s3://BUCKET[/PREFIX]?endpoint=URL&region=R".
struct S3Location {
  static constexpr std::string_view kScheme = "s3://";
  static constexpr std::string_view kRule =
      "must be s3://BUCKET or s3://BUCKET/PREFIX, with ?endpoint=URL for a service other than AWS and "
      "region=R; "
      "it holds no credentials";

  // Throws UsageError, which repeats nothing of it.
  static S3Location parse(const std::string& uri);

  std::string uri;     // as parsed
  std::string prefix;  // empty or "…/"
  std::string region;
  WebhookUrl base;  // of the bucket; its path is empty or "/…"
  std::string bucket;
};

// Credentials of a file in AWS's form, or of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
class S3CredentialSource {
 public:
  // Empty: from the environment.
  explicit S3CredentialSource(std::string file) : file_(std::move(file)) {}

  // Reads the file anew, since credentials change. Throws std::runtime_error, whose text has no secret, if
  // there are none.
  S3Credentials get() const;

 private:
  const std::string file_;
};

}  // namespace pixledger
