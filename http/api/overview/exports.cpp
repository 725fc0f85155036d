#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/http/message/request.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/time_zone.h"
#include "base/text/enum_names.h"
#include "domain/values/names.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/list_filters.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/caller_confirmation.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "http/services/sign_in_watch.h"
#include "http/services/worker_records.h"
#include "projections/generations/generation.h"
#include "projections/generations/projector.h"
#include "projections/views/feed_reader.h"
#include "stores/exports/export_rows.h"
#include "stores/exports/workbooks/table_writers.h"

namespace pixledger::http {
namespace {

// The rows that a table covers.
struct ExportSpan {
  Timestamp begin;
  Timestamp end;  // exclusive
  TimeZone zone;
  std::optional<domain::Environment> environment;  // absent: all that the caller may see
  stores::ExportBy by = stores::ExportBy::kRecorded;

  bool contains(Timestamp moment) const { return begin <= moment && moment < end; }
};

// The rows of a table, a few at a time. For one thread at a time.
class ExportSource {
 public:
  virtual ~ExportSource() = default;

  virtual const stores::Table& table() const = 0;
  using Take = std::function<void(stores::Cells row)>;
  // Reads a few events or deliveries and passes their rows on. False at the end.
  virtual bool look(const Take& take) = 0;
};

using stores::ChargeTable;
using stores::ExportBy;

// Each event is decoded, and the charges of rows are folded: a millisecond or two in all.
constexpr std::size_t kEventsPerExportLook = 50;
constexpr std::int64_t kDeliveriesPerLook = 2'000;

// A payment's time may be slightly ahead of the ledger's clock.
Timestamp earliest_record(const ExportSpan& span) {
  const auto earlier = span.by == ExportBy::kPaid ? domain::kPaymentAheadMsMax : 0;
  return span.begin.plus_millis(-1 - earlier);
}

class ChargesSource : public ExportSource {
 public:
  ChargesSource(const Services& services, const Request& request, const ChargeTable& table,
                const ExportSpan& span)
      : services_(services),
        table_(table),
        span_(span),
        as_of_(request.caller->arrival.position),
        query_{.project = request.caller->project,
               .sandbox_only = request.caller->sandbox_only(),
               .after = eventstore::position_at(services.log, earliest_record(span)),
               .limit = kEventsPerExportLook} {}

  const stores::Table& table() const override { return table_.table; }

  bool look(const Take& take) override {
    const auto found = projections::read_feed(*services_.views.database(), query_);
    for (const auto position : found.positions) {
      if (position > as_of_) return false;
      const auto event = event_at(position);
      // Times never decrease along the log.
      if (span_.by == ExportBy::kRecorded && event.recorded_at >= span_.end) return false;
      add(event, take);
    }
    query_.after = found.looked_until;
    return !found.at_end && query_.after < as_of_;
  }

 protected:
  const Services& services() const { return services_; }
  const ExportSpan& span() const { return span_; }
  const domain::ProjectId& project() const { return query_.project; }
  Position as_of() const { return as_of_; }

 private:
  void add(const domain::RecordedEvent& event, const Take& take) {
    const bool is_asked_by_record = span_.by == ExportBy::kRecorded;
    if (!(is_asked_by_record ? table_.has_row(event) : stores::may_be_payment(event))) return;
    const auto charge = charge_of(event);
    if (span_.environment && charge.environment != *span_.environment) return;
    if (!is_asked_by_record) {
      const auto paid_at = table_.paid_at(event, charge);
      if (!paid_at || !span_.contains(*paid_at)) return;
    }
    take(table_.row({span_.zone, customers_}, event, charge));
  }
  domain::RecordedEvent event_at(Position position) const {
    const auto stored = services_.log.read_after(Position(position.value() - 1), 1);
    if (stored.empty() || stored.front().position != position)
      throw eventstore::LogCorrupt("the read models list an event that the ledger does not have");
    return eventstore::decode(stored.front());
  }
  domain::Charge charge_of(const domain::RecordedEvent& event) const {
    auto charge = eventstore::fold_as<domain::Charge>(services_.log, event.stream, as_of_);
    if (!charge) throw eventstore::LogCorrupt("a charge that has events was never created");
    return *std::move(charge);
  }

  const Services& services_;
  const ChargeTable& table_;
  const ExportSpan span_;
  const Position as_of_;
  stores::CustomerDirectory customers_{services_.log, as_of_};
  projections::FeedQuery query_;
};

class PaymentsSource final : public ChargesSource {
 public:
  PaymentsSource(const Services& services, const Request& request, const ExportSpan& span)
      : ChargesSource(services, request, stores::payment_table(), span), caller_(*request.caller) {}

