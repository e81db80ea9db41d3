#include "sources/upstream/upstream_loader.hpp"

#include <utility>

#include "base/regular_file.hpp"
#include "base/sha256.hpp"
#include "catalog/components.hpp"
#include "sources/upstream/process_upstream.hpp"
#include "sources/upstream/upstream_input_requests.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_settings_bytes = std::size_t{1} << 20;
// What a message has besides an answer, and what lists need.
constexpr std::size_t room_around_answer = std::size_t{1} << 20;
// For what is asked beside calls: requests that wait for a person, and pings, lists, subscriptions and streams.
constexpr std::size_t connections_beside_calls = UpstreamInputRequests::max_on_streams + 48;

std::string digest_of(const std::string& text) {
  Sha256 sha;
  sha.add(text.data(), text.size());
  return sha.hex();
}

}  // namespace

UpstreamLoader::UpstreamLoader(Options options, MakeHttp make_http, Executor& executor, Workers& workers,
                               Reaper& reaper, Log& log)
    : options_(std::move(options)),
      trust_(options_.components, options_.trust),
      make_http_(std::move(make_http)),
      executor_(executor),
      workers_(workers),
      reaper_(reaper),
      log_(log) {}

// It says which programs run, so it is trusted by the rules for those.
Result<std::string> UpstreamLoader::read(const PluginFile& file, std::string& digest) const {
  if (const auto found = options_.configured.find(file.file); found != options_.configured.end()) {
    digest = digest_of(found->second);
    return found->second;
  }
  const auto opened = open_to_read(file.file);
  if (!opened) return fail_for_now("it cannot be opened: " + last_error());
  auto text = read_regular_file(opened, max_settings_bytes);
  if (text.has_error()) return text.error();
  if (const auto trusted = trust_.check(file.file, opened); trusted.has_error()) return trusted.error();
  const auto identity = identity_of_regular_file(opened);
  if (identity.has_error()) return identity.error();
  if (*identity != file.identity) return fail_for_now("it has changed since it was looked at; it will be tried again");
  digest = digest_of(*text);
  if (const auto allowed = trust_.check_digest(digest); allowed.has_error()) return allowed.error();
  return text;
}

// There is no file of that name where the configuration has it.
Result<LoadedPlugin> UpstreamLoader::load_version(const PluginFile& file, PluginEvents events) {
  auto loaded = load(file, std::move(events));
  const auto place = options_.places.find(file.file);
  if (loaded.has_value() || place == options_.places.end()) return loaded;
  auto error = loaded.error();
  error.message += "; it is configured at " + place->second;
  return error;
}

Result<LoadedPlugin> UpstreamLoader::load(const PluginFile& file, PluginEvents events) {
  auto name = upstream_name(file.file);
  if (name.has_error()) return name.error();
  std::string digest;
  auto text = read(file, digest);
  if (text.has_error()) return text.error();
  auto settings = read_upstream_settings(
      *std::move(text), file.file.parent_path(),
      {.limits = options_.limits, .sandbox = {.profile = options_.sandbox}, .errors = options_.errors});
  if (settings.has_error()) {
    auto error = settings.error();
    error.message = "it " + error.message;
    // It may be half a copy.
    if (!error.may_pass()) error.code = ErrorCode::incomplete;
    return error;
  }
  auto connect = connector(file.file, *name, *settings);
  auto made = std::make_unique<UpstreamPlugin>(
      UpstreamPlugin::Setup{
          .identity = {.file = file.file, .name = *name, .version = "unknown", .digest = digest, .is_upstream = true},
          .settings = *std::move(settings),
          .has_one_client = options_.has_one_client,
          .events = std::move(events),
          .connect = std::move(connect)},
      executor_, workers_.timers(), log_);
  auto& upstream = *made;
  auto plugin = reaper_.lease(std::move(made));
  const std::stop_callback stops(stopping_.get_token(), [&upstream] { upstream.give_up_first_connection(); });
  const auto description = plugin->describe();
  if (description.has_error()) return description.error();
  auto components = parse_components(*description);
  if (components.has_error()) return components.error();
  LoadedPlugin loaded{.served = {plugin, std::make_shared<const Components>(*std::move(components))}};
  loaded.remarks = upstream.remarks();
  return loaded;
}

UpstreamPlugin::Connect UpstreamLoader::connector(const std::filesystem::path& file, const std::string& name,
                                                  const UpstreamSettings& settings) {
  return [this, file, name,
          settings](UpstreamPlugin::ConnectionEvents events) -> Result<std::shared_ptr<UpstreamTransport>> {
    if (const auto* const command = std::get_if<UpstreamCommand>(&settings.way))
      return start(*command, file, name, settings, std::move(events));
    auto http = std::get<UpstreamUrl>(settings.way).settings();
    if (http.has_error()) return http.error();
    http->max_message_bytes = settings.limits.result_bytes + room_around_answer;
    http->connect_time = settings.connect_time;
    http->max_connections = settings.limits.concurrent_calls + connections_beside_calls;
    auto last = [&] {
      const MutexLock lock(mutex_);
      return last_[file];
    }();
    auto made = make_http_(*http, last);
    const MutexLock lock(mutex_);
    last_[file].swap(last);
    return made;
  };
}

Result<std::shared_ptr<UpstreamTransport>> UpstreamLoader::start(const UpstreamCommand& command,
                                                                 const std::filesystem::path& file,
                                                                 const std::string& name,
                                                                 const UpstreamSettings& settings,
                                                                 UpstreamPlugin::ConnectionEvents events) const {
  auto program = command.program();
  if (program.has_error()) return program.error();
  WorkerSetup worker{.library = {},
                     .file = file,
                     .digest = {},
                     .configuration = "{}",
                     .data_directory = data_directory(file, options_.components, options_.data_root),
                     .limits = settings.limits,
                     .sandbox = settings.sandbox,
                     .program = *std::move(program)};
  return std::shared_ptr<UpstreamTransport>(std::make_shared<ProcessUpstream>(
      ProcessUpstream::Setup{.name = name,
                             .worker = std::move(worker),
                             .max_message_bytes = settings.limits.result_bytes + room_around_answer,
                             .printed = std::move(events.printed),
                             .sandbox_lacks = std::move(events.sandbox_lacks),
                             .throttled = std::move(events.throttled)},
      workers_));
}

}  // namespace mcph
