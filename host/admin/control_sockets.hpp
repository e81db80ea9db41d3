// Where the hosts of a user listen for their operator, unless they are told otherwise: FOLDER/PID.sock, in a folder
// that nobody else can enter. Free functions; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "admin/control_server.hpp"
#include "base/result.hpp"
#include "telemetry/log.hpp"

namespace mcph {

// In the order of preference: of the session ($XDG_RUNTIME_DIR), of the user, of the temporary files. Several, because
// hosts and operators may run in different environments.
std::vector<std::filesystem::path> control_folders();

// Where hosts of this user may listen: also in the folder of its session, where this process does not know of one.
std::vector<std::filesystem::path> folders_of_hosts();

// Where this process is to listen. Makes the folder.
Result<std::filesystem::path> own_control_socket(const std::vector<std::filesystem::path>& folders = control_folders());

// Where the system's service listens, as its unit says, in a folder that only root can make. The service may have other
// sockets there, for clients.
inline const std::filesystem::path service_control_socket = "/run/mcp-plugin-host/control.sock";

// The sockets of all hosts that run, for root also the service's. Removes those that dead ones have left.
std::vector<std::filesystem::path> control_sockets(std::vector<std::filesystem::path> folders = folders_of_hosts());

// Listens where the operator wants: at the path `wanted`, or, where that is empty, at this process's own socket,
// without which the log has a warning and the host serves all the same. Null: "none" is wanted, or there is none.
// Removes the sockets of dead hosts.
Result<std::unique_ptr<ControlServer>> listen_to_operator(const std::string& wanted, ControlServer::Answer answer,
                                                          Log& log);

}  // namespace mcph
