#pragma once

#include "http/metrics/metrics_page.h"
#include "projections/generations/current_views.h"

namespace pixledger::http {

// What the read models have, taken when it is asked for. They outlive the page.
void add_view_samples(MetricsPage& page, const projections::CurrentViews& views);

}  // namespace pixledger::http
