#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::web {

// The dashboard's own files. Compressed once, when it is made; then for all threads. Outlives its replies.
class DashboardFiles {
 public:
  DashboardFiles();

  // A page of the dashboard. 304 to who has it.
  http::Reply document(const http::Request& request) const;
  // nullopt when there is none of that path.
  std::optional<http::Reply> asset(const http::Request& request) const;

 private:
  struct File {
    std::string_view bytes;
    std::string compressed;
  };
  static File file_of(std::string_view bytes);
  static http::Reply reply_of(const http::Request& request, const File& file, std::string_view type);

  const File document_, script_, style_, verifier_;
};

}  // namespace pixledger::web
