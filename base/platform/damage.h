#pragma once

#include <stdexcept>

// Damage has types of its own. What the system lacks or refuses (descriptors, memory, room, rights) is none:
// it would be refused to whatever were built instead, too.
namespace pixledger {

// Read models are not there, or are not what a projector wrote.
class ViewsDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a worker keeps is not what it wrote.
class WorkerDatabaseDamaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pixledger
