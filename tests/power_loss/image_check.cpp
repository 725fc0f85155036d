#include "tests/power_loss/image_check.h"

#include <Poco/Exception.h>
#include <algorithm>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/durable_files.h"
#include "eventstore/codec/codec.h"
#include "eventstore/ledger.h"
#include "eventstore/reading/log_cursor.h"
#include "eventstore/tree/merkle.h"
#include "stores/databases/worker_databases.h"
#include "stores/sql/sqlite_database.h"
#include "tests/crash/ledger_audit.h"
#include "tools/audit/verifier.h"
#include "workers/common/resume_from.h"
#include "workers/emails/email_composer.h"
#include "workers/emails/email_message.h"

namespace pixledger::tests {
namespace {

namespace fs = std::filesystem;

// Checks one image and gathers what is wrong.
class ImageCheck {
 public:
  ImageCheck(const fs::path& data, const Shown& shown, const std::multiset<std::uint64_t>& deliveries)
      : data_{data}, shown_(shown), deliveries_(deliveries) {
    lmdb_.map_bytes = std::size_t{64} << 20;
  }

  std::vector<std::string> run() {
    try {
      open_and_check();
    } catch (const Poco::Exception& error) {
      problems_.push_back(error.displayText());
    } catch (const std::exception& error) {
      problems_.emplace_back(error.what());
    }
    return std::move(problems_);
  }

 private:
  void open_and_check() {
    SystemEntropy entropy;
    // The command that was making the ledger is given again.
    if (shown_.project().empty()) eventstore::Ledger::create(data_, entropy, SystemClock(), lmdb_);
    const auto ledger = eventstore::Ledger::open(data_, lmdb_);
    const auto& log = *ledger.log;
    const auto verified = tools::verify_log(log, {});
    // An erasure that has begun is given again.
    const bool is_unfinished =
        verified.finding && verified.finding->part == tools::Part::kErasure && shown_.is_erasing();
    if (verified.finding && !is_unfinished) problems_.push_back("verify: " + verified.finding->problem);
    audit(log);
    for (const auto& [size, head] : shown_.heads()) {
      if (size > log.head().position.value())
        problems_.push_back("a tree head of " + std::to_string(size) + " events was shown, there are " +
                            std::to_string(log.head().position.value()));
      else if (eventstore::tree_root(size, eventstore::TreeOfLog(log)) != head.root)
        problems_.push_back("another tree of " + std::to_string(size) + " events was shown");
    }
    check_webhooks(log);
    check_emails(log);
    check_erasure();
  }

  void check_erasure() {
    if (shown_.erased().empty()) return;
    for (const auto& entry : fs::recursive_directory_iterator(data_.root)) {
      if (!entry.is_regular_file()) continue;
      if (read_if_there(entry.path())->find(shown_.erased()) != std::string::npos)
        problems_.push_back("an erased customer is in " + entry.path().string());
    }
  }

  void audit(const eventstore::Log& log) {
    const auto require = [&](const std::string& stream, const std::string& id) {
      if (!id.empty() && log.version_of(*domain::StreamName::parse(stream + "-" + id)) == 0)
        problems_.push_back("the " + stream + " " + id + " is lost");
    };
    require("project", shown_.project());
    require("channel", shown_.channel());
    LedgerAudit audit;
    audit.read(log);
    audit.compare(shown_.asked());
    for (const auto& [id, is_paid] : shown_.charges()) audit.require(id, is_paid);
    for (const auto* found : {&audit.lost(), &audit.broken()})
      problems_.insert(problems_.end(), found->begin(), found->end());
  }

  // Returns the cursor of a worker's database, and reports why its worker would not start.
  template <class Repository>
  std::optional<eventstore::LogCursor> cursor_of(const eventstore::Log& log,
                                                 const stores::WorkerDatabase& database, bool has_told,
                                                 const workers::InitialCursor& initial) {
    const auto file = database.in(data_.workers());
    std::optional<eventstore::LogCursor> cursor;
    if (fs::exists(file)) {
      cursor = Repository(file).cursor();
      const auto check = stores::open_sqlite(file, "rw")->run("PRAGMA quick_check(1)").rows;
      if (check.at(0).text(0) != "ok")
        problems_.push_back(file.string() + " is damaged: " + check[0].text(0));
    }
    if (cursor) eventstore::check_cursor(*cursor, log);
    // Asks, by an exception, if it cannot know what it has told.
    if (has_told) workers::choose_start(cursor, log, "", initial);
    return cursor;
  }

  void check_webhooks(const eventstore::Log& log) {
    const auto cursor = cursor_of<stores::DeliveryRepository>(log, stores::kWebhookDatabase,
                                                              shown_.are_webhooks(), workers::kWebhooksBegin);
    if (!cursor) return;
    const auto up_to = cursor->position.value();
    const auto expected = std::distance(deliveries_.begin(), deliveries_.upper_bound(up_to));
    const auto there = stores::open_sqlite(stores::kWebhookDatabase.in(data_.workers()), "rw")
                           ->integer("SELECT count(*) FROM deliveries WHERE position <= $1",
                                     {static_cast<std::int64_t>(up_to)});
    if (there != expected)
      problems_.push_back("of " + std::to_string(expected) + " deliveries up to position " +
                          std::to_string(up_to) + " there are " + std::to_string(there));
  }

  void check_emails(const eventstore::Log& log) {
    const auto cursor = cursor_of<stores::EmailRepository>(log, stores::kEmailDatabase, shown_.are_emails(),
                                                           workers::kEmailsBegin);
    if (!cursor) return;
    const auto database = stores::open_sqlite(stores::kEmailDatabase.in(data_.workers()), "rw");
    const auto up_to = std::min(cursor->position, log.head().position);
    for (Position after; after < up_to;) {
      for (const auto& stored : log.read_after(after, kEventsAtOnce)) {
        after = stored.position;
        if (after <= up_to) check_email(eventstore::decode(stored), log, *database);
      }
    }
  }

  void check_email(const domain::RecordedEvent& event, const eventstore::Log& log,
                   stores::SqlDatabase& database) {
    const auto email = workers::email_of(event, log);
    if (!email) return;
    const auto name = workers::email_name(email->position, email->recorded_at) + ".eml";
    const auto file = data_.outbox() / name;
    const bool is_sent =
        shown_.removed_emails().contains(name) || (fs::exists(file) && fs::file_size(file) > 0);
    if (!is_sent && database.integer("SELECT count(*) FROM emails WHERE position = $1",
                                     {stores::sql(email->position)}) == 0)
      problems_.push_back("the e-mail of position " + std::to_string(email->position.value()) +
                          " is neither queued nor sent");
  }

  static constexpr std::size_t kEventsAtOnce = 4096;

  const DataDirectory data_;
  const Shown& shown_;
  const std::multiset<std::uint64_t>& deliveries_;
  eventstore::LmdbOptions lmdb_;
  std::vector<std::string> problems_;
};

}  // namespace

std::multiset<std::uint64_t> delivery_positions(const fs::path& data) {
  std::multiset<std::uint64_t> positions;
  const auto file = stores::kWebhookDatabase.in(DataDirectory{data}.workers());
  if (!fs::exists(file)) return positions;
  for (const auto& row : stores::open_sqlite(file, "rw")->run("SELECT position FROM deliveries").rows)
    positions.insert(row.as<std::uint64_t>(0));
  return positions;
}

std::vector<std::string> problems_of_image(const fs::path& data, const Shown& shown,
                                           const std::multiset<std::uint64_t>& deliveries) {
  return ImageCheck(data, shown, deliveries).run();
}

}  // namespace pixledger::tests