  bool look(const Take& take) override {
    if (!unmatched_) {
      if (!ChargesSource::look(take))
        unmatched_ = services().log.claims_with_prefix(domain::unmatched_claim_prefix(project()));
      return true;
    }
    const auto end = std::min(next_ + kEventsPerExportLook, unmatched_->size());
    for (; next_ < end; ++next_) add(unmatched_->at(next_).second, take);
    return next_ < unmatched_->size();
  }

 private:
  // An assigned payment is a row of its charge.
  void add(const domain::StreamName& stream, const Take& take) const {
    const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(services().log, stream, as_of());
    if (!payment || payment->state == domain::UnmatchedState::kAssigned) return;
    if (is_refused(caller_, payment->environment)) return;
    if (span().environment && payment->environment != *span().environment) return;
    if (span().contains(span().by == ExportBy::kPaid ? payment->paid_at : payment->recorded_at))
      take(stores::unmatched_row(span().zone, *payment));
  }

  const Caller& caller_;
  std::optional<std::vector<std::pair<domain::ClaimName, domain::StreamName>>> unmatched_;
  std::size_t next_ = 0;
};

class DeliveriesSource final : public ExportSource {
 public:
  DeliveriesSource(const Services& services, const Request& request, const ExportSpan& span)
      : caller_(*request.caller), span_(span), reader_(services.deliveries.reader()) {}

  const stores::Table& table() const override { return stores::delivery_table(); }

  bool look(const Take& take) override {
    if (!reader_) return false;
    const auto found = reader_->read_after(caller_.project, after_, kDeliveriesPerLook);
    for (const auto& delivery : found.deliveries)
      if (is_shown(delivery)) take(stores::delivery_row(span_.zone, delivery));
    after_ = found.looked_up_to;
    return !found.at_end;
  }

 private:
  bool is_shown(const stores::Delivery& delivery) const {
    return span_.contains(delivery.created_at) && delivery.position <= caller_.arrival.position &&
           !is_refused(caller_, delivery.environment) &&
           (!span_.environment || delivery.environment == *span_.environment);
  }

  const Caller& caller_;
  const ExportSpan span_;
  const std::shared_ptr<const stores::DeliveryReader> reader_;
  std::int64_t after_ = 0;
};

// As of the request's arrival, limited to what its caller may see. The request outlives the result.
std::unique_ptr<ExportSource> charges_source(const Services& services, const Request& request,
                                             const ChargeTable& table, const ExportSpan& span) {
  return std::make_unique<ChargesSource>(services, request, table, span);
}

// Payments without a charge come last.
std::unique_ptr<ExportSource> payments_source(const Services& services, const Request& request,
                                              const ExportSpan& span) {
  return std::make_unique<PaymentsSource>(services, request, span);
}

std::unique_ptr<ExportSource> deliveries_source(const Services& services, const Request& request,
                                                const ExportSpan& span) {
  return std::make_unique<DeliveriesSource>(services, request, span);
}

using stores::Cells;
using stores::Language;
using stores::TableFormat;
using SteadyClock = std::chrono::steady_clock;

using MakeSource = std::function<std::unique_ptr<ExportSource>()>;

constexpr std::size_t kPieceBytes = 32 * 1024;
constexpr std::chrono::milliseconds kPieceTime{20};
// A sign-in is usually confirmed within milliseconds.
constexpr std::chrono::milliseconds kSignInWait{20};
// The longest time of an export.
constexpr std::chrono::minutes kTimeMax{15};

struct ExportForm {
  std::string name;  // of the file, without its extension
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

// Keeps the sign-in watched between two pieces, since a slow reader rarely asks for one.
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
    const auto now = SteadyClock::now();
    if (now - began_ >= kTimeMax || refuse_ended_caller(services_, request_)) return Then::kCut;
    if (!confirm_caller(services_, *request_.caller, now, kSignInWait)) return Then::kMore;
    if (may_name_erased()) {
      if (is_workbook_sent_) return Then::kCut;
      begin();
    }
    if (!has_head_) writer_->begin(text);
    has_head_ = true;
    while (has_rows_ && text.size() < kPieceBytes && SteadyClock::now() - now < kPieceTime)
      has_rows_ = source_->look([&](Cells row) { append_row(text, std::move(row)); });
    if (has_rows_) return Then::kMore;
    // A workbook is written in a turn of its own; erasures are checked once more before it.
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
  // A workbook holds its rows until it is complete. The other forms are sent at once, and their later rows
  // omit erased customers.
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
  const SteadyClock::time_point began_ = SteadyClock::now();
  std::unique_ptr<ExportSource> source_;
  std::unique_ptr<stores::TableWriter> writer_;
  std::uint64_t erasures_ = 0;  // at the start
  bool has_head_ = false;
  bool has_rows_ = true;
  bool has_all_rows_ = false;      // of the workbook
  bool is_workbook_sent_ = false;  // at least in part
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
  return EnumNames<ExportBy::kRecorded, ExportBy::kPaid>("recorded", "paid").parse(text);
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

// Null if there is no such table. The request outlives the result.
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
