#include "tools/commands/commands.h"

namespace pixledger::tools {

CommandLine declare_program(CommandContext& context) {
  CommandLine program("pixledger: an event-sourced ledger that collects Pix charges");
  add_common_options(program, context.common);
  program.require_command();
  add_init_command(program, context);
  add_up_command(program, context);
  add_project_commands(program, context);
  add_key_commands(program, context);
  add_user_commands(program, context);
  add_connection_commands(program, context);
  add_channel_commands(program, context);
  add_delivery_commands(program, context);
  add_email_commands(program, context);
  add_listen_command(program, context);
  add_charge_commands(program, context);
  add_checkout_commands(program, context);
  add_payment_commands(program, context);
  add_customer_commands(program, context);
  add_events_command(program, context);
  add_history_command(program, context);
  add_report_command(program, context);
  add_export_command(program, context);
  add_reconcile_command(program, context);
  add_projections_commands(program, context);
  add_verify_command(program, context);
  add_doctor_command(program, context);
  add_proof_commands(program, context);
  add_backup_command(program, context);
  add_follow_command(program, context);
  add_restore_command(program, context);
  add_migrate_command(program, context);
  add_kept_commands(program, context);
  add_secrets_commands(program, context);
  add_clock_commands(program, context);
  add_qr_command(program, context);
  add_receive_command(program, context);
  add_mcp_command(program, context);
  return program;
}

}  // namespace pixledger::tools
