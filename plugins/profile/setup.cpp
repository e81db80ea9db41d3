#include "profile/setup.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <mcp/plugin.hpp>

namespace plugins::profile {
namespace {

struct MessageType {
  std::string_view name;
  std::string_view request;
};

constexpr std::array message_types{
    MessageType{"welcome",
                "Welcome this user by name, in one or two sentences, and say what you can do for somebody in these "
                "groups and roles."},
    MessageType{"status",
                "Say in which groups this user is and which roles they have, and what that lets them do here."},
    MessageType{"summary", "Keep in mind who this user is, and sum it up in one sentence."},
};

mcp::Caller proven_caller(const mcp::Context& context) {
  auto caller = context.caller();
  if (caller.is_anonymous()) {
    throw mcp::ProtocolError(mcp::invalid_params,
                             "Nobody has proven who they are: the server needs a token with the request");
  }
  return caller;
}

mcp::Json profile_of(const mcp::Caller& caller) {
  mcp::Json profile = {{"sub", caller.subject}, {"id", caller.id}};
  if (!caller.name.empty()) profile["name"] = caller.name;
  if (!caller.email.empty()) profile["email"] = caller.email;
  profile["groups"] = caller.groups;
  profile["roles"] = caller.roles;
  return profile;
}

mcp::Message user_context(const mcp::Arguments& given, mcp::Context& context) {
  const auto caller = proven_caller(context);
  const auto wanted = given.value_or("messageType", "welcome");
  std::string request;
  for (const auto& type : message_types) {
    if (type.name == wanted) request = type.request;
  }
  return mcp::user(request + "\n\nThe user, as this server knows them:\n" + mcp::dump_json(profile_of(caller)));
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  names.reserve(message_types.size());
  for (const auto& type : message_types)
    names.emplace_back(type.name);
  return names;
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin
      .resource(
          "user://profile", "profile", "Who you are to this server, as JSON: id, name, email address, groups, roles",
          [](mcp::Context& context) { return mcp::text_resource(mcp::dump_json(profile_of(proven_caller(context)))); })
      .title("User profile")
      .mime_type("application/json");
  plugin
      .prompt("user-context", "Tells the model who its user is",
              {mcp::arg("messageType", "What to make of it. Left out: welcome").one_of(type_names())}, user_context)
      .title("User context");
}

}  // namespace plugins::profile
