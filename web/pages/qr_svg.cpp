#include "web/pages/qr_svg.h"

#include <cstdint>
#include <qrcodegen/qrcodegen.hpp>
#include <vector>

namespace pixledger::web {
namespace {

constexpr int kQuietZone = 4;

// Dark modules side by side are one rectangle: "M4 4h7v1h-7z".
void append_rows(const qrcodegen::QrCode& code, Html& svg) {
  for (int y = 0; y < code.getSize(); ++y) {
    for (int x = 0; x < code.getSize();) {
      int width = 0;
      while (x + width < code.getSize() && code.getModule(x + width, y)) ++width;
      if (width > 0) {
        svg << "M";
        svg.number(x + kQuietZone) << " ";
        svg.number(y + kQuietZone) << "h";
        svg.number(width) << "v1h-";
        svg.number(width) << "z";
      }
      x += width + 1;
    }
  }
}

}  // namespace

Html qr_svg(std::string_view text, std::string_view label) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const auto code = qrcodegen::QrCode::encodeSegments({qrcodegen::QrSegment::makeBytes(bytes)},
                                                      qrcodegen::QrCode::Ecc::MEDIUM);
  const int size = code.getSize() + 2 * kQuietZone;
  Html svg;
  svg << "<svg class=\"qr\" role=\"img\" shape-rendering=\"crispEdges\"";
  svg.attribute("viewBox", "0 0 " + std::to_string(size) + " " + std::to_string(size));
  svg.attribute("aria-label", label) << "><path fill=\"#fff\" d=\"M0 0h";
  svg.number(size) << "v";
  svg.number(size) << "H0z\"/><path d=\"";
  append_rows(code, svg);
  return svg << "\"/></svg>";
}

}  // namespace pixledger::web
