//! What a plugin can ask of the host besides serving calls, as tests/integration/plugins/interfaces.cpp has it in C++. What it
//! adds to the capabilities is known when it is compiled.
const std = @import("std");
const mcp = @import("mcp");

const Context = mcp.Context;

const State = struct {
    host: mcp.Host,
    served: mcp.Counter,
    took: mcp.Histogram,
    mood: mcp.Gauge,
    mutex: std.c.pthread_mutex_t = .{},
    heard: std.ArrayList(u8) = .empty,

    pub fn init(host: mcp.Host) !State {
        return .{
            .host = host,
            .served = try host.counter("served", "Calls, by kind."),
            .took = try host.histogram("took_seconds", "Time of a call.", &.{ 0.1, 1 }),
            .mood = try host.gauge("mood", "How it is."),
        };
    }

    pub fn deinit(self: *State) void {
        self.heard.deinit(std.heap.c_allocator);
    }

    pub fn onSubscribed(self: *State, uri: []const u8) !void {
        try self.hear("+", uri);
    }

    pub fn onUnsubscribed(self: *State, uri: []const u8) !void {
        try self.hear("-", uri);
    }

    fn hear(self: *State, sign: []const u8, uri: []const u8) !void {
        _ = std.c.pthread_mutex_lock(&self.mutex);
        defer _ = std.c.pthread_mutex_unlock(&self.mutex);
        for ([_][]const u8{ if (self.heard.items.len > 0) " " else "", sign, uri }) |piece|
            try self.heard.appendSlice(std.heap.c_allocator, piece);
    }
};

fn one() []const u8 {
    return "one";
}

fn item(variables: struct { name: []const u8 }) []const u8 {
    return variables.name;
}

fn subscriptions(context: *Context) ![]const u8 {
    return std.mem.join(context.allocator, " ", try context.host.subscriptions(context.allocator));
}

fn heard(context: *Context, state: *State) ![]const u8 {
    _ = std.c.pthread_mutex_lock(&state.mutex);
    defer _ = std.c.pthread_mutex_unlock(&state.mutex);
    return context.allocator.dupe(u8, state.heard.items);
}

fn visit(context: *Context, arguments: struct { who: []const u8 }) ![]const u8 {
    const store = try context.store();
    while (true) {
        const before = try store.find(context.allocator, arguments.who);
        const visits = if (before) |entry| try std.fmt.parseInt(u32, entry.value, 10) else 0;
        const next = try std.fmt.allocPrint(context.allocator, "{d}", .{visits + 1});
        if (try store.putIf(arguments.who, next, if (before) |entry| entry.revision else 0)) return next;
    }
}

fn floodStore(context: *Context) ![]const u8 {
    const store = try context.store();
    for (0..1000) |kept| {
        const key = try std.fmt.allocPrint(context.allocator, "flood/{d}", .{kept});
        store.put(key, &@as([10_000]u8, @splat('x'))) catch
            return std.fmt.allocPrint(context.allocator, "{d} kept; {s}", .{ kept, context.failure.?.message });
    }
    return "all are kept";
}

fn count(state: *State, arguments: struct { kind: []const u8 }) void {
    state.served.add(1, .{ .kind = arguments.kind });
    state.took.observe(0.5, .{});
    state.mood.set(-1.5, .{});
}

fn floodMetrics(state: *State) void {
    var buffer: [10]u8 = undefined;
    for (0..100_000) |i| state.served.add(1, .{ .kind = std.fmt.bufPrint(&buffer, "{d}", .{i}) catch unreachable });
}

fn invalid(context: *Context) ![]const u8 {
    const store = try context.store();
    store.put("", "v") catch {};
    const key = context.failure.?.message;
    const metric = if (context.host.counter("Not a name", "")) |_| "nothing is wrong" else |err| @errorName(err);
    return std.fmt.allocPrint(context.allocator, "{s}\n{s}", .{ key, metric });
}

comptime {
    mcp.plugin(.{
        .name = "interfaces",
        .version = "1.0.0",
        .State = State,
        .tools = .{
            mcp.tool("subscriptions", "What clients are subscribed to.", subscriptions, .{}),
            mcp.tool("heard", "What it has been told of that.", heard, .{}),
            mcp.tool("visit", "Counts.", visit, .{}),
            mcp.tool("flood_store", "Puts more than it may.", floodStore, .{}),
            mcp.tool("count", "Counts and measures.", count, .{}),
            mcp.tool("flood_metrics", "Records more series than it may.", floodMetrics, .{}),
            mcp.tool("invalid", "Asks for what the host refuses.", invalid, .{}),
        },
        .resources = .{mcp.resource("interfaces://one", "one", one, .{ .description = "A resource." })},
        .resource_templates = .{
            mcp.resourceTemplate("interfaces://items/{name}", "item", item, .{ .description = "Any number of them." }),
        },
        .extensions = .{ .@"com.example/search" = .{ .languages = .{"en"} } },
        .experimental = .{ .drafts = .{ .version = 1 } },
    });
}
