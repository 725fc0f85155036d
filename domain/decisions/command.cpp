#include "domain/decisions/command.h"

namespace pixledger::domain {

Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

}  // namespace pixledger::domain
