#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/net/http_url.h"
#include "base/platform/signals.h"
#include "base/process/logging.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "eventstore/postgres/node_copy.h"
#include "eventstore/postgres/shared_log.h"
#include "http/server_app.h"
#include "projections/generations/generation.h"
#include "stores/databases/account_database.h"
#include "tests/support/ledgers/forwarding_log.h"

// The server with a fault in its write path, which only tests of crashes and power losses can find, and must.
namespace {

using namespace pixledger;

std::atomic<bool> is_journal_unsynced{false};

bool is_in_journal(int file) {
  std::error_code unnamed;
  const auto name = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), unnamed);
  return name.parent_path().filename() == "journal";
}

// Reports a batch as durable as soon as it is appended, but writes it only when the next one begins.
class EarlyAckLog final : public tests::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::unique_ptr<eventstore::LogWrite> begin_write() override {
    auto write = inner_.begin_write();
    if (pending_) {
      write->append(*std::exchange(pending_, std::nullopt));
      write->commit();
      write.reset();
      write = inner_.begin_write();
    }
    return std::make_unique<Write>(*this, std::move(write));
  }

  // Views may apply events of a batch that is not in the log yet.
  std::optional<Digest> leaf_hash(Position position) const override {
    const auto leaf = inner_.leaf_hash(position);
    return leaf ? leaf : Digest{};
  }

 private:
  class Write final : public eventstore::LogWrite {
   public:
    Write(EarlyAckLog& log, std::unique_ptr<eventstore::LogWrite> inner)
        : log_(log), inner_(std::move(inner)) {}

    Head head() const override { return inner_->head(); }
    std::uint32_t id_counter() const override { return inner_->id_counter(); }
    std::uint32_t version_of(const eventstore::StreamName& stream) const override {
      return inner_->version_of(stream);
    }
    eventstore::Loaded load(const eventstore::LoadSet& set) const override { return inner_->load(set); }
    std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
      return inner_->read_after(after, max);
    }
    void append(const eventstore::Batch& batch) override {
      inner_->append(batch);
      batch_ = batch;
    }
    void commit() override { log_.pending_ = std::move(batch_); }

   private:
    EarlyAckLog& log_;
    std::unique_ptr<eventstore::LogWrite> inner_;
    std::optional<eventstore::Batch> batch_;
  };

  std::optional<eventstore::Batch> pending_;  // used by the committer's thread only
};

// Answers from its copy without asking PostgreSQL.
class StaleLog final : public tests::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;
  Head catch_up() const override { return inner_.head(); }
};

std::unique_ptr<eventstore::LedgerLog> open_careless(const DataDirectory& data,
                                                     const eventstore::NodeFile& node,
                                                     const eventstore::LmdbOptions& lmdb,
                                                     const std::string& fault) {
  const eventstore::SharedNode shared{.uri = node.uri,
                                      .name = node.name.text,
                                      .directory = std::filesystem::absolute(data.root),
                                      .care = {.commits_synchronously = fault != "commits-locally",
                                               .writes_before_it_reads = fault != "believes-at-once"}};
  auto log = std::make_unique<eventstore::SharedLog>(eventstore::open_copy(shared, lmdb), shared);
  eventstore::write_node_file(data, node);
  return log;
}

eventstore::Ledger open_ledger(const DataDirectory& data, const eventstore::LmdbOptions& lmdb,
                               const std::string& fault) {
  const auto node = eventstore::node_of(data);
  if (!node) return eventstore::Ledger::open(data, lmdb);
  return {data, open_careless(data, *node, lmdb, fault), eventstore::Keyring::open(data.keys())};
}

struct Flags {
  eventstore::LedgerOptions common;
  std::string listen = "127.0.0.1:0";
  std::string port_file;
  std::string fault = "none";
};

int serve(const Flags& flags) {
  block_stop_signals();
  const SystemClock clock;
  SystemEntropy entropy;
  Logger logger(flags.common.log_format, clock);
  is_journal_unsynced = flags.fault == "journal-unsynced";
  auto ledger = open_ledger(flags.common.data, flags.common.lmdb(), flags.fault);
  if (ledger.cluster() && flags.common.on_lost_commits == "continue") ledger.cluster()->continue_after_loss();
  EarlyAckLog early(*ledger.log);
  StaleLog stale(*ledger.log);
  eventstore::Log& log = flags.fault == "ack-before-commit"  ? static_cast<eventstore::Log&>(early)
                         : flags.fault == "never-catches-up" ? static_cast<eventstore::Log&>(stale)
                                                             : *ledger.log;
  projections::CurrentViews views(
      projections::Generation::open_or_build(flags.common.data.views(), *ledger.log, flags.common.lmdb()));
  const auto accounts = stores::open_accounts(flags.common.data);
  http::ServerOptions options;
  options.port = parse_option<HostPort>("--listen", flags.listen).port;
  http::ServerApp app({.data = flags.common.data,
                       .log = log,
                       .keyring = ledger.keyring,
                       .clock = clock,
                       .entropy = entropy,
                       .views = views,
                       .accounts = *accounts,
                       .logger = logger,
                       .lmdb = flags.common.lmdb(),
                       .cluster = ledger.cluster()},
                      options);
  if (!flags.port_file.empty()) write_port_file(flags.port_file, app.port());
  app.start();
  std::printf("faulty_server ready on http://127.0.0.1:%u\n", unsigned{app.port()});
  std::fflush(stdout);
  wait_for_stop();
  app.stop(std::chrono::seconds(5));
  return kExitDone;
}

}  // namespace

// In the place of libc's, for the whole program.
extern "C" int fdatasync(int file) {
  using Sync = int (*)(int);
  static const auto real = reinterpret_cast<Sync>(::dlsym(RTLD_NEXT, "fdatasync"));
  return is_journal_unsynced && is_in_journal(file) ? 0 : real(file);
}

int main(int argc, char** argv) {
  CommandLine app("A server that a test must see through", "faulty_server");
  Flags flags;
  add_common_options(app, flags.common);
  app.add_option("--listen", flags.listen, "Of this machine, whatever address it names");
  app.add_option("--port-file", flags.port_file, "File that gets the bound port");
  app.add_option("--fault", flags.fault, "What is wrong with it")
      .one_of({"none", "ack-before-commit", "journal-unsynced", "commits-locally", "believes-at-once",
               "never-catches-up"},
              InHelp::kShown);
  return eventstore::run_on_ledger(app, flags.common, argc, argv, ProgramKind::kService,
                                   [&flags] { return serve(flags); });
}
