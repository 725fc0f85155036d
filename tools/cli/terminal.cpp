#include "tools/cli/terminal.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <qrcodegen/qrcodegen.hpp>
#include <unistd.h>

#include "base/process/options.h"
#include "base/text/text.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kGap = 2;

Row shown(const Row& row) {
  Row cells;
  for (const auto& cell : row) cells.push_back(with_hidden_escaped(cell));
  return cells;
}

void print_row(std::ostream& out, const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    line += row[column];
    const bool last = column + 1 == row.size();
    if (!last) line.append(widths[column] - count_characters(row[column]) + kGap, ' ');
  }
  out << line << '\n';
}

}  // namespace

void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& heading : headings) widths.push_back(heading.size());
  std::vector<Row> all;
  for (const Row& row : rows) {
    assert(row.size() == headings.size());
    all.push_back(shown(row));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], count_characters(all.back()[column]));
  }
  print_row(out, headings, widths);
  for (const Row& row : all) print_row(out, row, widths);
}

void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts) {
  std::size_t width = 0;
  for (const auto& [name, value] : facts) width = std::max(width, name.size());
  for (const auto& [name, value] : facts) print_row(out, shown({name, value}), {width, 0});
}

std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return shown;
}

namespace {

constexpr std::chrono::milliseconds kShowEvery{100};
constexpr std::chrono::seconds kLineEvery{1};
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

ProgressBar::ProgressBar(std::string label, std::string unit, WithoutTerminal without)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      is_seen_(::isatty(STDERR_FILENO) == 1),
      writes_lines_(!is_seen_ && without == WithoutTerminal::kLines),
      started_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (is_seen_ && shown_ != std::chrono::steady_clock::time_point()) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(std::uint64_t done, std::uint64_t total) {
  const auto now = std::chrono::steady_clock::now();
  const bool is_due =
      is_seen_ ? now >= shown_ + kShowEvery : writes_lines_ && now >= std::max(shown_, started_) + kLineEvery;
  if (!is_due) return;
  shown_ = now;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  const auto line = progress_line(label_, unit_, done, total, elapsed);
  std::fprintf(stderr, is_seen_ ? "\r%s\033[K" : "%s\n", line.c_str());
  std::fflush(stderr);
}

namespace {

constexpr int kQuietModules = 4;  // ISO/IEC 18004 §6.3.8

// Two rows of modules per text line, dark ones as blocks.
std::string half_blocks(const qrcodegen::QrCode& code, int row) {
  std::string line;
  for (int x = -kQuietModules; x < code.getSize() + kQuietModules; ++x) {
    const bool upper = code.getModule(x, row);
    const bool lower = code.getModule(x, row + 1);
    line += upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ");
  }
  return line;
}

}  // namespace

void print_qr(std::ostream& out, const std::string& text, bool is_terminal) {
  const auto code = [&] {
    try {
      return qrcodegen::QrCode::encodeText(text.c_str(), qrcodegen::QrCode::Ecc::MEDIUM);
    } catch (const qrcodegen::data_too_long&) {
      throw UsageError("the text is too long for a QR code");
    }
  }();
  for (int row = -kQuietModules; row < code.getSize() + kQuietModules; row += 2)
    out << (is_terminal ? "\033[30;107m" : "") << half_blocks(code, row) << (is_terminal ? "\033[0m" : "")
        << '\n';
}

}  // namespace pixledger::tools
