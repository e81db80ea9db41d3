//! mcp/plugin.h, and the headers of optional interfaces beside it, in Zig: what each member means, and where it may be called, is written there.
//! tests/languages/zig/module_test.zig compares the two.
const std = @import("std");

/// UTF-8 text, not necessarily followed by a zero.
pub const String = extern struct {
    data: ?[*]const u8 = null,
    size: u64 = 0,

    pub fn of(text: []const u8) String {
        return .{ .data = text.ptr, .size = text.len };
    }

    pub fn slice(self: String) []const u8 {
        const data = self.data orelse return "";
        return data[0..@intCast(self.size)];
    }
};

pub const Sink = extern struct {
    context: ?*anyopaque,
    write: *const fn (context: ?*anyopaque, text: String) callconv(.c) void,

    pub fn put(self: *const Sink, text: []const u8) void {
        self.write(self.context, .of(text));
    }
};

pub const CallId = u64;

pub const Outcome = enum(i32) { result = 0, @"error" = 1, input_required = 2 };

/// Why a call should end early.
pub const CancelReason = enum(i32) { none = 0, client = 1, deadline = 2, shutdown = 3, reload = 4, _ };

pub const LogLevel = enum(i32) {
    debug = 0,
    info = 1,
    notice = 2,
    warning = 3,
    @"error" = 4,
    critical = 5,
    alert = 6,
    emergency = 7,
};

pub const Host = extern struct {
    size: u32,
    reserved: u32,
    context: ?*anyopaque,
    complete: *const fn (host: *const Host, call: CallId, outcome: Outcome, json: String) callconv(.c) void,
    progress: *const fn (host: *const Host, call: CallId, progress: f64, total: f64, message: String) callconv(.c) void,
    log: *const fn (host: *const Host, call: CallId, level: LogLevel, message: String) callconv(.c) void,
    is_cancelled: *const fn (host: *const Host, call: CallId) callconv(.c) CancelReason,
    call_context: *const fn (host: *const Host, call: CallId, sink: *const Sink) callconv(.c) void,
    configuration: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,
    data_directory: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,
    components_changed: *const fn (host: *const Host) callconv(.c) void,
    resource_updated: *const fn (host: *const Host, uri: String) callconv(.c) void,
    get_interface: *const fn (host: *const Host, name: [*:0]const u8) callconv(.c) ?*const anyopaque,
};

/// Flags of Plugin.
pub const serial: u32 = 1;
pub const never_unload: u32 = 2;

pub const Plugin = extern struct {
    size: u32 = @sizeOf(Plugin),
    flags: u32 = 0,
    name: String,
    version: String,
    id: String = .{},
    vendor: String = .{},
    description: String = .{},
    url: String = .{},
    create: *const fn (host: *const Host, reason: *const Sink) callconv(.c) ?*anyopaque,
    describe: *const fn (self: ?*anyopaque, sink: *const Sink, reason: *const Sink) callconv(.c) i32,
    start: ?*const fn (self: ?*anyopaque, reason: *const Sink) callconv(.c) i32 = null,
    invoke: *const fn (self: ?*anyopaque, call: CallId, method: String, params: String) callconv(.c) void,
    cancel: ?*const fn (self: ?*anyopaque, call: CallId, reason: CancelReason) callconv(.c) void = null,
    stop: *const fn (self: ?*anyopaque) callconv(.c) void,
};

pub const entry_symbol = "mcp_plugin_entry_v1";

/// What the plugin gives to be told of subscriptions.
pub const SubscriptionListener = extern struct {
    size: u32 = @sizeOf(SubscriptionListener),
    reserved: u32 = 0,
    context: ?*anyopaque,
    subscribed: ?*const fn (context: ?*anyopaque, uri: String) callconv(.c) void,
    unsubscribed: ?*const fn (context: ?*anyopaque, uri: String) callconv(.c) void,
};

// The tables of optional interfaces. `first_version` is how large the table of a host is at least: what is appended to it
// later, an older host does not have.

fn endOf(comptime Table: type, comptime member: []const u8) usize {
    return @offsetOf(Table, member) + @sizeOf(@FieldType(Table, member));
}

pub const Caller = extern struct {
    size: u32,
    reserved: u32,
    describe: *const fn (host: *const Host, call: CallId, sink: *const Sink) callconv(.c) void,

    pub const name = "mcp.caller/1";
    pub const first_version = endOf(Caller, "describe");
};

pub const Bundle = extern struct {
    size: u32,
    reserved: u32,
    directory: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,

    pub const name = "mcp.bundle/1";
    pub const first_version = endOf(Bundle, "directory");
};

pub const Subscriptions = extern struct {
    size: u32,
    reserved: u32,
    list: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,
    listen: *const fn (host: *const Host, listener: ?*const SubscriptionListener) callconv(.c) void,

    pub const name = "mcp.subscriptions/1";
    pub const first_version = endOf(Subscriptions, "listen");
};

pub const StoreStatus = enum(i32) { done = 0, absent = 1, changed = 2, invalid = 3, full = 4, failed = 5, _ };

pub const Store = extern struct {
    size: u32,
    reserved: u32,
    get: *const fn (host: *const Host, key: String, value: *const Sink, revision: ?*u64, reason: ?*const Sink) callconv(.c) StoreStatus,
    put: *const fn (
        host: *const Host,
        key: String,
        value: String,
        if_revision: u64,
        revision: ?*u64,
        reason: ?*const Sink,
    ) callconv(.c) StoreStatus,
    erase: *const fn (host: *const Host, key: String, if_revision: u64, reason: ?*const Sink) callconv(.c) StoreStatus,
    list: *const fn (host: *const Host, prefix: String, keys: *const Sink, reason: ?*const Sink) callconv(.c) StoreStatus,

    pub const name = "mcp.store/1";
    pub const first_version = endOf(Store, "list");
    /// A revision that any is.
    pub const any: u64 = std.math.maxInt(u64);
};

pub const MetricKind = enum(i32) { counter = 0, gauge = 1, histogram = 2 };

pub const Label = extern struct { name: String, value: String };

pub const Metrics = extern struct {
    size: u32,
    reserved: u32,
    declare: *const fn (
        host: *const Host,
        kind: MetricKind,
        metric: String,
        help: String,
        bounds: ?[*]const f64,
        bound_count: u32,
        reason: ?*const Sink,
    ) callconv(.c) u32,
    add: Record,
    set: Record,
    observe: Record,

    pub const name = "mcp.metrics/1";
    pub const first_version = endOf(Metrics, "observe");
    pub const Record =
        *const fn (host: *const Host, metric: u32, labels: [*]const Label, label_count: u32, value: f64) callconv(.c) void;
};

pub const Capabilities = extern struct {
    size: u32,
    reserved: u32,
    check: *const fn (host: *const Host, json: String, reason: ?*const Sink) callconv(.c) i32,

    pub const name = "mcp.capabilities/1";
    pub const first_version = endOf(Capabilities, "check");
};

// What has been released never moves; larger structs only have more at their ends.
comptime {
    if (@sizeOf(usize) == 8) {
        std.debug.assert(@sizeOf(String) == 16 and @sizeOf(Sink) == 16);
        std.debug.assert(@offsetOf(Host, "complete") == 16);
        std.debug.assert(@offsetOf(Host, "get_interface") == 88 and @sizeOf(Host) == 96);
        std.debug.assert(@offsetOf(Plugin, "name") == 8);
        std.debug.assert(@offsetOf(Plugin, "create") == 104 and @sizeOf(Plugin) == 152);
    }
}
