#include "base/http/message/reply.h"

#include <Poco/DeflatingStream.h>
#include <algorithm>
#include <sstream>
#include <utility>

namespace pixledger::http {

namespace {

constexpr std::pair<int, std::string_view> kStatusTexts[] = {{200, "OK"},
                                                             {201, "Created"},
                                                             {202, "Accepted"},
                                                             {204, "No Content"},
                                                             {303, "See Other"},
                                                             {304, "Not Modified"},
                                                             {400, "Bad Request"},
                                                             {401, "Unauthorized"},
                                                             {403, "Forbidden"},
                                                             {404, "Not Found"},
                                                             {405, "Method Not Allowed"},
                                                             {408, "Request Timeout"},
                                                             {409, "Conflict"},
                                                             {413, "Content Too Large"},
                                                             {414, "URI Too Long"},
                                                             {415, "Unsupported Media Type"},
                                                             {422, "Unprocessable Content"},
                                                             {424, "Failed Dependency"},
                                                             {429, "Too Many Requests"},
                                                             {431, "Request Header Fields Too Large"},
                                                             {503, "Service Unavailable"},
                                                             {505, "HTTP Version Not Supported"}};

}  // namespace

std::string_view status_text(int status) {
  for (const auto& [known, text] : kStatusTexts) {
    if (known == status) return text;
  }
  return status < 400 ? "OK" : "Error";
}

std::string gzip(std::string_view bytes) {
  constexpr int kBest = 9;
  std::ostringstream compressed;
  Poco::DeflatingOutputStream stream(compressed, Poco::DeflatingStreamBuf::STREAM_GZIP, kBest);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  return compressed.str();
}

namespace {

// Characters that can precede a path, and that end one.
bool is_border(char c) { return std::string_view(" \t\n\"'`()[]<>,;:=").find(c) != std::string_view::npos; }

}  // namespace

std::string without_paths(std::string_view text) {
  std::string shown;
  bool at_border = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = at_border && text[i] == '/' && i + 1 < text.size() && !is_border(text[i + 1]);
    at_border = is_border(text[i]);
    if (!begins) {
      shown += text[i];
      continue;
    }
    const auto path = text.substr(i);
    const auto end = std::find_if(path.begin(), path.end(), is_border) - path.begin();
    const auto name = path.substr(0, static_cast<std::size_t>(end));
    shown += "…";
    shown += name.substr(name.rfind('/'));
    i += name.size() - 1;
  }
  return shown;
}

}  // namespace pixledger::http
