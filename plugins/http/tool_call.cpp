#include "http/tool_call.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace plugins::http {
namespace {

constexpr std::chrono::milliseconds soon{1000};  // whoever waits no longer need not hear how far it is
constexpr double almost_done = 0.99;

std::string kibibytes(std::uint64_t bytes) {
  return std::to_string((bytes + 1023) / 1024) + " KiB";
}

std::string progress_text(const FetchProgress& progress) {
  if (progress.received == 0) {
    return "waiting for " + progress.host + ", " + std::to_string(progress.elapsed.count() / 1000) + " s";
  }
  const auto all = progress.expected > 0 ? " of " + kibibytes(progress.expected) : std::string();
  return kibibytes(progress.received) + all + " from " + progress.host;
}

}  // namespace

ToolCall::ToolCall(mcp::Call call, std::shared_ptr<const HttpTool> tool, Request request,
                   std::shared_ptr<AnswerCache> cache)
    : call_(std::move(call)), tool_(std::move(tool)), request_(std::move(request)), cache_(std::move(cache)) {}

// Nobody knows how long a server takes: until its answer begins, how far it is says how much of its time is over.
void ToolCall::progressed(const FetchProgress& progress) {
  if (progress.elapsed < soon) return;
  double part = static_cast<double>(progress.elapsed.count()) / static_cast<double>(progress.time_limit.count());
  if (progress.received == 0) told_at_answer_ = told_;
  if (progress.received > 0 && progress.expected > 0) {
    const auto received = static_cast<double>(progress.received) / static_cast<double>(progress.expected);
    part = told_at_answer_ + (almost_done - told_at_answer_) * std::min(received, 1.0);
  }
  part = std::min(part, almost_done);
  if (part <= told_) return;
  told_ = part;
  call_.progress(part, progress_text(progress));
}

void ToolCall::finished(const FetchOutcome& outcome) {
  if (const auto* const error = std::get_if<FetchError>(&outcome)) return call_.fail(error->message);
  const auto& response = std::get<Response>(outcome);
  try {
    const auto result = tool_->result(response, request_);
    if (tool_->cache_time().count() > 0) {
      // Twice, because bytes are kept as base64, and JSON is kept as text and as structured content.
      cache_->put(tool_->name() + '\n' + request_.key(), result, 2 * response.body.size(),
                  AnswerCache::Clock::now() + tool_->cache_time());
    }
    call_.complete(result);
  } catch (const std::exception& error) {
    call_.fail(error.what());
  }
}

void ToolCall::cancelled() {
  if (!call_.fail_if_cancelled()) call_.fail("The call was cancelled.");
}

}  // namespace plugins::http
