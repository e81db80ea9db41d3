//! What the module makes of types and values, and that its layout is that of mcp/plugin.h.
const std = @import("std");
const mcp = @import("mcp");

const expectEqualStrings = std.testing.expectEqualStrings;

// --- Layout

const Entry = extern struct { name: ?[*:0]const u8, value: usize };
extern const mcp_header_layout: [200]Entry;
extern const mcp_header_entry_symbol: [*:0]const u8;
extern const mcp_header_interfaces: [6][*:0]const u8;

// The value that the header has under this name; each is asked for once.
const Header = struct {
    asked: usize = 0,

    fn entries(_: Header) usize {
        var count: usize = 0;
        while (mcp_header_layout[count].name != null) count += 1;
        return count;
    }

    fn expect(self: *Header, name: []const u8, value: usize) !void {
        self.asked += 1;
        for (mcp_header_layout[0..self.entries()]) |entry| {
            if (!std.mem.eql(u8, std.mem.span(entry.name.?), name)) continue;
            errdefer std.debug.print("{s}\n", .{name});
            return std.testing.expectEqual(entry.value, value);
        }
        std.debug.print("the header has no {s}\n", .{name});
        return error.NotInTheHeader;
    }

    fn expectStruct(self: *Header, comptime name: []const u8, comptime T: type) !void {
        try self.expect("sizeof " ++ name, @sizeOf(T));
        inline for (@typeInfo(T).@"struct".field_names) |field| try self.expect(name ++ "." ++ field, @offsetOf(T, field));
    }

    fn expectEnum(self: *Header, comptime name: []const u8, comptime T: type) !void {
        const info = @typeInfo(T).@"enum";
        inline for (info.field_names, info.field_values) |value, is| try self.expect(name ++ "." ++ value, is);
    }
};

test "the layout is that of the header" {
    var header: Header = .{};
    try header.expectStruct("String", mcp.abi.String);
    try header.expectStruct("Sink", mcp.abi.Sink);
    try header.expectStruct("Host", mcp.abi.Host);
    try header.expectStruct("Plugin", mcp.abi.Plugin);
    try header.expect("sizeof CallId", @sizeOf(mcp.abi.CallId));
    try header.expectEnum("Outcome", mcp.abi.Outcome);
    try header.expectEnum("CancelReason", mcp.abi.CancelReason);
    try header.expectEnum("LogLevel", mcp.abi.LogLevel);
    try header.expect("flag serial", mcp.abi.serial);
    try header.expect("flag never_unload", mcp.abi.never_unload);
    try header.expectStruct("Caller", mcp.abi.Caller);
    try header.expectStruct("Bundle", mcp.abi.Bundle);
    try header.expectStruct("SubscriptionListener", mcp.abi.SubscriptionListener);
    try header.expectStruct("Subscriptions", mcp.abi.Subscriptions);
    try header.expectStruct("Store", mcp.abi.Store);
    try header.expect("any revision", mcp.abi.Store.any);
    try header.expectEnum("StoreStatus", mcp.abi.StoreStatus);
    try header.expectStruct("Label", mcp.abi.Label);
    try header.expectStruct("Metrics", mcp.abi.Metrics);
    try header.expectEnum("MetricKind", mcp.abi.MetricKind);
    try header.expectStruct("Capabilities", mcp.abi.Capabilities);
    try std.testing.expectEqual(header.entries(), header.asked);
    try expectEqualStrings(std.mem.span(mcp_header_entry_symbol), mcp.abi.entry_symbol);
    inline for (all_interfaces, mcp_header_interfaces) |Table, name|
        try expectEqualStrings(std.mem.span(name), Table.name);
}

const all_interfaces = .{
    mcp.abi.Caller, mcp.abi.Bundle, mcp.abi.Subscriptions, mcp.abi.Store, mcp.abi.Metrics, mcp.abi.Capabilities,
};

// --- Schemas

fn expectSchema(comptime T: type, comptime use: mcp.schema.Use, expected: []const u8) !void {
    try expectEqualStrings(expected, comptime mcp.schema.of(T, use));
}

