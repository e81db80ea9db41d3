// What the host says about itself: one line an event, on stderr, as text or as a JSON object. An event is a short
// sentence plus named fields, so that people and machines read the same thing. Made by main, handed to whoever has
// something to say; every function may be called from any thread.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace mcph {

class Log {
 public:
  enum class Level { debug, info, warning, error, off };
  enum class Format { text, json };

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

  Log(Level level, Format format);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void debug(std::string_view event, Fields fields = {}) { write(Level::debug, event, fields); }
  void info(std::string_view event, Fields fields = {}) { write(Level::info, event, fields); }
  void warning(std::string_view event, Fields fields = {}) { write(Level::warning, event, fields); }
  void error(std::string_view event, Fields fields = {}) { write(Level::error, event, fields); }
  void write(Level level, std::string_view event, Fields fields);

 private:
  Format format_;
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace mcph
