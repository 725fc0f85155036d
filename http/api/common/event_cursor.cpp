#include "http/api/common/event_cursor.h"

#include <charconv>
#include <cstdio>

#include "eventstore/platform/sha256.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kDigits = 16;  // of each half

std::uint64_t number_of(const eventstore::Digest& digest) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | digest[i];
  return number;
}

// The halves of a cursor are the check, which depends on the position, and the position under a mask that
// depends on the check: nobody sees from cursors how much happens in other projects.
struct Names {
  std::string place;  // ledger, epoch and project

  Names(const eventstore::LogIdentity& log, const domain::ProjectId& project)
      : place(log.ledger_id + "/" + std::to_string(log.epoch) + "/" + project.text()) {}

  std::uint64_t check_of(std::uint64_t position) const {
    return number_of(eventstore::sha256("event-cursor/" + place + "/" + std::to_string(position)));
  }
  std::uint64_t mask_of(std::uint64_t check) const {
    return number_of(eventstore::sha256("event-cursor-mask/" + place + "/" + std::to_string(check)));
  }
};

std::string hex_of(std::uint64_t number) {
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

std::optional<std::uint64_t> parse_half(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string event_cursor(const eventstore::LogIdentity& log, const domain::ProjectId& project,
                         domain::Position position) {
  const Names names(log, project);
  const auto check = names.check_of(position.value());
  return hex_of(position.value() ^ names.mask_of(check)) + hex_of(check);
}

std::optional<domain::Position> parse_event_cursor(const eventstore::Log& log,
                                                   const domain::ProjectId& project, std::string_view text) {
  if (text.size() != 2 * kDigits) return std::nullopt;
  const auto masked = parse_half(text.substr(0, kDigits));
  const auto check = parse_half(text.substr(kDigits));
  if (!masked || !check) return std::nullopt;
  const domain::Position position(*masked ^ Names(log.identity(), project).mask_of(*check));
  // As it was written, in lower case.
  if (event_cursor(log.identity(), project, position) != text) return std::nullopt;
  if (position > log.head().position) return std::nullopt;
  return position;
}

}  // namespace pixledger::http
