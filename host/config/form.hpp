// What a value of the configuration looks like: the JSON Schema that says it to people and editors, and checks it; how
// it is read into a C++ value; and how that is shown again. Forms of parts make forms of tables, so that a setting is
// declared once, in one line. Functions without state; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/json_pointer.hpp"
#include "base/result.hpp"

namespace mcph {

// What is wrong with a value.
struct Mistake {
  std::string pointer;  // a JSON Pointer
  std::string message;  // that follows its name: "must be at least 1, but is 0"
  bool is_key = false;  // it is the name that is wrong, not the value
};
using Mistakes = std::vector<Mistake>;

template <class T>
struct Form {
  OrderedJson schema;
  // Leaves the target as it is, or in part so, if there are mistakes.
  std::function<void(const OrderedJson& value, const std::string& pointer, T& target, Mistakes& mistakes)> read;
  // Null: it is not set.
  std::function<OrderedJson(const T& value)> show;
};

// Notes the first violation, if there is one.
bool fits(const OrderedJson& schema, const OrderedJson& value, const std::string& pointer, Mistakes& mistakes);

// A value whose schema says all about it, so that what fits can be converted.
template <class T>
Form<T> leaf(OrderedJson schema) {
  return {.schema = schema,
          .read =
              [schema = std::move(schema)](const OrderedJson& value, const std::string& pointer, T& target,
                                           Mistakes& mistakes) {
                if (fits(schema, value, pointer, mistakes)) target = value.get<T>();
              },
          .show = [](const T& value) { return OrderedJson(value); }};
}

// Another C++ type for the same JSON. `to` may refuse what the schema cannot.
template <class T, class Via>
Form<T> converted(Form<Via> form, std::function<Result<T>(const Via&)> to, std::function<Via(const T&)> from) {
  return {.schema = std::move(form.schema),
          .read =
              [read = std::move(form.read), to = std::move(to)](const OrderedJson& value, const std::string& pointer,
                                                                T& target, Mistakes& mistakes) {
                Via via{};
                const auto before = mistakes.size();
                read(value, pointer, via, mistakes);
                if (mistakes.size() > before) return;
                auto settled = to(via);
                if (settled.has_value()) {
                  target = *std::move(settled);
                } else {
                  mistakes.push_back({pointer, settled.error().message});
                }
              },
          .show = [show = std::move(form.show), from = std::move(from)](const T& value) { return show(from(value)); }};
}

Form<bool> truth();
// Empty: not set.
Form<std::string> text();
// A text about which `check` has something to say, or nothing.
Form<std::string> text(std::function<Result<>(const std::string&)> check);
// Relative to the folder of the file that names it, which whoever reads the file settles. Empty: not set.
Form<std::filesystem::path> path();
// The same, or the word "none".
Form<std::string> path_or_none();
// A JSON Schema, which has not been compiled.
Form<OrderedJson> any_schema();

template <class Number>
Form<Number> number(std::int64_t least, std::int64_t most = std::numeric_limits<int>::max()) {
  return leaf<Number>({{"type", "integer"}, {"minimum", least}, {"maximum", most}});
}

// In the unit of the type.
template <class Duration>
Form<Duration> duration(std::int64_t least = 1, std::int64_t most = std::numeric_limits<int>::max()) {
  return converted<Duration, std::int64_t>(
      number<std::int64_t>(least, most), [](const std::int64_t& count) -> Result<Duration> { return Duration(count); },
      [](const Duration& time) { return static_cast<std::int64_t>(time.count()); });
}

template <class Enum>
Form<Enum> choice(const std::vector<std::pair<std::string, Enum>>& words) {
  OrderedJson schema = {{"enum", OrderedJson::array()}};
  for (const auto& [word, value] : words)
    schema["enum"].push_back(word);
  return converted<Enum, std::string>(
      leaf<std::string>(std::move(schema)),
      [words](const std::string& wanted) -> Result<Enum> {
        for (const auto& [word, value] : words) {
          if (word == wanted) return value;
        }
        return fail("must be one of them");  // which the schema says
      },
      [words](const Enum& wanted) {
        for (const auto& [word, value] : words) {
          if (value == wanted) return word;
        }
        return std::string();
      });
}

template <class T>
Form<std::vector<T>> list(Form<T> form) {
  return {.schema = {{"type", "array"}, {"items", std::move(form.schema)}},
          .read =
              [read = std::move(form.read)](const OrderedJson& value, const std::string& pointer,
                                            std::vector<T>& target, Mistakes& mistakes) {
                if (!fits({{"type", "array"}}, value, pointer, mistakes)) return;
                target.clear();
                for (std::size_t i = 0; i < value.size(); ++i) {
                  T each{};
                  read(value[i], append_to_pointer(pointer, std::to_string(i)), each, mistakes);
                  target.push_back(std::move(each));
                }
              },
          .show =
              [show = std::move(form.show)](const std::vector<T>& values) {
                auto json = OrderedJson::array();
                for (const auto& each : values)
                  json.push_back(show(each));
                return json.empty() ? OrderedJson() : json;
              }};
}

// What there may be or not: the target is nothing unless it is set.
template <class T>
Form<std::optional<T>> optional(Form<T> form) {
  return {.schema = std::move(form.schema),
          .read = [read = std::move(form.read)](
                      const OrderedJson& value, const std::string& pointer, std::optional<T>& target,
                      Mistakes& mistakes) { read(value, pointer, target.emplace(), mistakes); },
          .show = [show = std::move(form.show)](
                      const std::optional<T>& value) { return value ? show(*value) : OrderedJson(); }};
}

bool is_object(const OrderedJson& value, const std::string& pointer, Mistakes& mistakes);

// A table whose keys are known, whatever C++ value its settings are in: what Table does that is the same for each.
class TableShape {
 public:
  // What is done to a part of the value, which is there for the form of its type.
  struct Part {
    std::size_t offset = 0;  // in the value, in bytes
    std::function<void(const OrderedJson& value, const std::string& pointer, void* part, Mistakes& mistakes)> read;
    std::function<OrderedJson(const void* part)> show;
  };

