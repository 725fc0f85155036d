#include <iostream>
#include <unistd.h>

#include "base/platform/signals.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/banks/bank_checks.h"
#include "tools/operations/banks/callback_registration.h"

namespace pixledger::tools {
namespace {

constexpr std::int64_t kWaitMinS = 5;
constexpr std::int64_t kWaitMaxS = 3'600;
constexpr std::int64_t kWaitUsualS = 900;

struct BankCommandOptions : ConnectionNaming {
  BankAskOptions ask;
  std::string url;
  bool pay = false;
  std::optional<std::int64_t> wait_s;
};

// Nullopt, with a message, if there is no such connection.
std::optional<KnownConnection> named_bank(const eventstore::Log& log, const ConnectionNaming& naming) {
  auto known = named_connection(log, naming);
  if (known) need_bank(*known);
  return known;
}

// With --json, stdout is reserved for the steps.
void show_code(const CommandContext& context, const PaidCheckCode& code) {
  auto& out = context.json ? std::cerr : std::cout;
  out << "pay " << domain::to_decimal(code.amount) << " with this " << code.kind << " code: " << code.text
      << std::endl;
  if (!context.json) print_qr(out, code.text, ::isatty(STDOUT_FILENO) != 0);
  out.flush();
}

int check_and_say(CommandContext& context, const BankCommandOptions& options) {
  if (options.wait_s && !options.pay) throw UsageError("--wait belongs to --pay");
  // Before any thread starts.
  if (options.pay) block_stop_signals();
  auto ledger = options.pay ? context.open() : context.open_to_read();
  const auto known = named_bank(*ledger.log, options);
  if (!known) return kExitNo;
  BankSession bank(context, ledger.keyring, *known, options.ask);
  CheckSteps steps([&](const CheckStep& step) {
    if (!context.json) std::cout << to_line(step) << std::endl;
  });
  check_bank(bank, steps);
  if (options.pay && steps.all_ok())
    check_paid(bank, ledger,
               {.wait = std::chrono::seconds(options.wait_s.value_or(kWaitUsualS)),
                .show = [&](const auto& code) { show_code(context, code); },
                .rest = [](auto pause) { return !wait_for_stop(pause); }},
               steps);
  else if (options.pay)
    for (const auto* name : {"dynamic", "static", "refunds"}) steps.not_tried(name);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& step : steps.all()) write_step(json, step);
    std::cout << json.end_array().take_line();
  }
  return steps.all_ok() ? kExitDone : kExitNo;
}

int say_callback(const CommandContext& context, const KnownConnection& known,
                 const std::optional<std::string>& address) {
  if (context.json) {
    Json json;
    json.begin_object().field("connectionId", known.connection.id);
    if (address) json.field("callbackUrl", masked(with_secret(*address, "-")));
    std::cout << json.end_object().take_line();
    return kExitDone;
  }
  print_facts(std::cout, {{"connection", known.connection.id.text()},
                          {"callbacks to", address ? masked(with_secret(*address, "-")) : "-"}});
  return kExitDone;
}

int register_at_bank(CommandContext& context, const BankCommandOptions& options) {
  auto ledger = context.open();
  const auto known = named_bank(*ledger.log, options);
  if (!known) return kExitNo;
  const auto address = callback_address(options.url, known->connection.id, options.ask.allow_http);
  BankSession bank(context, ledger.keyring, *known, options.ask);
  const auto outcome = register_callback(bank, ledger, address);
  return outcome.done() ? say_callback(context, *known, address) : say_no(outcome.problem);
}

int show_told_callback(CommandContext& context, const BankCommandOptions& options) {
  const auto ledger = context.open_to_read();
  const auto known = named_bank(*ledger.log, options);
  if (!known) return kExitNo;
  BankSession bank(context, ledger.keyring, *known, options.ask);
  const auto shown = show_callback(bank);
  if (!shown.problem.empty()) return say_no("the bank does not say: " + shown.problem);
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("connectionId", known->connection.id)
                     .field("bankUrl", shown.at_bank)
                     .field("callbackUrl", shown.noted)
                     .field("agree", shown.agree)
                     .end_object()
                     .take_line();
  } else {
    print_facts(std::cout, {{"connection", known->connection.id.text()},
                            {"the bank calls", shown.at_bank.value_or("-")},
                            {"it was told", shown.noted.value_or("-")}});
  }
  return shown.agree ? kExitDone : say_no("the bank does not call where it was told last: register again");
}

int stop_callbacks(CommandContext& context, const BankCommandOptions& options) {
  auto ledger = context.open();
  const auto known = named_bank(*ledger.log, options);
  if (!known) return kExitNo;
  BankSession bank(context, ledger.keyring, *known, options.ask);
  const auto outcome = remove_callback(bank, ledger);
  return outcome.done() ? say_callback(context, *known, std::nullopt) : say_no(outcome.problem);
}

}  // namespace

void add_bank_commands(CommandLine& group, CommandContext& context) {
  const auto options = std::make_shared<BankCommandOptions>();
  CommandLine command{""};
  const auto add = [&](CommandLine& parent, const char* name, const char* help, auto run) {
    command =
        add_command(parent, context, name, help, [&context, options, run] { return run(context, *options); });
    add_naming_options(command, *options);
    add_bank_ask_options(command, options->ask);
    add_json_option(command, context);
  };
  add(group, "check", "Whether its bank can be worked with, step by step", check_and_say);
  command.add_flag("--pay", options->pay,
                   "Show two codes of 0.01, wait until both payments are reported, and send them back");
  command
      .add_option("--wait", options->wait_s, "Seconds that --pay waits for both payments; 900 unless given")
      .range(kWaitMinS, kWaitMaxS);
  CommandLine callback = add_group(group, "callback", "Where its bank calls back");
  add(callback, "register", "Tell the bank where to call back, with a fresh secret", register_at_bank);
  command
      .add_option("--url", options->url,
                  "Scheme, host, port and prefix; the connection and a secret are appended")
      .required();
  add(callback, "show", "What the bank says, and what it was told", show_told_callback);
  add(callback, "remove", "Tell the bank not to call back any more", stop_callbacks);
}

}  // namespace pixledger::tools
