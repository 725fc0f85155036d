#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pixledger::stores {

// What a column of states says of an entry's money.
enum class MoneyState {
  kUnsaid,
  kMoved,
  kNotMoved,  // "Agendado", "Não realizado"
  kReturned,  // "Devolvido": it came, and went back
  kUnknown,   // other words
};
MoneyState money_state_of(std::string_view text);

// Lines with the same doubt, which one warning names: the first one, and how many more or which there are.
class DoubtfulLines {
 public:
  void add(std::size_t line);
  bool empty() const { return count_ == 0; }
  std::size_t first() const { return lines_.front(); }
  // ", as are 3 more lines"; empty for one line
  std::string more() const;
  // ", as are lines 7, 9 and 2 more"
  std::string others() const;

 private:
  std::vector<std::size_t> lines_;  // the first ones
  std::size_t count_ = 0;
};

}  // namespace pixledger::stores
