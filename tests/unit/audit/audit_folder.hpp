// An audit log in a folder of a test's own, written by the real thing.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "audit/audit_log.hpp"
#include "audit/verify.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

namespace mcph::test {

class AuditFolder {
 public:
  AuditFolder() {
    const auto made = make_audit_key(key);
    if (made.has_value()) temporary_.write("public.pem", *made);
  }

  AuditOptions options() const {
    AuditOptions options;
    options.file = file;
    options.key = key;
    // However slow the disk is, there are no checkpoints but those that a test is about.
    options.checkpoint_time = std::chrono::hours(1);
    return options;
  }
  Result<std::unique_ptr<AuditLog>> open(AuditOptions options, AuditLog::Clock clock = std::chrono::system_clock::now,
                                         AuditSyncs syncs = {}) {
    return AuditLog::open(std::move(options), "1.0", log, std::move(clock), syncs);
  }
  std::unique_ptr<AuditLog> opened(AuditOptions options, AuditLog::Clock clock = std::chrono::system_clock::now,
                                   AuditSyncs syncs = {}) {
    auto audit = open(std::move(options), std::move(clock), syncs);
    EXPECT_TRUE(audit.has_value()) << (audit.has_error() ? audit.error().message : "");
    return audit.has_value() ? *std::move(audit) : nullptr;
  }

  // The files of the log, the oldest first.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(file.parent_path())) {
      const auto name = entry.path().filename().string();
      if (name.starts_with("audit.jsonl.")) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    found.push_back(file);
    return found;
  }
  static std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string text() const { return text_of_file(file); }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    return lines;
  }

  // "ok", or what is wrong.
  std::string verify(const std::vector<std::filesystem::path>& paths, bool with_key = true,
                     std::optional<AuditHead> known = std::nullopt) const {
    const auto read = AuditPublicKey::read(temporary_.path() / "public.pem");
    const auto verified = verify_audit_files(paths, AuditVerifier(with_key ? &*read : nullptr, known));
    return verified.has_value() ? "ok" : verified.error().message;
  }
  std::string verify() const { return verify(files()); }
  AuditSummary summary() const { return *verify_audit_files(files(), AuditVerifier(nullptr)); }

 private:
  const TemporaryFolder temporary_;

 public:
  const std::filesystem::path file = temporary_.path() / "audit.jsonl";
  const std::filesystem::path key = temporary_.path() / "key.pem";
  RecordingLog log;
};

}  // namespace mcph::test
