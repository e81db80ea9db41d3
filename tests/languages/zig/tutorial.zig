//! The tutorial plugin in Zig.
const std = @import("std");
const mcp = @import("mcp");

const Context = mcp.Context;

fn add(numbers: struct { a: i64, b: i64 }) !i64 {
    return std.math.add(i64, numbers.a, numbers.b);
}

const Greeting = struct {
    name: []const u8,
    style: enum { casual, formal } = .casual,

    pub const schema = .{ .name = .{ .description = "Whom to greet", .minLength = 1 } };
};

fn greet(context: *Context, greeting: Greeting) ![]const u8 {
    const configuration = try context.configuration(struct { greeting: []const u8 = "Hi" });
    return switch (greeting.style) {
        .casual => std.fmt.allocPrint(context.allocator, "{s}, {s}!", .{ configuration.greeting, greeting.name }),
        .formal => std.fmt.allocPrint(context.allocator, "Good day, {s}.", .{greeting.name}),
    };
}

const Size = struct {
    width: u16,
    height: u16 = 600,

    pub const schema = .{ .width = bounds, .height = bounds };
    const bounds = .{ .minimum = 1, .maximum = 2000 };
};

fn resize(context: *Context, size: Size) ![]const u8 {
    return std.fmt.allocPrint(context.allocator, "{d}x{d}", .{ size.width, size.height });
}

const Person = struct { name: []const u8, age: u32, email: ?[]const u8 = null };
const Registered = struct { name: []const u8, age: u32, email: ?[]const u8, adult: bool };

fn registerPerson(arguments: struct { person: Person }) Registered {
    const person = arguments.person;
    return .{ .name = person.name, .age = person.age, .email = person.email, .adult = person.age >= 18 };
}

fn picture() mcp.Content {
    return .{ .image = .{ .data = "\x89PNG\r\n\x1a\n", .mime_type = "image/png" } };
}

const Counting = struct {
    to: u32,
    milliseconds: u16 = 0,

    pub const schema = .{
        .to = .{ .minimum = 1, .maximum = 100_000 },
        .milliseconds = .{ .description = "The pause after each step", .maximum = 1000 },
    };
};

fn count(context: *Context, counting: Counting) ![]const u8 {
    context.log(.info, "counting to {d}", .{counting.to});
    for (1..counting.to + 1) |i| {
        context.progress(@floatFromInt(i), @floatFromInt(counting.to), "{d} of {d}", .{ i, counting.to });
        try context.checkCancelled();
        try context.sleep(counting.milliseconds);
    }
    return std.fmt.allocPrint(context.allocator, "counted to {d}", .{counting.to});
}

fn wait(context: *Context) ![]const u8 {
    try context.sleep(5000);
    return "waited";
}

fn fail(context: *Context, arguments: struct { message: []const u8 }) !void {
    return context.fail("{s}", .{arguments.message});
}

fn askName(context: *Context) ![]const u8 {
    return switch (try context.ask(struct { name: []const u8 }, "name", "What is your name?")) {
        .accepted => |form| std.fmt.allocPrint(context.allocator, "Hello, {s}!", .{form.name}),
        .declined => "You declined.",
        .cancelled => "You cancelled.",
    };
}

fn breakDown(context: *Context, arguments: struct { how: enum { panic, crash } }) !void {
    if (arguments.how == .panic) return context.refuse(-32603, "broken", .{});
    const nowhere: *allowzero volatile u32 = @ptrFromInt(0);
    nowhere.* = 1;
}

fn caller(context: *Context) ![]const u8 {
    const known = try context.callContext();
    const name = if (known.client) |client| client.name else "nobody";
    return std.fmt.allocPrint(context.allocator, "{s} {s}", .{ known.protocolVersion, name });
}

fn version() []const u8 {
    return "1.0.0";
}

fn square(context: *Context, variables: struct { n: i32 }) ![]const u8 {
    const n: i64 = variables.n;
    return std.fmt.allocPrint(context.allocator, "{d}", .{n * n});
}

fn review(context: *Context, arguments: struct { code: []const u8 }) ![]const u8 {
    return std.fmt.allocPrint(context.allocator, "Please review:\n{s}", .{arguments.code});
}

const InLanguage = struct {
    language: []const u8,

    pub const schema = .{ .language = .{ .description = "In which language" } };
    pub const completions = .{ .language = .{ "english", "finnish", "french", "german" } };
};

fn greetIn(context: *Context, arguments: InLanguage) ![]const u8 {
    return std.fmt.allocPrint(context.allocator, "Greet me in {s}.", .{arguments.language});
}

comptime {
    mcp.plugin(.{
        .name = "tutorial",
        .version = "1.0.0",
        .description = "The same plugin in every language",
        .tools = .{
            mcp.tool("add", "Adds two numbers.", add, .{ .annotations = .{ .readOnlyHint = true } }),
            mcp.tool("greet", "Greets somebody.", greet, .{}),
            mcp.tool("resize", "Says the size of a picture.", resize, .{}),
            mcp.tool("register_person", "Registers a person.", registerPerson, .{}),
            mcp.tool("picture", "Shows a picture.", picture, .{}),
            mcp.tool("count", "Counts, and says how far it is.", count, .{}),
            mcp.tool("slow_tool", "Takes too long.", wait, .{ .timeout_ms = 300, .tags = &.{"slow"} }),
            mcp.tool("fail", "Fails.", fail, .{}),
            mcp.tool("ask_name", "Asks for the user's name.", askName, .{}),
            mcp.tool("break", "Breaks down.", breakDown, .{}),
            mcp.tool("caller", "Says who calls.", caller, .{}),
        },
        .resources = .{mcp.resource("tutorial://version", "version", version, .{})},
        .resource_templates = .{mcp.resourceTemplate("tutorial://squares/{n}", "squares", square, .{})},
        .prompts = .{
            mcp.prompt("review", "Asks for a review of code.", review, .{}),
            mcp.prompt("greeting", "Asks for a greeting.", greetIn, .{}),
        },
    });
}
