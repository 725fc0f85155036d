#include "base/targets/s3_target.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>

#include "base/process/options.h"
#include "base/targets/open_target.h"
#include "tests/base/targets/target_contract.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/servers/process.h"
#include "tests/support/servers/s3_service.h"

using namespace pixledger;
using pixledger::tests::S3Service;

namespace {

const SystemClock kClock;

// One for all cases, which use buckets or prefixes of their own.
S3Service& service() {
  static S3Service started;
  return started;
}

S3Target target_at(const std::string& bucket_and_prefix, const Clock& clock = kClock) {
  return {S3Location::parse(service().uri(bucket_and_prefix)),
          S3CredentialSource(service().credentials().string()), clock};
}

struct Failure {
  TargetFault fault;
  std::string problem;  // without "the target URI: "
};

Failure failure_of(Target& target, const std::function<void()>& work) {
  try {
    work();
  } catch (const TargetError& error) {
    const std::string text = error.what();
    for (const auto* const secret : {S3Service::kId, S3Service::kSecret, S3Service::kToken, "another-secret"})
      CHECK(text.find(secret) == std::string::npos);
    const auto begin = "the target " + target.uri() + ": ";
    REQUIRE(text.starts_with(begin));
    return {error.fault(), text.substr(begin.size())};
  }
  FAIL("it did not fail");
  return {};
}

Failure list_failure(const std::string& bucket, const Clock& clock = kClock) {
  auto target = target_at(bucket, clock);
  return failure_of(target, [&] { target.list(""); });
}

void check_failure(const Failure& failure, TargetFault fault, const std::string& problem) {
  CHECK(failure.fault == fault);
  CHECK(failure.problem == problem);
}

std::string malformed(const std::string& uri) {
  try {
    S3Location::parse(uri);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a bucket of s3rver is a target") {
  SECTION("as a whole") {
    auto target = target_at("others");
    tests::check_target_contract(target);
  }
  SECTION("below a prefix, beside others") {
    auto other = target_at("others/ledger-2");
    write_text(other, "LEDGER", "other");
    auto target = target_at("others/ledger");
    tests::check_target_contract(target);
    CHECK_FALSE(target.keeps_versions());
    CHECK(target.old_versions("").empty());
    CHECK(read_whole(other, "LEDGER") == "other");
    other.remove("LEDGER");
  }
}

TEST_CASE("a bucket that lists a few objects at once is a target, with versions and without") {
  for (const auto* const bucket : {"plain", "versions/contract", "locked/contract"}) {
    CAPTURE(bucket);
    auto target = target_at(bucket);
    tests::check_target_contract(target);
  }
  auto target = target_at("plain");
  for (int i = 10; i < 30; ++i) write_text(target, "events/" + std::to_string(i), "x");
  CHECK(target.list("events/").size() == 20);
  CHECK(target.list("").back().name == "events/29");
  for (const auto& object : target.list("")) target.remove(object.name);
}

TEST_CASE("old versions are listed and removed, and a removal's mark when nothing older is left") {
  auto target = target_at("versions/old");
  CHECK(target.keeps_versions());
  for (int i = 0; i < 5; ++i) write_text(target, "events/1-2-1", std::string(1, static_cast<char>('a' + i)));
  write_text(target, "LEDGER", "kept");
  CHECK(target.old_versions("").size() == 4);
  CHECK(target.old_versions("state/").empty());
  target.remove("events/1-2-1");
  auto old = target.old_versions("events/");
  REQUIRE(old.size() == 5);
  for (const auto& version : old) {
    CHECK(version.name == "events/1-2-1");
    CHECK(version.written.millis() > 0);
    CHECK_FALSE(target.remove_old(version));
    CHECK(target.list("events/").empty());
  }
  old = target.old_versions("");
  REQUIRE(old.size() == 1);
  CHECK_FALSE(target.remove_old(old[0]));
  CHECK(target.old_versions("").empty());
  CHECK_FALSE(target.remove_old(old[0]));
  CHECK(read_whole(target, "LEDGER") == "kept");
}

TEST_CASE("a version that is locked stays, and until when is told") {
  auto target = target_at("locked/old");
  write_text(target, "events/1-2-1", "a person");
  write_text(target, "events/1-2-1", "no person");
  const auto old = target.old_versions("events/");
  REQUIRE(old.size() == 1);
  const auto until = target.remove_old(old[0]);
  REQUIRE(until);
  CHECK(until->millis() > kClock.now().millis());
  CHECK(*until < kLastTimestamp);
  CHECK(target.old_versions("events/").size() == 1);

  S3Client client(S3Location::parse(service().uri("locked")),
                  S3CredentialSource(service().credentials().string()), kClock);
  REQUIRE(client
              .send("PUT", "old/events/1-2-1", {{"legal-hold", ""}, {"versionId", old[0].version}}, {},
                    "<LegalHold><Status>ON</Status></LegalHold>")
              .is_ok());
  CHECK(target.remove_old(old[0]) == kLastTimestamp);

  auto forbidden = target_at("forbidden");
  check_failure(failure_of(forbidden, [&] { forbidden.remove_old(old[0]); }), TargetFault::kRefused,
                "it answers 403 AccessDenied");
}

TEST_CASE("an upload that fails is aborted, and one that was forgotten, too") {
  auto target = target_at("plain/uploads");
  S3Client client(S3Location::parse(service().uri("plain")),
                  S3CredentialSource(service().credentials().string()), kClock);
  const auto uploads = [&] {
    const auto listed = client.document(client.send("GET", "", {{"uploads", ""}, {"prefix", "uploads/"}}));
    return std::count_if(listed.elements.begin(), listed.elements.end(),
                         [](const auto& element) { return element.name == "Upload"; });
  };
  REQUIRE(client.send("POST", "uploads/forgotten", {{"uploads", ""}}).is_ok());
  REQUIRE(client.send("POST", "uploads/young", {{"uploads", ""}}).is_ok());
  CHECK(uploads() == 2);
  write_text(target, "LEDGER", "x");
  CHECK(uploads() == 1);
  const ObjectSource failing{std::uint64_t{20} << 20, [](std::uint64_t offset, std::size_t length) {
                               if (offset > 0) throw std::runtime_error("the source fails");
                               return std::string(length, 'x');
                             }};
  CHECK_THROWS_WITH(target.write("events/1-2-1", failing), "the source fails");
  CHECK(uploads() == 1);
  CHECK_FALSE(read_whole(target, "events/1-2-1"));

  const std::string large(std::size_t{17} << 20, 'x');
  check_failure(failure_of(target, [&] { write_text(target, "late-fault", large); }), TargetFault::kOther,
                "it answers 200 InvalidPart");
  CHECK_FALSE(read_whole(target, "late-fault"));
}

TEST_CASE("an overloaded service is asked again, after pauses") {
  auto target = target_at("slow-down");
  write_text(target, "LEDGER", "x");
  CHECK(target.list("").size() == 1);
  CHECK(read_whole(target, "LEDGER") == "x");
  check_failure(list_failure("busy"), TargetFault::kUnreachable, "it answers 503 ServiceUnavailable");
}

TEST_CASE("a connection that is reset is opened again, after pauses") {
  auto target = target_at("resets");
  write_text(target, "LEDGER", "x");
  CHECK(target.list("").size() == 1);
  CHECK(read_whole(target, "LEDGER") == "x");
}

TEST_CASE("faults of an S3 service are named") {
  check_failure(list_failure("no-such-bucket"), TargetFault::kUnreachable,
                "there is no bucket no-such-bucket");
  check_failure(list_failure("full"), TargetFault::kFull, "it answers 507 XMinioStorageFull");
  check_failure(list_failure("forbidden"), TargetFault::kRefused, "it answers 403 AccessDenied");
  check_failure(list_failure("broken-off"), TargetFault::kUnreachable, "its answer breaks off");
  check_failure(list_failure("elsewhere"), TargetFault::kOther,
                "the bucket is in another region; write region=sa-east-1");
  check_failure(
      list_failure("moved"), TargetFault::kOther,
      "it redirects to other.example, which is not followed; write the bucket's own endpoint and region");
  check_failure(list_failure("endless"), TargetFault::kOther,
                "it holds more than a million objects, or its list does not end");
  for (const auto* const bucket : {"entities", "not-xml"})
    check_failure(list_failure(bucket), TargetFault::kOther, "it answers what is not of S3");
  CHECK(target_at("deep").list("").empty());

  // A port where nobody listens.
  S3Target away(S3Location::parse("s3://bucket?endpoint=http://127.0.0.1:1"),
                S3CredentialSource(service().credentials().string()), kClock);
  check_failure(failure_of(away, [&] { away.list(""); }), TargetFault::kUnreachable, "connection refused");
}

TEST_CASE("a clock that is wrong is named, with by how much") {
  const tests::FixedClock slow(kClock.now().plus_millis(-3'600'000));
  const auto failure = list_failure("plain", slow);
  CHECK(failure.fault == TargetFault::kRefused);
  // A few seconds may have passed.
  CHECK_THAT(failure.problem,
             Catch::Matchers::Matches("its clock and this machine's differ by 36[0-9][0-9] s "
                                      "\\(RequestTimeTooSkewed\\); set the clock"));
}

TEST_CASE("refused credentials are named, without them") {
  const tests::TemporaryDirectory directory;
  const auto file = directory.path() / "credentials";
  S3Target target(S3Location::parse(service().uri("plain/refused")), S3CredentialSource(file.string()),
                  kClock);
  const auto failure = [&](const std::string& content) {
    std::ofstream(file) << content;
    return failure_of(target, [&] { write_text(target, "LEDGER", "x"); });
  };
  check_failure(failure("[default]\naws_access_key_id=S3RVER\naws_secret_access_key=another-secret\n"),
                TargetFault::kRefused, "it refuses the credentials (SignatureDoesNotMatch)");
  check_failure(failure("[default]\naws_access_key_id=another-secret\naws_secret_access_key=x\n"),
                TargetFault::kRefused, "it refuses the credentials (InvalidAccessKeyId)");
  check_failure(failure("[default]\naws_access_key_id=S3RVER\naws_secret_access_key=" +
                        std::string(S3Service::kSecret) + "\naws_session_token=another-secret\n"),
                TargetFault::kRefused, "it refuses the credentials (InvalidToken)");
  const auto needs = file.string() + " needs [default] with aws_access_key_id and aws_secret_access_key";
  check_failure(failure("[other]\naws_access_key_id=a\naws_secret_access_key=another-secret\n"),
                TargetFault::kRefused, needs);
  check_failure(failure("[default]\naws_access_key_id=another-secret\n"), TargetFault::kRefused, needs);
  check_failure(failure("[default]\naws_access_key_id=a b\naws_secret_access_key=another-secret\n"),
                TargetFault::kRefused, needs);
  // Valid ones count at once.
  std::filesystem::copy_file(service().credentials(), file,
                             std::filesystem::copy_options::overwrite_existing);
  write_text(target, "LEDGER", "x");
  std::filesystem::remove(file);
  check_failure(failure_of(target, [&] { target.list(""); }), TargetFault::kRefused,
                "there is no file " + file.string() + " of S3 credentials");

  S3Target other_region(S3Location::parse(service().uri("plain") + "&region=eu-west-1"),
                        S3CredentialSource(service().credentials().string()), kClock);
  check_failure(failure_of(other_region, [&] { other_region.list(""); }), TargetFault::kOther,
                "the bucket is in another region; write region=us-east-1");
}

TEST_CASE("an S3 target is opened with credentials, or not at all") {
  const auto uri = service().uri("plain/opened");
  const auto target = open_target(uri, service().credentials().string());
  CHECK(target->uri() == uri);
  write_text(*target, "LEDGER", "x");
  CHECK_THROWS_AS(open_target(uri, "/nowhere/credentials"), UsageError);
  CHECK_THROWS_AS(open_target("s3://bucket?secret=x", service().credentials().string()), UsageError);
}

TEST_CASE("curl signs what the verifier of these tests accepts") {
  auto target = target_at("plain/curl");
  write_text(target, "LEDGER", "signed twice");
  const auto url = "http://127.0.0.1:" + std::to_string(service().port()) + "/plain/curl/LEDGER";
  const auto empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const auto fetched = [&](const std::string& secret) {
    return tests::run_process("/usr/bin/curl",
                              {"-s", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u", "S3RVER:" + secret, "-H",
                               std::string("x-amz-content-sha256: ") + empty, url})
        .out;
  };
  CHECK(fetched(S3Service::kSecret) == "signed twice");
  CHECK(fetched("wrong").find("SignatureDoesNotMatch") != std::string::npos);
}

TEST_CASE("an S3 target's URI names bucket, prefix, endpoint and region, and nothing else") {
  const auto own =
      S3Location::parse("s3://my-bucket/a/b/?endpoint=http://localhost:9000/s3/&region=sa-east-1");
  CHECK(own.prefix == "a/b/");
  CHECK(own.region == "sa-east-1");
  CHECK_FALSE(own.base.https);
  CHECK(own.base.host == "localhost");
  CHECK(own.base.port == 9000);
  CHECK(own.base.path == "/s3/my-bucket");
  const auto amazon = S3Location::parse("s3://my-bucket");
  CHECK(amazon.base.https);
  CHECK(amazon.base.host == "my-bucket.s3.us-east-1.amazonaws.com");
  CHECK(amazon.base.path.empty());
  CHECK(amazon.prefix.empty());
  const auto dotted = S3Location::parse("s3://my.bucket?region=sa-east-1");
  CHECK(dotted.base.host == "s3.sa-east-1.amazonaws.com");
  CHECK(dotted.base.path == "/my.bucket");
  CHECK(S3Location::parse("s3://bucket?endpoint=https://s3.example.com").base.host == "s3.example.com");
  CHECK(S3Location::parse("s3://bucket?endpoint=http://[::1]:9000").base.port == 9000);

  for (const auto* const uri : {"s3://",
                                "s3://ab",
                                "s3://Bucket",
                                "s3://-bucket",
                                "s3://bucket//a",
                                "s3://bucket/a/../b",
                                "s3://bucket/.a",
                                "s3://bucket/a b",
                                "s3://id:another-secret@bucket",
                                "s3://bucket?secret=another-secret",
                                "s3://bucket?region",
                                "s3://bucket?region=",
                                "s3://bucket?region=a/b",
                                "s3://bucket?region=a&region=b",
                                "s3://bucket?endpoint=",
                                "s3://bucket?endpoint=https://id:another-secret@s3.example.com",
                                "s3://bucket?endpoint=ftp://s3.example.com",
                                "s3://bucket?endpoint=http://s3.example.com",
                                "s3://bucket?endpoint=http://10.0.0.1:9000",
                                "s3://bucket#x",
                                "/bucket"}) {
    CAPTURE(uri);
    const auto problem = malformed(uri);
    CHECK(problem.starts_with("a target "));
    CHECK(problem.find("another-secret") == std::string::npos);
  }
}
