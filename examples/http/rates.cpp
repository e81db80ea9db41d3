// Asks a service on the web, with libcurl. Where the service is, the configuration says.
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <string>

#include <mcp/plugin.hpp>

struct Settings {
  std::string url;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&Settings::url).default_value("https://api.frankfurter.dev/v1")};
  }
};

static std::size_t append(char* data, std::size_t, std::size_t size, void* body) {
  constexpr std::size_t max_bytes = 1'000'000;
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size > max_bytes) return 0;  // ends the request
  text.append(data, size);
  return size;
}

// libcurl asks now and then whether to end the request.
static int is_over(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const mcp::Context*>(context)->cancelled() ? 1 : 0;
}

static std::string get(const std::string& url, mcp::Context& context) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> request(curl_easy_init(), curl_easy_cleanup);
  std::string body;
  curl_easy_setopt(request.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(request.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(request.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(request.get(), CURLOPT_TIMEOUT, 20L);
  curl_easy_setopt(request.get(), CURLOPT_NOSIGNAL, 1L);  // there are other threads
  curl_easy_setopt(request.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(request.get(), CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(request.get(), CURLOPT_XFERINFOFUNCTION, is_over);
  curl_easy_setopt(request.get(), CURLOPT_XFERINFODATA, &context);
  curl_easy_setopt(request.get(), CURLOPT_NOPROGRESS, 0L);
  const CURLcode status = curl_easy_perform(request.get());
  context.throw_if_cancelled();
  if (status != CURLE_OK)
    throw mcp::ToolError(std::string("The rates cannot be had now: ") + curl_easy_strerror(status));
  return body;
}

static void setup(mcp::Plugin& plugin) {
  plugin.on_start([] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  plugin.on_stop([] { curl_global_cleanup(); });

  plugin
      .tool(
          "convert", "Converts an amount of money by today's rate.",
          [url = plugin.config_as<Settings>().url](double amount, const std::string& from, const std::string& to,
                                                   mcp::Context& context) {
            const auto text = get(url + "/latest?base=" + from + "&symbols=" + to, context);
            const auto answer = mcp::Json::parse(text, nullptr, false);  // whatever comes, nothing is thrown
            const auto rates = answer.find("rates");
            if (rates == answer.end() || !rates->contains(to))
              throw mcp::ToolError("There is no rate from " + from + " to " + to + ".");
            return amount * rates->at(to).get<double>();
          },
          mcp::arg("amount", "How much"), mcp::arg("from", "Such as EUR").pattern("^[A-Z]{3}$"),
          mcp::arg("to", "Such as USD").pattern("^[A-Z]{3}$"))
      .read_only()
      .open_world();
}

MCP_PLUGIN("rates", "1.0.0", setup)
