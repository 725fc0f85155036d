#include "tools/audit/proof_options.h"

#include <fstream>

namespace pixledger::tools {

CheckpointOpener opener_with(const std::string& given, Epochs epochs) {
  auto verifier = eventstore::NoteVerifier::parse(given);
  if (!verifier) {
    std::ifstream in(given);
    std::string line;
    if (in && std::getline(in, line)) verifier = eventstore::NoteVerifier::parse(line);
  }
  if (!verifier)
    throw UsageError("--public-key must be what checkpoint --public-key prints, or a file with it");
  if (epochs == Epochs::kThatOne)
    return
        [verifier = *verifier](std::string_view note) { return eventstore::open_checkpoint(note, verifier); };
  return [verifier = *verifier](std::string_view note) {
    auto checkpoint = eventstore::open_checkpoint(note, verifier.key());
    const auto named = eventstore::identity_of_origin(verifier.name());
    const auto signer = checkpoint ? eventstore::identity_of_origin(checkpoint->origin) : std::nullopt;
    if (!named || !signer || named->ledger_id != signer->ledger_id) checkpoint.reset();
    return checkpoint;
  };
}

CheckpointOpener opener_with_keys(const CommandContext& context) {
  const auto keys = context.common.data.keys();
  if (!std::filesystem::exists(keys))
    throw UsageError(
        "--public-key is missing: what pixledger checkpoint --public-key prints where the ledger is, or a "
        "file "
        "with it. (Without it the keys in a data directory are taken, and there are none: " +
        keys.string() + ")");
  const auto key = eventstore::Keyring::open(keys).signing_key().public_key();
  return [key](std::string_view note) { return eventstore::open_checkpoint(note, key); };
}

}  // namespace pixledger::tools
