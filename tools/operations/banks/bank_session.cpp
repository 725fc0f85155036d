#include "tools/operations/banks/bank_session.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <cstdlib>

#include "workers/banks/bank_directory.h"

namespace pixledger::tools {
namespace {

using workers::BankNetwork;

constexpr std::chrono::seconds kTurn{10};
constexpr std::size_t kIdBytes = 16;
// The bank reports whole seconds, and queries use whole seconds.
constexpr std::int64_t kUnsureMs = 1'500;

BankNetwork network_of(const Resolver& resolver, const BankAskOptions& options) {
  try {
    return BankNetwork(resolver, {.ca_file = options.ca_file, .allow_http = options.allow_http});
  } catch (const Poco::Exception&) {
    throw UsageError("--ca-file cannot be read as PEM certificates: " + options.ca_file);
  }
}

// The flag is given with each command, since only the operator knows that a bank is one for development.
void need_tls(const workers::BankAccess& bank, const KnownConnection& known) {
  for (const auto& url : {bank.base_url, bank.token_url})
    if (url.starts_with("http://"))
      throw UsageError("--allow-http is missing: the bank of --connection " + known.connection.alias.text() +
                       " is at " + url +
                       ", without TLS. For development give --allow-http to this command, "
                       "also beside `pixledger up --dev`, which gives it to its own programs alone");
}

}  // namespace

void add_bank_ask_options(CommandLine& command, BankAskOptions& options) {
  command.add_option("--ca-file", options.ca_file,
                     "PEM file with certificates that are trusted beside the system's");
  command.add_flag("--allow-http", options.allow_http, "URLs may begin with http://, for development");
}

void need_bank(const KnownConnection& known) {
  if (!known.connection.api_pix || !known.bank)
    throw UsageError("--connection " + known.connection.alias.text() +
                     " is no account at a bank: it is not of the provider api-pix");
}

BankSession::BankSession(CommandContext& context, const eventstore::Keyring& keyring,
                         const KnownConnection& known, const BankAskOptions& options)
    : context_(context),
      keyring_(keyring),
      known_(known),
      network_(network_of(resolver_, options)),
      client_(workers::bank_access_of(known.connection, known.bank->configuration, keyring),
              {.clock = context.clock,
               .entropy = context.entropy,
               .network = network_,
               .observer = [this](const workers::BankCallReport& report) { note(report); }}) {
  if (!options.allow_http) need_tls(client_.access(), known_);
}

workers::BankTurn BankSession::turn() const {
  return {workers::BankPriority::kCreate, workers::boot_time(context_.clock) + kTurn};
}

std::optional<std::int64_t> BankSession::ahead_ms() const {
  const std::lock_guard lock(mutex_);
  return ahead_ms_;
}

Timestamp BankSession::now_there() const {
  return context_.clock.now().plus_millis(ahead_ms().value_or(kUnsureMs) - kUnsureMs);
}

void BankSession::note(const workers::BankCallReport& report) {
  const std::lock_guard lock(mutex_);
  if (!report.ahead_ms) return;
  if (!ahead_ms_ || std::abs(*report.ahead_ms) < std::abs(*ahead_ms_)) ahead_ms_ = report.ahead_ms;
}

// 128 random bits, repeated as needed: `k`, which starts no id of a charge or of the worker's codes, then
// letters and digits.
std::string BankSession::fresh_id(std::size_t size) {
  std::string id = "k";
  while (id.size() < size) {
    std::array<std::byte, kIdBytes> bytes{};
    context_.entropy.fill(bytes);
    for (const auto byte : bytes)
      if (id.size() < size) id += "0123456789abcdefghjkmnpqrstvwxyz"[std::to_integer<unsigned>(byte) & 31];
  }
  return id;
}

using Outcome = CheckStep::Outcome;

std::string to_line(const CheckStep& step) {
  const auto with_advice = [&](const char* outcome) {
    return step.name + ": " + outcome + ": " + step.found + (step.advice.empty() ? "" : "; " + step.advice);
  };
  switch (step.outcome) {
    case Outcome::kOk:
      return with_advice("ok");
    case Outcome::kFailed:
      return with_advice("failed");
    case Outcome::kUnknown:
      return with_advice("unknown");
    case Outcome::kNotTried:
      break;
  }
  return step.name + ": " + step.found;
}

void write_step(Json& json, const CheckStep& step) {
  json.begin_object().field("step", step.name);
  if (step.outcome == Outcome::kOk || step.outcome == Outcome::kFailed)
    json.field("ok", step.outcome == Outcome::kOk);
  else
    json.null("ok");
  json.field("found", step.found)
      .field("advice", step.advice.empty() ? std::nullopt : std::optional(step.advice))
      .end_object();
}

bool CheckSteps::all_ok() const {
  return std::all_of(steps_.begin(), steps_.end(), [](const CheckStep& step) {
    return step.outcome == Outcome::kOk || step.outcome == Outcome::kUnknown;
  });
}

bool CheckSteps::add(CheckStep step) {
  steps_.push_back(std::move(step));
  if (tell_) tell_(steps_.back());
  return steps_.back().outcome == Outcome::kOk;
}

}  // namespace pixledger::tools
