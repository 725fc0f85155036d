#include "base/http/message/reply.h"

#include <algorithm>

namespace pixledger::http {

std::string_view status_text(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 424:
      return "Failed Dependency";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported";
    case 503:
      return "Service Unavailable";
    default:
      return status < 400 ? "OK" : "Error";
  }
}

namespace {

// What can stand right before a path, and ends one.
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
