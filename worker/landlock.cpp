#include "worker/landlock.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"
#include "plugin/sandbox.hpp"

namespace mcph {
namespace {

namespace access_to {
constexpr std::uint64_t execute = 1ULL << 0;
constexpr std::uint64_t write_file = 1ULL << 1;
constexpr std::uint64_t read_file = 1ULL << 2;
constexpr std::uint64_t read_dir = 1ULL << 3;
constexpr std::uint64_t make_char = 1ULL << 6;
constexpr std::uint64_t make_block = 1ULL << 11;
constexpr std::uint64_t truncate = 1ULL << 14;
constexpr std::uint64_t ioctl_dev = 1ULL << 15;
}  // namespace access_to

// All rights over files that each version knows: version 1 those up to MAKE_SYM, then REFER, TRUNCATE and IOCTL_DEV.
constexpr std::array<std::uint64_t, 6> rights_by_version{
    0, (1ULL << 13) - 1, (1ULL << 14) - 1, (1ULL << 15) - 1, (1ULL << 15) - 1, (1ULL << 16) - 1};
constexpr int version_with_tcp = 4;
constexpr std::uint64_t bind_and_connect_tcp = 0b11;
constexpr std::uint64_t scope_abstract_sockets = 1ULL << 0;
constexpr std::uint64_t scope_signals = 1ULL << 1;

constexpr std::uint64_t to_read = access_to::execute | access_to::read_file | access_to::read_dir;
constexpr std::uint64_t to_write = ~(access_to::execute | access_to::make_char | access_to::make_block);
constexpr std::uint64_t on_a_file =
    access_to::execute | access_to::write_file | access_to::read_file | access_to::truncate | access_to::ioctl_dev;

// A kernel that knows less takes it as long as what it does not know is 0.
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathAttributes {
  std::uint64_t allowed_access;
  std::int32_t parent;
};

RulesetAttributes attributes_of(const LandlockRules& rules, int version) {
  RulesetAttributes attributes{};
  const auto known = std::min<std::size_t>(static_cast<std::size_t>(version), rights_by_version.size() - 1);
  attributes.handled_access_fs = rights_by_version.at(known);
  if (version >= version_with_tcp && !rules.tcp) attributes.handled_access_net = bind_and_connect_tcp;
  if (version >= landlock_with_signals) {
    attributes.scoped = scope_signals | (rules.abstract_sockets ? 0 : scope_abstract_sockets);
  }
  return attributes;
}

// True, or errno says why not.
bool add_rule(int ruleset, const FileDescriptor& parent, std::uint64_t access) {
  constexpr int path_beneath = 1;
  const PathAttributes rule{access, parent.get()};
  return ::syscall(SYS_landlock_add_rule, ruleset, path_beneath, &rule, 0) == 0;
}

Result<> allow(int ruleset, const std::filesystem::path& path, std::uint64_t access) {
  const FileDescriptor parent(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct ::stat status {};
  if (!parent || ::fstat(parent.get(), &status) != 0) {
    return fail_for_now("its sandbox names " + path.string() + ", which cannot be opened: " + last_error());
  }
  if (!S_ISDIR(status.st_mode)) access &= on_a_file;
  if (add_rule(ruleset, parent, access)) return {};
  return fail("its sandbox cannot name " + path.string() + ": " + last_error());
}

}  // namespace

int landlock_version() {
  constexpr unsigned ask_version = 1;
  const auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version);
  return version < 0 ? 0 : static_cast<int>(version);
}

Result<> enter_landlock(const LandlockRules& rules) {
  const auto attributes = attributes_of(rules, landlock_version());
  const FileDescriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!ruleset) return fail("Landlock makes no rules: " + last_error());
  for (const auto& path : rules.read) {
    if (auto allowed = allow(ruleset.get(), path, to_read & attributes.handled_access_fs); allowed.has_error()) {
      return allowed;
    }
  }
  for (const auto& path : rules.write) {
    if (auto allowed = allow(ruleset.get(), path, to_write & attributes.handled_access_fs); allowed.has_error()) {
      return allowed;
    }
  }
  if (rules.folder && !add_rule(ruleset.get(), rules.folder, to_write & attributes.handled_access_fs)) {
    return fail("its sandbox cannot name its data directory: " + last_error());
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0) return {};
  return fail("Landlock cannot be applied: " + last_error());
}

}  // namespace mcph
