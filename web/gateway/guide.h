#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::web {

// A page of the merchants' guide, the same as Markdown, a list for programs, or a file of its pages, made of
// docs/ by the build and embedded.
struct GuideFile {
  std::string_view path;  // "/docs/guide/refunds"
  std::string_view name;  // "refunds.html"
  std::string_view bytes;
  std::string_view digest;
};
std::span<const GuideFile> guide_files();

// The guide, which needs no sign-in. Compressed once at construction; thread-safe afterwards. Outlives its
// replies.
class Guide {
 public:
  explicit Guide(std::span<const GuideFile> files = guide_files());

  // A slash at the path's end does not matter. nullopt if there is no such page; 304 if the browser has it.
  std::optional<http::Reply> find(const http::Request& request) const;

 private:
  struct Entry {
    GuideFile file;
    std::string_view type;
    std::string compressed;  // empty for pictures
  };
  std::unordered_map<std::string_view, Entry> entries_;
};

}  // namespace pixledger::web
