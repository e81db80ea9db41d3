// What the command line answers where a plugin asks its client, in the order in which it is asked. A value; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace mcph {

class GivenAnswers {
 public:
  // Each is JSON, or words.
  static Result<GivenAnswers> read(const std::vector<std::string>& texts);

  bool any() const { return !left_.empty(); }
  // Of a client that answers what it is asked, if it does.
  Json client_capabilities() const;
  std::size_t unused() const { return left_.size() - next_; }
  // All that have been given, by the names of the requests; null: none.
  const Json& given() const { return given_; }
  // One that the command line need not say.
  void add(const std::string& name, Json answer) { given_[name] = std::move(answer); }

  // Answers these requests; the answers by their names. An error says which question has no answer, or what is wrong
  // with it.
  Result<Json> give(const OrderedJson& requests);

 private:
  std::vector<Json> left_;
  std::size_t next_ = 0;
  Json given_ = nullptr;
};

}  // namespace mcph
