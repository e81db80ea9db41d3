// What the dashboard's HTTP server serves: the page, its stream of news, and what the page can do. Everything but the
// page itself is for those who have come in (Logins), and nothing is done for pages of others: each request says where
// it comes from, by Sec-Fetch-Site and Origin. A GET changes nothing. Made by app for one HTTP server; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "dashboard/logins.hpp"
#include "dashboard/page_news.hpp"
#include "http/router.hpp"
#include "http/service.hpp"

namespace mcph {

class DashboardService final : public HttpService {
 public:
  // The params and the answer of the call of this number, a JSON object. Nothing: they have been forgotten.
  using TellBodies = std::function<std::optional<std::string>(std::uint64_t number, const Principal& by)>;

  // Each is called on any thread, and outlives this with all that it uses.
  struct Sources {
    Logins& logins;
    std::string origin;         // at which people reach the page, if something stands before it
    Principal operator_itself;  // whoever comes in with a token of the control socket
    PageNews::Sources news;
    // What there is to say of the plugin in a file, on the file's path; a JSON object. Nothing: there is none.
    std::function<std::optional<std::string>(const std::string& file, bool may_operate)> details;
    TellBodies bodies;  // null: they are not kept
    // Does what the operator's language says, and answers in it. May take as long as a plugin takes to start.
    std::function<std::string(const nlohmann::ordered_json& command, const Principal& by)> command;
    // Finds out who sends a request that comes with a credential; null: none is taken.
    HttpMiddleware authenticate;
    // What somebody with a credential may do here, with the roles of now; nothing: not even look.
    std::function<std::optional<DashboardLogin>(const Principal& principal)> admit;
    IsGood is_good;                             // whether what has proven somebody who has come in still does
    std::function<void(IsGood is_good)> expel;  // ends the connections of those of whom this says no
    std::function<void(const Principal& principal)> logged_in;  // hears of each who has come in
    HttpRefusalListener refused;  // hears of each request that comes to nothing; null: nobody does
    std::function<void()> attend;
    std::function<void()> shut_down;
  };

  // `is_secure`: it is reached by TLS.
  DashboardService(HttpAccess access, Sources sources, bool is_secure);

  // Before serving: where requests come from, as proxies say.
  void locate_by(HttpMiddleware middleware) { router_.locate_by(std::move(middleware)); }

  // Before it serves: what is there besides, for those who have come in, whose principal its requests have.
  void add(HttpResource resource) { router_.add(std::move(resource)); }

  Coroutine<> serve(HttpRequest& request, HttpConnection& connection) override {
    return router_.route(request, connection);
  }
  HttpResponse refuse(HttpRefusal refusal) const override;
  std::string_view fields() const override;
  void attend() override { sources_.attend(); }
  void shut_down() override;

 private:
  HttpVerdict admit(HttpRequest& request) const;
  // As it is now, of the session that a cookie names.
  std::optional<DashboardLogin> login_of(std::string_view session) const;
  void add_page();
  void add_login();
  void add_command(const std::string& name);
  Coroutine<> log_in_by_token(HttpRequest& request, HttpConnection& connection);
  Coroutine<> log_in_by_credential(HttpRequest& request, HttpConnection& connection);
  Coroutine<> refuse_login(const HttpRequest& request, HttpConnection& connection, HttpRefusal refusal);
  Coroutine<> log_out(HttpRequest& request, HttpConnection& connection);
  nlohmann::ordered_json login_json(const DashboardLogin& login) const;
  Coroutine<> begin_session(const HttpRequest& request, HttpConnection& connection, DashboardLogin login);
  void end_work_of(const std::optional<DashboardLogin>& login);
  Coroutine<> tell_news(HttpRequest& request, HttpConnection& connection);
  Coroutine<> tell_details(HttpRequest& request, HttpConnection& connection);
  Coroutine<> tell_bodies(HttpRequest& request, HttpConnection& connection);
  Coroutine<> carry_out(std::string name, HttpRequest& request, HttpConnection& connection);

  const Sources sources_;
  const bool is_secure_;
  std::atomic<bool> stopping_{false};
  HttpRouter router_;
};

}  // namespace mcph
