#include "transport/streamable_http/long_body.hpp"

namespace mcph {
namespace {

class EnvelopeScanner final : public BodyScanner {
 public:
  Envelope envelope() const { return reader_.envelope(); }

  void feed(std::string_view bytes) override { reader_.feed(bytes); }
  bool knows_all() const override { return reader_.knows_all(); }

 private:
  EnvelopeReader reader_;
};

}  // namespace

std::unique_ptr<BodyScanner> make_envelope_scanner() {
  return std::make_unique<EnvelopeScanner>();
}

Envelope envelope_of(const HttpBody& body) {
  const auto* const scanner = dynamic_cast<const EnvelopeScanner*>(body.scanner());
  return scanner != nullptr ? scanner->envelope() : Envelope{};
}

}  // namespace mcph
