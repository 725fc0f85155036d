#include "projections/list/transaction_list.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/platform/faults.h"
#include "base/text/text.h"

namespace pixledger::projections {
namespace {

void require_room(std::uint32_t count, const char* what) {
  if (count >= kNoOrdinal - 1) throw std::length_error(std::string("a project's list is full of ") + what);
}

void require_fit(bool fits) {
  if (!fits) throw DataDamaged("a list does not take what does not fit the rest of it");
}

// Capacity doubles, but never exceeds a chunk's size.
template <class T>
void push_within(std::vector<T>& chunk, T value, std::size_t rows_max) {
  if (chunk.size() == chunk.capacity())
    chunk.reserve(std::min(rows_max, std::max<std::size_t>(8, chunk.size() * 2)));
  chunk.push_back(std::move(value));
}

// The chunk for row `count`.
template <class Chunk>
Chunk& last_chunk(CopyOnWrite<Chunk>& chunks, std::uint32_t count, std::uint32_t chunk_rows,
                  std::uint64_t epoch) {
  if (count % chunk_rows == 0) chunks.push_back({}, epoch);
  return chunks.edit(count / chunk_rows, epoch);
}

std::string searchable_text(std::string_view name, std::string_view email, std::string_view phone) {
  std::string all;
  for (const auto text : {name, email, phone}) all += search_form(text) + kTextSeparator;
  return all;
}

std::unordered_map<std::uint32_t, std::uint32_t> places_of(const CodeColumn& column) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t place = 0; place < column.codes().size(); ++place)
    places.emplace(column.codes()[place], place);
  return places;
}

}  // namespace

TransactionList::TransactionList(const ListShape& shape) : content_(shape) { assert(shape.is_valid()); }

TransactionList::TransactionList(ListVersion content) : content_(std::move(content)) {
  for (std::size_t i = 0; i < kCodedColumns; ++i) places_[i] = places_of(content_.tail.coded[i]);
}

std::uint32_t TransactionList::add_customer(const ListedCustomer& customer) {
  const std::uint32_t ordinal = customer_count();
  require_room(ordinal, "customers");
  const std::int64_t created_ms = customer.created_at.millis();
  require_fit(ordinal == 0 || content_.customer_created_ms[ordinal - 1] <= created_ms);
  version_.reset();

  const ListShape& shape = content_.shape;
  push_within(last_chunk(content_.links, ordinal, shape.link_chunk_rows, epoch_), CustomerLink{},
              shape.link_chunk_rows);
  CustomerTexts& texts = last_chunk(content_.customer_texts, ordinal, shape.text_chunk_rows, epoch_);
  texts.text += searchable_text(customer.name, customer.email, customer.phone);
  push_within(texts.ends, static_cast<std::uint32_t>(texts.text.size()), shape.text_chunk_rows);
  if (texts.ends.size() == shape.text_chunk_rows) texts.text.shrink_to_fit();
  content_.customer_created_ms.push_back(created_ms, kNoOrdinal);
  if (customer.environment == domain::Environment::kSandbox)
    content_.sandbox_customers.push_back(ordinal, kNoOrdinal);
  return ordinal;
}

void TransactionList::change_customer(std::uint32_t customer, std::string_view name, std::string_view email,
                                      std::string_view phone) {
  require_fit(customer < customer_count());
  const std::uint32_t chunk_rows = content_.shape.text_chunk_rows;
  const std::uint32_t row = customer % chunk_rows;
  const auto text = searchable_text(name, email, phone);
  const auto begin_in = [row](const CustomerTexts& texts) { return row == 0 ? 0 : texts.ends[row - 1]; };

  const CustomerTexts& before = content_.customer_texts[customer / chunk_rows];
  const std::uint32_t begin = begin_in(before);
  const std::uint32_t size_before = before.ends[row] - begin;
  if (std::string_view(before.text).substr(begin, size_before) == text) return;
  version_.reset();

  CustomerTexts& texts = content_.customer_texts.edit(customer / chunk_rows, epoch_);
  texts.text.replace(begin, size_before, text);
  for (std::size_t later = row; later < texts.ends.size(); ++later)
    texts.ends[later] += static_cast<std::uint32_t>(text.size()) - size_before;
}

