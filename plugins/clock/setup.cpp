#include "clock/setup.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mcp/plugin/typed.hpp>

#include "clock/iso_time.hpp"
#include "clock/moment.hpp"
#include "clock/zone_data.hpp"
#include "clock/zone_directory.hpp"
#include "shared/text.hpp"

namespace plugins::clock {
namespace {

using std::chrono::seconds;
using Zones = std::shared_ptr<const ZoneDirectory>;

constexpr int max_zones = 1000;

struct Settings {
  std::string zoneinfo = "/usr/share/zoneinfo";
  static constexpr auto fields() {
    return std::tuple{mcp::field("zoneinfo", &Settings::zoneinfo).default_value("/usr/share/zoneinfo")};
  }
};

struct Conversion {
  Moment from;
  Moment to;
  std::string difference;
  std::optional<std::string> note;
  static constexpr auto fields() {
    return std::tuple{mcp::field("from", &Conversion::from), mcp::field("to", &Conversion::to),
                      mcp::field("difference", &Conversion::difference, "What clocks there show more than those here"),
                      mcp::field("note", &Conversion::note, "How the time was read, where it could be read otherwise")};
  }
};

struct ZoneList {
  std::vector<std::string> zones;
  int total = 0;
  static constexpr auto fields() {
    return std::tuple{mcp::field("zones", &ZoneList::zones),
                      mcp::field("total", &ZoneList::total, "How many there are, whatever the limit")};
  }
};

// A time as it was given, as a moment.
struct Reading {
  Milliseconds time;
  std::optional<std::string> note;
};

std::string zone_time(const Offset& offset) {
  return offset_text(offset.from_utc) + " (" + offset.abbreviation + ")";
}

Reading read_with_offset(const IsoTime& given, bool names_zone) {
  Reading reading{std::chrono::sys_seconds((given.time - *given.offset).time_since_epoch()) + given.fraction, {}};
  if (names_zone) {
    reading.note = "The time says its offset, " + offset_text(*given.offset) + ", which counts; \"from\" does not.";
  }
  return reading;
}

Reading read_in_zone(const IsoTime& given, const TimeZone& zone) {
  const Resolution resolution = zone.resolve(given.time);
  Reading reading{resolution.time + given.fraction, {}};
  const std::string place = iso_text(given.time, given.fraction) + " in " + zone.name();
  if (resolution.kind == Resolution::Kind::skipped) {
    reading.note = "There is no " + place + ": clocks are put forward from " + zone_time(resolution.first) + " to " +
                   zone_time(resolution.second) + " then. It was read with the offset before the change, " +
                   offset_text(resolution.first.from_utc) + '.';
  } else if (resolution.kind == Resolution::Kind::repeated) {
    reading.note = "There are two " + place + ", because clocks are put back: one with " + zone_time(resolution.first) +
                   " and a later one with " + zone_time(resolution.second) +
                   ". The earlier was taken; write the offset behind the time to choose.";
  }
  return reading;
}

// Clocks that always show this offset.
TimeZone fixed_zone(seconds offset) {
  const std::string name = offset_text(offset);
  return {name, ZoneData{{}, {Offset{offset, false, name}}, std::nullopt}};
}

TimeZone source_zone(const ZoneDirectory& zones, const std::optional<std::string>& from, const IsoTime& given) {
  if (from) return zones.load(*from);
  const bool is_utc = given.offset.value_or(seconds(0)) == seconds(0);
  return is_utc ? zones.load("UTC") : fixed_zone(*given.offset);
}

Conversion convert(const ZoneDirectory& zones, const std::string& time, const std::optional<std::string>& from,
                   const std::string& to) {
  const IsoTime given = parse_iso_time(time);
  const TimeZone source = source_zone(zones, from, given);
  const TimeZone target = zones.load(to);
  const Reading reading = given.offset ? read_with_offset(given, from.has_value()) : read_in_zone(given, source);
  const auto second = std::chrono::floor<seconds>(reading.time);
  const seconds difference = target.offset_at(second).from_utc - source.offset_at(second).from_utc;
  return {moment_in(source, reading.time), moment_in(target, reading.time), offset_text(difference), reading.note};
}

ZoneList list(const ZoneDirectory& zones, const std::optional<std::string>& filter, int limit) {
  std::string part = lower_case(filter.value_or(""));
  std::replace(part.begin(), part.end(), ' ', '_');
  ZoneList result;
  for (std::string& name : zones.names()) {
    if (lower_case(name).find(part) == std::string::npos) continue;
    if (++result.total <= limit) result.zones.push_back(std::move(name));
  }
  return result;
}

void register_tools(mcp::Plugin& plugin, const Zones& zones, const Clock& clock) {
  plugin
      .tool(
          "now", "Says what time it is, in any time zone.",
          [zones, clock](const std::string& zone) { return moment_in(zones->load(zone), clock()); },
          mcp::arg("zone", "IANA name, such as Europe/Berlin").default_value("UTC"))
      .title("Current time")
      .read_only()
      .open_world(false);
  // The same by the name and the argument under which most models know it.
  plugin
      .tool(
          "get_time", "Says what time it is, with what there is to know of the time zone.",
          [zones, clock](const std::string& timezone) { return moment_in(zones->load(timezone), clock()); },
          mcp::arg("timezone", "IANA name, such as Europe/Berlin").default_value("UTC"))
      .title("Current time and time zone")
      .read_only()
      .open_world(false);
  plugin
      .tool(
          "convert_time", "Says what a time in one time zone is in another, daylight saving included.",
          [zones](const std::string& time, const std::optional<std::string>& from, const std::string& to) {
            return convert(*zones, time, from, to);
          },
          mcp::arg("time", "ISO 8601: 2026-03-29T14:30, or with its offset: 2026-03-29T14:30:00+02:00"),
          mcp::arg("from", "IANA name of the zone of the time. Left out: UTC, or the offset of the time"),
          mcp::arg("to", "IANA name of the other zone"))
      .title("Convert a time")
      .read_only()
      .idempotent()
      .open_world(false);
  plugin
      .tool(
          "time_zones", "Lists the names of time zones.",
          [zones](const std::optional<std::string>& filter, int limit) { return list(*zones, filter, limit); },
          mcp::arg("filter", "Only names with this in them, such as \"america/\" or \"new york\""),
          mcp::arg("limit", "At most this many").min(1).max(max_zones).default_value(100))
      .title("List time zones")
      .read_only()
      .idempotent()
      .open_world(false);
}

}  // namespace

void setup_with(mcp::Plugin& plugin, const Clock& clock) {
  const auto settings = plugin.config_as<Settings>();
  register_tools(plugin, std::make_shared<const ZoneDirectory>(settings.zoneinfo), clock);
}

void setup(mcp::Plugin& plugin) {
  setup_with(plugin, [] { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); });
}

}  // namespace plugins::clock
