#pragma once

#include <memory>

#include "stores/exports/table.h"

namespace pixledger::stores {

// The language is that of what people read; programs' names are the same in all. `made_at`: what a workbook
// says of itself.
std::unique_ptr<TableWriter> make_table_writer(TableFormat format, const Table& table, Language language,
                                               Timestamp made_at);

}  // namespace pixledger::stores
