// Asks the user in the middle of a call: for what the model cannot know, and before something that costs money.
#include <chrono>
#include <string>

#include <mcp/plugin.hpp>

enum class Place { inside, terrace };

// Its members are the form.
struct Booking {
  std::chrono::year_month_day day;
  int people;
  Place place;
  static constexpr auto fields() {
    return std::tuple{mcp::field(&Booking::day, "On which day"),
                      mcp::field(&Booking::people, "For how many").min(1).max(12),
                      mcp::field(&Booking::place, "Where").default_value(Place::inside)};
  }
};

static std::string book(const std::string& restaurant, mcp::Context& context) {
  const auto booking = context.elicit<Booking>("A table at " + restaurant + ": when, and for how many?");
  if (!booking) return "The user does not want to book.";
  if (booking->people > 6 && !context.elicit<bool>("More than six pay 50 euros in advance. Go on?").value())
    return "Nothing is booked: the user does not want to pay in advance.";
  // All questions come before this: after each answer the function runs again from its beginning.
  return "A table for " + std::to_string(booking->people) + " is booked at " + restaurant + ".";
}

static void setup(mcp::Plugin& plugin) {
  plugin.tool("book_table", "Books a table. The user is asked for the day.", book, mcp::arg("restaurant", "Its name"));
}

MCP_PLUGIN("booking", "1.0.0", setup)
