#pragma once

#include <string_view>

#include "web/site/pages/html.h"

namespace pixledger::web {

// A QR code (ISO/IEC 18004) of a text, black on white with its quiet zone whatever the page's colours are:
// not every reader takes an inverted one. `label`: what it is called. Throws qrcodegen::data_too_long over
// 2,300 bytes.
Html qr_svg(std::string_view text, std::string_view label);

}  // namespace pixledger::web
