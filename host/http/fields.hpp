// The header fields of a request as an HTTP server reads them. Values and free functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/beast/http/field.hpp>

namespace mcph {

// The fields of one request, in the order in which they came. They live in memory of its connection, which is used
// again for the next request.
class RequestFields {
 public:
  struct Field {
    boost::beast::http::field known;  // which one of those that Beast knows
    std::string_view name;
    std::string_view value;
  };

  explicit RequestFields(std::pmr::memory_resource& memory = *std::pmr::get_default_resource())
      : text_(&memory), entries_(&memory) {}

  // Copies it. Views of others end.
  void add(boost::beast::http::field known, std::string_view name, std::string_view value);
  void add(std::string_view name, std::string_view value);

  class Iterator {
   public:
    using value_type = Field;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const RequestFields& fields, std::size_t index) : fields_(&fields), index_(index) {}
    Field operator*() const { return fields_->at(index_); }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      auto before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const RequestFields* fields_ = nullptr;
    std::size_t index_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, entries_.size()}; }

 private:
  struct Entry {
    boost::beast::http::field known;
    std::uint32_t begin;  // in the text: of the name, which the value follows
    std::uint32_t name_size;
    std::uint32_t value_size;
  };

  Field at(std::size_t index) const {
    const auto& [known, begin, name_size, value_size] = entries_[index];
    const std::string_view text(text_);
    return {known, text.substr(begin, name_size), text.substr(begin + name_size, value_size)};
  }

  std::pmr::string text_;
  std::pmr::vector<Entry> entries_;
};

// What the fields say by which HTTP itself is served, found in one pass. Views into the fields.
struct HttpFields {
  std::optional<std::string_view> host;
  std::optional<std::string_view> origin;
  std::optional<std::string_view> content_type;
  std::optional<std::string_view> authorization;
  std::optional<std::string_view> accept;
  std::optional<std::string_view> content_encoding;  // other than identity
  std::optional<std::string_view> connection;
  // A field that must not occur twice and does, because this server and whoever stands before it could read different
  // lines; empty if there is none.
  std::string_view repeated;
  // Of lists that came on several lines.
  std::unique_ptr<std::string> joined_accept = nullptr;
  std::unique_ptr<std::string> joined_connection = nullptr;
};
HttpFields read_fields(const RequestFields& fields);

// A field that has one value, and where that belongs.
struct SingleField {
  std::string_view name;
  std::optional<std::string_view>* value;
};
// Finds them all in one pass. The one that occurs twice; empty if there is none.
std::string_view read_single_fields(const RequestFields& fields, std::span<const SingleField> wanted);

// The value of each line of the field, whatever the case of its name. Views into the fields.
std::vector<std::string_view> lines_of(const RequestFields& fields, std::string_view name);

// All lines of a list-valued field as the one list that they are (RFC 9110 section 5.3).
std::optional<std::string> list_field(const RequestFields& fields, std::string_view name);

// The client sends the body only when it has been told to go on (RFC 9110 section 10.1.1).
bool awaits_continue(const RequestFields& fields);

}  // namespace mcph
