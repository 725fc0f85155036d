#include "http/api/overview/exports.h"

#include <chrono>
#include <limits>
#include <optional>

#include "domain/values/erased_name.h"
#include "eventstore/platform/clock.h"
#include "http/api/common/personal_json.h"
#include "http/api/common/project_of.h"
#include "http/api/overview/asked_days.h"
#include "http/api/overview/export_source.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/routing/input.h"
#include "http/services/sign_in_watch.h"

namespace pixledger::http {
namespace {

using projections::Cell;
using projections::Cells;
using projections::Columns;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::chrono::milliseconds kPieceTime{20};
// A sign-in is confirmed within some milliseconds, unless the accounts are slow.
constexpr std::chrono::milliseconds kSignInWait{20};
// Nobody keeps an export going for ever.
constexpr std::chrono::minutes kTimeMax{15};

enum class Format { kCsv, kJsonLines };

// Whoever may only look gets what names people in outline.
std::string masked(std::string_view column, const std::string& text) {
  if (column == "customerName") return text == domain::kErasedName ? text : masked_name(text);
  if (column == "document") return masked_document(text);
  if (column == "email") return masked_email(text);
  if (column == "phone") return masked_phone(text);
  return column == "reason" ? std::string(kMaskedText) : text;
}

void mask(const Columns& columns, Cells& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (auto* text = std::get_if<std::string>(&row[i]))
      *text = masked(columns[i], *text);
    else if (std::holds_alternative<domain::Metadata>(row[i]))
      row[i] = std::string(kMaskedText);
  }
}

// Whoever reads slowly asks for a piece seldom.
std::shared_ptr<const void> hold_caller(const Services& services, const Caller& caller) {
  return caller.user ? services.sign_in_watch.hold(caller.user->sign_in) : nullptr;
}

class Export final : public Pieces {
 public:
  Export(const Services& services, const Request& request, std::string name, Format format,
         std::unique_ptr<ExportSource> source)
      : services_(services),
        request_(request),
        name_(std::move(name)),
        format_(format),
        personal_(personal_data_for(*request.caller)),
        source_(std::move(source)),
        watch_(hold_caller(services, *request.caller)) {}

  Reply head() const override {
    Reply reply;
    const bool is_csv = format_ == Format::kCsv;
    reply.content_type = is_csv ? "text/csv; charset=utf-8" : "application/x-ndjson";
    reply.headers.push_back(
        {"Content-Disposition", "attachment; filename=\"" + name_ + (is_csv ? ".csv\"" : ".jsonl\"")});
    return reply;
  }

  Then append_to(std::string& text) override {
    const auto now = Clock::now();
    if (now - began_ >= kTimeMax || refuse_ended_caller(services_, request_)) return Then::kCut;
    if (!confirm_caller(services_, *request_.caller, now, kSignInWait)) return Then::kMore;
    if (format_ == Format::kCsv && !has_head_) text += projections::csv_head(source_->columns());
    has_head_ = true;
    while (text.size() < kPieceBytes && Clock::now() - now < kPieceTime)
      if (!source_->look([&](Cells row) { append_row(text, std::move(row)); })) return Then::kEnd;
    return Then::kMore;
  }

 private:
  void append_row(std::string& text, Cells row) const {
    if (personal_ == PersonalData::kMasked) mask(source_->columns(), row);
    text += format_ == Format::kCsv ? projections::csv_line(row)
                                    : projections::json_line(source_->columns(), row);
  }

  const Services& services_;
  const Request& request_;
  const std::string name_;
  const Format format_;
  const PersonalData personal_;
  const std::unique_ptr<ExportSource> source_;
  const std::shared_ptr<const void> watch_;
  const Clock::time_point began_ = Clock::now();
  bool has_head_ = false;
};

Format read_format(Input& input) {
  const auto text = input.parameter("format");
  if (!text || *text == "csv") return Format::kCsv;
  if (*text != "jsonl") input.violations().push_back({"format", "must be csv or jsonl"});
  return Format::kJsonLines;
}

constexpr DaysRule kAnyDays{.days_default = std::numeric_limits<std::int32_t>::max(),
                            .days_max = std::numeric_limits<std::int64_t>::max()};

// Null when there is no such table.
std::unique_ptr<ExportSource> make_source(const Services& services, const Request& request,
                                          std::string_view what, const ExportSpan& span) {
  if (what == "charges") return charges_source(services, request, projections::charge_table(), span);
  if (what == "payments") return charges_source(services, request, projections::payment_table(), span);
  if (what == "refunds") return charges_source(services, request, projections::refund_table(), span);
  if (what == "deliveries") return deliveries_source(services, request, span);
  return nullptr;
}

}  // namespace

Answer export_table(const Services& services, const Request& request) {
  Input input(request);
  const auto project = project_of(services, *request.caller);
  const auto& zone = project->settings.time_zone;
  const auto format = read_format(input);
  const auto days =
      read_days(input, zone ? zone->text() : domain::kTimeZoneDefault, services.clock.now(), kAnyDays);
  const auto& what = request.path_parameter("what");
  auto source =
      make_source(services, request, what, {.begin = days.begin(), .end = days.end(), .zone = days.zone});
  if (!source) input.violations().push_back({"what", "must be charges, payments, refunds or deliveries"});
  if (!input.finish()) return input.refusal();
  return std::make_shared<Export>(services, request, what, format, std::move(source));
}

}  // namespace pixledger::http