std::uint32_t TransactionList::place_in_tail(std::size_t column, std::uint32_t code) {
  const auto [found, is_new] = places_[column].try_emplace(code, 0);
  if (is_new) found->second = content_.tail.coded[column].add_code(code, content_.shape.segment_rows);
  return found->second;
}

std::uint32_t TransactionList::add_charge(const ListedCharge& charge) {
  const std::uint32_t ordinal = content_.charges;
  require_room(ordinal, "charges");
  require_fit(charge.customer < customer_count());
  const std::int64_t created_ms = charge.created_at.millis();
  require_fit(ordinal == 0 || content_.created_ms(ordinal - 1) <= created_ms);
  version_.reset();

  const ListShape& shape = content_.shape;
  const std::size_t rows_max = shape.segment_rows;
  ListSegment& tail = content_.tail;
  if (tail.size() == 0) tail.first_created_ms = created_ms;
  if (charge.external_id)
    tail.external_ids.push_back(tail.size(), search_form(charge.external_id->text()), rows_max);
  tail.created.push_back(created_ms - tail.first_created_ms, rows_max);
  const auto texts = charge.coded_texts();
  for (std::size_t i = 0; i < kCodedColumns; ++i) {
    const auto code = content_.dictionaries[i].code_of(texts[i], epoch_);
    tail.coded[i].push_back(place_in_tail(i, code), rows_max);
  }
  tail.amount.push_back(charge.amount.value(), rows_max);
  tail.amount_min = std::min(tail.amount_min, charge.amount.value());
  tail.amount_max = std::max(tail.amount_max, charge.amount.value());
  last_chunk(content_.states, ordinal, shape.block_rows, epoch_)
      .push_back(state_byte(charge.status, charge.environment));

  CustomerLink& link = content_.links.edit(charge.customer / shape.link_chunk_rows,
                                           epoch_)[charge.customer % shape.link_chunk_rows];
  tail.previous.push_back(link.newest, rows_max);
  tail.customer.push_back(charge.customer, rows_max);
  link = {ordinal, link.count + 1};
  ++content_.charges;
  if (charge.environment == domain::Environment::kSandbox) ++content_.sandbox_charges;
  seal_tail_if_full();
  return ordinal;
}

void TransactionList::seal_tail_if_full() {
  if (content_.tail.size() < content_.shape.segment_rows) return;
  content_.tail.seal();
  content_.sealed.push_back(std::make_shared<const ListSegment>(std::move(content_.tail)));
  content_.tail = {};
  for (auto& places : places_) places.clear();
}

void TransactionList::set_status(std::uint32_t charge, domain::ChargeStatus status) {
  require_fit(charge < charge_count());
  const auto state =
      static_cast<StateByte>((content_.state(charge) & ~kStatusBits) | static_cast<StateByte>(status));
  if (state == content_.state(charge)) return;
  version_.reset();
  const std::uint32_t block_rows = content_.shape.block_rows;
  content_.states.edit(charge / block_rows, epoch_).set(charge % block_rows, state);
}

std::shared_ptr<const ListVersion> TransactionList::version() const {
  if (!version_) {
    version_ = std::make_shared<const ListVersion>(content_);
    ++epoch_;
  }
  return version_;
}

MemoryUse TransactionList::memory_use() const {
  MemoryUse use;
  use.column_bytes = sizeof(TransactionList) + content_.customer_created_ms.memory_bytes() +
                     content_.sandbox_customers.memory_bytes() + content_.states.memory_bytes() +
                     content_.links.memory_bytes() + content_.customer_texts.memory_bytes();
  for (std::size_t i = 0; i < content_.segment_count(); ++i) {
    use.column_bytes += content_.segment(i).column_bytes();
    use.text_bytes += content_.segment(i).external_ids.text.memory_bytes();
  }
  for (std::size_t i = 0; i < content_.states.size(); ++i)
    use.column_bytes += content_.states[i].memory_bytes();
  for (std::size_t i = 0; i < content_.links.size(); ++i)
    use.column_bytes += content_.links[i].capacity() * sizeof(CustomerLink);
  for (std::size_t i = 0; i < content_.customer_texts.size(); ++i) {
    use.column_bytes += content_.customer_texts[i].ends.capacity() * sizeof(std::uint32_t);
    use.text_bytes += content_.customer_texts[i].text.capacity();
  }
  for (const auto& dictionary : content_.dictionaries) use.text_bytes += dictionary.memory_bytes();
  return use;
}

}  // namespace pixledger::projections
