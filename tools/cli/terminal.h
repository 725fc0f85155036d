#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pixledger::tools {

using Row = std::vector<std::string>;

// Left-aligned columns under their headings.
void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows);

// One "name   value" per line, with aligned values.
void print_facts(std::ostream& out, const std::vector<std::pair<std::string, std::string>>& facts);

// With blanks in place of control characters: what others have sent must not move the terminal's cursor.
std::string printable(std::string_view text);

// How far a long command has come: share, rate and time left, on one line of the terminal. When stderr is no
// terminal it writes nothing, or a line a second. Not for several threads.
class ProgressBar {
 public:
  enum class WithoutTerminal { kNothing, kLines };

  // `unit` names the counted items: "events".
  ProgressBar(std::string label, std::string unit, WithoutTerminal without = WithoutTerminal::kNothing);
  // Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::uint64_t done, std::uint64_t total);

 private:
  const std::string label_;
  const std::string unit_;
  const bool is_seen_;
  const bool writes_lines_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
};

// "verify  [#####.....]  50 %  512,000 events/s  12 s left"
std::string progress_line(const std::string& label, const std::string& unit, std::uint64_t done,
                          std::uint64_t total, std::chrono::milliseconds elapsed);

// Prints the text as a QR code of block characters. On a terminal it is black on white, since scanners need
// dark on light whatever the terminal's colours. Throws UsageError if the text is too long.
void print_qr(std::ostream& out, const std::string& text, bool is_terminal);

}  // namespace pixledger::tools
