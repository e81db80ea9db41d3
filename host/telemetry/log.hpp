// What the host says about itself. An event is a short sentence plus named fields, so that people and machines read the
// same thing. Made by each command, handed to whoever has something to say; every function may be called from any
// thread.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace mcph {

class Log {
 public:
  enum class Level {
    trace,  // what is said in each call
    debug,  // that there was one
    info,
    warning,
    error,
    off
  };

  struct Field {
    std::string_view name;
    std::string value;
    bool is_number = false;

    template <class T>
    requires std::constructible_from<std::string, T> Field(std::string_view field, T&& text)
        : name(field), value(std::forward<T>(text)) {}
    template <std::integral T>
    Field(std::string_view field, T number) : name(field), value(std::to_string(number)), is_number(true) {}
  };
  using Fields = std::initializer_list<Field>;

  Log() = default;
  virtual ~Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void trace(std::string_view event, Fields fields = {}) { write(Level::trace, event, fields); }
  void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
  void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
  void warning(std::string_view event, Fields fields = {}) { write(Level::warning, event, fields); }
  void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }
  virtual void write(Level level, std::string_view event, Fields fields) = 0;
  // False: what is written at this level is dropped, so that nobody need gather it.
  virtual bool writes(Level /*level*/) const { return true; }
};

}  // namespace mcph
