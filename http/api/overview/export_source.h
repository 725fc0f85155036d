#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/http/message/request.h"
#include "base/platform/time_zone.h"
#include "http/services/services.h"
#include "stores/exports/export_rows.h"

namespace pixledger::http {

// What a table is of.
struct ExportSpan {
  Timestamp begin;
  Timestamp end;  // not of it any more
  TimeZone zone;
  std::optional<domain::Environment> environment;  // absent: all that the caller may see
  stores::ExportBy by = stores::ExportBy::kRecorded;

  bool contains(Timestamp moment) const { return begin <= moment && moment < end; }
};

// The rows of one table, a few at a time. Used by one thread at a time.
class ExportSource {
 public:
  virtual ~ExportSource() = default;

  virtual const stores::Table& table() const = 0;
  using Take = std::function<void(stores::Cells row)>;
  // Looks at a few events or deliveries, and gives the rows that they make. False once there are no more.
  virtual bool look(const Take& take) = 0;
};

// As of the request's arrival, and of what its caller may see. The request outlives them.
std::unique_ptr<ExportSource> charges_source(const Services& services, const Request& request,
                                             const stores::ChargeTable& table, const ExportSpan& span);
// Payments that fit no charge come last.
std::unique_ptr<ExportSource> payments_source(const Services& services, const Request& request,
                                              const ExportSpan& span);
std::unique_ptr<ExportSource> deliveries_source(const Services& services, const Request& request,
                                                const ExportSpan& span);

}  // namespace pixledger::http
