#include "tools/cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace pixledger::tools {
namespace {

constexpr std::chrono::milliseconds kShowEvery{100};
constexpr std::uint64_t kBarWidth = 30;

// 1234567 → "1,234,567"
std::string with_commas(std::uint64_t number) {
  auto text = std::to_string(number);
  for (auto at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

std::string progress_line(const std::string& label, const std::string& unit, std::uint64_t done,
                          std::uint64_t total, std::chrono::milliseconds elapsed) {
  done = std::min(done, total);
  const auto share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  const auto seconds = std::max(0.001, static_cast<double>(elapsed.count()) / 1000);
  const auto rate = static_cast<double>(done) / seconds;
  auto line = label + "  [" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]  " +
              std::to_string(static_cast<int>(share * 100)) + " %  " +
              with_commas(static_cast<std::uint64_t>(rate)) + " " + unit + "/s";
  if (done > 0)
    line +=
        "  " + with_commas(static_cast<std::uint64_t>(static_cast<double>(total - done) / rate)) + " s left";
  return line;
}

ProgressBar::ProgressBar(std::string label, std::string unit)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      is_seen_(::isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (is_seen_ && shown_ != std::chrono::steady_clock::time_point()) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_seen_ || now < shown_ + kShowEvery) return;
  shown_ = now;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  std::fprintf(stderr, "\r%s\033[K", progress_line(label_, unit_, done, total, elapsed).c_str());
  std::fflush(stderr);
}

}  // namespace pixledger::tools
