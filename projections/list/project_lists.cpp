#include "projections/list/project_lists.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "base/platform/checked_file.h"
#include "projections/columns/value_scan.h"
#include "projections/list/block_mask.h"
#include "projections/list/list_version.h"

namespace pixledger::projections {
namespace {

// Chunks from a snapshot have the first epoch. The list's own epochs are later, so it never changes in place
// what the first version can see.
constexpr std::uint64_t kReadEpoch = 0;

// Beyond these limits, time differences could overflow.
constexpr std::int64_t kMillisMax = std::int64_t{1} << 60;

void require(bool holds) {
  if (!holds) throw DamagedFile();
}

template <class T>
GrowingColumn<T> read_column(CheckedFileReader& in, std::size_t size) {
  in.expect(size, sizeof(T));
  GrowingColumn<T> column;
  in.bytes(column.extend(size), size * sizeof(T));
  return column;
}

template <class T>
std::vector<T> read_vector(CheckedFileReader& in, std::size_t size) {
  in.expect(size, sizeof(T));
  std::vector<T> values(size);
  in.bytes(values.data(), size * sizeof(T));
  return values;
}

template <class Values>
bool never_falls(const Values& values) {
  return std::is_sorted(values.begin(), values.end());
}

template <class Values>
bool rises(const Values& values) {
  return std::adjacent_find(values.begin(), values.end(),
                            [](auto left, auto right) { return left >= right; }) == values.end();
}

std::size_t separators_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), kTextSeparator));
}

// Checks that `ends` cut `text` into records that end with a separator, with `separators_each` separators per
// record.
bool cuts(const std::vector<std::uint32_t>& ends, std::string_view text, std::size_t separators_each) {
  if (!rises(ends) || (ends.empty() ? 0 : ends.back()) != text.size()) return false;
  return separators_in(text) == ends.size() * separators_each &&
         std::all_of(ends.begin(), ends.end(),
                     [text](std::uint32_t end) { return end != 0 && text[end - 1] == kTextSeparator; });
}

void write_widening(CheckedFileWriter& out, const WideningColumn& column) {
  out.value<std::uint8_t>(column.is_wide());
  if (column.is_wide()) {
    out.array(column.wide().span());
  } else {
    out.array(column.narrow().span());
  }
}

WideningColumn read_widening(CheckedFileReader& in, std::size_t rows) {
  if (in.value<std::uint8_t>() != 0) return WideningColumn::of(read_column<std::int64_t>(in, rows));
  return WideningColumn::of(read_column<std::uint32_t>(in, rows));
}

void write_amounts(CheckedFileWriter& out, const AmountColumn& amounts) {
  out.value(static_cast<std::uint32_t>(amounts.values().size()));
  if (!amounts.is_ranked()) {
    write_widening(out, amounts.plain());
    return;
  }
  write_widening(out, amounts.values());
  out.array(amounts.low().span());
  out.array(amounts.high().span());
}

AmountColumn read_amounts(CheckedFileReader& in, std::size_t rows, bool are_ranked) {
  const auto value_count = in.value<std::uint32_t>();
  require(value_count <= rows && are_ranked == (value_count != 0));
  if (!are_ranked) return AmountColumn::of(read_widening(in, rows));
  auto values = read_widening(in, value_count);
  require(values.is_wide() ? rises(values.wide().span()) : rises(values.narrow().span()));
  auto low = read_column<std::uint8_t>(in, rows);
  auto high = read_column<std::uint8_t>(in, value_count > AmountColumn::kLowMax ? rows : 0);
  auto amounts = AmountColumn::of(std::move(values), std::move(low), std::move(high));
  require(amounts.has_ranks_below(value_count));
  return amounts;
}

void write_codes(CheckedFileWriter& out, const CodeColumn& column) {
  out.value(static_cast<std::uint32_t>(column.codes().size()));
  out.array(column.codes().span());
  if (column.is_wide()) {
    out.array(column.wide().span());
  } else {
    out.array(column.narrow().span());
  }
}

template <class Place>
CodeColumn read_places(CheckedFileReader& in, GrowingColumn<std::uint32_t> codes, std::size_t rows) {
  auto places = read_column<Place>(in, rows);
  require(largest(places.data(), places.size()) < codes.size());
  return CodeColumn::of(std::move(codes), std::move(places));
}

