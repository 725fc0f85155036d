#include "tools/commands.h"

int main(int argc, char** argv) {
  using namespace pixledger;
  tools::Tool tool;
  tool.actor = tools::operator_name();
  CLI::App program("pixledger: an event-sourced ledger that collects Pix charges");
  eventstore::add_common_options(program, tool.common);
  program.require_subcommand(1);
  tools::add_init_command(program, tool);
  tools::add_up_command(program, tool);
  tools::add_project_commands(program, tool);
  tools::add_key_commands(program, tool);
  tools::add_connection_commands(program, tool);
  tools::add_channel_commands(program, tool);
  tools::add_delivery_commands(program, tool);
  tools::add_listen_command(program, tool);
  tools::add_charge_commands(program, tool);
  tools::add_customer_commands(program, tool);
  tools::add_events_command(program, tool);
  tools::add_history_command(program, tool);
  tools::add_report_command(program, tool);
  tools::add_export_command(program, tool);
  tools::add_reconcile_command(program, tool);
  tools::add_projections_commands(program, tool);
  tools::add_verify_command(program, tool);
  tools::add_doctor_command(program, tool);
  tools::add_proof_commands(program, tool);
  tools::add_backup_command(program, tool);
  tools::add_restore_command(program, tool);
  tools::add_secrets_commands(program, tool);
  tools::add_clock_commands(program, tool);
  tools::add_qr_command(program, tool);
  tools::add_receive_command(program, tool);
  return eventstore::run_main(program, tool.common, argc, argv, eventstore::ProgramKind::kCommand,
                              [&tool] { return tool.chosen(); });
}
