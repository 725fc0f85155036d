#include "tests/power_loss/disk.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "base/platform/descriptor.h"
#include "base/platform/durable_files.h"

namespace pixledger::tests {
namespace {

constexpr std::size_t kRoot = 1;
constexpr std::uint64_t kPageBytes = 4096;
constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();

// SplitMix64's step: equal inputs give equal results everywhere, which std::uniform_int_distribution does not
// promise.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

void grow(std::string& content, std::uint64_t size, char filler) {
  if (content.size() < size) content.resize(size, filler);
}

void write_file(const std::filesystem::path& file, const std::string& content) {
  const Descriptor opened(file, O_WRONLY | O_CREAT | O_TRUNC);
  if (!opened ||
      ::write(opened.number(), content.data(), content.size()) != static_cast<ssize_t>(content.size()))
    fail_on(file, "write");
}

}  // namespace

// Decides by the choice alone, so that an image can be made again.
class Disk::Subset {
 public:
  explicit Subset(const ImageChoice& choice)
      : what_(choice.what), kind_(choice.seed % kKindsOfDisks), seed_(mixed(choice.seed)) {}

  std::uint64_t sector_bytes() const { return kind_ % 2 == 0 ? 512 : kPageBytes; }
  bool grows_without_data() const {
    return what_ == ImageChoice::What::kNames || (is_random() && kind_ >= kKindsOfDisks / 2);
  }
  char filler() const { return is_random() && pick(3, 0) % 2 == 0 ? '\xa5' : '\0'; }

  // Changes before this place have reached the disk; `first` and `last` are those that there are.
  std::uint64_t names_until(std::uint64_t first, std::uint64_t last) const {
    return what_ == ImageChoice::What::kData ? 0 : until(4, first, last);
  }
  std::uint64_t sizes_until(NodeId node, std::uint64_t first, std::uint64_t last) const {
    return until(5 + node * 2, first, last);
  }
  std::uint64_t sector_until(NodeId node, std::uint64_t sector, std::uint64_t first,
                             std::uint64_t last) const {
    if (what_ == ImageChoice::What::kNames) return 0;
    if (!is_random()) return until(0, first, last);
    constexpr std::uint64_t kPercent[] = {3, 20, 50, 80, 97};
    const auto chance = kPercent[pick(6 + node * 2, 0) % std::size(kPercent)];
    const auto chosen = pick(6 + node * 2, sector + 1);
    if (chosen % 100 < chance) return kAll;
    return (chosen / 100) % 4 == 0 ? first + mixed(chosen) % (last - first + 1) : 0;
  }

 private:
  bool is_random() const { return what_ == ImageChoice::What::kSubset; }
  std::uint64_t pick(std::uint64_t about, std::uint64_t which) const {
    return mixed(seed_ ^ mixed(about ^ mixed(which)));
  }
  std::uint64_t until(std::uint64_t about, std::uint64_t first, std::uint64_t last) const {
    if (!is_random()) return what_ == ImageChoice::What::kNothing ? 0 : kAll;
    const auto chosen = pick(about, 0);
    if (chosen % 4 == 0) return 0;
    return chosen % 4 == 1 ? kAll : first + mixed(chosen) % (last - first + 2);
  }