CodeColumn read_codes(CheckedFileReader& in, std::size_t rows, std::uint32_t dictionary_size) {
  const auto code_count = in.value<std::uint32_t>();
  require(code_count <= rows);
  auto codes = read_column<std::uint32_t>(in, code_count);
  std::vector<std::uint32_t> sorted(codes.span().begin(), codes.span().end());
  std::sort(sorted.begin(), sorted.end());
  require(rises(sorted) && !sorted.empty() && sorted.back() < dictionary_size);
  return code_count > CodeColumn::kNarrowMax ? read_places<std::uint16_t>(in, std::move(codes), rows)
                                             : read_places<std::uint8_t>(in, std::move(codes), rows);
}

void write_dictionary(CheckedFileWriter& out, const ValueDictionary& dictionary) {
  out.value(dictionary.size());
  for (const auto& text : dictionary.texts()) out.text(text);
}

ValueDictionary read_dictionary(CheckedFileReader& in) {
  ValueDictionary dictionary;
  const auto size = in.value<std::uint32_t>();
  for (std::uint32_t code = 0; code < size; ++code)
    require(dictionary.code_of(in.text(), kReadEpoch) == code);
  return dictionary;
}

void write_customers(CheckedFileWriter& out, const ListVersion& version) {
  out.value(version.customer_count());
  out.array(version.customer_created_ms.span());
  out.value(static_cast<std::uint32_t>(version.sandbox_customers.size()));
  out.array(version.sandbox_customers.span());
  for (std::size_t i = 0; i < version.customer_texts.size(); ++i) {
    out.array(std::span<const std::uint32_t>(version.customer_texts[i].ends));
    out.text(version.customer_texts[i].text);
  }
}

void read_customers(CheckedFileReader& in, ListVersion& list) {
  const auto count = in.value<std::uint32_t>();
  require(count < kNoOrdinal);
  list.customer_created_ms = read_column<std::int64_t>(in, count);
  require(never_falls(list.customer_created_ms.span()));
  const auto in_sandbox = in.value<std::uint32_t>();
  require(in_sandbox <= count);
  list.sandbox_customers = read_column<std::uint32_t>(in, in_sandbox);
  require(rises(list.sandbox_customers.span()) &&
          (in_sandbox == 0 || list.sandbox_customers[in_sandbox - 1] < count));
  const ListShape& shape = list.shape;
  for (std::uint64_t first = 0; first < count; first += shape.text_chunk_rows) {
    CustomerTexts texts;
    texts.ends = read_vector<std::uint32_t>(in, std::min<std::size_t>(count - first, shape.text_chunk_rows));
    texts.text = in.text();
    require(cuts(texts.ends, texts.text, CustomerTexts::kTextsEach));
    list.customer_texts.push_back(std::move(texts), kReadEpoch);
  }
  for (std::uint64_t first = 0; first < count; first += shape.link_chunk_rows) {
    std::vector<CustomerLink> links(std::min<std::size_t>(count - first, shape.link_chunk_rows));
    list.links.push_back(std::move(links), kReadEpoch);
  }
}

void write_segment(CheckedFileWriter& out, const ListSegment& segment) {
  out.value(segment.first_created_ms);
  write_widening(out, segment.created);
  for (const auto& column : segment.coded) write_codes(out, column);
  write_amounts(out, segment.amount);
  out.array(segment.customer.span());
  out.value(static_cast<std::uint32_t>(segment.external_ids.rows.size()));
  out.array(segment.external_ids.rows.span());
  out.value(static_cast<std::uint32_t>(segment.external_ids.text.size()));
  out.array(segment.external_ids.text.span());
}

ExternalIdColumn read_external_ids(CheckedFileReader& in, std::size_t segment_rows) {
  ExternalIdColumn ids;
  const auto count = in.value<std::uint32_t>();
  require(count <= segment_rows);
  ids.rows = read_column<std::uint16_t>(in, count);
  ids.text = read_column<char>(in, in.value<std::uint32_t>());
  require(rises(ids.rows.span()) && (count == 0 || ids.rows[count - 1] < segment_rows));
  const std::string_view text(ids.text.data(), ids.text.size());
  require(separators_in(text) == count && (text.empty() || text.back() == kTextSeparator));
  return ids;
}

void require_times(const ListSegment& segment, std::int64_t created_before_ms) {
  const std::size_t last = segment.created.size() - 1;
  require(segment.created.is_wide() ? never_falls(segment.created.wide().span())
                                    : never_falls(segment.created.narrow().span()));
  require(segment.created[0] == 0 && segment.created[last] <= kMillisMax);
  require(segment.first_created_ms >= created_before_ms && segment.first_created_ms <= kMillisMax);
}

