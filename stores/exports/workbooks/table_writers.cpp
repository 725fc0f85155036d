#include "stores/exports/workbooks/table_writers.h"

#include "stores/exports/table_text.h"
#include "stores/exports/workbooks/workbook_writer.h"

namespace pixledger::stores {

std::unique_ptr<TableWriter> make_table_writer(TableFormat format, const Table& table, Language language,
                                               Timestamp made_at) {
  switch (format) {
    case TableFormat::kCsv:
      return csv_writer(table.columns);
    case TableFormat::kBrazilianCsv:
      return brazilian_csv_writer(table.columns, language);
    case TableFormat::kWorkbook:
      return std::make_unique<WorkbookWriter>(table, language, made_at);
    case TableFormat::kJsonLines:
      break;
  }
  return json_lines_writer(table.columns);
}

}  // namespace pixledger::stores
