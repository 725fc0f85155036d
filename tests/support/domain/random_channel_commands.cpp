// Operators' and merchants' changes of connections and channels.
#include <algorithm>

#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

Label RandomCommands::alias() {
  static const std::vector<std::string> kAliases = {"pix", "sandbox", "acme", "reserva", "balcão"};
  return parsed<Label>(random_.one_of(kAliases));
}

Command RandomCommands::change_of_connection() {
  if (connections_.empty() || random_.one_in(5)) {
    auto added = sample_bank_connection(alias().text(), environment());
    added.id = parsed<ConnectionId>(numbered("cbank", ++ids_, 25));
    added.project = project();
    return added;
  }
  const auto known = random_.one_of(connections_);
  switch (random_.below(6)) {
    case 0:
      return SetDefaultConnection{known.project, known.id};
    case 1:
      return NoteCallback{known.id, random_.one_in(2) ? std::optional<std::string>("https://back.example.com")
                                                      : std::nullopt};
    case 2: {
      auto configuration = sample_configuration();
      configuration.secrets.bytes += std::to_string(++ids_);
      const auto revision = revisions_.find(known.id);
      const auto made_from = revision == revisions_.end() || random_.one_in(4) ? 0 : revision->second;
      return ChangeConnection{
          .project = known.project,
          .connection = known.id,
          .configuration = NewBankConfiguration{.configuration = configuration, .made_from = made_from}};
    }
    case 3:
      return ChangeConnection{.project = known.project, .connection = known.id, .change = {.alias = alias()}};
    default:
      return ChangeConnection{
          .project = known.project,
          .connection = known.id,
          .change = {.state = random_.one_in(3) ? ConnectionState::kEnabled : ConnectionState::kDisabled}};
  }
}

void RandomCommands::count_channels(AddChannel& channel) const {
  const auto is_of_project = [&](const KnownChannel& known) { return known.project == channel.project; };
  const auto ever = std::count_if(channels_.begin(), channels_.end(), is_of_project);
  const auto deleted = std::count(deleted_channels_of_.begin(), deleted_channels_of_.end(), channel.project);
  channel.channels = static_cast<std::size_t>(ever - deleted);
  channel.number = static_cast<std::uint32_t>(ever + 1);
}

Command RandomCommands::change_of_channel(Timestamp now) {
  const auto known =
      channels_.empty() ? KnownChannel{project(), sample_channel_id(), now} : random_.one_of(channels_);
  const auto who = caller(known.project);
  const auto delivery = parsed<DeliveryId>(numbered("cdelivery", ++ids_, 25));
  switch (random_.below(8)) {
    case 0:
    case 1: {
      UpdateChannel update{who, known.id, {}};
      if (random_.one_in(2)) update.change.url = "https://erp.example.com/" + std::to_string(++ids_);
      if (random_.one_in(2)) update.change.is_active = random_.one_in(2);
      if (random_.one_in(4)) update.change.environments = environments();
      return update;
    }
    case 2:
      // Rare enough that a project reaches the limit.
      if (!random_.one_in(6)) return RequestChannelTest{who, known.id, Environment::kSandbox};
      return DeleteChannel{who, known.id};
    case 3:
      return RotateChannelSecret{who,
                                 known.id,
                                 {"sealed anew"},
                                 "efgh",
                                 static_cast<std::int64_t>(random_.below(2)) * kSecretGraceSecondsDefault};
    case 4:
      return DisableChannel{
          known.id, random_.one_in(2) ? ChannelDisabledReason::kGone : ChannelDisabledReason::kFailing,
          known.added_at};
    case 5:
      return RequestChannelTest{who, known.id, Environment::kSandbox};
    case 6:
      return RequestRedelivery{who, known.id, delivery, 3};
    default:
      return RequestRecovery{who, known.id, now.plus_millis(-kDayMs), std::nullopt, 7};
  }
}

}  // namespace pixledger::tests
