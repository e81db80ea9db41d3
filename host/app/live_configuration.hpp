// The configuration while the host serves: its file and the file of the tokens are watched, and what they say counts as
// soon as they have changed. What cannot be used leaves what was there before. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admin/operator_answers.hpp"
#include "auth/access_state.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "catalog/published_catalog.hpp"
#include "config/config.hpp"
#include "config/watched_files.hpp"
#include "http/client/http_caller.hpp"
#include "limits/limits.hpp"
#include "runtime/current.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class LiveConfiguration {
 public:
  // What is governed from now on: the catalog of each server that there is, by its name in the configuration; that of
  // the whole has none.
  using Catalogs = std::map<std::string, PublishedCatalog*>;

  // To whom the host listens: a change is not taken that would leave these without protection.
  enum class Serves { http, stdio };

  // `config` is what the host has been started with. The catalogs, the caller, by which issuers are asked, and the log
  // outlive it. Fails where the configuration or the tokens cannot be read.
  static Result<std::unique_ptr<LiveConfiguration>> create(ConfigSource source, Config config, Serves serves,
                                                           const Catalogs& catalogs, HttpCaller& caller, Log& log);

  // How what goes on is ended for those whose credentials are good no longer: first streams, in the protocol's own way;
  // a little later whatever is left. Called on a thread of this object.
  struct Ending {
    std::function<void(const IsGood& is_good)> close_streams;
    std::function<void(IsGood is_good)> expel;
  };
  // Begins to watch. Once.
  void run(Ending ending);
  // Nothing is ended any more.
  void stop() { watched_.stop(); }

  // To the server of this name, which is one of those that it was created with.
  const Current<AccessState>& access(const std::string& server = {}) const { return servers_.at(server).access; }
  const Current<Limits>& limits() const { return limits_; }

  // What has become of the changes of its files.
  struct Reloads {
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    std::string refusal;                    // why the last change was not taken; empty: it was
    std::vector<std::string> need_restart;  // the settings that do before what was taken last counts as a whole
    std::chrono::system_clock::time_point last_taken = std::chrono::system_clock::now();  // the start of the host, too
  };
  Reloads reloads() const;
  // Of them, what the operator is told.
  ConfigurationReport report() const;

 private:
  struct GovernedServer {
    explicit GovernedServer(PublishedCatalog& governed) : catalog(governed) {}

    PublishedCatalog& catalog;
    Current<AccessState> access{AccessState::open(nullptr)};
    std::string title = {};    // with which the host has been started
    RoleText components = {};  // of a virtual one, as they have been taken last
  };
  // What is to be known of all servers.
  struct Access {
    bool has_tokens = false;
    std::map<std::string, std::shared_ptr<const AccessState>> states;
    std::map<std::string, std::shared_ptr<const Policy>> policies;
  };

  LiveConfiguration(ConfigSource source, Config config, Serves serves, const Catalogs& catalogs, HttpCaller& caller,
                    Log& log);

  Result<Access> access_of(const Config& config);
  Result<std::shared_ptr<const AccessState>> access_of(const std::string& name, const Config& config,
                                                       std::shared_ptr<const RolePolicy> roles,
                                                       const TokenRecords& tokens);
  // At which clients reach the server, and for which issuers make tokens.
  std::vector<std::string> urls_of(const std::string& name) const;
  void take(Access access);
  // Those of the configuration, which has been checked, with what has been used of those that have not changed.
  void set_limits();
  void govern();
  std::vector<std::filesystem::path> files_of(const Config& config) const;
  void attend(bool changed);
  // What is known of roles and tokens; of the tokens alone where the configuration cannot be used.
  enum class ReadAnew { nothing, tokens, configuration };
  ReadAnew take_changes(bool changed);  // false: no file has, but what was refused is tried again
  void count_taken(std::vector<std::string> need_restart);
  void count_refused(const std::string& reason);
  void end_what_is_good_no_longer(bool replaced);
  std::vector<std::string> what_needs_a_restart(const Config& next) const;

  mutable Mutex mutex_;
  Reloads reloads_ GUARDED_BY(mutex_);
  const ConfigSource source_;
  const Serves serves_;
  Config config_;         // used by one thread at a time: who creates this, then the one that watches
  OrderedJson settings_;  // those of `config_`, as a file has them
  const Config started_with_;
  // For all servers, so that what has been used at one has been so at the others; and with the nonces of replicas.
  const std::shared_ptr<Proofs> proofs_;
  std::shared_ptr<Issuers> issuers_;  // of the whole, whose keys are those of all; null: there are none
  Current<Limits> limits_;
  HttpCaller& caller_;
  Log& log_;
  std::map<std::string, GovernedServer> servers_;
  std::map<std::string, std::shared_ptr<const Policy>> policies_;
  Ending ending_;
  std::chrono::system_clock::time_point looked_at_ = std::chrono::system_clock::now();
  // The first streams have ended, and others may; then whatever is left is ended, too.
  struct Farewell {
    std::chrono::steady_clock::time_point since;
    std::chrono::steady_clock::time_point expel_at;
  };
  std::optional<Farewell> farewell_;
  std::chrono::steady_clock::time_point refused_at_;  // the last time, if it was
  bool access_is_old_ = false;                        // the tokens could not be read then, either
  WatchedFiles watched_;                              // last, because its thread uses the others
};

}  // namespace mcph
