#include "base/http/images/qr_code.h"

#include <cassert>
#include <cstdint>
#include <png.h>
#include <qrcodegen/qrcodegen.hpp>
#include <stdexcept>

namespace pixledger::http {
namespace {

constexpr int kQuietZone = 4;

qrcodegen::QrCode encode(std::string_view text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  return qrcodegen::QrCode::encodeSegments({qrcodegen::QrSegment::makeBytes(bytes)},
                                           qrcodegen::QrCode::Ecc::MEDIUM);
}

// One byte per pixel: 1 is dark.
std::vector<std::uint8_t> pixels_of(const QrCode& code, int side) {
  const int scale = side / code.size();
  const int margin = (side - scale * code.size()) / 2;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  const int end = margin + scale * code.size();
  for (int y = margin; y < end; ++y)
    for (int x = margin; x < end; ++x)
      pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)] =
          code.is_dark((x - margin) / scale, (y - margin) / scale) ? 1 : 0;
  return pixels;
}

}  // namespace

QrCode::QrCode(std::string_view text) : size_(0) {
  const auto code = encode(text);
  size_ = code.getSize() + 2 * kQuietZone;
  dark_.reserve(static_cast<std::size_t>(size_ * size_));
  // Modules outside the code are light.
  for (int y = 0; y < size_; ++y)
    for (int x = 0; x < size_; ++x) dark_.push_back(code.getModule(x - kQuietZone, y - kQuietZone));
}

std::string QrCode::path() const {
  std::string path;
  for (int y = 0; y < size_; ++y) {
    for (int x = 0; x < size_;) {
      // Adjacent dark modules become one rectangle.
      int width = 0;
      while (x + width < size_ && is_dark(x + width, y)) ++width;
      if (width > 0) {
        const auto run = std::to_string(width);
        path += "M" + std::to_string(x) + " " + std::to_string(y) + "h" + run + "v1h-" + run + "z";
      }
      x += width + 1;
    }
  }
  return path;
}

std::string qr_svg(const QrCode& code, int side) {
  const auto size = std::to_string(code.size());
  const auto pixels = std::to_string(side);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels + "\" height=\"" + pixels +
         "\" viewBox=\"0 0 " + size + " " + size +
         "\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h" + size + "v" + size +
         "H0z\"/><path d=\"" + code.path() + "\"/></svg>\n";
}

std::string qr_png(const QrCode& code, int side) {
  assert(side >= code.size());
  constexpr std::uint8_t kWhiteAndBlack[] = {255, 255, 255, 0, 0, 0};
  constexpr std::size_t kHeadBytesMax = 4096;
  const auto pixels = pixels_of(code, side);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(side);
  image.height = static_cast<png_uint_32>(side);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 2;
  // Enough even if nothing can be compressed.
  std::string bytes(pixels.size() + kHeadBytesMax, '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, kWhiteAndBlack) == 0)
    throw std::runtime_error(std::string("the QR code cannot be written as PNG: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace pixledger::http
