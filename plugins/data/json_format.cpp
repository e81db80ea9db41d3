#include "data/json_format.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <mcp/plugin.hpp>

#include "shared/text.hpp"

namespace plugins::data {
namespace {

constexpr std::size_t max_depth = 200;
// A value takes up to 130 bytes, however short it is written.
constexpr std::size_t max_values = 200'000;
// Of what is indented. Without that it is at most half as long again as what is given.
constexpr std::size_t max_indented_bytes = 8'388'608;

// What the parser calls it (out_of_range.406): it makes a double of each number.
constexpr int too_large_number = 406;
constexpr std::size_t max_shown_bytes = 40;

std::string about_large_number(const std::string& written) {
  const bool is_long = written.size() > max_shown_bytes;
  return "The JSON has a number that is beyond 1.8e308: " + written.substr(0, max_shown_bytes) + (is_long ? "..." : "");
}

struct Value {
  char kind = 's';                // a scalar, or '{', or '['
  std::string text;               // of a scalar
  std::vector<std::string> keys;  // of an object
  std::vector<Value> items;
};

// Receives what the parser finds, and makes a Value of it.
class Builder {
 public:
  using number_integer_t = mcp::Json::number_integer_t;
  using number_unsigned_t = mcp::Json::number_unsigned_t;
  using number_float_t = mcp::Json::number_float_t;
  using string_t = mcp::Json::string_t;
  using binary_t = mcp::Json::binary_t;

  bool null() { return scalar("null"); }
  bool boolean(bool value) { return scalar(value ? "true" : "false"); }
  // Only what has a minus comes here, and a zero has lost it.
  bool number_integer(number_integer_t value) { return scalar(value == 0 ? "-0" : std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) { return scalar(written); }
  bool string(string_t& value) { return scalar(mcp::dump_json(value)); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return open('{'); }
  bool start_array(std::size_t) { return open('['); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& name) {
    open_.back()->keys.push_back(std::move(name));
    return true;
  }
  template <class Exception>
  bool parse_error(std::size_t, const std::string& written, const Exception& error) {
    if (error.id == too_large_number) throw std::invalid_argument(about_large_number(written));
    std::string what = error.what();
    // The first byte of a character that has more.
    if (!is_text(what)) what.resize(std::min(what.size(), what.find("; last read: ")));
    const auto words = what.find("] ");
    throw std::invalid_argument("This is no JSON: " + (words == std::string::npos ? what : what.substr(words + 2)));
  }

  const Value& root() const { return root_; }

 private:
  Value& add() {
    if (++values_ > max_values) {
      throw std::invalid_argument("The JSON has more than " + std::to_string(max_values) + " values. Give it in parts");
    }
    return open_.empty() ? root_ : open_.back()->items.emplace_back();
  }
  bool scalar(std::string text) {
    add().text = std::move(text);
    return true;
  }
  bool open(char kind) {
    if (open_.size() == max_depth) {
      throw std::invalid_argument("The JSON is nested more than " + std::to_string(max_depth) + " levels deep");
    }
    auto& value = add();
    value.kind = kind;
    open_.push_back(&value);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t values_ = 0;
  Value root_;
  // The last item of each is the next: what lies before it does not move while that grows.
  std::vector<Value*> open_;
};

class Writer {
 public:
  Writer(int indent, bool sort_keys) : indent_(indent), sort_keys_(sort_keys) {}

  void write(const Value& value) {
    if (value.kind == 's') {
      text_ += value.text;
      return;
    }
    text_ += value.kind;
    ++depth_;
    bool is_first = true;
    for (const auto item : order(value)) {
      if (!is_first) text_ += indent_ > 0 ? "," : ", ";
      is_first = false;
      new_line();
      if (value.kind == '{') text_ += mcp::dump_json(value.keys[item]) + ": ";
      write(value.items[item]);
    }
    --depth_;
    if (!is_first) new_line();
    text_ += value.kind == '{' ? '}' : ']';
  }

  std::string take() { return std::move(text_); }

 private:
  std::vector<std::size_t> order(const Value& value) const {
    std::vector<std::size_t> items(value.items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      items[i] = i;
    if (!sort_keys_ || value.kind != '{') return items;
    std::stable_sort(items.begin(), items.end(),
                     [&value](std::size_t a, std::size_t b) { return value.keys[a] < value.keys[b]; });
    return items;
  }

  void new_line() {
    if (indent_ <= 0) return;
    if (text_.size() > max_indented_bytes) {
      throw std::invalid_argument("With an indent of " + std::to_string(indent_) + " the JSON takes more than " +
                                  std::to_string(max_indented_bytes) +
                                  " bytes. Take a smaller indent; 0 writes it in one line");
    }
    text_ += '\n' + std::string(depth_ * static_cast<std::size_t>(indent_), ' ');
  }

  const int indent_;
  const bool sort_keys_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

std::string format_json(std::string_view json, int indent, bool sort_keys) {
  Builder builder;
  mcp::Json::sax_parse(json, &builder);
  Writer writer(indent, sort_keys);
  writer.write(builder.root());
  return writer.take();
}

}  // namespace plugins::data
