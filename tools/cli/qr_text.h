#pragma once

#include <iosfwd>
#include <string>

namespace pixledger::tools {

// The text as a QR code of block characters; in black on white where that is a terminal, since scanners want
// dark on light whatever its colours are. Throws UsageError when the text is too long for one.
void print_qr(std::ostream& out, const std::string& text, bool is_terminal);

}  // namespace pixledger::tools
