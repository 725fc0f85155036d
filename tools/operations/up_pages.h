#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process/service_options.h"

namespace pixledger::tools {

// Options that `up` adds for the server and the pages, payers' and the dashboard's: the pages' address, the
// API's address, and the key that the server creates for the pages.
struct PagesStart {
  std::vector<std::string> server;  // additional arguments
  std::vector<std::string> web;     // all but those that every program gets
  std::filesystem::path key_file;
  std::string dashboard_url;  // empty: no dashboard
};

// `given` are the given options of the pages; the server gets the same value of shared ones. `port_file`
// receives the port of payers' pages; may be empty. Pages on port 0 get a free port and keep it while `up`
// runs, since links contain it. Throws UsageError if the API's port is unknown.
PagesStart start_pages(const std::vector<std::string>& given, const pixledger::WebOptions& web,
                       const pixledger::ServerOptions& server, const std::string& port_file,
                       const std::filesystem::path& data);

// The URL of the dashboard that `up` runs, for programs that link to it. Empty if it runs none or it is
// unknown.
std::string known_dashboard_url(const std::filesystem::path& data);
// Durable on return; an empty URL removes it. Throws std::system_error.
void note_dashboard_url(const std::filesystem::path& data, const std::string& url);

}  // namespace pixledger::tools