  void add(std::string_view name, OrderedJson schema, Part part, std::string_view description, const void* defaults);
  void require(std::vector<std::string> keys);
  // When all is added.
  OrderedJson take_schema() && { return std::move(schema_); }
  void read(const OrderedJson& value, const std::string& pointer, void* target, Mistakes& mistakes) const;
  OrderedJson show(const void* value) const;

 private:
  OrderedJson schema_ = {{"type", "object"}, {"properties", OrderedJson::object()}, {"additionalProperties", false}};
  std::map<std::string, Part, std::less<>> parts_;
  std::vector<std::string> order_;
  std::vector<std::string> required_;
};

// The same of one type, so that the compiler checks which form fits which member.
template <class T>
class Table {
 public:
  // `get` leads from the table's value to a part of it: a pointer to a member, or a function.
  template <class Get, class Member>
  Table&& add(std::string_view key, Get get, Form<Member> form, std::string_view description) && {
    Member& member = std::invoke(get, defaults_);
    auto schema = std::move(form.schema);
    shape_.add(key, std::move(schema), part(std::move(form), offset_of(&member)), description, &defaults_);
    return std::move(*this);
  }

  // These keys must be there.
  Table&& require(std::vector<std::string> keys) && {
    shape_.require(std::move(keys));
    return std::move(*this);
  }

  Form<T> form() && {
    auto schema = std::move(shape_).take_schema();
    const auto shape = std::make_shared<const TableShape>(std::move(shape_));
    return {.schema = std::move(schema),
            .read = [shape](const OrderedJson& value, const std::string& pointer, T& target,
                            Mistakes& mistakes) { shape->read(value, pointer, &target, mistakes); },
            .show = [shape](const T& value) { return shape->show(&value); }};
  }

 private:
  template <class Member>
  static TableShape::Part part(Form<Member> form, std::size_t offset) {
    return {
        .offset = offset,
        .read = [read = std::move(form.read)](
                    const OrderedJson& value, const std::string& pointer, void* target,
                    Mistakes& mistakes) { read(value, pointer, *static_cast<Member*>(target), mistakes); },
        .show = [show = std::move(form.show)](const void* value) { return show(*static_cast<const Member*>(value)); }};
  }
  std::size_t offset_of(const void* member) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(member) -
                                    reinterpret_cast<const std::byte*>(&defaults_));
  }

  T defaults_{};
  TableShape shape_;
};

// A table whose keys are names that the operator gives.
template <class T>
Form<std::map<std::string, T>> names(Form<T> form) {
  using Map = std::map<std::string, T>;
  return {.schema = {{"type", "object"}, {"additionalProperties", std::move(form.schema)}},
          .read =
              [read = std::move(form.read)](const OrderedJson& value, const std::string& pointer, Map& target,
                                            Mistakes& mistakes) {
                if (!is_object(value, pointer, mistakes)) return;
                target.clear();
                for (const auto& [key, member] : value.items())
                  read(member, append_to_pointer(pointer, key), target[key], mistakes);
              },
          .show =
              [show = std::move(form.show)](const Map& values) {
                OrderedJson json;
                for (const auto& [key, value] : values) {
                  auto shown = show(value);
                  json[key] = shown.is_null() ? OrderedJson::object() : std::move(shown);
                }
                return json;
              }};
}

template <class T, class Member>
auto& through_members(T& value, Member member) {
  return value.*member;
}
template <class T, class Member, class... More>
auto& through_members(T& value, Member member, More... more) {
  return through_members(value.*member, more...);
}
// From a value through its members to a part of it, for Table::add.
template <class... Members>
auto through(Members... members) {
  return [members...](auto& value) -> auto& {
    return through_members(value, members...);
  };
}

}  // namespace mcph
