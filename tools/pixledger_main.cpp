#include "tools/commands/commands.h"

int main(int argc, char** argv) {
  using namespace pixledger;
  tools::CommandContext context;
  context.actor = tools::operator_name();
  eventstore::CommandLine program("pixledger: an event-sourced ledger that collects Pix charges");
  eventstore::add_common_options(program, context.common);
  program.require_command();
  tools::add_init_command(program, context);
  tools::add_up_command(program, context);
  tools::add_project_commands(program, context);
  tools::add_key_commands(program, context);
  tools::add_connection_commands(program, context);
  tools::add_channel_commands(program, context);
  tools::add_delivery_commands(program, context);
  tools::add_listen_command(program, context);
  tools::add_charge_commands(program, context);
  tools::add_customer_commands(program, context);
  tools::add_events_command(program, context);
  tools::add_history_command(program, context);
  tools::add_report_command(program, context);
  tools::add_export_command(program, context);
  tools::add_reconcile_command(program, context);
  tools::add_projections_commands(program, context);
  tools::add_verify_command(program, context);
  tools::add_doctor_command(program, context);
  tools::add_proof_commands(program, context);
  tools::add_backup_command(program, context);
  tools::add_restore_command(program, context);
  tools::add_secrets_commands(program, context);
  tools::add_clock_commands(program, context);
  tools::add_qr_command(program, context);
  tools::add_receive_command(program, context);
  return eventstore::run_main(program, context.common, argc, argv, eventstore::ProgramKind::kCommand,
                              [&context] { return context.chosen(); });
}
