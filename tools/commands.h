#pragma once

#include "tools/tool.h"

// The commands of `pixledger`, a file for each group. Each of these functions adds a group's commands and
// options to the program; `tool` outlives the program. docs/COMMANDS.md describes what they do.
namespace pixledger::tools {

void add_init_command(CLI::App& program, Tool& tool);
void add_project_commands(CLI::App& program, Tool& tool);
void add_key_commands(CLI::App& program, Tool& tool);
void add_connection_commands(CLI::App& program, Tool& tool);
void add_channel_commands(CLI::App& program, Tool& tool);
void add_delivery_commands(CLI::App& program, Tool& tool);
void add_listen_command(CLI::App& program, Tool& tool);
void add_charge_commands(CLI::App& program, Tool& tool);
void add_customer_commands(CLI::App& program, Tool& tool);
void add_events_command(CLI::App& program, Tool& tool);
void add_history_command(CLI::App& program, Tool& tool);
void add_report_command(CLI::App& program, Tool& tool);
void add_export_command(CLI::App& program, Tool& tool);
void add_reconcile_command(CLI::App& program, Tool& tool);
void add_projections_commands(CLI::App& program, Tool& tool);
void add_verify_command(CLI::App& program, Tool& tool);
void add_proof_commands(CLI::App& program, Tool& tool);
void add_clock_commands(CLI::App& program, Tool& tool);
void add_qr_command(CLI::App& program, Tool& tool);
void add_receive_command(CLI::App& program, Tool& tool);
void add_backup_command(CLI::App& program, Tool& tool);
void add_restore_command(CLI::App& program, Tool& tool);
void add_secrets_commands(CLI::App& program, Tool& tool);
void add_doctor_command(CLI::App& program, Tool& tool);
void add_up_command(CLI::App& program, Tool& tool);

}  // namespace pixledger::tools
