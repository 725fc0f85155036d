#include "http/metrics/view_metrics.h"

#include "projections/generations/generation_directory.h"

namespace pixledger::http {

void add_view_samples(MetricsPage& page, const projections::CurrentViews& views) {
  using prometheus::MetricType;
  const auto gauge = [&page](std::string name, std::string help, std::function<double()> value) {
    page.sample(std::move(name), std::move(help), MetricType::Gauge, std::move(value));
  };
  gauge("pixledger_views_generation", "Number of the generation of read models in use",
        [&views] { return static_cast<double>(projections::number_of(views.in_use()->directory())); });
  gauge("pixledger_views_kept",
        "Generations that disagreed with the ledger and are kept for whoever finds out why", [&views] {
          const auto directory = views.in_use()->directory().parent_path();
          return static_cast<double>(projections::find_kept_generations(directory).size());
        });
  page.gauge_by_environment("pixledger_unapplied_payments",
                            "Payments that arrived, could not be applied and are not settled",
                            [&views](domain::Environment environment) {
                              return static_cast<double>(views.database()->unapplied_payments(environment));
                            });
  page.sample_by("connection", "pixledger_unmatched_payments",
                 "Payments that arrived on the connection, fit no charge and are not settled",
                 MetricType::Gauge, [&views] {
                   const auto counts = views.database()->unmatched_payments();
                   return MetricsPage::ByLabel(counts.begin(), counts.end());
                 });
  gauge("pixledger_list_column_bytes", "Memory of the transaction lists, text left out",
        [&views] { return static_cast<double>(views.database()->list_memory().column_bytes); });
  gauge("pixledger_list_text_bytes", "Memory of the texts that the transaction lists search",
        [&views] { return static_cast<double>(views.database()->list_memory().text_bytes); });
}

}  // namespace pixledger::http
