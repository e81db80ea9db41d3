#include "worker/confinement.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "worker/landlock.hpp"
#include "worker/own_network.hpp"
#include "worker/privileges.hpp"
#include "worker/resource_limit.hpp"
#include "worker/seccomp_filter.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

// What loading a library and ordinary functions of the C library need: libraries, and what belongs to them.
constexpr std::array<const char*, 15> system_files{
    "/lib",       "/lib32",         "/lib64",           "/usr/lib",   "/usr/lib32",       "/usr/lib64",
    "/usr/share", "/usr/local/lib", "/usr/local/share", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime",
    "/dev/null",  "/dev/random",    "/dev/urandom"};
// And what finding a host by its name and checking its certificate needs. Not all of /etc/ssl, because keys may lie
// there. The folder is that of systemd-resolved, which puts new files in the place of old ones: a rule for
// /etc/resolv.conf is one for the file that it led to.
constexpr std::array<const char*, 10> network_files{
    "/etc/hosts",     "/etc/host.conf",       "/etc/nsswitch.conf", "/etc/services",    "/etc/gai.conf",
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem",  "/etc/resolv.conf", "/run/systemd/resolve"};
// And what a program needs, and those that it starts. Programs are no secrets.
constexpr std::array<const char*, 8> program_files{"/bin",          "/usr/bin",          "/usr/local/bin",
                                                   "/usr/libexec",  "/etc/alternatives", "/proc/cpuinfo",
                                                   "/proc/meminfo", "/proc/stat"};
constexpr std::array<const char*, 3> writable_devices{"/dev/null", "/dev/zero", "/dev/full"};

template <std::size_t count>
void add_existing(std::vector<fs::path>& paths, const std::array<const char*, count>& names) {
  for (const auto* name : names) {
    if (::access(name, F_OK) == 0) paths.emplace_back(name);
  }
}

LandlockRules landlock_rules(const WorkerSetup& setup, FileDescriptor data_directory, SandboxNetwork network) {
  const auto& sandbox = setup.sandbox;
  LandlockRules rules{.read = sandbox.read, .write = sandbox.write, .folder = std::move(data_directory)};
  rules.tcp = network != SandboxNetwork::none;
  if (sandbox.profile == SandboxProfile::permissive) {
    rules.read.emplace_back("/");
    add_existing(rules.write, writable_devices);
    return rules;
  }
  rules.abstract_sockets = false;
  if (setup.program.command.empty()) {
    rules.read.push_back(setup.bundle.empty() ? setup.library : setup.bundle);
  } else {
    add_existing(rules.read, program_files);
  }
  add_existing(rules.read, system_files);
  if (network != SandboxNetwork::none) add_existing(rules.read, network_files);
  rules.write.emplace_back("/dev/null");
  return rules;
}

bool may_know(std::string_view variable) {
  const auto name = variable.substr(0, variable.find('='));
  return name == "PATH" || name == "TZ" || name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
}

// The host's environment may hold secrets. They are overwritten where they are, because the plugin shares this memory.
void forget_environment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    if (may_know(*each)) kept.emplace_back(*each);
    ::explicit_bzero(*each, std::strlen(*each));
  }
  ::clearenv();
  for (const auto& variable : kept) {
    const auto equals = variable.find('=');
    ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
}

// A memory file counts as a file, so a limit of memory has to be one of them, too. What the operator says of open files
// is kept to later, with all that has no sandbox.
void set_limits(const PluginLimits& limits) {
  for (const auto resource : {RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_RTPRIO})
    set_resource_limit(resource, 0);
  if (limits.open_files == 0) set_resource_limit(RLIMIT_NOFILE, sandboxed_open_files);
  if (limits.memory_bytes == 0) return;
  std::signal(SIGXFSZ, SIG_IGN);
  set_resource_limit(RLIMIT_FSIZE, limits.memory_bytes);
}

// A plugin that may use the loopback and cannot have one has no network: less than it asked for, never more.
SandboxNetwork enter_network(SandboxNetwork wanted, std::vector<std::string>& lacks) {
  if (wanted != SandboxNetwork::loopback) return wanted;
  const auto entered = enter_own_network();
  if (entered.has_value()) return wanted;
  lacks.push_back("it cannot have a loopback of its own (" + entered.error().message + "), so it has no network");
  return SandboxNetwork::none;
}

// A program starts others, and what it and they call nobody can list.
bool has_strict_filter(const WorkerSetup& setup) {
  return setup.sandbox.profile == SandboxProfile::strict && setup.program.command.empty();
}

Result<> restrict_files(const WorkerSetup& setup, const LandlockRules& rules, std::vector<std::string>& lacks) {
  const int version = landlock_version();
  for (auto& lack : landlock_lacks(version, has_strict_filter(setup)))
    lacks.push_back(std::move(lack));
  return version < landlock_with_files ? Result<>() : enter_landlock(rules);
}

void restrict_calls(const WorkerSetup& setup, SandboxNetwork network, std::vector<std::string>& lacks) {
  const SeccompRules rules{.network = network,
                           .local_sockets = setup.sandbox.profile != SandboxProfile::strict,
                           .landlock_sees_truncation = landlock_version() >= landlock_with_truncation};
  const auto entered = has_strict_filter(setup) ? enter_strict_filter(rules) : enter_permissive_filter(rules);
  if (entered.has_error()) {
    lacks.push_back("the kernel takes no filter of system calls (" + entered.error().message +
                    "), so all of them can be made");
  }
}

void restrict_processes(std::vector<std::string>& lacks) {
  if (!refuse_new_privileges()) {
    lacks.emplace_back("the kernel does not keep it from getting new privileges, so it can start other processes");
  } else if (const auto entered = enter_filter_without_processes(); entered.has_error()) {
    lacks.push_back("the kernel takes no filter of system calls (" + entered.error().message +
                    "), so it can start other processes");
  }
}

Result<> enter_sandbox(const WorkerSetup& setup, std::vector<std::string>& lacks) {
  const auto& sandbox = setup.sandbox;
  auto data_directory = setup.data_directory.open();
  if (data_directory.has_error()) return data_directory.error();
  if (sandbox.profile == SandboxProfile::strict) forget_environment();
  ::setenv("TMPDIR", setup.data_directory.path().c_str(), 1);
  set_limits(setup.limits);
  const auto network = enter_network(sandbox.network_access(), lacks);
  if (!drop_capabilities()) lacks.emplace_back("its capabilities cannot be dropped");
  if (!refuse_new_privileges()) lacks.emplace_back("the kernel does not keep it from getting new privileges");
  if (auto restricted = restrict_files(setup, landlock_rules(setup, *std::move(data_directory), network), lacks);
      restricted.has_error()) {
    return restricted.error();
  }
  restrict_calls(setup, network, lacks);
  return {};
}

}  // namespace

Result<std::vector<std::string>> confine(const WorkerSetup& setup) {
  std::vector<std::string> lacks;
  // A program could not even begin.
  if (setup.limits.starts_nothing && setup.program.command.empty()) restrict_processes(lacks);
  if (setup.sandbox.profile != SandboxProfile::none) {
    if (auto entered = enter_sandbox(setup, lacks); entered.has_error()) return entered.error();
  }
  ::malloc_trim(0);  // what making the filters has left
  if (auto accepted = accept_lacks(setup.sandbox, lacks); accepted.has_error()) return accepted.error();
  return lacks;
}

}  // namespace mcph
