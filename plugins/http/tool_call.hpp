// ToolCall: one call of a tool while its server is asked. Owned by the Fetcher until it has an outcome, and called on
// its thread.
#pragma once

#include <memory>

#include <mcp/plugin.hpp>

#include "http/answer_cache.hpp"
#include "http/fetcher.hpp"
#include "http/http_tool.hpp"

namespace plugins::http {

class ToolCall final : public FetchListener {
 public:
  ToolCall(mcp::Call call, std::shared_ptr<const HttpTool> tool, Request request, std::shared_ptr<AnswerCache> cache);

  mcp::Call& call() { return call_; }

  void progressed(const FetchProgress& progress) override;
  void finished(const FetchOutcome& outcome) override;
  void cancelled() override;

 private:
  mcp::Call call_;
  const std::shared_ptr<const HttpTool> tool_;
  const Request request_;
  const std::shared_ptr<AnswerCache> cache_;
  double told_ = 0;            // how far it was, of 1
  double told_at_answer_ = 0;  // the same when the answer began
};

}  // namespace plugins::http
