// Descriptors beside a message of a Unix socket (unix(7), SCM_RIGHTS). Used where the message is sent or received; one
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "base/file_descriptor.hpp"

namespace mcph {

// Of one message: SCM_MAX_FD.
inline constexpr std::size_t max_passed_descriptors = 253;

// The room for so many of them, which a message that is sent or received uses. Those for which a receiver has no room
// the system closes, while the receiver waits.
template <std::size_t size>
class alignas(cmsghdr) DescriptorRoom {
 public:
  // Sends them with the message; they stay the sender's. At least one.
  void attach(msghdr& message, std::initializer_list<int> descriptors) {
    make_room(message);
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    auto* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(control), descriptors.begin(), descriptors.size() * sizeof(int));
  }

  // Before the message is received.
  void make_room(msghdr& message) {
    message.msg_control = bytes_.data();
    message.msg_controllen = bytes_.size();
  }

  // All that came with a message, because they are this process's by now; nothing if none did, as is usual.
  static std::optional<std::array<FileDescriptor, size>> received(msghdr& message) {
    std::optional<std::array<FileDescriptor, size>> descriptors;
    const auto* const control = CMSG_FIRSTHDR(&message);
    if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return descriptors;
    descriptors.emplace();
    const auto count = std::min((control->cmsg_len - CMSG_LEN(0)) / sizeof(int), size);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(control) + i * sizeof descriptor, sizeof descriptor);
      descriptors->at(i) = FileDescriptor(descriptor);
    }
    return descriptors;
  }

 private:
  std::array<char, CMSG_SPACE(size * sizeof(int))> bytes_{};
};

// Closes what a stranger has passed, or a socket that may hold such descriptors unread. On a thread of its own, for
// which nobody waits, because he may have seen to it that closing does not end: with a connection that waits for what
// was written to be taken (SO_LINGER), or with a file of a server that does not answer.
template <std::size_t size>
void close_elsewhere(std::array<FileDescriptor, size> descriptors) {
  const linger none{};
  for (const auto& each : descriptors) {
    // The usual one ends so, and its thread with it. One that is no socket has no such option.
    if (each) ::setsockopt(each.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
  }
  try {
    std::thread([closed = std::move(descriptors)] {}).detach();
  } catch (const std::exception&) {
    // The system gives no thread, or no memory for one: they have been closed here.
  }
}

}  // namespace mcph
