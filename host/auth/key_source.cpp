#include "auth/key_source.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/regular_file.hpp"
#include "http/client/http_url.hpp"
#include "http/client/oauth.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_document_bytes = std::size_t{1} << 20;

Error about(const std::string& what, const std::string& why) {
  return fail_for_now(what + ": " + why);
}

// For the log, where a query does not belong, which may hold a key.
Error about_keys_at(const std::string& address, const std::string& why) {
  return about(std::string(without_query(address)), why);
}

class FileKeys final : public KeySource {
 public:
  explicit FileKeys(std::filesystem::path file) : file_(std::move(file)) {}

  void fetch(Done done) override { done(read()); }

 private:
  Result<JsonWebKeySet> read() const {
    const auto opened = open_to_read(file_);
    if (!opened) return about(file_.string(), "cannot be opened: " + last_error());
    const auto text = read_regular_file(opened, max_document_bytes);
    if (text.has_error()) return about(file_.string(), text.error().message);
    auto keys = JsonWebKeySet::read(*text, JsonWebKeySet::Kind::secret);
    if (keys.has_error()) return about(file_.string(), keys.error().message);
    // Who writes it signs as anybody, and so does who reads a secret.
    const auto checked = check_owner_only(opened, keys->has_secrets());
    if (checked.has_error()) return about(file_.string(), checked.error().message);
    return keys;
  }

  const std::filesystem::path file_;
};

// Asks for a JSON document. `done` gets the text of an answer with status 200.
void get(HttpCaller& caller, const std::string& address, std::function<void(Result<std::string>)> done) {
  auto url = read_http_url(address);
  if (url.has_error()) return done(url.error());
  caller.send({.url = *std::move(url), .fields = {{"Accept", "application/json"}}, .max_answer = max_document_bytes},
              [address, done = std::move(done)](Result<HttpAnswer> answer) {
                if (answer.has_error()) return done(about_keys_at(address, answer.error().message));
                if (answer->status != 200)
                  return done(about_keys_at(address, "answered with status " + std::to_string(answer->status)));
                done(std::move(answer->body));
              });
}

void get_keys(HttpCaller& caller, const std::string& address, KeySource::Done done) {
  get(caller, address, [address, done = std::move(done)](const Result<std::string>& text) {
    if (text.has_error()) return done(text.error());
    auto keys = JsonWebKeySet::read(*text, JsonWebKeySet::Kind::published);
    if (keys.has_error()) return done(about_keys_at(address, keys.error().message));
    done(std::move(keys));
  });
}

class UrlKeys final : public KeySource {
 public:
  UrlKeys(std::string url, HttpCaller& caller) : url_(std::move(url)), caller_(caller) {}

  void fetch(Done done) override { get_keys(caller_, url_, std::move(done)); }

 private:
  const std::string url_;
  HttpCaller& caller_;
};

class DiscoveredKeys final : public KeySource {
 public:
  DiscoveredKeys(std::string issuer, HttpCaller& caller)
      : issuer_(std::move(issuer)), urls_(issuer_metadata_urls(issuer_)), caller_(caller) {}

  void fetch(Done done) override { look(caller_, issuer_, urls_, {}, std::move(done)); }

 private:
  // At the next of the URLs, of which none has been of use so far: `why` says why not.
  static void look(HttpCaller& caller, const std::string& issuer, std::vector<std::string> urls, const Error& why,
                   Done done) {
    if (urls.empty()) return done(why);
    const auto url = urls.front();
    urls.erase(urls.begin());
    get(caller, url,
        [&caller, issuer, url, urls = std::move(urls), done = std::move(done)](const Result<std::string>& text) {
          auto keys = text.has_value() ? jwks_url(issuer, *text) : Result<std::string>(text.error());
          if (keys.has_value()) return get_keys(caller, *keys, done);
          look(caller, issuer, urls, text.has_error() ? text.error() : about_keys_at(url, keys.error().message), done);
        });
  }

  static Result<std::string> jwks_url(const std::string& issuer, const std::string& text) {
    const auto metadata = parse_json(text);
    if (metadata.has_error()) return metadata.error();
    if (!metadata->is_object()) return fail("it is no metadata of an issuer");
    const auto said = metadata->find("issuer");
    // Otherwise one issuer could speak for another (RFC 8414 section 3.3).
    if (said == metadata->end() || *said != issuer) return fail("it is the metadata of another issuer");
    const auto url = metadata->find("jwks_uri");
    if (url == metadata->end() || !url->is_string()) return fail("it names no jwks_uri");
    auto keys = url->get<std::string>();
    // Otherwise an issuer could have this host ask what listens on its own loopback address.
    if (keys.starts_with("http:") && !issuer.starts_with("http:")) return fail("its jwks_uri is not https");
    return keys;
  }

  const std::string issuer_;
  const std::vector<std::string> urls_;
  HttpCaller& caller_;
};

}  // namespace

std::unique_ptr<KeySource> make_key_source(const IssuerSettings& issuer, HttpCaller& caller) {
  if (!issuer.jwks_file.empty()) return std::make_unique<FileKeys>(issuer.jwks_file);
  if (!issuer.jwks_url.empty()) return std::make_unique<UrlKeys>(issuer.jwks_url, caller);
  return std::make_unique<DiscoveredKeys>(issuer.issuer, caller);
}

}  // namespace mcph
