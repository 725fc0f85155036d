#include "web/site/pages/qr_svg.h"

#include "base/http/images/qr_code.h"

namespace pixledger::web {

Html qr_svg(std::string_view text, std::string_view label) {
  const http::QrCode code(text);
  const auto size = std::to_string(code.size());
  Html svg;
  svg << "<svg class=\"qr\" role=\"img\" shape-rendering=\"crispEdges\"";
  svg.attribute("viewBox", "0 0 " + size + " " + size);
  svg.attribute("aria-label", label) << "><path fill=\"#fff\" d=\"M0 0h";
  svg.text(size) << "v";
  svg.text(size) << "H0z\"/><path";
  return svg.attribute("d", code.path()) << "/></svg>";
}

}  // namespace pixledger::web
