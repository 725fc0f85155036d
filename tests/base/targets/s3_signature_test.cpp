#include "base/targets/s3_signature.h"

#include <catch2/catch.hpp>

using namespace pixledger;

namespace {

// Of the examples in AWS's reference of the API, "Authenticating Requests: Using the Authorization Header".
const S3Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};

std::string value_of(const S3Fields& headers, const std::string& name) {
  for (const auto& [each, value] : headers)
    if (each == name) return value;
  return {};
}

std::string authorization(const S3Request& request) {
  const auto headers = sign_s3(request, "examplebucket.s3.amazonaws.com", "us-east-1", kExample,
                               parse_iso8601("2013-05-24T00:00:00Z").value());
  CHECK(value_of(headers, "X-Amz-Date") == "20130524T000000Z");
  return value_of(headers, "Authorization");
}

std::string expected(const std::string& names, const std::string& signature) {
  return "AWS4-HMAC-SHA256 "
         "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=" +
         names + ",Signature=" + signature;
}

}  // namespace

TEST_CASE("requests are signed as in AWS's examples") {
  CHECK(authorization({"GET", "/test.txt", {}, {{"Range", "bytes=0-9"}}}) ==
        expected("host;range;x-amz-content-sha256;x-amz-date",
                 "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
  CHECK(authorization(
            {"PUT",
             "/test%24file.text",
             {},
             {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
             "Welcome to Amazon S3."}) ==
        expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                 "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
  CHECK(authorization({"GET", "/", {{"lifecycle", ""}}}) ==
        expected("host;x-amz-content-sha256;x-amz-date",
                 "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  CHECK(authorization({"GET", "/", {{"prefix", "J"}, {"max-keys", "2"}}}) ==
        expected("host;x-amz-content-sha256;x-amz-date",
                 "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST_CASE("a session's token is sent and signed") {
  const S3Credentials temporary{"id", "secret", "token"};
  const auto headers = sign_s3({"GET", "/"}, "s3.example", "sa-east-1", temporary, Timestamp());
  CHECK(value_of(headers, "X-Amz-Security-Token") == "token");
  CHECK(value_of(headers, "Authorization").find("x-amz-security-token") != std::string::npos);
}

TEST_CASE("a query is encoded, and sorted as it is sent") {
  CHECK(s3_query({}).empty());
  CHECK(s3_query({{"uploads", ""}, {"prefix", "a/b c"}, {"key-marker", "+&="}}) ==
        "key-marker=%2B%26%3D&prefix=a%2Fb%20c&uploads=");
}
