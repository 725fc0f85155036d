#pragma once

#include <cstddef>
#include <vector>

#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// What both engines have of a table. Rows are copied in the order of its first columns, which are its key.
struct CopiedTable {
  const char* name;
  std::size_t keys;
  std::vector<const char*> columns;
};

// From one database into another in the place of what that has, within transactions of the caller's. A part
// at a time, so that memory does not grow with the tables. Throws what the databases do.
void copy_tables(const std::vector<CopiedTable>& tables, SqlDatabase& from, SqlDatabase& to);

}  // namespace pixledger::stores
