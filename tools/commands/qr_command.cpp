#include <iostream>
#include <qrcodegen/qrcodegen.hpp>
#include <unistd.h>

#include "tools/commands/commands.h"

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

int show_qr(const std::string& text) {
  const auto code = [&] {
    try {
      return qrcodegen::QrCode::encodeText(text.c_str(), qrcodegen::QrCode::Ecc::MEDIUM);
    } catch (const qrcodegen::data_too_long&) {
      throw UsageError("the text is too long for a QR code");
    }
  }();
  // Scanners want dark on light, whatever the terminal's colours are.
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  for (int row = -kQuietModules; row < code.getSize() + kQuietModules; row += 2) {
    std::cout << (terminal ? "\033[30;107m" : "") << half_blocks(code, row) << (terminal ? "\033[0m" : "")
              << '\n';
  }
  return kExitDone;
}

}  // namespace

void add_qr_command(CommandLine& program, CommandContext& context) {
  const auto text = std::make_shared<std::string>();
  CommandLine command =
      add_command(program, context, "qr", "Show a text as a QR code", [text] { return show_qr(*text); });
  command.add_option("TEXT", *text, "What the code says, such as a charge's pixCode").required();
}

}  // namespace pixledger::tools
