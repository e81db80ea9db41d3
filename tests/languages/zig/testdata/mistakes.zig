//! What does not compile, each for a reason of its own.
const mcp = @import("mcp");

fn nothing() void {}

fn misspelt(_: struct {
    country: []const u8,

    pub const completions = .{ .contry = .{"Finland"} };
}) []const u8 {
    return "";
}

fn unsure(_: struct {
    country: []const u8,
    place: []const u8,

    pub const completions = .{ .place = placesIn };

    fn placesIn(_: struct { country: []const u8 }) []const []const u8 {
        return &.{};
    }
}) []const u8 {
    return "";
}

fn aDay(_: struct {
    days: u8,

    pub const schema = .{ .days = .{ .description = "Which", .minimum = 1 } };
}) []const u8 {
    return "";
}

fn renamed(_: struct {
    place: []const u8,

    pub const schema = .{ .town = .{ .description = "Where" } };
}) []const u8 {
    return "";
}

fn starred(_: struct { @"*": []const u8 }) []const u8 {
    return "";
}

fn pair() struct { u8, []const u8 } {
    return .{ 1, "one" };
}

comptime {
    _ = mcp.tool("pair", "", pair, .{}).description;
}
comptime {
    _ = mcp.resourceTemplate("weather://{days*}", "day", starred, .{});
}
comptime {
    _ = mcp.tool("never", "", nothing, .{ .timeout_ms = 0 }).description;
}
comptime {
    _ = mcp.tool("next_year", "", nothing, .{ .timeout_ms = 365 * 24 * 3_600_000 + 1 }).description;
}
comptime {
    _ = mcp.tool("tagged", "", nothing, .{ .tags = &.{ "good", "two words" } }).description;
}
comptime {
    _ = mcp.prompt("misspelt", "", misspelt, .{});
}
comptime {
    _ = mcp.resource("weather://{city}", "city", nothing, .{});
}
comptime {
    _ = mcp.resourceTemplate("weather://days/{number}", "day", aDay, .{});
}
comptime {
    _ = mcp.resourceTemplate("weather://{days}", "day", aDay, .{});
}
comptime {
    _ = mcp.prompt("renamed", "", renamed, .{});
}
comptime {
    mcp.plugin(.{ .name = "weather", .version = "1", .prompts = .{mcp.prompt("unsure", "", unsure, .{})} });
}
