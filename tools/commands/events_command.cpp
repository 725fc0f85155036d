#include <csignal>
#include <iostream>
#include <unistd.h>

#include "base/process/option_rules.h"
#include "base/process/output.h"
#include "domain/aggregates/event.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/log/stream_events.h"
#include "tools/cli/aggregates.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using domain::RecordedEvent;
using eventstore::Log;

constexpr std::size_t kBatchEvents = 1000;
constexpr std::chrono::milliseconds kLookAtReaderEvery{500};

struct EventsOptions {
  std::uint64_t from = 1;
  std::uint64_t to = UINT64_MAX;
  std::string stream;
  std::string project;
  std::string type;
  bool follow = false;
};

struct Filter {
  std::optional<domain::StreamName> stream;
  std::optional<domain::ProjectId> project;
  std::string type;

  bool empty() const { return !stream && !project && type.empty(); }
  bool accepts(const RecordedEvent& event) const {
    if (stream && event.stream != *stream) return false;
    if (project && event.project != *project) return false;
    return type.empty() || domain::kind_of(event.event).name == type;
  }
};

Filter parse_filter(const EventsOptions& options) {
  Filter filter;
  if (!options.stream.empty()) {
    filter.stream = domain::StreamName::parse(options.stream);
    if (!filter.stream) throw UsageError("--stream must be the name of a stream, such as charge-<id>");
  }
  if (!options.project.empty()) filter.project = parse_project(options.project);
  filter.type = options.type;
  return filter;
}

// Prints events that pass the filter. Holds no transaction while it writes, since the reader may be slow.
class Printer {
 public:
  explicit Printer(Filter filter) : filter_(std::move(filter)) {}

  void print(const std::vector<eventstore::StoredEvent>& batch, Position last) {
    for (const auto& stored : batch) {
      if (stored.position > last) break;
      print(stored);
    }
    flush_output();
  }

  void print(const eventstore::StoredEvent& stored) {
    const auto event = eventstore::decode(stored);
    if (!filter_.accepts(event)) return;
    eventstore::write_event(json_, event);
    std::cout << json_.take_line();
    ++printed_;
  }

  std::uint64_t printed() const { return printed_; }

 private:
  const Filter filter_;
  Json json_;
  std::uint64_t printed_ = 0;
};

// Prints everything between the two positions, up to the log's end; returns the last position.
Position print_range(const Log& log, Printer& printer, Position after, Position last) {
  while (after < last) {
    const auto batch = log.read_after(after, kBatchEvents);
    if (batch.empty()) break;
    printer.print(batch, last);
    after = batch.back().position;
  }
  return after;
}

void print_stream(const Log& log, Printer& printer, const domain::StreamName& stream, Position after,
                  Position last) {
  for (const auto& stored : eventstore::StreamEvents(log, stream, 0, last)) {
    if (stored.position > after) printer.print(stored);
  }
  flush_output();
}

void follow(const Log& log, Printer& printer, Position after, Position last) {
  while (after < last && somebody_reads_output()) {
    if (log.wait_past(after, kLookAtReaderEvery)) after = print_range(log, printer, after, last);
  }
}

// A request beyond the end may be meant for another ledger.
void tell_end(Position head, const EventsOptions& options) {
  if (options.from > head.value())
    std::cerr << "pixledger: the ledger ends at position " << head.value() << "\n";
}

// Nothing is open that must be finished.
extern "C" void end_at_once(int) { ::_exit(kExitDone); }

int show(const CommandContext& context, const EventsOptions& options) {
  if (options.from > options.to) throw UsageError("--from must not be after --to");
  const Filter filter = parse_filter(options);
  const auto log = context.open_log();
  if (filter.project && !find_project(*log, *filter.project))
    return say_no(domain::Rejection::kProjectNotFound);
  const Position after(options.from - 1);
  const Position last(options.to);
  Printer printer(filter);
  tell_end(log->head().position, options);
  if (options.follow) {
    ::signal(SIGTERM, end_at_once);
    ::signal(SIGINT, end_at_once);
    follow(*log, printer, print_range(*log, printer, after, last), last);
    return kExitDone;
  }
  if (filter.stream) {
    print_stream(*log, printer, *filter.stream, after, last);
  } else {
    print_range(*log, printer, after, last);
  }
  return printer.printed() == 0 && !filter.empty() ? say_no("no such event") : kExitDone;
}

}  // namespace

void add_events_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<EventsOptions>();
  CommandLine command = add_command(program, context, "events", "The ledger as JSON lines, one event a line",
                                    [&context, options] { return show(context, *options); });
  command.add_option("--from", options->from, "First position").check(must_be_a_positive_integer);
  command.add_option("--to", options->to, "Last position").check(must_be_a_positive_integer);
  command.add_option("--stream", options->stream, "Only this stream, such as charge-<id>");
  command.add_option("--project", options->project, "Only this project");
  command.add_option("--type", options->type, "Only this type, such as ChargePaid");
  command.add_flag("--follow", options->follow, "Go on with what is recorded from now on");
}

}  // namespace pixledger::tools
