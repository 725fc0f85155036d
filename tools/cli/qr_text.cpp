#include "tools/cli/qr_text.h"

#include <ostream>
#include <qrcodegen/qrcodegen.hpp>

#include "base/process/options.h"

namespace pixledger::tools {
namespace {

constexpr int kQuietModules = 4;  // ISO/IEC 18004 §6.3.8

// Two rows of modules a line of text, dark ones as blocks.
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
