#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

// What a table says of how much it holds, which is held against what came.
namespace pixledger::stores {

// What a line beside the entries says: "Exibindo 2 de 37 registros", "Qtde: 9", "Total geral: R$ 150,00".
// Where both are there it may be either: "Total: 37".
struct StatedSize {
  std::optional<std::int64_t> count{};                          // of entries
  std::optional<std::int64_t> cents{};                          // their sum
  std::optional<std::pair<std::int64_t, std::int64_t>> page{};  // "Página 1 de 3"
};
StatedSize stated_size_of(std::string_view line);
// Whether words are of a sum of the entries, and of none of a part that has nothing to do with payments.
bool say_sum(std::string_view words);
bool say_other_sum(std::string_view words);

// A column with the account's balance beside each entry, the oldest or the newest first. Of entries without
// one, or with the same, it is the balance behind all of them.
class RunningBalance {
 public:
  void add(std::size_t line, std::int64_t cents, std::optional<std::int64_t> balance);
  // Of an entry of which it is not known which way it went: what follows cannot be held against it.
  void interrupt() { steps_.emplace_back(); }
  // Where it moves by something else than the entry; nullopt: nowhere.
  std::optional<std::size_t> jump() const;
  // Whether it moves at all.
  bool moves() const;

 private:
  struct Step {
    std::size_t line = 0;  // 0: an interruption
    std::int64_t balance = 0;
    std::int64_t cents_to = 0;    // of the entries that lead to the balance, where the oldest come first
    std::int64_t cents_from = 0;  // of those behind it, where the newest do
  };

  std::vector<Step> steps_;
  std::int64_t pending_cents_ = 0;
};

}  // namespace pixledger::stores
