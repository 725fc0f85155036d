#include <catch2/catch.hpp>
#include <prometheus/text_serializer.h>

#include "base/process/logging.h"
#include "http/metrics/worker_metrics.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::stores;
using namespace pixledger::tests;

namespace {

bool has_line(const std::string& page, const std::string& line) {
  return page.find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("the metrics of banks are their worker's counts, by connection") {
  TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "providers");
  ProviderRepository repository(directory.path() / "providers" / kProvidersFile);
  const auto bank = sample_bank_id();
  repository.apply({BankNoted{bank, sample_project_id(), kStart},
                    WorkBegun{.id = {BankWorkKind::kRefund, domain::charge_stream(sample_charge_id())},
                              .connection = bank,
                              .since = kStart},
                    CodeDecided{bank, "dynamic"}},
                   {{"0123456789abcdef0123456789abcdef", 1}, Position(3), {}});
  repository.note_clock(bank, 2'500);
  const AccountLook look{.every_ms = 86'400'000, .back_ms = 100 * 86'400'000LL};
  repository.begin_look(bank, look, kStart);
  repository.note_window(bank, {3'600'000, kStart});
  repository.note_certificate(bank, kStart);
  repository.add({{bank.text(), BankCounter::kRequests, "put_cob", "done", 3},
                  {bank.text(), BankCounter::kDuration, "100", "", 2},
                  {bank.text(), BankCounter::kDuration, "2500", "", 1},
                  {bank.text(), BankCounter::kDuration, "sum", "", 1'600},
                  {bank.text(), BankCounter::kMisfits, "told_otherwise", "", 2},
                  {bank.text(), BankCounter::kLeftAside, "before_connection", "", 3},
                  {"none", BankCounter::kCallbacks, "no_certificate", "", 4}});
  repository.keep_payments(bank, {sample_end_to_end_id()}, stores::ReadReason::kRefused, kStart, kStart);

  FixedClock clock(kStart.plus_millis(30'000));
  Logger logger(LogFormat::kJson, clock);
  http::MetricFaults faults(logger);
  const http::BankMetrics metrics(directory.path(), clock, faults);
  const auto page = "\n" + prometheus::TextSerializer().Serialize(metrics.Collect());
  const auto of = [&](const std::string& name, const std::string& labels, const std::string& value) {
    return "pixledger_provider_" + name + "{connection=\"" + bank.text() + "\"" + labels + "} " + value;
  };
  CHECK(has_line(page, of("requests_total", R"(,operation="put_cob",outcome="done")", "3")));
  CHECK(has_line(page, of("request_duration_seconds_bucket", R"(,le="0.1")", "2")));
  CHECK(has_line(page, of("request_duration_seconds_bucket", R"(,le="1")", "2")));
  CHECK(has_line(page, of("request_duration_seconds_bucket", R"(,le="+Inf")", "3")));
  CHECK(has_line(page, of("request_duration_seconds_sum", "", "1.6")));
  CHECK(has_line(page, of("breaker_open", "", "0")));
  CHECK(has_line(page, of("codes_total", R"(,kind="dynamic")", "1")));
  // It was never read completely.
  CHECK(has_line(page, of("poll_age_seconds", "", "30")));
  CHECK(has_line(page, R"(pixledger_provider_callbacks_total{connection="none",result="no_certificate"} 4)"));
  CHECK(has_line(page, of("misfits_total", R"(,kind="told_otherwise")", "2")));
  CHECK(has_line(page, of("left_aside_total", R"(,reason="before_connection")", "3")));
  CHECK(has_line(page, of("unread_seconds", R"(,back="100d")", "30")));
  CHECK(has_line(page, of("window_seconds", "", "3600")));
  CHECK(has_line(page, of("open_work", R"(,kind="refused")", "1")));
  CHECK(has_line(page, of("open_work", R"(,kind="refund")", "1")));
  CHECK(has_line(page, of("open_work_oldest_seconds", R"(,kind="refund")", "30")));
  CHECK(has_line(page, of("clock_skew_seconds", "", "2.5")));
  CHECK(has_line(page, of("certificate_end_time_seconds", "", "1772366400")));
}
