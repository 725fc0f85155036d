#include "eventstore/postgres/lost_commits.h"

#include <algorithm>
#include <sstream>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kNote = "loss";
constexpr const char* kUnreadable = "unreadable\n";
constexpr std::string_view kHistory = "lost-commits ";
constexpr std::size_t kPage = 1'000;

// Both trees are equal up to some size, and differ beyond it.
std::uint64_t common_size(const LmdbLog& kept, const Log& current) {
  const TreeOfLog kept_tree(kept);
  const TreeOfLog current_tree(current);
  std::uint64_t same = 0;
  auto end = std::min(kept.head().position.value(), current.head().position.value());
  while (same < end) {
    const auto size = same + (end - same + 1) / 2;
    if (tree_root(size, kept_tree) == tree_root(size, current_tree))
      same = size;
    else
      end = size - 1;
  }
  return same;
}

std::string text_of(const LossNote& note) {
  return std::to_string(note.fork.events) + " " + std::to_string(note.fork.common.value()) + " " +
         note.history + "\n";
}

// Leaves a row unchanged that was counted or accepted before.
void report(PgClient& client, const std::string& history, const std::string& node, std::uint64_t events) {
  client.run("INSERT INTO turn AS t (worker, node, epoch, until) VALUES (" + literal(history) + ", " +
             literal(node) + ", " + std::to_string(events) +
             ", 'infinity') ON CONFLICT (worker) DO UPDATE SET epoch = excluded.epoch WHERE t.epoch = 0");
}

LmdbOptions to_read(LmdbOptions options) {
  options.read_only = true;
  return options;
}

std::size_t accept(PgClient& client, const std::string& condition) {
  return client
      .run("UPDATE turn SET until = '-infinity' WHERE starts_with(worker, " + literal(std::string(kHistory)) +
           ") AND until > clock_timestamp() AND " + condition + " RETURNING worker")
      .size();
}

}  // namespace

Fork find_fork(const LmdbLog& kept, const Log& current) {
  Fork fork{.common = Position(common_size(kept, current))};
  auto after = fork.common;
  while (true) {
    const auto events = kept.read_after(after, kPage);
    if (events.empty()) return fork;
    kept.check(events);
    for (const auto& event : events)
      if (current.leaf_hash(event.position) != kept.leaf_hash(event.position)) ++fork.events;
    after = events.back().position;
  }
}

std::optional<LossNote> read_loss_note(const std::filesystem::path& kept) {
  const auto text = read_if_there(kept / kNote);
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  LossNote note;
  std::uint64_t common = 0;
  if (!(in >> note.fork.events >> common)) return LossNote{};
  note.fork.common = Position(common);
  in >> std::ws;
  std::getline(in, note.history);
  return note;
}

// The note is written first: a copy that crashes the process while it is read stays marked as damaged.
void examine_kept_copies(const SharedNode& node, const LmdbLog& current, LmdbOptions options) {
  for (const auto& directory : kept_copies(node.directory)) {
    if (read_loss_note(directory)) continue;
    write_durably(directory / kNote, kUnreadable);
    try {
      const LmdbLog kept(directory, to_read(options));
      write_durably(directory / kNote,
                    text_of({.history = history_of(kept), .fork = find_fork(kept, current)}));
    } catch (const std::system_error&) {  // refused by the system: the next start looks again
      std::filesystem::remove(directory / kNote);
    } catch (const std::bad_alloc&) {
      std::filesystem::remove(directory / kNote);
    } catch (const LmdbMapRefused&) {
      std::filesystem::remove(directory / kNote);
    } catch (const std::exception&) {
      // The copy is damaged, which the note says already.
    }
  }
}

void report_loss(PgClient& client, const SharedNode& node, const LmdbLog& copy) {
  report(client, history_of(copy), node.name, 0);
}

void report_losses(PgClient& client, const SharedNode& node) {
  for (const auto& directory : kept_copies(node.directory)) {
    const auto note = read_loss_note(directory);
    if (!note || note->history.empty()) continue;
    if (note->fork.events > 0)
      report(client, note->history, node.name, note->fork.events);
    else
      accept(client, "epoch = 0 AND worker = " + literal(note->history));
  }
}

std::vector<LostHistory> parse_losses(const std::string& text) {
  std::istringstream in(text);
  std::vector<LostHistory> losses;
  for (LostHistory loss; in >> loss.node >> loss.events;) losses.push_back(loss);
  return losses;
}

std::string reason_of_stop(const std::vector<LostHistory>& losses) {
  if (losses.empty()) return {};
  std::string text(kWritesStopped);
  text += "PostgreSQL has lost commits that were acknowledged: ";
  for (const auto& loss : losses)
    text += (&loss == &losses.front() ? "" : ", ") + std::string("the node ") + loss.node + " has kept " +
            (loss.events == 0 ? std::string("events of them that nobody has counted yet")
                              : std::to_string(loss.events) + (loss.events == 1 ? " event" : " events"));
  return text + "; see them with pixledger kept list there, and see docs/how-to/operate/lost-commits.md";
}

// "lost-commits COMMIT POSITION ROOT" of the copy's newest commit.
std::string history_of(const LmdbLog& kept) {
  const auto [batch, last] = kept.copied();
  return std::string(kHistory) + std::to_string(batch) + " " + std::to_string(last.value()) + " " +
         to_hex(tree_root(last.value(), TreeOfLog(kept)));
}

std::vector<ReportedLoss> reported_losses(PgClient& client) {
  std::vector<ReportedLoss> losses;
  for (const auto& row : client.run("SELECT worker, node, until > clock_timestamp() FROM turn WHERE NOT (" +
                                    std::string(kIsLease) + ") ORDER BY worker"))
    losses.push_back({.history = row.at(0).as<std::string>(),
                      .node = row.at(1).as<std::string>(),
                      .is_open = row.at(2).as<bool>()});
  return losses;
}

bool KeptCopy::is_in(const std::filesystem::path& directory) { return LmdbLog::is_in(directory); }

KeptCopy::KeptCopy(const std::filesystem::path& directory, LmdbOptions options)
    : log_(directory, to_read(options)) {
  if (!log_.is_copy()) throw std::runtime_error(directory.string() + " is no copy of a shared ledger");
}

std::size_t KeptCopy::accept(PgClient& client) const {
  const TreeOfLog tree(log_);
  std::size_t accepted = 0;
  for (const auto& loss : reported_losses(client)) {
    if (!loss.is_open) continue;
    const auto& history = loss.history;
    std::istringstream words(history.substr(kHistory.size()));
    std::uint64_t batch = 0;
    std::uint64_t position = 0;
    std::string root;
    words >> batch >> position >> root;
    if (position <= log_.head().position.value() && to_hex(tree_root(position, tree)) == root)
      accepted += eventstore::accept(client, "worker = " + literal(history));
  }
  return accepted;
}

std::size_t accept_losses_of(PgClient& client, const std::string& node) {
  return accept(client, "node = " + literal(node));
}

}  // namespace pixledger::eventstore
