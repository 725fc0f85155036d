#pragma once

#include <filesystem>

namespace pixledger::tests {

// Writes a new key and a self-signed certificate for it, valid for an hour, as PEM.
// Throws std::runtime_error if it cannot.
void write_self_signed_certificate(const std::filesystem::path& cert_file,
                                   const std::filesystem::path& key_file);

}  // namespace pixledger::tests
