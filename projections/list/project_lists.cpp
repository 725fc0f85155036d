#include "projections/list/project_lists.h"

namespace pixledger::projections {
namespace {

struct ApplyTo {
  TransactionList& list;

  void operator()(const CustomerListed& change) const {
    list.add_customer({change.created_at, change.texts.name, change.texts.email, change.environment});
  }
  void operator()(const CustomerTextsListed& change) const {
    list.change_customer(change.customer, change.texts.name, change.texts.email);
  }
  void operator()(const ChargeListed& change) const {
    const auto& charge = *change.charge;
    list.add_charge({change.created_at, domain::ChargeStatus::kWaitingPayment, charge.environment,
                     charge.connection, charge.origin_host, charge.amount, change.customer,
                     charge.external_id});
  }
  void operator()(const ChargeStatusListed& change) const { list.set_status(change.charge, change.status); }
};

const domain::ProjectId& project_of(const ListChange& change) {
  struct Project {
    const domain::ProjectId& operator()(const CustomerListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const CustomerTextsListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const ChargeListed& listed) const { return listed.project; }
    const domain::ProjectId& operator()(const ChargeStatusListed& listed) const { return listed.project; }
  };
  return std::visit(Project{}, change);
}

}  // namespace

CustomerTextPair texts_of(const std::optional<domain::CustomerDetails>& details) {
  if (!details) return {};
  return {details->name.text(), details->email.text()};
}

ProjectLists::ProjectLists(std::map<domain::ProjectId, TransactionList> lists) {
  for (auto& [project, list] : lists) lists_.emplace(project, std::move(list));
}

void ProjectLists::apply(const ListChanges& changes) {
  // Neighbours are mostly of one project.
  decltype(lists_)::value_type* last = nullptr;
  for (const auto& change : changes) {
    const auto& project = project_of(change);
    if (!last || last->first != project) last = &*lists_.try_emplace(project).first;
    std::visit(ApplyTo{last->second}, change);
  }
}

std::shared_ptr<const ListVersion> ProjectLists::version(const domain::ProjectId& project) const {
  const auto found = lists_.find(project);
  if (found == lists_.end()) return std::make_shared<const ListVersion>(ListShape{});
  return found->second.version();
}

std::vector<ProjectListVersion> ProjectLists::versions() const {
  std::vector<ProjectListVersion> versions;
  versions.reserve(lists_.size());
  for (const auto& [project, list] : lists_) versions.push_back({project, list.version()});
  return versions;
}

MemoryUse ProjectLists::memory_use() const {
  MemoryUse sum;
  for (const auto& [project, list] : lists_) {
    const auto use = list.memory_use();
    sum.column_bytes += use.column_bytes;
    sum.text_bytes += use.text_bytes;
  }
  return sum;
}

}  // namespace pixledger::projections
