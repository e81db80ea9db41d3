#include "admin/control_sockets.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "admin/line_socket.hpp"
#include "base/state_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

constexpr auto own_folder = "mcp-plugin-host";

// Of the user's session; empty: this process knows of none.
fs::path session_folder() {
  const char* const run = std::getenv("XDG_RUNTIME_DIR");
  return run != nullptr && *run == '/' ? fs::path(run) / own_folder : fs::path();
}

// A folder and not a link, and closed to everybody but its owner: whoever can write there can pose as a host.
bool is_closed(const fs::path& folder, struct ::stat& status) {
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool is_private(const fs::path& folder) {
  struct ::stat status {};
  return is_closed(folder, status) && status.st_uid == ::geteuid();
}

bool may_ask_service() {
  struct ::stat status {};
  std::error_code none;
  return ::geteuid() == 0 && is_closed(service_control_socket.parent_path(), status) &&
         fs::is_socket(fs::symlink_status(service_control_socket, none)) && !is_stale_socket(service_control_socket);
}

Result<> make_private(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  if (is_private(folder)) return {};
  return fs::exists(folder, error) ? fail("it is not this user's alone (mode 0700)") : fail("it cannot be made");
}

}  // namespace

std::vector<fs::path> control_folders() {
  std::vector<fs::path> folders;
  if (auto folder = session_folder(); !folder.empty()) folders.push_back(std::move(folder));
  folders.push_back(state_folder() / ".control");
  std::error_code none;
  const auto temporary = fs::temp_directory_path(none);
  if (!none) folders.push_back(temporary / ("mcp-control-" + std::to_string(::geteuid())));
  return folders;
}

std::vector<fs::path> folders_of_hosts() {
  auto folders = control_folders();
  // Where systemd puts it.
  if (session_folder().empty()) folders.push_back(fs::path("/run/user") / std::to_string(::geteuid()) / own_folder);
  return folders;
}

Result<fs::path> own_control_socket(const std::vector<fs::path>& folders) {
  std::string reasons;
  for (const auto& folder : folders) {
    auto socket = folder / (std::to_string(::getpid()) + ".sock");
    const auto made =
        can_listen_at(socket) ? make_private(folder) : Result<>(fail("its path is too long for a socket"));
    if (made.has_value()) return socket;
    reasons += "; " + folder.string() + ": " + made.error().message;
  }
  return fail("there is no folder for it" + reasons);
}

std::vector<fs::path> control_sockets(std::vector<fs::path> folders) {
  std::erase_if(folders, [](const auto& folder) { return !is_private(folder); });
  std::vector<fs::path> sockets;
  for (const auto& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() != ".sock") continue;
      if (is_stale_socket(entry->path())) {
        ::unlink(entry->path().c_str());
      } else {
        sockets.push_back(entry->path());
      }
    }
  }
  if (may_ask_service()) sockets.push_back(service_control_socket);
  std::sort(sockets.begin(), sockets.end());
  return sockets;
}

Result<std::unique_ptr<ControlServer>> listen_to_operator(const std::string& wanted, ControlServer::Answer answer,
                                                          Log& log) {
  if (wanted == "none") return nullptr;
  control_sockets();
  const auto socket = wanted.empty() ? own_control_socket() : fs::path(wanted);
  auto server = socket.has_error() ? Result<std::unique_ptr<ControlServer>>(socket.error())
                                   : ControlServer::listen(*socket, std::move(answer));
  if (server.has_value() || !wanted.empty()) return server;
  log.warning("operator cannot reach this host", {{"reason", server.error().message}});
  return nullptr;
}

}  // namespace mcph
