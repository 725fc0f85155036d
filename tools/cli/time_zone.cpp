#include "tools/cli/time_zone.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "domain/values/civil_date.h"

namespace pixledger::tools {
namespace {

using domain::Timestamp;

constexpr const char* kDatabase = "/usr/share/zoneinfo";
constexpr std::int64_t kDayS = 24 * 60 * 60;
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;

std::int64_t floor_div(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/' || name.find("..") != std::string_view::npos)
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '+' || c == '-';
  });
}

// Numbers of a file, big-endian; whatever is beyond its end makes it bad.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t count) {
    good_ = good_ && count <= rest_.size();
    if (!good_) return {};
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::int64_t number(std::size_t size) {
    const auto bytes = take(size);
    std::uint64_t value = !bytes.empty() && (bytes.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
  }
  std::size_t count() { return static_cast<std::size_t>(number(4)) & 0xffffffff; }
  bool good() const { return good_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct Header {
  std::size_t utc_flags, standard_flags, leap_seconds, times, types, characters;

  static std::optional<Header> read(Bytes& bytes) {
    const auto magic = bytes.take(4);
    const auto version = bytes.take(1);
    bytes.take(15);
    Header header{};
    for (auto* count : {&header.utc_flags, &header.standard_flags, &header.leap_seconds, &header.times,
                        &header.types, &header.characters})
      *count = bytes.count();
    if (!bytes.good() || magic != "TZif" || version.front() < '2') return std::nullopt;
    return header;
  }
  std::size_t body_bytes(std::size_t time_bytes) const {
    return times * (time_bytes + 1) + types * 6 + characters + leap_seconds * (time_bytes + 4) +
           standard_flags + utc_flags;
  }
};

}  // namespace

// Reads a TZ string: "<-03>3", "EST5EDT,M3.2.0,M11.1.0".
class TimeZone::RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  std::optional<Rule> read() {
    Rule rule;
    skip_name();
    rule.standard_s = -time();
    if (!rest_.empty()) {
      skip_name();
      const bool has_offset = !rest_.empty() && rest_.front() != ',';
      rule.summer_s = has_offset ? -time() : rule.standard_s + 3600;
      rule.to_summer = change();
      rule.to_standard = change();
    }
    if (!good_ || !rest_.empty()) return std::nullopt;
    return rule;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_name() {
    std::size_t end = 0;
    if (take('<')) {
      end = rest_.find('>');
      good_ = good_ && end != std::string_view::npos;
      rest_ = good_ ? rest_.substr(end + 1) : std::string_view();
      return;
    }
    while (end < rest_.size() && ((rest_[end] | 0x20) >= 'a' && (rest_[end] | 0x20) <= 'z')) ++end;
    good_ = good_ && end >= 3;
    rest_.remove_prefix(end);
  }
  int number() {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && digits < 4 && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
      value = value * 10 + (rest_[digits] - '0');
    good_ = good_ && digits > 0;
    rest_.remove_prefix(digits);
    return value;
  }
  std::int64_t time() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t seconds = std::int64_t{3600} * number();
    if (take(':')) seconds += std::int64_t{60} * number();
    if (take(':')) seconds += number();
    return negative ? -seconds : seconds;
  }
  Change change() {
    Change change;
    good_ = good_ && take(',');
    if (take('M')) {
      change.kind = Change::Kind::kMonthWeekDay;
      change.numbers[0] = number();
      good_ = good_ && take('.');
      change.numbers[1] = number();
      good_ = good_ && take('.');
      change.numbers[2] = number();
      good_ = good_ && change.numbers[0] >= 1 && change.numbers[0] <= 12 && change.numbers[1] >= 1 &&
              change.numbers[1] <= 5 && change.numbers[2] <= 6;
    } else {
      change.kind = take('J') ? Change::Kind::kDayWithoutLeapDay : Change::Kind::kDay;
      change.numbers[0] = number();
    }
    if (take('/')) change.second = time();
    return change;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<TimeZone> TimeZone::parse(std::string_view name) {
  if (name == "UTC") return TimeZone();
  if (!is_zone_name(name)) return std::nullopt;
  const auto file = std::filesystem::path(kDatabase) / name;
  std::error_code error;
  const auto bytes =
      std::filesystem::is_regular_file(file, error) ? std::filesystem::file_size(file, error) : 0;
  if (error || bytes == 0 || bytes > kFileBytesMax) return std::nullopt;
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return from_tzif(content.str());
}

std::optional<TimeZone> TimeZone::from_tzif(std::string_view content) {
  Bytes bytes(content);
  const auto old_header = Header::read(bytes);
  if (!old_header) return std::nullopt;
  bytes.take(old_header->body_bytes(4));
  const auto header = Header::read(bytes);
  if (!header || header->times > kFileBytesMax || header->types == 0 || header->types > 256)
    return std::nullopt;

  TimeZone zone;
  std::vector<std::int64_t> times(header->times);
  for (auto& time : times) time = bytes.number(8);
  const auto indexes = bytes.take(header->times);
  std::vector<std::int64_t> offsets(header->types);
  for (auto& offset : offsets) {
    offset = bytes.number(4);
    bytes.take(2);
  }
  bytes.take(header->characters + header->leap_seconds * 12 + header->standard_flags + header->utc_flags);
  if (!bytes.good() || bytes.take(1) != "\n") return std::nullopt;
  zone.first_offset_s_ = offsets.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto type = static_cast<unsigned char>(indexes[i]);
    if (type >= offsets.size()) return std::nullopt;
    zone.transitions_.push_back({times[i], offsets[type]});
  }

  const auto rule_text = bytes.rest().substr(0, bytes.rest().find('\n'));
  // Without a rule the last offset holds for ever.
  zone.rule_.standard_s =
      zone.transitions_.empty() ? zone.first_offset_s_ : zone.transitions_.back().offset_s;
  if (rule_text.empty()) return zone;
  const auto rule = RuleReader(rule_text).read();
  if (!rule) return std::nullopt;
  zone.rule_ = *rule;
  return zone;
}

// From the beginning of the year, in local time.
std::int64_t TimeZone::seconds_of(const Change& change, int year) {
  const auto& numbers = change.numbers;
  std::int64_t day = numbers[0];
  switch (change.kind) {
    case Change::Kind::kDay:
      break;
    case Change::Kind::kDayWithoutLeapDay:
      day += domain::is_leap_year(year) && day >= 60 ? 0 : -1;
      break;
    case Change::Kind::kMonthWeekDay: {
      const auto month = static_cast<unsigned>(numbers[0]);
      const auto first = domain::days_from_civil({year, month, 1});
      const auto weekday = (first + 4) % 7;  // 1970-01-01 was a Thursday; Sunday is 0
      day = (numbers[2] - weekday + 7) % 7 + std::int64_t{7} * (numbers[1] - 1);
      // The fifth is the last.
      if (day >= domain::days_in_month(year, month)) day -= 7;
      day += first - domain::days_from_civil({year, 1, 1});
      break;
    }
  }
  return day * kDayS + change.second;
}

std::int64_t TimeZone::offset_by_rule(std::int64_t moment_s) const {
  if (!rule_.summer_s) return rule_.standard_s;
  const auto local_s = moment_s + rule_.standard_s;
  const int year = domain::civil_from_days(floor_div(local_s, kDayS)).year;
  const auto year_s = domain::days_from_civil({year, 1, 1}) * kDayS;
  const auto summer_from = year_s + seconds_of(rule_.to_summer, year) - rule_.standard_s;
  const auto summer_to = year_s + seconds_of(rule_.to_standard, year) - *rule_.summer_s;
  const bool in_summer = summer_from < summer_to ? moment_s >= summer_from && moment_s < summer_to
                                                 : moment_s >= summer_from || moment_s < summer_to;
  return in_summer ? *rule_.summer_s : rule_.standard_s;
}

std::int64_t TimeZone::offset_s(Timestamp moment) const {
  const auto moment_s = floor_div(moment.millis(), 1000);
  const auto next =
      std::upper_bound(transitions_.begin(), transitions_.end(), moment_s,
                       [](std::int64_t at, const Transition& transition) { return at < transition.at_s; });
  if (next == transitions_.end()) return offset_by_rule(moment_s);
  return next == transitions_.begin() ? first_offset_s_ : std::prev(next)->offset_s;
}

std::int64_t TimeZone::day_of(Timestamp moment) const {
  return floor_div(floor_div(moment.millis(), 1000) + offset_s(moment), kDayS);
}

std::string TimeZone::text_of(Timestamp moment) const {
  const auto offset = offset_s(moment);
  auto text = domain::to_iso8601(moment.plus_millis(offset * 1000));
  if (offset == 0) return text;
  // RFC 3339 has no seconds of an offset; the zones of today have none.
  const auto minutes = static_cast<int>(std::abs(offset) / 60);
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  text.pop_back();
  return text + suffix;
}

std::string date_text(std::int64_t days_since_1970) {
  const auto date = domain::civil_from_days(days_since_1970);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", date.year, date.month, date.day);
  return text;
}

}  // namespace pixledger::tools
