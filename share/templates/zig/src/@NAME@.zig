//! The plugin @NAME@, for mcp-plugin-host.
const std = @import("std");
const mcp = @import("mcp");

const Greeting = struct {
    name: []const u8,

    pub const schema = .{ .name = .{ .description = "Whom to greet", .minLength = 1 } };
};

fn hello(context: *mcp.Context, greeting: Greeting) ![]const u8 {
    return std.fmt.allocPrint(context.allocator, "Hello, {s}!", .{greeting.name});
}

// What this plugin exports.
comptime {
    mcp.plugin(.{
        .name = "@NAME@",
        .version = "0.1.0",
        .tools = .{
            mcp.tool("hello", "Greets somebody.", hello, .{ .annotations = .{ .readOnlyHint = true } }),
        },
    });
}

test "hello greets by name" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    var context = mcp.testing.context(arena.allocator());
    try std.testing.expectEqualStrings("Hello, Ada!", try hello(&context, .{ .name = "Ada" }));
}
