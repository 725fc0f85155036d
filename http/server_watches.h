#pragma once

#include <vector>

#include "http/server_app.h"
#include "http/services/database_watch.h"
#include "projections/generations/generation_watch.h"

// What the server looks after besides requests, on threads of its own.
namespace pixledger::http {

// The LMDB environments whose readers are looked after; the foundations outlive the watch.
std::vector<WatchedDatabase> watched_databases(const ServerFoundations& foundations);

// How a newer generation of the read models is adopted, and what is logged of it. The foundations' logger
// outlives the watch.
projections::GenerationWatchOptions generation_options(const ServerFoundations& foundations);

}  // namespace pixledger::http
