// What has been found, for a person, a program and a build server. Free functions; any thread.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "check/check.hpp"

namespace mcph {

struct CheckedFile {
  std::filesystem::path file;
  std::vector<CheckResult> results;
};

// Of one file, as soon as it has been checked.
void print_text(std::ostream& out, const CheckedFile& checked);
void print_json(std::ostream& out, const CheckedFile& checked);
// Of all of them: the XML that JUnit writes, and build servers read.
void print_junit(std::ostream& out, const std::vector<CheckedFile>& all);

bool has_failed(const CheckedFile& checked);

}  // namespace mcph
