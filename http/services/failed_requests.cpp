#include "http/services/failed_requests.h"

#include <utility>

namespace pixledger::http {
namespace {

// Cut where a character ends.
void shorten(std::string& text) {
  if (text.size() <= FailedRequests::kTextMax) return;
  auto end = FailedRequests::kTextMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  text.resize(end);
}

}  // namespace

void FailedRequests::note(const domain::ProjectId& project, FailedRequest request) {
  if (request.fields.size() > kFieldsMax) request.fields.resize(kFieldsMax);
  for (auto& field : request.fields) shorten(field);
  shorten(request.request_id);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = lines_.try_emplace(project.text());
  auto& line = found->second;
  if (is_new)
    line.turn = turns_.insert(turns_.end(), project.text());
  else
    turns_.splice(turns_.end(), turns_, line.turn);
  line.requests.push_front(std::move(request));
  if (line.requests.size() > kOfProjectMax) line.requests.pop_back();
  if (lines_.size() <= kProjectsMax) return;
  lines_.erase(turns_.front());
  turns_.pop_front();
}

std::vector<FailedRequest> FailedRequests::of(const domain::ProjectId& project) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(project.text());
  if (found == lines_.end()) return {};
  return {found->second.requests.begin(), found->second.requests.end()};
}

std::size_t FailedRequests::projects_known() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

}  // namespace pixledger::http
