#pragma once

#include <vector>

#include "http/routing/router.h"
#include "http/services/services.h"

namespace pixledger::http {

// Every route there is. The services outlive the router that is made of them.
std::vector<Route> all_routes(const Services& services);

}  // namespace pixledger::http