void find_amount_zone(ListSegment& segment) {
  const auto take = [&segment](const auto& amounts) {
    const auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
    segment.amount_min = *least;
    segment.amount_max = *most;
  };
  const WideningColumn& amounts =
      segment.amount.is_ranked() ? segment.amount.values() : segment.amount.plain();
  if (amounts.is_wide()) {
    take(amounts.wide().span());
  } else {
    take(amounts.narrow().span());
  }
}

// Rebuilds the chains from the rows' customers.
void link_charges(ListVersion& list, ListSegment& segment) {
  const std::uint32_t chunk_rows = list.shape.link_chunk_rows;
  std::uint32_t* const previous = segment.previous.extend(segment.customer.size());
  for (std::size_t row = 0; row < segment.customer.size(); ++row) {
    const std::uint32_t customer = segment.customer[row];
    CustomerLink& link = list.links.edit(customer / chunk_rows, kReadEpoch)[customer % chunk_rows];
    previous[row] = link.newest;
    link = {static_cast<std::uint32_t>(list.charges + row), link.count + 1};
  }
}

ListSegment read_segment(CheckedFileReader& in, ListVersion& list, std::size_t rows,
                         std::int64_t created_before_ms) {
  ListSegment segment;
  segment.first_created_ms = in.value<std::int64_t>();
  segment.created = read_widening(in, rows);
  require_times(segment, created_before_ms);
  for (std::size_t i = 0; i < kCodedColumns; ++i)
    segment.coded[i] = read_codes(in, rows, list.dictionaries[i].size());
  segment.amount = read_amounts(in, rows, rows == list.shape.segment_rows);
  find_amount_zone(segment);
  segment.customer = read_column<std::uint32_t>(in, rows);
  require(largest(segment.customer.data(), rows) < list.customer_count());
  segment.external_ids = read_external_ids(in, rows);
  link_charges(list, segment);
  return segment;
}

void read_segments(CheckedFileReader& in, ListVersion& list, std::uint32_t charges) {
  std::int64_t created_before_ms = -kMillisMax;
  while (list.charges < charges) {
    const std::uint32_t rows = std::min(charges - list.charges, list.shape.segment_rows);
    ListSegment segment = read_segment(in, list, rows, created_before_ms);
    created_before_ms = segment.created_ms(rows - 1);
    list.charges += rows;
    if (rows == list.shape.segment_rows) {
      list.sealed.push_back(std::make_shared<const ListSegment>(std::move(segment)));
    } else {
      list.tail = std::move(segment);
    }
  }
}

void write_states(CheckedFileWriter& out, const StateBlock& states) {
  for (std::size_t bit = 0; bit < kStateBits; ++bit) out.array(states.plane(bit));
}

void read_states(CheckedFileReader& in, ListVersion& list) {
  for (std::uint64_t first = 0; first < list.charges; first += list.shape.block_rows) {
    const auto rows = std::min<std::size_t>(list.charges - first, list.shape.block_rows);
    StateBlock::Planes planes;
    for (auto& plane : planes) plane = read_vector<std::uint64_t>(in, words_of(rows));
    StateBlock states(std::move(planes), rows);
    require(states.is_valid());
    list.sandbox_charges += static_cast<std::uint32_t>(states.sandbox_rows());
    list.states.push_back(std::move(states), kReadEpoch);
  }
}

// Writes columns in memory layout. Chains and amount zones are not written; reading rebuilds them.
void write_list(CheckedFileWriter& out, const ListVersion& version) {
  for (const std::uint32_t rows : {version.shape.segment_rows, version.shape.block_rows,
                                   version.shape.link_chunk_rows, version.shape.text_chunk_rows})
    out.value(rows);
  for (const auto& dictionary : version.dictionaries) write_dictionary(out, dictionary);
  write_customers(out, version);
  out.value(version.charge_count());
  for (std::size_t i = 0; i < version.segment_count(); ++i) write_segment(out, version.segment(i));
  for (std::size_t i = 0; i < version.states.size(); ++i) write_states(out, version.states[i]);
}

