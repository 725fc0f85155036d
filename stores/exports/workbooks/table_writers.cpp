#include "stores/exports/workbooks/table_writers.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>
#include <xlsxwriter.h>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "base/values/civil_date.h"
#include "stores/exports/table.h"

namespace pixledger::stores {
namespace {

// A workbook (xlsx) for people. Numbers are numbers, amounts are reais, times are local dates of their zone.
// All other cells are texts, so that no cell is a formula and no id loses its zeros. Rows beyond a sheet's
// limit continue in another sheet. It is written to unnamed temporary files with little memory, and output
// starts only after the last row: end() packs it on a separate thread.
class WorkbookWriter final : public TableWriter {
 public:
  // Throws std::runtime_error if no temporary file can be created.
  WorkbookWriter(Table table, Language language, Timestamp made_at);
  ~WorkbookWriter() override;

  void begin(std::string& out) override;
  void add(const Cells& row, std::string& out) override;
  bool end(std::string& out) override;

 private:
  class Book;

  std::shared_ptr<Book> book_;  // shared with the packing thread, which is not joined
  bool is_packing_ = false;
  std::uint64_t sent_ = 0;
};

// Sizes and offsets of the fixed parts (APPNOTE.TXT 4.3.16 and 4.3.12).
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEntryBytes = 46;
constexpr std::uint64_t kIn64Bits = 0xffffffff;  // the true size is stored elsewhere

std::string read_at(int descriptor, std::uint64_t from, std::size_t size) {
  std::string bytes(size, '\0');
  const auto got = ::pread(descriptor, bytes.data(), size, static_cast<off_t>(from));
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// The total unpacked size of a ZIP file's entries with this name prefix, from its directory. 0 if it is not
// such a file.
std::uint64_t bytes_of_zip_entries(int descriptor, std::string_view prefix) {
  struct stat file {};
  if (::fstat(descriptor, &file) != 0 || file.st_size < static_cast<off_t>(kEndBytes)) return 0;
  const auto size = static_cast<std::uint64_t>(file.st_size);
  const auto end = read_at(descriptor, size - kEndBytes, kEndBytes);
  if (end.size() != kEndBytes || end.substr(0, 4) != "PK\5\6") return 0;
  const auto directory_size = little_endian(end, 12, 4);
  const auto from = little_endian(end, 16, 4);
  if (from == kIn64Bits || from + directory_size > size) return from == kIn64Bits ? UINT64_MAX : 0;
  const auto directory = read_at(descriptor, from, directory_size);
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + kEntryBytes <= directory.size();) {
    if (directory.substr(at, 4) != "PK\1\2") return 0;
    const auto name_size = little_endian(directory, at + 28, 2);
    if (directory.substr(at + kEntryBytes, std::min<std::size_t>(prefix.size(), name_size)) == prefix) {
      const auto unpacked = little_endian(directory, at + 24, 4);
      if (unpacked == kIn64Bits) return UINT64_MAX;
      sum += unpacked;
    }
    at +=
        kEntryBytes + name_size + little_endian(directory, at + 30, 2) + little_endian(directory, at + 32, 2);
  }
  return sum;
}

constexpr std::uint32_t kRowsOfSheet = LXW_ROW_MAX;
constexpr std::chrono::milliseconds kWaitForPacking{20};
constexpr std::size_t kPieceBytes = 32 * 1024;
// Excel's limit is 32,767 UTF-16 units; only metadata comes near it.
constexpr std::size_t kCellBytesMax = 32'767;
// 1970-01-01 in spreadsheets' day numbers.
constexpr double kEpochDay = 25'569;
// A sheet's minimum size without rows.
constexpr std::uint64_t kSheetFrameBytes = 400;

[[noreturn]] void fail(const std::string& directory, const std::string& problem) {
  throw std::runtime_error("the workbook could not be written to a temporary file below " + directory + ": " +
                           problem + "; TMPDIR names another directory");
}

// An unnamed file: nothing of it is left, whatever happens. Its descriptor is the caller's.
int open_unnamed_file(const std::string& directory) {
  auto name = directory + "/pixledger-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail(directory, std::generic_category().message(errno));
  ::unlink(name.c_str());
  return descriptor;
}

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return hex_digit(c) >= 0; });
}