test "a type has a schema" {
    try expectSchema(bool, .input, "{\"type\":\"boolean\"}");
    try expectSchema(f32, .input, "{\"type\":\"number\"}");
    try expectSchema([]const u8, .input, "{\"type\":\"string\"}");
    try expectSchema(?[]const []const u8, .input, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
    try expectSchema([2]bool, .input, "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},\"minItems\":2,\"maxItems\":2}");
    try expectSchema(enum { red, green }, .input, "{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}");
    try expectSchema(std.json.Value, .input, "{}");
}

const Holes = struct { in_list: []const ?u8, in_array: [1]?[]const u8 };

fn holes() Holes {
    return .{ .in_list = &.{ 1, null }, .in_array = .{null} };
}

test "what a list holds may be null, in its schema as in what is written" {
    const integer = "{\"type\":\"integer\",\"minimum\":0,\"maximum\":255}";
    try expectSchema(Holes, .output, "{\"type\":\"object\",\"properties\":{" ++
        "\"in_list\":{\"type\":\"array\",\"items\":{\"anyOf\":[" ++ integer ++ ",{\"type\":\"null\"}]}}," ++
        "\"in_array\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]},\"minItems\":1," ++
        "\"maxItems\":1}},\"required\":[\"in_list\",\"in_array\"]}");
    try expectStructured(holes, "{\"in_list\":[1,null],\"in_array\":[null]}");
    try expectSchema([]const ?u8, .input, "{\"type\":\"array\",\"items\":{\"anyOf\":[" ++ integer ++ ",{\"type\":\"null\"}]}}");
}

test "an integer has the bounds of its type" {
    try expectSchema(i64, .input, "{\"type\":\"integer\"}");
    try expectSchema(u64, .input, "{\"type\":\"integer\",\"minimum\":0}");
    try expectSchema(u8, .input, "{\"type\":\"integer\",\"minimum\":0,\"maximum\":255}");
    try expectSchema(i16, .input, "{\"type\":\"integer\",\"minimum\":-32768,\"maximum\":32767}");
}

const Place = struct {
    name: []const u8,
    height: f64 = 0.5,
    tags: []const []const u8 = &.{"a \"b\"\n"},
    kind: enum { town, hill } = .hill,
    note: ?[]const u8 = null,
    within: ?struct { code: u8 } = null,

    pub const schema = .{
        .name = .{ .description = "Where", .minLength = 1, .pattern = "^\\w+$" },
        .height = .{ .minimum = -1.5 },
    };
};

test "a struct is an object, and a field with a default need not be given" {
    const properties =
        \\{"type":"object","properties":{"name":{"type":"string","description":"Where","minLength":1,"pattern":"^\\w+$"},
    ++
        \\"height":{"type":"number","minimum":-1.5,"default":0.5},
    ++
        \\"tags":{"type":"array","items":{"type":"string"},"default":["a \"b\"\n"]},
    ++
        \\"kind":{"type":"string","enum":["town","hill"],"default":"hill"},"note":{"type":"string"},
    ++
        \\"within":{"type":"object","properties":{"code":{"type":"integer","minimum":0,"maximum":255}},"required":["code"]
    ;
    const strict = ",\"additionalProperties\":false}";
    try expectSchema(Place, .input, properties ++ strict ++ "},\"required\":[\"name\"]" ++ strict);
    try expectSchema(Place, .form, properties ++ "}},\"required\":[\"name\"]}");
}

test "all of what is returned is there, but for what may be null" {
    try expectSchema(
        struct { a: bool = true, b: ?bool },
        .output,
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"boolean\"},\"b\":{\"type\":\"boolean\"}},\"required\":[\"a\"]}",
    );
}

test "what is said of a field replaces what its type says" {
    const Size = struct {
        width: u16,

        pub const schema = .{ .width = .{ .minimum = 1, .maximum = 2000 } };
    };
    try expectSchema(
        Size,
        .output,
        "{\"type\":\"object\",\"properties\":{\"width\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2000}},\"required\":[\"width\"]}",
    );
}

// --- Components

const Arena = struct {
    arena: std.heap.ArenaAllocator,

    fn init() Arena {
        return .{ .arena = .init(std.testing.allocator) };
    }

    fn answer(self: *Arena, comptime Tool: type, arguments: []const u8) ![]const u8 {
        var state: struct {} = .{};
        var context = mcp.testing.context(self.arena.allocator());
        const given = try std.json.parseFromSliceLeaky(std.json.Value, context.allocator, arguments, .{});
        return Tool.answer(&context, &state, given);
    }
};

fn expectAnswer(comptime handler: anytype, arguments: []const u8, expected: []const u8) !void {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    try expectEqualStrings(expected, try arena.answer(mcp.tool("it", "", handler, .{}), arguments));
}

fn expectStructured(comptime handler: anytype, expected: []const u8) !void {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    const said = try arena.answer(mcp.tool("it", "", handler, .{}), "{}");
    const begin = std.mem.find(u8, said, ",\"structuredContent\":").?;
    try expectEqualStrings(expected, said[begin + ",\"structuredContent\":".len .. said.len - 1]);
}

fn text() []const u8 {
    return "a \"b\" \xff \u{1F600}";
}
const Bytes = struct { words: []const u8, all: []const [1]?[]const u8, small: [2]u8, note: ?[]const u8 = null };
fn manyBytes() Bytes {
    return .{ .words = "a\xff", .all = &.{ .{"\xfe"}, .{null} }, .small = .{ 1, 2 } };
}
fn nothing() void {}
fn number() f64 {
    return 1.5;
}
fn choice() enum { red, green } {
    return .green;
}
fn list(arguments: struct { of: []const i32 }) []const i32 {
    return arguments.of;
}
fn contents() []const mcp.Content {
    return &.{ .{ .audio = .{ .data = "abc", .mime_type = "audio/wav" } }, .{ .resource_link = .{ .uri = "a:b", .name = "b" } } };
}
fn perhaps(arguments: struct { is: bool }) ?u8 {
    return if (arguments.is) 7 else null;
}
fn anything(arguments: struct { is: std.json.Value }) std.json.Value {
    return arguments.is;
}
fn failed() mcp.Result {
    return .{ .content = &.{.{ .text = "no" }}, .is_error = true };
}

test "what a tool returns becomes its result" {
    try expectAnswer(text, "{}", "{\"content\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\" \u{fffd} \u{1F600}\"}]}");
    const plain = "{\"words\":\"a\u{fffd}\",\"all\":[[\"\u{fffd}\"],[null]],\"small\":[1,2]}";
    try expectStructured(manyBytes, plain);
    try expectAnswer(nothing, "{}", "{\"content\":[]}");
    try expectAnswer(number, "{}", "{\"content\":[{\"type\":\"text\",\"text\":\"1.5\"}],\"structuredContent\":{\"result\":1.5}}");
    try expectAnswer(choice, "{}", "{\"content\":[{\"type\":\"text\",\"text\":\"green\"}],\"structuredContent\":{\"result\":\"green\"}}");
    try expectAnswer(list, "{\"of\":[1,2]}", "{\"content\":[{\"type\":\"text\",\"text\":\"[1,2]\"}],\"structuredContent\":{\"result\":[1,2]}}");
    try expectAnswer(contents, "{}", "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"YWJj\"}," ++
        "{\"type\":\"resource_link\",\"uri\":\"a:b\",\"name\":\"b\"}]}");
    try expectAnswer(perhaps, "{\"is\":true}", "{\"content\":[{\"type\":\"text\",\"text\":\"7\"}],\"structuredContent\":{\"result\":7}}");
    try expectAnswer(perhaps, "{\"is\":false}", "{\"content\":[{\"type\":\"text\",\"text\":\"null\"}],\"structuredContent\":{}}");
    try expectAnswer(anything, "{\"is\":{\"a\":1}}", "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}],\"structuredContent\":{\"a\":1}}");
    try expectAnswer(anything, "{\"is\":[1]}", "{\"content\":[{\"type\":\"text\",\"text\":\"[1]\"}]}");
    try expectAnswer(failed, "{}", "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}");
}

const Narrow = struct { half: f16 = 0, single: f32 = 0, several: []const ?f32 = &.{}, wide: f128 = 0 };

fn sameNarrow(arguments: Narrow) Narrow {
    return arguments;
}

test "a float is written with the digits of its own type" {
    try expectAnswer(sameNarrow, "{\"half\":0.1,\"single\":0.1,\"several\":[3.4028235e38,null],\"wide\":1.5}", "{\"content\":" ++
        "[{\"type\":\"text\",\"text\":\"{\\\"half\\\":0.1,\\\"single\\\":0.1,\\\"several\\\":" ++
        "[340282350000000000000000000000000000000,null],\\\"wide\\\":1.5e0}\"}],\"structuredContent\":{\"half\":0.1," ++
        "\"single\":0.1,\"several\":[340282350000000000000000000000000000000,null],\"wide\":1.5e0}}");
}

test "a number that is too large for a float is refused" {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    for ([_][]const u8{
        "{\"half\":1e5}",
        "{\"half\":-70000}",
        "{\"single\":1e39}",
        "{\"single\":1000000000000000000000000000000000000000}",
        "{\"several\":[1,-1e39]}",
        "{\"single\":1e400}",
    }) |arguments|
        try std.testing.expectError(error.ToolError, arena.answer(mcp.tool("it", "", sameNarrow, .{}), arguments));
}

fn infinite() []const [1]?f32 {
    return &.{ .{null}, .{std.math.inf(f32)} };
}
fn notANumber() struct { within: struct { number: f64 } } {
    return .{ .within = .{ .number = std.math.nan(f64) } };
}
fn infiniteValue() std.json.Value {
    return .{ .float = -std.math.inf(f64) };
}
fn infiniteResult(context: *mcp.Context) !mcp.Result {
    var items: std.json.Array = .init(context.allocator);
    try items.append(.{ .float = std.math.nan(f64) });
    return .{ .structured = .{ .array = items } };
}

test "a result that is not finite is an error" {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    inline for (.{ infinite, notANumber, infiniteValue, infiniteResult }) |handler|
        try std.testing.expectError(error.ProtocolError, arena.answer(mcp.tool("it", "", handler, .{}), "{}"));
}

const Whole = struct {
    signed: i64 = 0,
    unsigned: u64 = 0,
    several: []const [1]?u8 = &.{},
    within: struct { n: i32 = 0 } = .{},
    number: f64 = 0,
    any: std.json.Value = .null,
};

fn same(arguments: Whole) Whole {
    return arguments;
}

fn expectWhole(arguments: []const u8, expected: []const u8) !void {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    const said = try arena.answer(mcp.tool("it", "", same, .{}), arguments);
    const result = try std.json.parseFromSliceLeaky(std.json.Value, arena.arena.allocator(), said, .{});
    const structured = result.object.get("structuredContent").?;
    try expectEqualStrings(expected, try std.json.Stringify.valueAlloc(arena.arena.allocator(), structured, .{}));
}

test "an integer may be written with a fraction or an exponent" {
    try expectWhole(
        "{\"signed\":-9007199254740992.0,\"unsigned\":9.007199254740992e15,\"several\":[[1.0],[2e0]],\"within\":{\"n\":-0.0}}",
        "{\"signed\":-9007199254740992,\"unsigned\":9007199254740992,\"several\":[[1],[2]],\"within\":{\"n\":0},\"number\":0,\"any\":null}",
    );
    // Written as one it may be any that the type holds, and what is no integer stays as it is.
    try expectWhole(
        "{\"signed\":-9223372036854775808,\"unsigned\":18446744073709551615,\"number\":1e16,\"any\":[2.5]}",
        "{\"signed\":-9223372036854775808,\"unsigned\":18446744073709551615,\"several\":[],\"within\":{\"n\":0},\"number\":10000000000000000,\"any\":[2.5]}",
    );
}

test "a float that is no integer is refused where one is to be" {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    for ([_][]const u8{
        "{\"signed\":9.223372036854775808e18}",
        "{\"signed\":-9223372036854777856.0}",
        "{\"unsigned\":1.8446744073709552e19}",
        "{\"unsigned\":9007199254740994.0}",
        "{\"unsigned\":-1.0}",
        "{\"signed\":1e400}",
        "{\"signed\":0.5}",
        "{\"several\":[[256.0]]}",
        "{\"within\":{\"n\":1e18}}",
    }) |arguments|
        try std.testing.expectError(error.ToolError, arena.answer(mcp.tool("it", "", same, .{}), arguments));
}

fn askForNumber(context: *mcp.Context) ![]const u8 {
    const answer = try context.ask(struct { n: i64 }, "number", "Which?");
    return std.fmt.allocPrint(context.allocator, "{d}", .{answer.accepted.n});
}

test "an integer in a form's answer is read as one in arguments" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    for ([_][]const u8{ "5.0", "9.223372036854775808e18" }, [_]?[]const u8{ "5", null }) |n, expected| {
        var context = mcp.testing.context(arena.allocator());
        const answers = try std.fmt.allocPrint(arena.allocator(), "{{\"number\":{{\"action\":\"accept\",\"content\":{{\"n\":{s}}}}}}}", .{n});
        context.answers = (try std.json.parseFromSliceLeaky(std.json.Value, arena.allocator(), answers, .{})).object;
        if (expected) |words| {
            try expectEqualStrings(words, try askForNumber(&context));
        } else {
            try std.testing.expectError(error.InvalidNumber, askForNumber(&context));
        }
    }
}

fn askAndGoOn(context: *mcp.Context) []const u8 {
    _ = context.ask(struct { name: []const u8 }, "name", "Who?") catch return "went on";
    return "answered";
}

test "a handler that catches the end of its question is told so" {
    var arena: Arena = .init();
    defer arena.arena.deinit();
    try std.testing.expectError(error.ProtocolError, arena.answer(mcp.tool("it", "", askAndGoOn, .{}), "{}"));
}

test "a tool describes itself" {
    try expectEqualStrings(
        "{\"name\":\"it\",\"title\":\"It\",\"description\":\"Does it.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}," ++
            "\"additionalProperties\":false},\"outputSchema\":{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"number\"}}," ++
            "\"required\":[\"result\"]},\"annotations\":{\"readOnlyHint\":true}}",
        mcp.tool("it", "Does it.", number, .{ .title = "It", .annotations = .{ .readOnlyHint = true } }).description,
    );
}

test "a tool says its time limit, and any component its tags" {
    const slow = mcp.tool("it", "", nothing, .{ .timeout_ms = 300, .tags = &.{ "slow", "a.B_c-9" } });
    try expectEqualStrings("{\"name\":\"it\",\"inputSchema\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}," ++
        "\"execution\":{\"timeoutMs\":300},\"_meta\":{\"mcp-plugin-host/tags\":[\"slow\",\"a.B_c-9\"]}}", slow.description);
    inline for (.{
        mcp.resource("a:b", "b", text, .{ .tags = &.{"t"} }),
        mcp.resourceTemplate("a:{n}", "b", text, .{ .tags = &.{"t"} }),
        mcp.prompt("it", "", text, .{ .tags = &.{"t"} }),
    }) |Component| {
        try std.testing.expect(std.mem.endsWith(u8, Component.description, ",\"_meta\":{\"mcp-plugin-host/tags\":[\"t\"]}}"));
    }
}

// --- The host

// That of the tests has no interfaces.
test "an older host is named to whoever needs more" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    var context = mcp.testing.context(arena.allocator());
    try std.testing.expect(!context.host.hasInterface(mcp.abi.Store.name));
    try std.testing.expectError(error.ToolError, context.store());
    try expectEqualStrings("the host does not have mcp.store/1, which mcp-plugin-host has from 0.1.0 on: update the host, or " ++
        "ask Host.hasInterface beforehand", context.failure.?.message);
    try std.testing.expectError(error.HostTooOld, context.host.counter("a", ""));
    try std.testing.expectError(error.HostTooOld, context.host.subscriptions(arena.allocator()));
}

// The table of an interface as a later module has it.
const Grown = extern struct {
    size: u32,
    reserved: u32,
    check: *const anyopaque,
    later: *const anyopaque,

    pub const name = mcp.abi.Capabilities.name;
    pub const first_version = mcp.abi.Capabilities.first_version;
};

fn first(_: *const mcp.abi.Host, name: [*:0]const u8) callconv(.c) ?*const anyopaque {
    const check = struct {
        fn check(_: *const mcp.abi.Host, _: mcp.abi.String, _: ?*const mcp.abi.Sink) callconv(.c) i32 {
            return 0;
        }
    }.check;
    const table: *const mcp.abi.Capabilities = &.{ .size = 16, .reserved = 0, .check = check };
    return if (std.mem.eql(u8, std.mem.span(name), mcp.abi.Capabilities.name)) table else null;
}

test "a host whose interface is older than the module's is refused nothing" {
    var host = mcp.testing.context(std.testing.allocator).host.raw.*;
    host.get_interface = first;
    try std.testing.expect(mcp.interfaces.find(Grown, &host) != null);
    const sizes = .{ 16, 16, 24, 40, 40, 16 };
    inline for (all_interfaces, sizes) |Table, size| try std.testing.expectEqual(size, Table.first_version);
}

// What the host says of the calls 1, 2 and 3.
fn describe(_: *const mcp.abi.Host, call: mcp.abi.CallId, sink: *const mcp.abi.Sink) callconv(.c) void {
    if (call == 1) sink.put("{\"principal\":{\"id\":\"host#ada\",\"name\":\"Ada\",\"roles\":[\"admin\"],\"more\":1}}");
    if (call == 2) sink.put("{}");
}

fn directory(_: *const mcp.abi.Host, sink: *const mcp.abi.Sink) callconv(.c) void {
    sink.put("/bundles/notes");
}

fn callerAndBundle(_: *const mcp.abi.Host, name: [*:0]const u8) callconv(.c) ?*const anyopaque {
    const caller: *const mcp.abi.Caller = &.{ .size = 16, .reserved = 0, .describe = describe };
    const bundle: *const mcp.abi.Bundle = &.{ .size = 16, .reserved = 0, .directory = directory };
    return if (std.mem.eql(u8, std.mem.span(name), mcp.abi.Caller.name)) caller else bundle;
}

test "the caller is who the host has found to be calling" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    var context = mcp.testing.context(arena.allocator());
    try std.testing.expectEqual(null, try context.caller());
    var host = context.host.raw.*;
    host.get_interface = callerAndBundle;
    context.host.raw = &host;
    const caller = (try context.caller()).?;
    try expectEqualStrings("host#ada", caller.id);
    try expectEqualStrings("Ada", caller.name);
    try expectEqualStrings("admin", caller.roles[0]);
    try expectEqualStrings("", caller.email);
    for ([_]mcp.abi.CallId{ 2, 3 }) |call| {
        context.call = call;
        try std.testing.expectEqual(null, try context.caller());
    }
}

test "a bundle has its folder" {
    var arena: std.heap.ArenaAllocator = .init(std.testing.allocator);
    defer arena.deinit();
    const context = mcp.testing.context(arena.allocator());
    try std.testing.expectEqual(null, try context.host.bundleDirectory(arena.allocator()));
    var host = context.host.raw.*;
    host.get_interface = callerAndBundle;
    const bundle = try (mcp.Host{ .raw = &host }).bundleDirectory(arena.allocator());
    try expectEqualStrings("/bundles/notes", bundle.?);
}

var logged_size: usize = 0;

fn keepLogged(_: *const mcp.abi.Host, _: mcp.abi.CallId, _: mcp.abi.LogLevel, said: mcp.abi.String) callconv(.c) void {
    logged_size = said.slice().len;
}

test "a message that is cut ends with a whole character" {
    var host = mcp.testing.context(std.testing.allocator).host.raw.*;
    host.log = keepLogged;
    const long: [4095]u8 = @splat('x');
    for (
        [_][]const u8{ "", "\u{e9}", "\u{20ac}", "\u{1F600}", "\u{1F600}!", "!!", "\xff\xff" },
        [_]usize{ 4095, 4095, 4095, 4095, 4095, 4096, 4096 },
    ) |end, kept| {
        (mcp.Host{ .raw = &host }).log(.info, "{s}{s}", .{ &long, end });
        try std.testing.expectEqual(kept, logged_size);
    }
}

// --- A plugin, by its table

const Journey = struct {
    country: []const u8 = "",
    place: []const u8 = "",
    by: ?enum { train, tram, ship } = null,
    days: u8 = 1,
    note: []const u8 = "",

    pub const completions = .{ .country = .{ "France", "Finland", "Italy" }, .place = placesLike, .days = refused, .note = bytes };

    fn placesLike(typed: []const u8, context: *mcp.Context, chosen: struct { country: []const u8 = "?" }) ![]const []const u8 {
        const place = try std.fmt.allocPrint(context.allocator, "{s} in {s}", .{ typed, chosen.country });
        return context.allocator.dupe([]const u8, &.{place});
    }
    fn refused(state: *Visits, context: *mcp.Context) ![]const []const u8 {
        state.count += 1;
        return context.refuse(7, "visit {d}", .{state.count});
    }
    fn bytes() []const []const u8 {
        return &.{"\xff"};
    }
};

const Visits = struct {
    count: u8 = 0,

    pub fn init(host: mcp.Host) !Visits {
        var buffer: [4096]u8 = undefined;
        var allocator: std.heap.FixedBufferAllocator = .init(&buffer);
        const Configuration = struct { before: struct { count: u8 } = .{ .count = 0 }, fails: bool = false };
        const configuration = try host.configuration(Configuration, allocator.allocator());
        return if (configuration.fails) error.FileNotFound else .{ .count = configuration.before.count };
    }
};

fn plan(_: Journey) []const u8 {
    return "";
}

comptime {
    mcp.plugin(.{
        .name = "test",
        .version = "1",
        .State = Visits,
        .tools = .{ mcp.tool("open", "", open, .{}), mcp.tool("ask", "", ask, .{}), mcp.tool("list", "", list, .{}) },
        .resource_templates = .{
            mcp.resourceTemplate("a://{country}/{by}", "a", visit, .{}),
            mcp.resourceTemplate("b://{metres}/*", "b", climb, .{}),
        },
        .prompts = .{
            mcp.prompt("plan", "", plan, .{}),
            mcp.prompt("plain", "", text, .{}),
            mcp.prompt("none", "", none, .{}),
        },
    });
}

fn open(context: *mcp.Context) ![]const u8 {
    if (context.store()) |_| {} else |_| {}
    return error.FileNotFound;
}

fn ask(context: *mcp.Context) ![]const u8 {
    return switch (try context.ask(struct { name: []const u8 }, "who\xff", "Who\xff?")) {
        .accepted => |form| form.name,
        .declined, .cancelled => "",
    };
}

fn none(context: *mcp.Context) ![]const u8 {
    return context.fail("there is no {s}", .{"\xff"});
}

fn climb(context: *mcp.Context, variables: struct { metres: f32, @"*": []const u8 }) ![]const u8 {
    return std.fmt.allocPrint(context.allocator, "{d} m, {s}", .{ variables.metres, variables.@"*" });
}

fn visit(_: struct { country: []const u8, by: enum { train, ship } }) []const u8 {
    return "";
}

extern fn mcp_plugin_entry_v1() *const mcp.abi.Plugin;

var answered: [1000]u8 = undefined;
var answered_size: usize = 0;

fn keep(_: *const mcp.abi.Host, _: mcp.abi.CallId, _: mcp.abi.Outcome, json: mcp.abi.String) callconv(.c) void {
    answered_size = json.slice().len;
    @memcpy(answered[0..answered_size], json.slice());
}

fn keepText(_: ?*anyopaque, json: mcp.abi.String) callconv(.c) void {
    keep(undefined, 0, .result, json);
}

fn expectCompletion(instance: ?*anyopaque, params: []const u8, expected: []const u8) !void {
    mcp_plugin_entry_v1().invoke(instance, 1, .of("completion/complete"), .of(params));
    try expectEqualStrings(expected, answered[0..answered_size]);
}

fn expectValues(instance: ?*anyopaque, argument: []const u8, typed: []const u8, expected: []const u8) !void {
    var params: [300]u8 = undefined;
    const pattern = "{{\"ref\":{{\"type\":\"ref/prompt\",\"name\":\"plan\"}},\"argument\":{{\"name\":\"{s}\",\"value\":\"{s}\"}}," ++
        "\"context\":{{\"arguments\":{{\"country\":\"Italy\"}}}}}}";
    var completion: [300]u8 = undefined;
    try expectCompletion(
        instance,
        try std.fmt.bufPrint(&params, pattern, .{ argument, typed }),
        try std.fmt.bufPrint(&completion, "{{\"completion\":{{\"values\":{s}}}}}", .{expected}),
    );
}

test "arguments and variables are completed" {
    var host = mcp.testing.context(std.testing.allocator).host.raw.*;
    host.complete = keep;
    const sink: mcp.abi.Sink = .{ .context = null, .write = keepText };
    const table = mcp_plugin_entry_v1();
    const instance = table.create(&host, &sink);
    defer table.stop(instance);
    _ = table.describe(instance, &sink, &sink);
    try std.testing.expect(std.mem.endsWith(u8, answered[0..answered_size], "],\"completions\":true}"));
    _ = table.start.?(instance, &sink);

    try expectValues(instance, "country", "", "[\"France\",\"Finland\",\"Italy\"]");
    try expectValues(instance, "country", "f", "[\"France\",\"Finland\"]");
    try expectValues(instance, "country", "Francophone", "[]");
    try expectValues(instance, "place", "Rome", "[\"Rome in Italy\"]");
    try expectValues(instance, "by", "tr", "[\"train\",\"tram\"]");
    try expectValues(instance, "note", "", "[\"\u{fffd}\"]");
    try expectValues(instance, "nothing", "", "[]");

    const of_plan = "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"plan\"},\"argument\":{\"name\":";
    try expectCompletion(instance, of_plan ++ "\"place\",\"value\":\"Rome\"}}", "{\"completion\":{\"values\":[\"Rome in ?\"]}}");
    try expectCompletion(instance, of_plan ++ "\"days\",\"value\":\"\"}}", "{\"code\":7,\"message\":\"visit 1\"}");
    const of_template = "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a://{country}/{by}\"},\"argument\":{\"name\":\"by\",\"value\":\"s\"}}";
    try expectCompletion(instance, of_template, "{\"completion\":{\"values\":[\"ship\"]}}");
    const of_nothing = "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"plan\"}}";
    try expectCompletion(instance, of_nothing, "{\"code\":-32602,\"message\":\"there is no prompt or resource template plan\"}");
}

fn expectCall(method: []const u8, params: []const u8, expected: []const u8) !void {
    var host = mcp.testing.context(std.testing.allocator).host.raw.*;
    host.complete = keep;
    const sink: mcp.abi.Sink = .{ .context = null, .write = keepText };
    const table = mcp_plugin_entry_v1();
    const instance = table.create(&host, &sink);
    defer table.stop(instance);
    _ = table.start.?(instance, &sink);
    table.invoke(instance, 1, .of(method), .of(params));
    errdefer std.debug.print("{s}\n", .{answered[0..answered_size]});
    try std.testing.expect(std.mem.find(u8, answered[0..answered_size], expected) != null);
}

var configured: []const u8 = "";

fn configure(_: *const mcp.abi.Host, sink: *const mcp.abi.Sink) callconv(.c) void {
    sink.put(configured);
}

test "a plugin that does not start says what of its configuration is wrong" {
    var host = mcp.testing.context(std.testing.allocator).host.raw.*;
    host.configuration = configure;
    const sink: mcp.abi.Sink = .{ .context = null, .write = keepText };
    const table = mcp_plugin_entry_v1();
    for (
        [_][]const u8{ "{\"before\":{\"count\":256}}", "{\"before\":{}}", "{\"fails\":\"yes\"}", "[]", "{\"fails\":true}" },
        [_][]const u8{
            "\"before\" in the configuration does not fit: Overflow",
            "\"before\" in the configuration does not fit: MissingField",
            "\"fails\" in the configuration does not fit: UnexpectedToken",
            "the configuration: UnexpectedToken",
            "FileNotFound",
        },
    ) |configuration, expected| {
        configured = configuration;
        const instance = table.create(&host, &sink);
        defer table.stop(instance);
        try std.testing.expectEqual(1, table.start.?(instance, &sink));
        try expectEqualStrings(expected, answered[0..answered_size]);
    }
}

test "arguments that the type cannot hold are told to the model, with the member" {
    const told = "{\"content\":[{\"type\":\"text\",\"text\":\"\\\"of\\\" in the arguments does not fit: InvalidNumber\"}],\"isError\":true}";
    try expectCall("tools/call", "{\"name\":\"list\",\"arguments\":{\"of\":[1,1e18]}}", told);
}

fn expectClimb(metres: []const u8, expected: []const u8) !void {
    var params: [200]u8 = undefined;
    const pattern = "{{\"uri\":\"b:\",\"uriTemplate\":\"b://{{metres}}/*\",\"variables\":{{\"metres\":\"{s}\",\"*\":\"a/b\"}}}}";
    try expectCall("resources/read", try std.fmt.bufPrint(&params, pattern, .{metres}), expected);
}

test "what a wildcard stands for is a variable" {
    try expectClimb("-1.5e1", "\"text\":\"-15 m, a/b\"");
}

test "a number in a text is written as in JSON" {
    for ([_][]const u8{ "NaN", "inf", "0x1p4", "1_000", "1e39", "+1", ".5", "5.", " 1", "" }) |metres| {
        var told: [100]u8 = undefined;
        const pattern = "{{\"code\":-32602,\"message\":\"\\\"metres\\\" must be a number, not {s}\"}}";
        try expectClimb(metres, try std.fmt.bufPrint(&told, pattern, .{metres}));
    }
}

test "what a handler has caught is not told as what it ends with" {
    try expectCall("tools/call", "{\"name\":\"open\",\"arguments\":{}}", "\"text\":\"FileNotFound\"");
}

test "what a prompt fails with is not an internal error, and UTF-8" {
    try expectCall("prompts/get", "{\"name\":\"none\"}", "{\"code\":1,\"message\":\"there is no \u{fffd}\"}");
}

test "a question is UTF-8" {
    const asked = "{\"inputRequests\":{\"who\u{fffd}\":{\"method\":\"elicitation/create\",";
    const form = "\"params\":{\"mode\":\"form\",\"message\":\"Who\u{fffd}?\",";
    try expectCall("tools/call", "{\"name\":\"ask\",\"arguments\":{}}", asked ++ form);
}
