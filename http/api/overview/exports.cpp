#include "http/api/overview/exports.h"

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/platform/clock.h"
#include "domain/values/erased_name.h"
#include "http/api/common/environments.h"
#include "http/api/common/personal_json.h"
#include "http/api/common/project_of.h"
#include "http/api/overview/asked_days.h"
#include "http/api/overview/export_source.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/routing/input.h"
#include "http/services/sign_in_watch.h"
#include "projections/generations/projector.h"
#include "stores/exports/workbooks/table_writers.h"

namespace pixledger::http {
namespace {

using stores::Cells;
using stores::ExportBy;
using stores::Language;
using stores::TableFormat;
using Clock = std::chrono::steady_clock;

using MakeSource = std::function<std::unique_ptr<ExportSource>()>;

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::chrono::milliseconds kPieceTime{20};
// A sign-in is confirmed within some milliseconds, unless the accounts are slow.
constexpr std::chrono::milliseconds kSignInWait{20};
// No export runs longer than this.
constexpr std::chrono::minutes kTimeMax{15};

struct ExportForm {
  std::string name;  // of the file, without what says its form
  TableFormat format;
  Language language;
};

// Viewers get personal data masked.
std::string masked(std::string_view column, const std::string& text) {
  if (column == "customerName") return text == domain::kErasedName ? text : masked_name(text);
  if (column == "document") return masked_document(text);
  if (column == "email") return masked_email(text);
  if (column == "phone") return masked_phone(text);
  return column == "reason" ? std::string(kMaskedText) : text;
}

void mask(const stores::Columns& columns, Cells& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (auto* text = std::get_if<std::string>(&row[i]))
      *text = masked(columns[i].name, *text);
    else if (std::holds_alternative<domain::Metadata>(row[i]))
      row[i] = std::string(kMaskedText);
  }
}

// Keeps the sign-in watched between two pieces, which a slow reader asks for seldom.
std::shared_ptr<const void> hold_caller(const Services& services, const Caller& caller) {
  return caller.user ? services.sign_in_watch.hold(caller.user->sign_in) : nullptr;
}

class Export final : public Pieces {
 public:
  Export(const Services& services, const Request& request, const ExportForm& form, MakeSource make_source)
      : services_(services),
        request_(request),
        form_(form),
        personal_(personal_data_for(*request.caller)),
        make_source_(std::move(make_source)),
        watch_(hold_caller(services, *request.caller)) {
    begin();
  }

  Reply head() const override {
    Reply reply;
    reply.content_type = stores::media_type(form_.format);
    reply.headers.push_back({"Content-Disposition", "attachment; filename=\"" + form_.name + "." +
                                                        std::string(stores::file_extension(form_.format)) +
                                                        "\""});
    return reply;
  }

  Then append_to(std::string& text) override {
    const auto now = Clock::now();
    if (now - began_ >= kTimeMax || refuse_ended_caller(services_, request_)) return Then::kCut;
    if (!confirm_caller(services_, *request_.caller, now, kSignInWait)) return Then::kMore;
    if (may_name_erased()) {
      if (is_workbook_sent_) return Then::kCut;
      begin();
    }
    if (!has_head_) writer_->begin(text);
    has_head_ = true;
    while (has_rows_ && text.size() < kPieceBytes && Clock::now() - now < kPieceTime)
      has_rows_ = source_->look([&](Cells row) { append_row(text, std::move(row)); });
    if (has_rows_) return Then::kMore;
    // A workbook is made whole in a turn of its own, before which erasures are looked for once more.
    if (form_.format == TableFormat::kWorkbook && !std::exchange(has_all_rows_, true)) return Then::kMore;
    const bool has_more = writer_->end(text);
    is_workbook_sent_ = is_workbook_sent_ || !text.empty();
    return has_more ? Then::kMore : Then::kEnd;
  }