// A cell's XML text: escapes `_x0041_`, which would be read as an A (ECMA-376, ST_Xstring), and replaces
// U+FFFE and U+FFFF, which are not allowed.
std::string cell_text(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "_x" && at + 6 < text.size() && text[at + 6] == '_' &&
        is_hexadecimal(text.substr(at + 2, 4)))
      shown += "_x005F";
    if (text.substr(at, 3) == "\xef\xbf\xbe" || text.substr(at, 3) == "\xef\xbf\xbf") {
      shown += "\xef\xbf\xbd";
      at += 2;
    } else {
      shown += text[at];
    }
  }
  if (shown.size() <= kCellBytesMax) return shown;
  constexpr std::string_view kCut = "\xe2\x80\xa6";
  return std::string(first_bytes(shown, kCellBytesMax - kCut.size())).append(kCut);
}

double width_of(Column::Kind kind) {
  switch (kind) {
    case Column::Kind::kText:
      return 26;
    case Column::Kind::kDocument:
    case Column::Kind::kTime:
      return 19;
    case Column::Kind::kNumber:
      return 12;
    case Column::Kind::kCents:
      break;
  }
  return 14;
}

// The growing file, and libxlsxwriter's state of it.
class WorkbookWriter::Book {
 public:
  Book(Table table, Language language, Timestamp made_at)
      : table_(std::move(table)), language_(language), file_(open_unnamed_file(directory_)) {
    lxw_workbook_options options{};
    options.constant_memory = LXW_TRUE;
    options.tmpdir = directory_.data();
    const auto path = "/proc/self/fd/" + std::to_string(file_.number());
    book_ = workbook_new_opt(path.c_str(), &options);
    if (!book_) fail(directory_, "no memory");
    lxw_doc_properties properties{};
    auto title = std::string(table_.title.in(language_));
    properties.title = title.data();
    properties.created = made_at.millis() / 1000;
    workbook_set_properties(book_, &properties);
    bold_ = workbook_add_format(book_);
    format_set_bold(bold_);
    reais_ = workbook_add_format(book_);
    format_set_num_format(reais_, "#,##0.00");
    time_ = workbook_add_format(book_);
    format_set_num_format(time_,
                          language_ == Language::kPortuguese ? "dd/mm/yyyy hh:mm:ss" : "yyyy-mm-dd hh:mm:ss");
    date_ = workbook_add_format(book_);
    format_set_num_format(date_, language_ == Language::kPortuguese ? "dd/mm/yyyy" : "yyyy-mm-dd");
    add_sheet();
  }
  ~Book() {
    if (!book_) return;
    // The library leaves these open.
    for (auto* sheet : sheets_)
      if (auto* rows = std::exchange(sheet->optimize_tmpfile, nullptr)) std::fclose(rows);
    lxw_workbook_free(book_);
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  void add(const Cells& row) {
    if (row_ == kRowsOfSheet) add_sheet();
    lxw_col_t at = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_shown(table_.columns[i])) continue;
      const auto& column = table_.columns[i];
      std::visit([&](const auto& value) { write(at, column.kind, value); },
                 shown_to_people(column, language_, row[i]));
      ++at;
    }
    ++row_;
  }

  // Keeps an error for wait().
  void pack() {
    std::optional<std::string> problem;
    try {
      pack_or_throw();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const std::lock_guard lock(mutex_);
    is_packed_ = true;
    problem_ = std::move(problem);
    packed_.notify_all();
  }

  // True if packing has finished. Throws if it failed.
  bool wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    if (!packed_.wait_for(lock, at_most, [this] { return is_packed_; })) return false;
    if (problem_) throw std::runtime_error(*problem_);
    return true;
  }

  // Reads the packed file; returns 0 at its end.
  std::size_t read(std::uint64_t from, char* into, std::size_t room) const {
    const auto got = ::pread(file_.number(), into, room, static_cast<off_t>(from));
    if (got < 0) fail(directory_, std::generic_category().message(errno));
    return static_cast<std::size_t>(got);
  }

 private:
  bool is_shown(const Column& column) const { return !column.title.in(language_).empty(); }

  void check(lxw_error error) const {
    if (error != LXW_NO_ERROR) fail(directory_, lxw_strerror(error));
  }

  void add_sheet() {
    const auto number = sheets_.size() + 1;
    auto name = std::string(table_.title.in(language_));
    if (number > 1) name += " " + std::to_string(number);
    auto* sheet = workbook_add_worksheet(book_, name.c_str());
    if (!sheet) fail(directory_, "no further sheet can be added");
    sheets_.push_back(sheet);
    lxw_col_t at = 0;
    for (const auto& column : table_.columns)
      if (is_shown(column)) {
        check(worksheet_set_column(sheet, at, at, width_of(column.kind), nullptr));
        ++at;
      }
    worksheet_freeze_panes(sheet, 1, 0);
    at = 0;
    for (const auto& column : table_.columns)
      if (is_shown(column)) {
        const auto title = cell_text(column.title.in(language_));
        check(worksheet_write_string(sheet, 0, at, title.c_str(), bold_));
        ++at;
      }
    row_ = 1;
  }

  void write(lxw_col_t, Column::Kind, std::monostate) {}
  void write(lxw_col_t at, Column::Kind kind, std::int64_t number) {
    const bool is_money = kind == Column::Kind::kCents;
    const auto value = static_cast<double>(number);
    check(worksheet_write_number(sheets_.back(), row_, at, is_money ? value / 100 : value,
                                 is_money ? reais_ : nullptr));
  }
  void write(lxw_col_t at, Column::Kind, const std::string& text) {
    if (text.empty()) return;
    check(worksheet_write_string(sheets_.back(), row_, at, cell_text(with_hidden_escaped(text)).c_str(),
                                 nullptr));
  }
  void write(lxw_col_t at, Column::Kind kind, const domain::Metadata& metadata) {
    Json json;
    json.value(metadata);
    write(at, kind, json.take());
  }
  void write(lxw_col_t at, Column::Kind, const LocalTime& time) {
    const auto days = static_cast<double>(time.local_ms()) / static_cast<double>(kDayMs);
    check(worksheet_write_number(sheets_.back(), row_, at, kEpochDay + days, time_));
  }

  void write(lxw_col_t at, Column::Kind, const CalendarDay& day) {
    check(
        worksheet_write_number(sheets_.back(), row_, at, kEpochDay + static_cast<double>(day.number), date_));
  }

  // libxlsxwriter ignores write errors of its temporary files: a full disk would give half a table. So the
  // sizes of the packed rows are checked.
  void pack_or_throw() {
    std::uint64_t rows_bytes = 0;
    for (auto* sheet : sheets_) {
      if (!sheet->optimize_tmpfile) fail(directory_, "no file for rows");
      if (std::fflush(sheet->optimize_tmpfile) != 0 || std::ferror(sheet->optimize_tmpfile) != 0)
        fail(directory_, std::generic_category().message(errno));
      const auto size = ::ftello(sheet->optimize_tmpfile);
      if (size < 0) fail(directory_, std::generic_category().message(errno));
      rows_bytes += static_cast<std::uint64_t>(size) + kSheetFrameBytes;
    }
    const auto error = workbook_close(book_);  // frees it, even on error
    book_ = nullptr;
    check(error);
    if (bytes_of_zip_entries(file_.number(), "xl/worksheets/sheet") < rows_bytes)
      fail(directory_, "it lacks rows, as when the disk is full");
  }

  const Table table_;
  const Language language_;
  std::string directory_ = temporary_directory().string();
  const Descriptor file_;
  lxw_workbook* book_ = nullptr;
  lxw_format* bold_ = nullptr;
  lxw_format* reais_ = nullptr;
  lxw_format* time_ = nullptr;
  lxw_format* date_ = nullptr;
  std::vector<lxw_worksheet*> sheets_;
  lxw_row_t row_ = 0;  // the next row of the last sheet

  std::mutex mutex_;
  std::condition_variable packed_;
  bool is_packed_ = false;
  std::optional<std::string> problem_;
};

WorkbookWriter::WorkbookWriter(Table table, Language language, Timestamp made_at)
    : book_(std::make_shared<Book>(std::move(table), language, made_at)) {}

WorkbookWriter::~WorkbookWriter() = default;

void WorkbookWriter::begin(std::string&) {}

void WorkbookWriter::add(const Cells& row, std::string&) { book_->add(row); }

bool WorkbookWriter::end(std::string& out) {
  if (!is_packing_) {
    is_packing_ = true;
    std::thread([book = book_] { book->pack(); }).detach();
  }
  if (!book_->wait(kWaitForPacking)) return true;
  const auto before = out.size();
  out.resize(before + kPieceBytes);
  const auto got = book_->read(sent_, out.data() + before, kPieceBytes);
  out.resize(before + got);
  sent_ += got;
  return got > 0;
}

}  // namespace

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
