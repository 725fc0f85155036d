#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process/service_options.h"

namespace pixledger::tools {

// What `up` gives server and pages, payers' and the dashboard's, so that each finds the other: where the
// pages are, where the API is, and the key that the server makes for them.
struct PagesStart {
  std::vector<std::string> server;  // more arguments for it
  std::vector<std::string> web;     // all but those that every program is given
  std::filesystem::path key_file;
  std::string dashboard_url;  // empty: there is no dashboard
};

// `given`: what was given of the options of the pages; of those the server has, too, it has been given the
// same. `port_file`: what gets the port of payers' pages; may be empty. Pages on port 0 get one that is free
// now, and keep it for as long as `up` runs, since links lead to it. Throws UsageError where the API's port
// is not known.
PagesStart start_pages(const std::vector<std::string>& given, const pixledger::WebOptions& web,
                       const pixledger::ServerOptions& server, const std::string& port_file,
                       const std::filesystem::path& data);

// Where `up` has put the dashboard that it runs, for who links to it. Empty: it runs none, or nobody knows.
std::string known_dashboard_url(const std::filesystem::path& data);
// Durable on return; empty: there is none any more. Throws std::system_error.
void note_dashboard_url(const std::filesystem::path& data, const std::string& url);

}  // namespace pixledger::tools
