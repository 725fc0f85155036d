#pragma once

#include "tools/cli/command_context.h"

// The commands of `pixledger`, one file per group. Each function adds a group's commands and options to the
// program; `context` must outlive the program. Their --help documents them, and the manual page is made from
// it.
namespace pixledger::tools {

// The whole program.
CommandLine declare_program(CommandContext& context);

void add_init_command(CommandLine& program, CommandContext& context);
void add_kept_commands(CommandLine& program, CommandContext& context);
void add_migrate_command(CommandLine& program, CommandContext& context);
void add_project_commands(CommandLine& program, CommandContext& context);
void add_key_commands(CommandLine& program, CommandContext& context);
void add_user_commands(CommandLine& program, CommandContext& context);
void add_connection_commands(CommandLine& program, CommandContext& context);
// Commands of `connection` that connect to a bank.
void add_bank_commands(CommandLine& group, CommandContext& context);
void add_channel_commands(CommandLine& program, CommandContext& context);
void add_delivery_commands(CommandLine& program, CommandContext& context);
void add_email_commands(CommandLine& program, CommandContext& context);
void add_listen_command(CommandLine& program, CommandContext& context);
void add_checkout_commands(CommandLine& program, CommandContext& context);
void add_charge_commands(CommandLine& program, CommandContext& context);
void add_payment_commands(CommandLine& program, CommandContext& context);
void add_customer_commands(CommandLine& program, CommandContext& context);
void add_events_command(CommandLine& program, CommandContext& context);
void add_history_command(CommandLine& program, CommandContext& context);
void add_report_command(CommandLine& program, CommandContext& context);
void add_export_command(CommandLine& program, CommandContext& context);
void add_reconcile_command(CommandLine& program, CommandContext& context);
void add_projections_commands(CommandLine& program, CommandContext& context);
void add_verify_command(CommandLine& program, CommandContext& context);
void add_proof_commands(CommandLine& program, CommandContext& context);
void add_clock_commands(CommandLine& program, CommandContext& context);
void add_qr_command(CommandLine& program, CommandContext& context);
void add_receive_command(CommandLine& program, CommandContext& context);
void add_mcp_command(CommandLine& program, CommandContext& context);
void add_backup_command(CommandLine& program, CommandContext& context);
// `backup verify`.
void add_backup_verify_command(CommandLine& backup, CommandContext& context);
void add_follow_command(CommandLine& program, CommandContext& context);
void add_restore_command(CommandLine& program, CommandContext& context);
void add_secrets_commands(CommandLine& program, CommandContext& context);
void add_doctor_command(CommandLine& program, CommandContext& context);
void add_up_command(CommandLine& program, CommandContext& context);

}  // namespace pixledger::tools
