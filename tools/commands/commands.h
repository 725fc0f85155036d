#pragma once

#include "tools/cli/command_context.h"

// The commands of `pixledger`, a file for each group. Each of these functions adds a group's commands and
// options to the program; `context` outlives the program. docs/COMMANDS.md describes what they do.
namespace pixledger::tools {

void add_init_command(CLI::App& program, CommandContext& context);
void add_project_commands(CLI::App& program, CommandContext& context);
void add_key_commands(CLI::App& program, CommandContext& context);
void add_connection_commands(CLI::App& program, CommandContext& context);
void add_channel_commands(CLI::App& program, CommandContext& context);
void add_delivery_commands(CLI::App& program, CommandContext& context);
void add_listen_command(CLI::App& program, CommandContext& context);
void add_charge_commands(CLI::App& program, CommandContext& context);
void add_customer_commands(CLI::App& program, CommandContext& context);
void add_events_command(CLI::App& program, CommandContext& context);
void add_history_command(CLI::App& program, CommandContext& context);
void add_report_command(CLI::App& program, CommandContext& context);
void add_export_command(CLI::App& program, CommandContext& context);
void add_reconcile_command(CLI::App& program, CommandContext& context);
void add_projections_commands(CLI::App& program, CommandContext& context);
void add_verify_command(CLI::App& program, CommandContext& context);
void add_proof_commands(CLI::App& program, CommandContext& context);
void add_clock_commands(CLI::App& program, CommandContext& context);
void add_qr_command(CLI::App& program, CommandContext& context);
void add_receive_command(CLI::App& program, CommandContext& context);
void add_backup_command(CLI::App& program, CommandContext& context);
void add_restore_command(CLI::App& program, CommandContext& context);
void add_secrets_commands(CLI::App& program, CommandContext& context);
void add_doctor_command(CLI::App& program, CommandContext& context);
void add_up_command(CLI::App& program, CommandContext& context);

}  // namespace pixledger::tools