  ImageChoice::What what_;
  std::uint64_t kind_;
  std::uint64_t seed_;
};

Disk::Disk(std::string root) : root_(std::move(root)), nodes_(2) { nodes_[kRoot].is_directory = true; }

std::pair<Disk::NodeId, std::string> Disk::find(std::string_view path) const {
  path.remove_prefix(root_.size());
  NodeId directory = kRoot;
  while (true) {
    path.remove_prefix(std::min<std::size_t>(1, path.size()));
    const auto end = path.find('/');
    if (end == std::string_view::npos) return {directory, std::string(path)};
    const auto names = live_.find(directory);
    const auto found =
        names == live_.end() ? Names::const_iterator{} : names->second.find(std::string(path.substr(0, end)));
    if (names == live_.end() || found == names->second.end())
      throw std::runtime_error("the recording has no directory for " + std::string(path));
    directory = found->second;
    path.remove_prefix(end);
  }
}

Disk::NodeId Disk::node_at(std::string_view path) const {
  const auto [directory, name] = find(path);
  const auto names = live_.find(directory);
  if (names == live_.end()) return 0;
  const auto found = names->second.find(name);
  return found == names->second.end() ? 0 : found->second;
}

Disk::NodeId Disk::add_node(bool is_directory, std::uint64_t inode) {
  nodes_.push_back({.is_directory = is_directory});
  by_inode_[inode] = nodes_.size() - 1;
  return nodes_.size() - 1;
}

void Disk::add(const Record& record, std::string_view path, NodeId node, std::string_view from) {
  auto [directory, name] = find(path);
  NameChange change{record.place, directory, std::move(name), node, 0, {}};
  if (!from.empty()) std::tie(change.from_directory, change.from_name) = find(from);
  apply(live_, change);
  name_changes_.push_back(std::move(change));
}

void Disk::apply(NamesOf& names, const NameChange& change) {
  if (change.from_directory != 0) names[change.from_directory].erase(change.from_name);
  if (change.node == 0)
    names[change.directory].erase(change.name);
  else
    names[change.directory][change.name] = change.node;
}

void Disk::apply(std::string& content, const Change& change) {
  if (change.kind == kRecordTruncate) return content.resize(change.offset);
  if (change.kind == kRecordExtend) return grow(content, change.offset, '\0');
  grow(content, change.offset + change.length, '\0');
  if (change.bytes)
    std::memcpy(content.data() + change.offset, change.bytes, change.length);
  else
    std::memset(content.data() + change.offset, 0, change.length);
}

void Disk::apply(const Record& record) {
  switch (record.kind) {
    case kRecordFile:
      return add(record, record.path, add_node(false, record.inode));
    case kRecordDirectory:
      if (record.path == root_)
        by_inode_[record.inode] = kRoot;
      else
        add(record, record.path, add_node(true, record.inode));
      return;
    case kRecordRename:
      return add(record, record.to, node_at(record.path), record.path);
    case kRecordLink:
      return add(record, record.to, node_at(record.path));
    case kRecordRemove:
      return add(record, record.path, 0);
    default:
      break;
  }
  const auto found = by_inode_.find(record.inode);
  if (found == by_inode_.end()) return;
  auto& node = nodes_[found->second];
  switch (record.kind) {
    case kRecordWrite:
      node.changes.push_back(
          {kRecordWrite, record.place, record.offset, record.data.size(), record.data.data()});
      return;
    case kRecordZeros:
      node.changes.push_back({kRecordWrite, record.place, record.offset, record.length, nullptr});
      return;
    case kRecordTruncate:
    case kRecordExtend:
      node.changes.push_back({record.kind, record.place, record.length, 0, nullptr});
      return;
    case kRecordSync:
      return sync(found->second, record.offset);
    case kSyncRange:
      return sync_range(node, record.offset, record.offset + record.length);
    default:
      return;
  }
}

void Disk::sync(NodeId id, std::uint64_t since) {
  auto& node = nodes_[id];
  const auto first_after =
      std::find_if(node.changes.begin(), node.changes.end(), [&](const auto& c) { return c.place >= since; });
  std::for_each(node.changes.begin(), first_after, [&](const auto& change) { apply(node.content, change); });
  node.changes.erase(node.changes.begin(), first_after);
  if (!node.is_directory) return;
  for (std::size_t i = 0; i < name_changes_.size();) {
    const auto change = name_changes_[i];
    if (change.directory != id || change.place >= since) {
      ++i;
      continue;
    }
    apply(durable_, change);
    name_changes_.erase(name_changes_.begin() + static_cast<std::ptrdiff_t>(i));
    // Nothing earlier may bring back the name from which it was renamed.
    const auto undone = [&](const NameChange& earlier) {
      return earlier.place < change.place && earlier.directory == change.from_directory &&
             earlier.name == change.from_name;
    };
    const auto before = name_changes_.size();
    if (change.from_directory != 0) std::erase_if(name_changes_, undone);
    i -= before - name_changes_.size();
  }
}

// Whole pages go to the disk, with what was written to them before.
void Disk::sync_range(Node& node, std::uint64_t begin, std::uint64_t end) {
  begin -= begin % kPageBytes;
  end += (kPageBytes - end % kPageBytes) % kPageBytes;
  std::vector<Change> left;
  const auto part = [](const Change& change, std::uint64_t from, std::uint64_t to) {
    auto some = change;
    some.offset = from;
    some.length = to - from;
    if (some.bytes) some.bytes += from - change.offset;
    return some;
  };
  for (const auto& change : node.changes) {
    const auto stop = change.offset + change.length;
    if (change.kind != kRecordWrite || stop <= begin || change.offset >= end) {
      left.push_back(change);
      continue;
    }
    const auto from = std::max(change.offset, begin);
    const auto to = std::min(stop, end);
    apply(node.content, part(change, from, to));
    if (change.offset < from) left.push_back(part(change, change.offset, from));
    if (to < stop) left.push_back(part(change, to, stop));
  }
  node.changes = std::move(left);
}

std::string Disk::content_of(NodeId id, const Subset& subset) const {
  const auto& node = nodes_[id];
  auto content = node.content;
  if (node.changes.empty()) return content;
  const auto first = node.changes.front().place;
  const auto last = node.changes.back().place;
  const auto sizes_until = subset.sizes_until(id, first, last);
  const auto sector_bytes = subset.sector_bytes();
  // A file whose cut has not reached the disk still has its old blocks there; later writes went to new ones.
  auto writable = kAll;
  for (const auto& change : node.changes) {
    const bool has_size = change.place < sizes_until;
    if (change.kind != kRecordWrite) {
      if (has_size)
        apply(content, change);
      else if (change.kind == kRecordTruncate)
        writable = std::min(writable, change.offset);
      continue;
    }
    const auto end = change.offset + change.length;
    if (has_size && subset.grows_without_data()) grow(content, end, subset.filler());
    for (auto at = change.offset; at < std::min(end, writable);) {
      const auto sector = at / sector_bytes;
      const auto stop = std::min(end, (sector + 1) * sector_bytes);
      if (change.place < subset.sector_until(id, sector, first, last))
        apply(content, {kRecordWrite, change.place, at, stop - at,
                        change.bytes ? change.bytes + (at - change.offset) : nullptr});
      at = stop;
    }
  }
  return content;
}

void Disk::write_directory(const std::filesystem::path& directory, NodeId id, const NamesOf& names,
                           const Subset& subset, const std::set<std::string>& without) const {
  std::filesystem::create_directory(directory);
  const auto found = names.find(id);
  if (found == names.end()) return;
  for (const auto& [name, child] : found->second) {
    if (without.contains(name)) continue;
    if (nodes_[child].is_directory)
      write_directory(directory / name, child, names, subset, {});
    else
      write_file(directory / name, content_of(child, subset));
  }
}

void Disk::make_image(const std::filesystem::path& directory, const ImageChoice& choice,
                      const std::set<std::string>& without) const {
  const Subset subset(choice);
  auto names = durable_;
  if (!name_changes_.empty()) {
    const auto until = subset.names_until(name_changes_.front().place, name_changes_.back().place);
    for (const auto& change : name_changes_) {
      if (change.place < until) apply(names, change);
    }
  }
  write_directory(directory, kRoot, names, subset, without);
}

}  // namespace pixledger::tests
