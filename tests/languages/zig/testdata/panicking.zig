//! What has no value is used.
const mcp = @import("mcp");

fn hello(arguments: struct { name: ?[]const u8 = null }) usize {
    // The module that calls this has such checks of its own, with which a compiler merges this one where it can.
    return arguments.name.?.len;
}

comptime {
    mcp.plugin(.{ .name = "weather", .version = "1.0.0", .tools = .{mcp.tool("hello", "Greets.", hello, .{})} });
}
