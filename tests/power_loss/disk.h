#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tests/power_loss/recording.h"

namespace pixledger::tests {

// What of all that is not synced has reached the disk.
struct ImageChoice {
  enum class What {
    kNothing,
    kEverything,
    kNames,   // and sizes, as without ordered data: contents are zeros
    kData,    // but no change of a directory
    kSubset,  // by the seed
  };
  What what = What::kNothing;
  std::uint64_t seed = 0;  // of the subset; modulo kKindsOfDisks the kind of the disk
};
inline constexpr std::size_t kFixedChoices = 4;  // those before kSubset
// Sectors of 512 and of 4096 bytes, each with ordered data and with data=writeback.
inline constexpr std::size_t kKindsOfDisks = 4;

// A disk with a data directory, at a moment of a recording, and the images that a loss of power may leave of
// it.
//
// Contents are durable once their file is synced, a name once its directory is, whatever else was synced. Of
// the rest, an image has
// - contents in whole sectors (512 or 4096 bytes), each as of any moment since the sync;
// - changes of sizes in order, up to any of them; with data=writeback a file may have grown without its
//   contents, and has zeros or garbage there;
// - changes of names in order, up to any of them.
class Disk {
 public:
  // `root`: the path of the data directory in the records, which exists.
  explicit Disk(std::string root);

  // The next record has happened.
  void apply(const Record& record);

  // Writes an image into a directory that does not exist. Leaves out the entries of the root in `without`.
  void make_image(const std::filesystem::path& directory, const ImageChoice& choice,
                  const std::set<std::string>& without) const;

 private:
  using NodeId = std::size_t;  // 0: none
  using Names = std::map<std::string, NodeId>;
  using NamesOf = std::unordered_map<NodeId, Names>;  // by directory

  struct Change {
    std::uint32_t kind;
    std::uint64_t place;
    std::uint64_t offset;  // or the size
    std::uint64_t length;
    const char* bytes;  // null: zeros
  };
  struct Node {
    bool is_directory = false;
    std::string content{};          // durable
    std::vector<Change> changes{};  // not durable, in order
  };
  struct NameChange {
    std::uint64_t place;
    NodeId directory;
    std::string name;
    NodeId node;            // 0: removed
    NodeId from_directory;  // 0: was not renamed
    std::string from_name;
  };
  class Subset;

  std::pair<NodeId, std::string> find(std::string_view path) const;
  NodeId node_at(std::string_view path) const;
  void add(const Record& record, std::string_view path, NodeId node, std::string_view from = {});
  NodeId add_node(bool is_directory, std::uint64_t inode);
  void sync(NodeId id, std::uint64_t since);
  void sync_range(Node& node, std::uint64_t begin, std::uint64_t end);
  std::string content_of(NodeId id, const Subset& subset) const;
  void write_directory(const std::filesystem::path& directory, NodeId id, const NamesOf& names,
                       const Subset& subset, const std::set<std::string>& without) const;
  static void apply(NamesOf& names, const NameChange& change);
  static void apply(std::string& content, const Change& change);

  std::string root_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, NodeId> by_inode_;
  NamesOf live_;
  NamesOf durable_;
  std::vector<NameChange> name_changes_;  // not durable, in order
};

}  // namespace pixledger::tests