 private:
  void begin() {
    erasures_ = services_.projector.erasures();
    source_ = make_source_();
    writer_ =
        stores::make_table_writer(form_.format, source_->table(), form_.language, services_.clock.now());
    has_head_ = false;
    has_rows_ = true;
    has_all_rows_ = false;
  }
  // A workbook keeps its rows until it is whole. The other forms are sent as they are made, and a customer
  // who is erased is in their further rows no more.
  bool may_name_erased() const {
    return form_.format == TableFormat::kWorkbook && services_.projector.erasures() != erasures_;
  }
  void append_row(std::string& text, Cells row) const {
    if (personal_ == PersonalData::kMasked) mask(source_->table().columns, row);
    writer_->add(row, text);
  }

  const Services& services_;
  const Request& request_;
  const ExportForm form_;
  const PersonalData personal_;
  const MakeSource make_source_;
  const std::shared_ptr<const void> watch_;
  const Clock::time_point began_ = Clock::now();
  std::unique_ptr<ExportSource> source_;
  std::unique_ptr<stores::TableWriter> writer_;
  std::uint64_t erasures_ = 0;  // when it began
  bool has_head_ = false;
  bool has_rows_ = true;
  bool has_all_rows_ = false;      // that a workbook is made of
  bool is_workbook_sent_ = false;  // some of it
};

// The value of one parameter; `absent` if it is missing or invalid.
template <class Value>
Value read_choice(Input& input, std::string_view name, Value absent,
                  std::optional<Value> (*parse)(std::string_view), std::string_view rule) {
  const auto text = input.parameter(name);
  if (!text) return absent;
  const auto value = parse(*text);
  if (!value) input.violations().push_back({std::string(name), std::string(rule)});
  return value.value_or(absent);
}

std::optional<ExportBy> parse_by(std::string_view text) {
  if (text == "recorded") return ExportBy::kRecorded;
  if (text == "paid") return ExportBy::kPaid;
  return std::nullopt;
}

ExportForm read_form(Input& input, std::string name) {
  return {.name = std::move(name),
          .format = read_choice(input, "format", TableFormat::kCsv, stores::parse_table_format,
                                stores::kTableFormatRule),
          .language = read_choice(input, "language", Language::kPortuguese, stores::parse_language,
                                  stores::kLanguageRule)};
}

constexpr DaysRule kAnyDays{.days_default = std::numeric_limits<std::int32_t>::max(),
                            .days_max = std::numeric_limits<std::int64_t>::max()};

ExportSpan read_span(Input& input, const TimeZone& zone, Timestamp now) {
  const auto days = read_days(input, zone, now, kAnyDays);
  return {.begin = days.begin(),
          .end = days.end(),
          .zone = days.zone,
          .environment = read_environment_filter(input.query(), input.violations()),
          .by = read_choice(input, "by", ExportBy::kRecorded, parse_by, "must be recorded or paid")};
}

// Null when there is no such table. The request outlives what it makes.
MakeSource source_maker(const Services& services, const Request& request, std::string_view what,
                        const ExportSpan& span) {
  if (what == "charges" || what == "refunds") {
    const auto& table = what == "charges" ? stores::charge_table() : stores::refund_table();
    return [&services, &request, &table, span] { return charges_source(services, request, table, span); };
  }
  if (what == "payments")
    return [&services, &request, span] { return payments_source(services, request, span); };
  if (what == "deliveries")
    return [&services, &request, span] { return deliveries_source(services, request, span); };
  return nullptr;
}

}  // namespace

Answer export_table(const Services& services, const Request& request) {
  Input input(request);
  const auto& what = request.path_parameter("what");
  const auto form = read_form(input, what);
  const auto span = read_span(input, zone_of(services, *request.caller), services.clock.now());
  if (span.by == ExportBy::kPaid && what != "charges" && what != "payments")
    input.violations().push_back({"by", "must be recorded: only charges and payments have a day of payment"});
  auto make_source = source_maker(services, request, what, span);
  if (!make_source)
    input.violations().push_back({"what", "must be charges, payments, refunds or deliveries"});
  if (!input.finish()) return input.refusal();
  return std::make_shared<Export>(services, request, form, std::move(make_source));
}

}  // namespace pixledger::http
