#pragma once

#include <cstddef>
#include <span>

namespace pixledger {

// Where random bytes come from. Everything that needs them is handed one of these; SystemEntropy is the only
// real source in the project. Safe to use from several threads at once.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `bytes`. Throws std::system_error when the source cannot.
  virtual void fill(std::span<std::byte> bytes) = 0;
};

// The kernel's cryptographic generator (getrandom); waits for it to be seeded when the machine has just
// booted.
class SystemEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace pixledger
