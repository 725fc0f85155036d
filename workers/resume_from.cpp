#include "workers/resume_from.h"

#include <charconv>

#include "eventstore/process/options.h"

namespace pixledger::workers {

std::optional<ResumeFrom> ResumeFrom::parse(std::string_view text) {
  if (text == "beginning") return ResumeFrom(domain::Position(1));
  if (text == "head") return ResumeFrom(std::nullopt);
  std::uint64_t first = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
  if (error != std::errc() || end != text.data() + text.size() || first == 0) return std::nullopt;
  return ResumeFrom(domain::Position(first));
}

std::optional<projections::LogCursor> ResumeFrom::cursor_in(const eventstore::Log& log) const {
  const auto head = log.head().position;
  if (!first_) return projections::cursor_at(log, head);
  if (first_->value() > head.value() + 1) return std::nullopt;
  return projections::cursor_at(log, domain::Position(first_->value() - 1));
}

std::optional<projections::LogCursor> choose_start(const std::optional<projections::LogCursor>& stored,
                                                   const eventstore::Log& log, const std::string& resume_from,
                                                   UnaskedStart unasked) {
  if (stored) {
    if (!resume_from.empty())
      throw eventstore::UsageError("--resume-from is for a worker without state, and this one has some");
    return std::nullopt;
  }
  if (resume_from.empty()) return unasked(log);
  const auto start = eventstore::parse_option<ResumeFrom>("--resume-from", resume_from);
  auto cursor = start.cursor_in(log);
  if (!cursor) throw eventstore::UsageError("--resume-from must not lie beyond the ledger's next position");
  return cursor;
}

}  // namespace pixledger::workers