// Throws DamagedFile on content that no list can have, so that users of the list need not check again.
ListVersion read_list(CheckedFileReader& in) {
  ListShape shape;
  for (std::uint32_t* const rows :
       {&shape.segment_rows, &shape.block_rows, &shape.link_chunk_rows, &shape.text_chunk_rows})
    *rows = in.value<std::uint32_t>();
  require(shape.is_valid());
  ListVersion list(shape);
  for (auto& dictionary : list.dictionaries) dictionary = read_dictionary(in);
  read_customers(in, list);
  const auto charges = in.value<std::uint32_t>();
  require(charges < kNoOrdinal);
  read_segments(in, list, charges);
  read_states(in, list);
  return list;
}

// Change the number with the format and with search_form(), which defines the texts' form.
constexpr std::string_view kFormat = "pixledger transaction lists 7";
// Detects a file of another byte order.
constexpr std::uint32_t kByteOrder = 0x01020304;

ListSnapshot read_all(CheckedFileReader& in) {
  if (in.text() != kFormat || in.value<std::uint32_t>() != kByteOrder) throw DamagedFile();
  ListSnapshot snapshot;
  snapshot.stamp = in.text();
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    auto project = domain::ProjectId::parse(in.text());
    if (!project) throw DamagedFile();
    TransactionList list(read_list(in));
    if (!snapshot.lists.emplace(*std::move(project), std::move(list)).second) throw DamagedFile();
  }
  in.finish();
  return snapshot;
}

struct ApplyTo {
  TransactionList& list;

  void operator()(const CustomerListed& change) const {
    const auto& texts = change.texts;
    list.add_customer({change.created_at, texts.name, texts.email, texts.phone, change.environment});
  }
  void operator()(const CustomerTextsListed& change) const {
    const auto& texts = change.texts;
    list.change_customer(change.customer, texts.name, texts.email, texts.phone);
  }
  void operator()(const ChargeListed& change) const { list.add_charge(change.charge); }
  void operator()(const ChargeStatusListed& change) const { list.set_status(change.charge, change.status); }
};

const domain::ProjectId& project_of(const ListChange& change) {
  struct Project {
    const domain::ProjectId& operator()(const CustomerListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const CustomerTextsListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const ChargeListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const ChargeStatusListed& listed) const { return listed.project; }
  };
  return std::visit(Project{}, change);
}

}  // namespace

void write_lists(const std::filesystem::path& file, std::string_view stamp,
                 std::span<const ProjectListVersion> lists) {
  CheckedFileWriter out(file);
  out.text(kFormat);
  out.value(kByteOrder);
  out.text(stamp);
  out.value<std::uint64_t>(lists.size());
  for (const auto& [project, version] : lists) {
    out.text(project.text());
    write_list(out, *version);
  }
  out.finish();
}

std::optional<ListSnapshot> read_lists(const std::filesystem::path& file) {
  try {
    CheckedFileReader in(file);
    return read_all(in);
  } catch (const DamagedFile&) {
    return std::nullopt;
  } catch (const std::system_error& refused) {
    // The file is missing, or the path is not a file.
    if (refused.code() != std::errc::no_such_file_or_directory && refused.code() != std::errc::is_a_directory)
      throw;
    return std::nullopt;
  }
}

SearchedTexts texts_of(const std::optional<domain::CustomerDetails>& details) {
  if (!details) return {};
  return {details->name.text(), details->email.text(), details->phone.text()};
}

ProjectLists::ProjectLists(std::map<domain::ProjectId, TransactionList> lists) {
  for (auto& [project, list] : lists) lists_.emplace(project, std::move(list));
}

void ProjectLists::apply(const ListChanges& changes) {
  // Consecutive changes are mostly of one project.
  decltype(lists_)::value_type* last = nullptr;
  for (const auto& change : changes) {
    const auto& project = project_of(change);
    if (!last || last->first != project) last = &*lists_.try_emplace(project).first;
    std::visit(ApplyTo{last->second}, change);
  }
}

std::shared_ptr<const ListVersion> ProjectLists::version(const domain::ProjectId& project) const {
  const auto found = lists_.find(project);
  if (found == lists_.end()) return std::make_shared<const ListVersion>(ListShape{});
  return found->second.version();
}

std::vector<ProjectListVersion> ProjectLists::versions() const {
  std::vector<ProjectListVersion> versions;
  versions.reserve(lists_.size());
  for (const auto& [project, list] : lists_) versions.push_back({project, list.version()});
  return versions;
}

MemoryUse ProjectLists::memory_use() const {
  MemoryUse sum;
  for (const auto& [project, list] : lists_) {
    const auto use = list.memory_use();
    sum.column_bytes += use.column_bytes;
    sum.text_bytes += use.text_bytes;
  }
  return sum;
}

}  // namespace pixledger::projections
