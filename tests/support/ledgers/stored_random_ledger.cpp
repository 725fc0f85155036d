#include "tests/support/ledgers/stored_random_ledger.h"

#include <stdexcept>

#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/needed_format.h"
#include "eventstore/executor/executor.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/log_scan.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

StoredRandomLedger::StoredRandomLedger(std::uint64_t seed, unsigned commands, Erasures erasures) {
  auto options = tests::one_gigabyte();
  options.sync = false;
  SeededEntropy entropy(seed);
  FixedClock clock{Timestamp(1'790'000'000'000)};
  const auto path = directory_.path() / "ledger";
  eventstore::LmdbLog::create(path, entropy, options);
  log_ = std::make_unique<eventstore::LmdbLog>(path, options, eventstore::needed_format_of_stored);
  log_->accept_clock({clock.boot_id(), clock.now().millis() - clock.boot_millis()});

  RandomCommands random(seed);
  eventstore::Executor executor(*log_, clock, entropy);
  for (unsigned i = 0; i < commands; ++i) {
    clock.advance_millis(random.next_pause_ms());
    const auto number = std::to_string(i);
    auto result = executor.execute({random.next(clock.now()), "operator-random", std::nullopt,
                                    "req_" + number, eventstore::IdempotencyKey{sha256(number), {}}});
    const auto* completed = std::get_if<eventstore::Completed>(&result);
    if (!completed) throw std::runtime_error("a random command was not carried out");
    for (const auto& event : completed->events()) random.learn(event.stream, event.project, event.event);
  }
  if (erasures == Erasures::kFinished) finish_erasures(*log_);
}

void finish_erasures(eventstore::LedgerLog& log) {
  std::vector<eventstore::Erasure> erasures;
  eventstore::for_each_event(log, Position(), eventstore::kNoLimit, [&](const domain::RecordedEvent& event) {
    if (domain::kind_of(event.event).name == "CustomerErased")
      erasures.push_back(eventstore::erasure_at(log, event.position));
  });
  log.remove_personal(eventstore::records_erased_by(log, erasures).positions);
}

}  // namespace pixledger::tests
