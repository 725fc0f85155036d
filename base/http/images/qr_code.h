#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pixledger::http {

// A QR code with error correction level M and its quiet zone of four modules, which readers need.
class QrCode {
 public:
  // Throws qrcodegen::data_too_long over 2331 bytes.
  explicit QrCode(std::string_view text);

  // Modules along a side, quiet zone included.
  int size() const { return size_; }
  bool is_dark(int x, int y) const { return dark_[static_cast<std::size_t>(y * size_ + x)]; }

  // The dark modules as the path of an SVG whose unit is a module: "M4 4h7v1h-7z…".
  std::string path() const;

 private:
  int size_;
  std::vector<bool> dark_;  // row by row
};

// Black on white, since not every reader takes an inverted one. `side`: of the image, in pixels.
std::string qr_svg(const QrCode& code, int side);
// Modules are whole pixels, and what is left over is white at the edges. `side` is at least code.size();
// asserted.
std::string qr_png(const QrCode& code, int side);

}  // namespace pixledger::http
