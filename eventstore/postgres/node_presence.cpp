#include "eventstore/postgres/node_presence.h"

#include <sstream>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/log/copy_write.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/client_start.h"
#include "eventstore/postgres/lost_commits.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {
namespace {

using Monotonic = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeatEvery{1000};
constexpr std::chrono::milliseconds kRetryEvery{500};
constexpr std::chrono::seconds kPruneEvery{10};

// `scrubs` counts removals of personal data from the node's copy.
const std::string kBeatText =
    "WITH beat AS (UPDATE node SET position = $2, seen = clock_timestamp() WHERE name = $1 AND directory "
    "LIKE '%#' || $3::text AND boot = $4 RETURNING scrubs, erased) "
    "SELECT scrubs, current_setting('synchronous_standby_names'), (SELECT position FROM head), "
    "(SELECT coalesce(string_agg(worker, ' ' ORDER BY worker), '') FROM turn "
    "WHERE node = $1 AND until > clock_timestamp() AND " +
    std::string(kIsLease) +
    "), (SELECT batch FROM head), (extract(epoch FROM "
    "clock_timestamp()) * 1000)::bigint, erased, " +
    kOpenLosses + " FROM beat";
const PreparedStatement kBeat{"beat", kBeatText.c_str()};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

NodePresence::NodePresence(SharedNode node, LmdbLog& copy, const CopyGuard& guard, Connect connect,
                           Explain explain, End taken)
    : node_(std::move(node)),
      copy_(copy),
      guard_(guard),
      connect_(std::move(connect)),
      explain_(std::move(explain)),
      taken_(std::move(taken)),
      thread_(kBeatEvery, [this] { return try_beat(); }) {}

void NodePresence::confirm(Monotonic::time_point begun_at, const PgClient& client) {
  const std::lock_guard lock(mutex_);
  if (begun_at >= primary_since_) {
    primary_since_ = begun_at;
    primary_ = client.server();
  }
  count_confirmed(begun_at);
}

bool NodePresence::is_current(const PgClient& client) const {
  const std::lock_guard lock(mutex_);
  return client.server() == primary_;
}

void NodePresence::count_confirmed(Monotonic::time_point begun_at) {
  confirmed_at_ = std::max(confirmed_at_, begun_at);
}

std::string NodePresence::fault() const {
  const std::lock_guard lock(mutex_);
  if (!is_misconfigured_ && Monotonic::now() - confirmed_at_ <= kGoodFor) return {};
  if (!problem_.empty()) return problem_;
  std::ostringstream text;
  text << "PostgreSQL has confirmed no write of this node for over " << kGoodFor.count() << " s";
  if (!standbys_.empty()) text << ": no standby of synchronous_standby_names = '" << standbys_ << "' answers";
  return text.str();
}

void NodePresence::check() const {
  if (auto problem = fault(); !problem.empty()) throw LogUnavailable(problem);
}

NodePresence::Seen NodePresence::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::optional<Timestamp> NodePresence::time_there() const {
  const std::lock_guard lock(mutex_);
  if (!time_there_) return std::nullopt;
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(Monotonic::now() - time_there_->seen_at);
  return time_there_->then.plus_millis(since.count());
}

Periodic::Wait NodePresence::try_beat() {
  std::string problem;
  bool is_misconfigured = false;
  guard_.look();
  try {
    guard_.watch([this] { beat(); });
  } catch (const NodeTaken& error) {
    taken_(error.what());
    problem = error.what();
  } catch (const PostgresUnsafe& error) {
    problem = error.what();
    is_misconfigured = true;
  } catch (const std::exception& error) {
    problem = explained(error.what());
  }
  if (!problem.empty()) client_.reset();
  const auto pause = problem.empty() ? kBeatEvery : kRetryEvery;
  const std::lock_guard lock(mutex_);
  is_misconfigured_ = is_misconfigured;
  problem_ = std::move(problem);
  return pause;
}

std::string NodePresence::explained(std::string problem) const {
  try {
    if (auto reason = explain_(); !reason.empty()) return reason;
  } catch (const std::exception&) {
    // PostgreSQL cannot be asked; the failed write's error remains.
  }
  return problem;
}

void NodePresence::beat() {
  auto begun_at = Monotonic::now();
  if (!client_ || !client_->is_usable() || !is_current(*client_)) {
    client_ = connect_();
    check_ends(*client_, node_.uri);
    confirm(begun_at, *client_);
    report_losses(*client_, node_);
    begun_at = Monotonic::now();
  }
  client_->run("BEGIN");
  const auto rows = client_->run_prepared(kBeat, node_.name, copy_.head().position.value(),
                                          mark_of_place(place_of(node_)), SystemClock().boot_id());
  // The next client writes it again, unless another node has taken over its name or directory.
  if (rows.empty()) throw LogUnavailable("the row of the node " + node_.name + " is gone");
  const auto standbys = rows.at(0).at(1).as<std::string>();
  if (standbys.empty()) throw no_synchronous_standby();
  check_ends(*client_, node_.uri);
  {
    const std::lock_guard lock(mutex_);
    standbys_ = standbys;
  }
  client_->commit();
  {
    const std::lock_guard lock(mutex_);
    count_confirmed(begun_at);
  }
  // This process's buffers may still hold removed data, maybe from just before its first beat.
  const auto scrubs = rows.at(0).at(0).as<std::int64_t>();
  if (scrubs != scrubs_) copy_.scrub_buffers();
  scrubs_ = scrubs;
  guard_.note_scrubbed(scrubs);
  if (begun_at >= next_pruning_) {
    next_pruning_ = begun_at + kPruneEvery;
    prune_records(*client_);
  }
  Seen seen{
      .head = Position(rows.at(0).at(2).as<std::uint64_t>()),
      .batch = rows.at(0).at(4).as<std::uint64_t>(),
      .leases = words_of(rows.at(0).at(3).as<std::string>()),
      .erased = SeenErased{.position = Position(rows.at(0).at(6).as<std::uint64_t>()), .looked_at = begun_at},
      .losses = parse_losses(rows.at(0).at(7).as<std::string>())};
  const std::lock_guard lock(mutex_);
  seen_ = std::move(seen);
  time_there_ = {.then = Timestamp(rows.at(0).at(5).as<std::int64_t>()), .seen_at = begun_at};
}

}  // namespace pixledger::eventstore
