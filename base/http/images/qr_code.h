#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pixledger::http {

// A QR code with error correction level M and the quiet zone of four modules that readers need.
class QrCode {
 public:
  // Throws qrcodegen::data_too_long for more than 2331 bytes.
  explicit QrCode(std::string_view text);

  // Modules per side, including the quiet zone.
  int size() const { return size_; }
  bool is_dark(int x, int y) const { return dark_[static_cast<std::size_t>(y * size_ + x)]; }

  // The dark modules as an SVG path with one unit per module: "M4 4h7v1h-7z…".
  std::string path() const;

 private:
  int size_;
  std::vector<bool> dark_;  // row by row
};

// Black on white, because some readers reject inverted codes. `side`: image size in pixels.
std::string qr_svg(const QrCode& code, int side);
// Modules have a whole number of pixels; remaining pixels are a white margin. Asserts that `side` is at least
// code.size().
std::string qr_png(const QrCode& code, int side);

}  // namespace pixledger::http
