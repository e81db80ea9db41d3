// The text of a PDF, by the program pdftotext of poppler. It runs in a process of its own, without the plugin's
// descriptors and with limits of time, memory and files, so that a file that hangs or breaks the parser costs only
// itself. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plugins::knowledge {

// The program cannot be started: it is not there, or a sandbox allows no other programs.
class PdfReaderMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PdfLimits {
  std::chrono::milliseconds time;
  std::size_t text_bytes;  // what comes after them is left out
  // The program's address space, of which poppler needs some 100 MiB.
  std::size_t memory_bytes = std::size_t{1} << 30U;
};

// Throws PdfReaderMissing, or std::runtime_error with what is wrong with the file. Ends early when `is_stopped`.
std::string text_of_pdf(std::string_view pdf, const PdfLimits& limits, const std::atomic<bool>& is_stopped,
                        const char* program = "pdftotext");

}  // namespace plugins::knowledge
