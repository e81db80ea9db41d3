#include "http/curl_library.hpp"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace plugins::http {
namespace {

constexpr const char* file_name = "libcurl.so.4";
constexpr unsigned oldest_version = 0x075700;  // 7.87, which can leave off looking up a name

[[noreturn]] void refuse_library(const std::string& why) {
  throw std::runtime_error("libcurl cannot be used: " + why + "; install libcurl4 (Debian, Ubuntu), 7.87 or newer");
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (function == nullptr) refuse_library(std::string(file_name) + " has no " + name);
}

}  // namespace

CurlLibrary::CurlLibrary() {
  void* const library = ::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) refuse_library(::dlerror());
  decltype(&::curl_version_info) version_info = nullptr;
  find(library, "curl_version_info", version_info);
  const auto* const version = version_info(CURLVERSION_FIRST);
  if (version->version_num < oldest_version) refuse_library(std::string("it is version ") + version->version);
  find(library, "curl_easy_init", easy_init);
  find(library, "curl_easy_cleanup", easy_cleanup);
  find(library, "curl_easy_setopt", easy_setopt);
  find(library, "curl_easy_getinfo", easy_getinfo);
  find(library, "curl_easy_strerror", easy_strerror);
  find(library, "curl_easy_header", easy_header);
  find(library, "curl_multi_init", multi_init);
  find(library, "curl_multi_cleanup", multi_cleanup);
  find(library, "curl_multi_add_handle", multi_add_handle);
  find(library, "curl_multi_remove_handle", multi_remove_handle);
  find(library, "curl_multi_perform", multi_perform);
  find(library, "curl_multi_info_read", multi_info_read);
  find(library, "curl_multi_poll", multi_poll);
  find(library, "curl_multi_wakeup", multi_wakeup);
  find(library, "curl_slist_append", slist_append);
  find(library, "curl_slist_free_all", slist_free_all);
  find(library, "curl_url", url);
  find(library, "curl_url_cleanup", url_cleanup);
  find(library, "curl_url_set", url_set);
  find(library, "curl_url_get", url_get);
  find(library, "curl_free", free);
  find(library, "curl_global_cleanup", global_cleanup_);
  decltype(&::curl_global_init) global_init = nullptr;
  find(library, "curl_global_init", global_init);
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) refuse_library("it does not start");
}

CurlLibrary::~CurlLibrary() {
  global_cleanup_();
}

}  // namespace plugins::http
