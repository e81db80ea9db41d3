// What a plugin's process may do to the rest of the machine, as an operator configures it. Values; the worker applies
// them to itself (worker/confinement.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace mcph {

enum class SandboxProfile {
  none,
  permissive,  // keeps an ordinary plugin from harming others by mistake, and from most attacks on the kernel
  strict       // holds one that means harm
};

enum class SandboxNetwork {
  none,
  loopback,  // of its own: what listens on the machine's is not reached
  all
};

inline constexpr std::array<std::pair<std::string_view, SandboxProfile>, 3> sandbox_profiles{
    {{"none", SandboxProfile::none}, {"permissive", SandboxProfile::permissive}, {"strict", SandboxProfile::strict}}};

inline constexpr std::array<std::pair<std::string_view, SandboxNetwork>, 3> sandbox_networks{
    {{"none", SandboxNetwork::none}, {"loopback", SandboxNetwork::loopback}, {"all", SandboxNetwork::all}}};

std::string_view name_of(SandboxProfile profile);

struct Sandbox {
  SandboxProfile profile = SandboxProfile::none;
  bool required = false;                          // without all of it the plugin is refused
  std::vector<std::filesystem::path> read = {};   // absolute; what lies below may be read and run, too
  std::vector<std::filesystem::path> write = {};  // absolute; what lies below may be changed, too
  std::optional<SandboxNetwork> network = {};     // nothing: as the profile has it

  SandboxNetwork network_access() const;
};

// Since which version the kernel's Landlock restricts what; 0: there is none.
inline constexpr int landlock_with_files = 1;
inline constexpr int landlock_with_truncation = 3;
inline constexpr int landlock_with_signals = 6;

// What a sandbox lacks where Landlock has this version, each a few words. The strict filter of system calls, which a
// plugin in the strict profile has and a program has not, refuses signals and truncation by itself.
std::vector<std::string> landlock_lacks(int version, bool has_strict_filter);

// Whether a plugin may run where its sandbox lacks these things, each a few words.
Result<> accept_lacks(const Sandbox& sandbox, const std::vector<std::string>& lacks);

// "its sandbox is incomplete: ..."
std::string words_for_lacks(const std::vector<std::string>& lacks);

}  // namespace mcph
