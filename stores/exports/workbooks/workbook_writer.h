#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stores/exports/table.h"

namespace pixledger::stores {

// A workbook (xlsx) for people: numbers are numbers, amounts reais, times the dates of their zone's clocks,
// everything else a text, so that no cell is a formula and no id loses its zeros. Rows beyond what a sheet
// holds go on in another. It is made in unnamed files below the directory for temporary ones, in little
// memory, and has bytes to send only once all rows are there: end() packs it on a thread of its own.
class WorkbookWriter final : public TableWriter {
 public:
  // Throws std::runtime_error where there can be no temporary file.
  WorkbookWriter(Table table, Language language, Timestamp made_at);
  ~WorkbookWriter() override;

  void begin(std::string& out) override;
  void add(const Cells& row, std::string& out) override;
  bool end(std::string& out) override;

 private:
  class Book;

  std::shared_ptr<Book> book_;  // the packing thread keeps it, too: nobody waits for that
  bool is_packing_ = false;
  std::uint64_t sent_ = 0;
};

}  // namespace pixledger::stores
