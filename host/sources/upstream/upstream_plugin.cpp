#include "sources/upstream/upstream_plugin.hpp"

#include <chrono>
#include <optional>
#include <variant>

#include "base/json_members.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

bool is_streamable_http(const UpstreamSettings& settings) {
  const auto* const url = std::get_if<UpstreamUrl>(&settings.way);
  return url != nullptr && !url->sse;
}

}  // namespace

UpstreamPlugin::UpstreamPlugin(Setup setup, Executor& executor, Timers& timers, Log& log)
    : setup_(std::move(setup)),
      identity_(setup_.identity),
      log_(
          log, max_lines_of_plugin,
          [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
            unlimited.warning("plugin says too much", {{"plugin", identity_.name}, {"lines_left_out", left_out.lines}});
          }),
      limit_reports_(log_, identity_),
      supervisor_(setup_, identity_, calls_, log_, limit_reports_),
      calls_({identity_, setup_.settings.limits, setup_.events, limit_reports_, executor, &timers}, log_,
             {.are_on_streams = is_streamable_http(setup_.settings), .of_one_client = setup_.has_one_client},
             [this](const UpstreamOutcome& outcome) { supervisor_.request_failed(outcome); }) {}

UpstreamPlugin::~UpstreamPlugin() {
  supervisor_.stop(std::chrono::milliseconds(0));
}

// What is left out of its resources may still be what a template of its own stands for.
void UpstreamPlugin::invoke(std::shared_ptr<Call> call) {
  const auto uri = call->method() == PluginMethod::resources_read
                       ? json_string(json_member(call->params(), "uri").value_or(""))
                       : std::nullopt;
  if (!uri || !setup_.settings.names.excludes(ComponentPattern::Kind::resource, *uri))
    return calls_.invoke(std::move(call));
  const Json error{{"code", upstream_code::resource_not_found}, {"message", "Resource not found: " + *uri}};
  call->complete(Outcome::error, dump(error));
}

void UpstreamPlugin::call_failed(std::string why) {
  // While it is down, why that is is worth more to the operator.
  if (supervisor_.is_away()) why.clear();
  calls_.table().failed(std::move(why));
}

}  // namespace mcph
