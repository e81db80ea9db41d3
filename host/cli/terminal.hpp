// The terminal that a command is run at. Free functions and a class; one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/file_descriptor.hpp"

struct termios;

namespace mcph {

enum class ColorChoice { automatic, always, never };

// Whether what is written to this descriptor is to be coloured: of its own accord where it is a terminal that knows
// colours, unless the environment says NO_COLOR (https://no-color.org).
bool wants_color(ColorChoice choice, int descriptor);

bool is_terminal(int descriptor);

// Whether SIGHUP counts, before anything listens for it: nohup says that it does not.
bool heeds_hang_up();

// The columns of the terminal there; 80 of one that does not say.
std::size_t columns_of(int descriptor);

// All of the terminal at standard output, which is given back as it was at the end, after a signal, too. While it
// lives, the signals that end or stop a program are taken from the whole process, which has one thread.
class Screen {
 public:
  Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  // Shows these lines, each cut off at the edge, and what must stay at the bottom.
  void draw(const std::string& lines, const std::string& bottom);

  struct Event {
    enum class Kind { nothing, key, end } kind = Kind::nothing;
    char key = 0;
  };
  // What happens next, within that time.
  Event wait(std::chrono::milliseconds patience);

 private:
  void enter();
  void leave();
  Event take_signal();

  std::unique_ptr<::termios> before_;  // of the keyboard; null: there is none
  FileDescriptor signals_;
};

}  // namespace mcph
