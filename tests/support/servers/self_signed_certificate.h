#pragma once

#include <filesystem>

namespace pixledger::tests {

// Writes a fresh key and a certificate for it, signed by itself and valid for an hour, as PEM.
// Throws std::runtime_error when it cannot.
void write_self_signed_certificate(const std::filesystem::path& cert_file,
                                   const std::filesystem::path& key_file);

}  // namespace pixledger::tests
