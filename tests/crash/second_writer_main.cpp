#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "tests/crash/load.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/forwarding_log.h"

// A second process that writes to a server's ledger: charges for the regular customers of the server's load,
// with other names, so that each process meets streams that the other one has lengthened.
namespace {

using namespace pixledger;

constexpr std::size_t kBusyCommits = 100;  // after so many it reports that it is busy

struct Flags {
  eventstore::LedgerOptions common;
  std::string project;
  std::size_t count = 300;
  std::uint64_t until_wait = UINT64_MAX;
  bool hold = false;
  bool busy = false;
};

// Measures waits by the events that others appended meanwhile, which is independent of the machine's speed.
class MeasuringLog final : public tests::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::unique_ptr<eventstore::LogWrite> begin_write() override {
    const auto before = inner_.head().position.value();
    auto write = inner_.begin_write();
    longest_ = std::max(longest_, write->head().position.value() - before);
    return write;
  }
  std::uint64_t longest() const { return longest_; }

 private:
  std::uint64_t longest_ = 0;  // in events; written by the committer's thread, read between two commands
};

domain::CreateCharge charge_of(const eventstore::Keyring& keyring, const std::string& project,
                               std::size_t number, const std::string& label) {
  const auto document = tests::document_of(number % tests::kRegulars);
  auto creation = tests::sample_creation();
  creation.project = tests::parsed<domain::ProjectId>(project);
  creation.token = tests::parsed<domain::DocumentToken>(keyring.name_of_document(project, document));
  creation.customer = {tests::parsed<domain::PersonName>("Outro " + std::to_string(number)),
                       tests::parsed<domain::Document>(document),
                       tests::parsed<EmailAddress>("outro@example.com"),
                       tests::parsed<domain::Phone>("11987654321"),
                       {}};
  creation.external_id = tests::parsed<domain::ExternalId>(label);
  creation.connection.reset();
  return creation;
}

// Commits one event right after the other, as no server does under any load.
[[noreturn]] void stay_busy(eventstore::Log& log) {
  const auto stream = tests::parsed<domain::StreamName>("charge-cbusywriter");
  for (std::size_t i = 0;; ++i) {
    if (i == kBusyCommits) std::cout << "busy" << std::endl;
    const auto write = log.begin_write();
    write->append({write->head().time,
                   write->id_counter(),
                   {{stream, write->version_of(stream) + 1, "no event", "", {}}},
                   {}});
    write->commit();
  }
}

int write(const Flags& flags) {
  auto ledger = eventstore::Ledger::open(flags.common.data, flags.common.lmdb());
  if (flags.hold) {
    const auto held = ledger.log->begin_write();
    std::cout << "holding" << std::endl;
    while (true) ::pause();
  }
  if (flags.busy) stay_busy(*ledger.log);
  const SystemClock clock;
  SystemEntropy entropy;
  MeasuringLog log(*ledger.log);
  {
    eventstore::Executor executor(log, clock, entropy);
    for (std::size_t i = 0; i < flags.count && log.longest() <= flags.until_wait; ++i) {
      const auto label =
          tests::kLabelPrefix + std::string("second-") + std::to_string(::getpid()) + "-" + std::to_string(i);
      const auto result = executor.execute({charge_of(ledger.keyring, flags.project, i, label),
                                            "operator-second", std::nullopt, label, std::nullopt});
      const auto* completed = std::get_if<eventstore::Completed>(&result);
      if (!completed || completed->outcome.rejection)
        throw std::runtime_error("a command was not carried out");
      std::cout << label << ' ' << completed->events().back().stream.key() << std::endl;
    }
  }
  std::cout << "longest wait: " << log.longest() << " events" << std::endl;
  return kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine app("Writes to a ledger beside a server", "second_writer");
  Flags flags;
  add_common_options(app, flags.common);
  app.add_option("--project", flags.project, "Whose charges").required();
  app.add_option("--count", flags.count, "How many charges");
  app.add_flag("--hold", flags.hold, "Takes the write lock and keeps it");
  app.add_option("--until-wait", flags.until_wait, "Ends at the first wait for more events than so many");
  app.add_flag("--busy", flags.busy, "Writes without a pause until it is killed");
  return eventstore::run_on_ledger(app, flags.common, argc, argv, ProgramKind::kCommand,
                                   [&flags] { return write(flags); });
}
