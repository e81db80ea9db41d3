#include "config/limit_settings.hpp"

#include "base/component_pattern.hpp"

namespace mcph {
namespace {

Form<std::optional<Rate>> rate_form() {
  return converted<std::optional<Rate>, std::string>(
      text(),
      [](const std::string& text) -> Result<std::optional<Rate>> {
        auto rate = read_rate(text);
        if (rate.has_error()) return rate.error();
        return std::optional(*rate);
      },
      [](const std::optional<Rate>& rate) { return rate ? rate_text(*rate) : std::string(); });
}

// 0 is not set.
Form<std::uint64_t> amount() {
  auto form = number<std::uint64_t>(1, LimitSetting::max_number);
  form.show = [](const std::uint64_t& value) { return value == 0 ? OrderedJson() : OrderedJson(value); };
  return form;
}

Result<> check_limit(const LimitSetting& limit) {
  if (!limit.rate && limit.concurrent == 0)
    return fail("must have a rate, such as \"60/min\", or say how many at once");
  if (!limit.rate && limit.burst > 0) return fail("must have a rate, because it has a burst");
  if (!limit.rate || limit.burst == 0) return {};
  const auto interval = BucketSize::of(*limit.rate, 1).interval;
  if (limit.burst > static_cast<std::uint64_t>(std::chrono::nanoseconds(max_fill_time).count() / interval))
    return fail("must have a burst that the rate brings within 366 days");
  return {};
}

// What the form of the whole cannot know of its parts.
template <class T>
Form<T> checked(Form<T> form, Result<> (*check)(const T&)) {
  return converted<T, T>(
      std::move(form),
      [check](const T& value) -> Result<T> {
        if (const auto fits = check(value); fits.has_error()) return fits.error();
        return value;
      },
      [](const T& value) { return value; });
}

constexpr auto burst_words = "How many at once after a while without any; by default as many as the rate's count";

Form<LimitSetting> limit_form(const char* rate_words) {
  return checked<LimitSetting>(
      Table<LimitSetting>()
          .add("rate", &LimitSetting::rate, rate_form(), rate_words)
          .add("burst", &LimitSetting::burst, amount(), burst_words)
          .add("concurrent", &LimitSetting::concurrent, amount(), "Requests in flight at once; open streams count")
          .form(),
      check_limit);
}

Form<LimitSetting> failures_form() {
  return checked<LimitSetting>(
      Table<LimitSetting>()
          .add("rate", &LimitSetting::rate, rate_form(), "COUNT/PERIOD, with s, min, h or d: \"20/min\"")
          .add("burst", &LimitSetting::burst, amount(), burst_words)
          .require({"rate"})
          .form(),
      check_limit);
}

Form<ComponentLimitSetting> component_limit_form() {
  const auto limit = [](auto member) { return through(&ComponentLimitSetting::limit, member); };
  return checked<ComponentLimitSetting>(
      Table<ComponentLimitSetting>()
          .add("match", &ComponentLimitSetting::match, text([](const std::string& pattern) -> Result<> {
                 if (const auto read = ComponentPattern::read(pattern); read.has_error()) return read.error();
                 return {};
               }),
               "tool:NAME, resource:URI or prompt:NAME, where * stands for any characters; or * alone, for everything")
          .add("per", &ComponentLimitSetting::per,
               choice<LimitScope>(
                   {{"principal", LimitScope::principal}, {"address", LimitScope::address}, {"all", LimitScope::all}}),
               "Whose calls count together: principal, address or all")
          .add("rate", limit(&LimitSetting::rate), rate_form(), "COUNT/PERIOD, with s, min, h or d: \"5/min\"")
          .add("burst", limit(&LimitSetting::burst), amount(), burst_words)
          .add("roles", &ComponentLimitSetting::roles, list(text()), "Only calls of those who have one of these roles")
          .require({"match", "rate"})
          .form(),
      [](const ComponentLimitSetting& component) { return check_limit(component.limit); });
}

}  // namespace

Form<LimitSettings> limits_form() {
  constexpr auto rate_words = "COUNT/PERIOD, with s, min, h or d: \"60/min\"";
  return Table<LimitSettings>()
      .add("per_principal", &LimitSettings::per_principal, limit_form(rate_words),
           "Of requests of one principal; of one address, of those who have proven nothing")
      .add("per_address", &LimitSettings::per_address, limit_form(rate_words),
           "Of requests from one address, whoever sends them; an IPv6 network of 64 bits is one")
      .add("all", &LimitSettings::all, limit_form(rate_words), "Of requests of all together, of known senders")
      .add("failures", &LimitSettings::failures, failures_form(),
           "Of requests from one address whose credential is refused; with more, nothing from there is looked at")
      .add("component", &LimitSettings::components, names(component_limit_form()),
           "Of calls of some components, by names of your choice")
      .form();
}

}  // namespace mcph
