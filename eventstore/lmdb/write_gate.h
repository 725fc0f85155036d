#pragma once

#include <filesystem>

namespace pixledger::eventstore {

// LMDB's writer lock is unfair: whoever just released it takes it again, and a writer in another process
// waits for seconds. Those who pass this gate first take turns: hold it while waiting for LMDB's lock,
// release it once inside.
class WriteGate {
 public:
  explicit WriteGate(const std::filesystem::path& file);
  ~WriteGate();
  WriteGate(const WriteGate&) = delete;
  WriteGate& operator=(const WriteGate&) = delete;

  // Blocks for the gate; RAII releases it.
  class Pass {
   public:
    explicit Pass(const WriteGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const WriteGate& gate_;
  };

 private:
  int descriptor_;
};

}  // namespace pixledger::eventstore
