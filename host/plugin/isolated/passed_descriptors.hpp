// Descriptors beside a message of a Unix socket (unix(7), SCM_RIGHTS). Used where the message is sent or received; one
// thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <sys/socket.h>

#include "base/file_descriptor.hpp"

namespace mcph {

// The room for them, which a message that is sent or received uses. More than these are never sent, and never received.
class alignas(cmsghdr) DescriptorRoom {
 public:
  static constexpr std::size_t most = 2;

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

  // All that came with a message, because they are this process's by now.
  static std::array<FileDescriptor, most> received(msghdr& message) {
    std::array<FileDescriptor, most> descriptors;
    const auto* const control = CMSG_FIRSTHDR(&message);
    if (control == nullptr || control->cmsg_type != SCM_RIGHTS) return descriptors;
    const auto count = std::min((control->cmsg_len - CMSG_LEN(0)) / sizeof(int), most);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(control) + i * sizeof descriptor, sizeof descriptor);
      descriptors.at(i) = FileDescriptor(descriptor);
    }
    return descriptors;
  }

 private:
  std::array<char, CMSG_SPACE(most * sizeof(int))> bytes_{};
};

}  // namespace mcph
