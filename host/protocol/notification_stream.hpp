// A stream on which a legacy client hears what belongs to no request: an HTTP GET stream, or stdout. Implemented by
// transports, held weakly by sessions; any thread.
#pragma once

#include <string>

namespace mcph {

class NotificationStream {
 public:
  virtual ~NotificationStream() = default;

  // False: it is closed, and the message was not taken.
  virtual bool send(std::string message) = 0;
  virtual void close() = 0;
};

}  // namespace mcph
