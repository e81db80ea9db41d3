// CurlLibrary: libcurl, loaded when there is a server to ask. It brings some thirty libraries, which cost milliseconds
// and memory, and a plugin without tools needs none of them; so the plugin is not linked to it. Made at the start of
// the plugin, used by any thread. It stays in the process for ever: a thread of it that still looks up a name, of a
// request that has ended, must find its code. One member a function of it.
#pragma once

#include <curl/curl.h>

namespace plugins::http {

class CurlLibrary {
 public:
  // Throws std::runtime_error that says why it cannot be used.
  CurlLibrary();
  CurlLibrary(const CurlLibrary&) = delete;
  CurlLibrary& operator=(const CurlLibrary&) = delete;
  ~CurlLibrary();

  // Functions of libcurl, by their names without "curl_".
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_easy_header) easy_header;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_wakeup) multi_wakeup;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_free) free;

 private:
  decltype(&::curl_global_cleanup) global_cleanup_;
};

}  // namespace plugins::http
