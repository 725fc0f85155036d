#pragma once

#include <memory>

#include "stores/exports/table.h"

namespace pixledger::stores {

// `language` is for human-readable formats; machine-readable names never change. `made_at` is the workbook's
// creation time.
std::unique_ptr<TableWriter> make_table_writer(TableFormat format, const Table& table, Language language,
                                               Timestamp made_at);

}  // namespace pixledger::stores
