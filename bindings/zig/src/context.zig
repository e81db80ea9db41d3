//! What a handler knows of its call and may do during it. A context belongs to its call: a handler keeps neither it nor
//! what its allocator gave. It may be used from other threads, too, until the handler returns, but for `ask`, `fail` and
//! `refuse`.
const std = @import("std");
const abi = @import("abi.zig");
const content = @import("content.zig");
const decode = @import("decode.zig");
const interfaces = @import("interfaces.zig");
const schema = @import("schema.zig");

const Allocator = std.mem.Allocator;

/// By which a handler ends its call: it returns them as it got them, by `try` or `return`.
pub const Ending = error{ ToolError, ProtocolError, InputRequired };

/// What the host sends is read so: it may send more than is known here.
pub const parse_options: std.json.ParseOptions = .{ .ignore_unknown_fields = true };

/// What the host does for the plugin, during a call or not. From any thread, until the state's deinit returns.
pub const Host = struct {
    raw: *const abi.Host,
    /// Of the instance; a test needs none.
    misfit: ?*Misfit = null,

    pub fn log(self: Host, level: abi.LogLevel, comptime format: []const u8, arguments: anytype) void {
        logCall(self.raw, 0, level, format, arguments);
    }

    /// The content of NAME.json beside the plugin, or an empty object. Members that T lacks are ignored. If `init` returns
    /// its error, the reason why the plugin does not start names the member.
    pub fn configuration(self: Host, comptime T: type, allocator: Allocator) !T {
        var collector: Collector = .{ .allocator = allocator };
        self.raw.configuration(self.raw, &collector.sink());
        const text = try collector.text();
        return std.json.parseFromSliceLeaky(T, allocator, text, parse_options) catch |err| {
            if (self.misfit) |misfit| misfit.tell(T, text, err);
            return err;
        };
    }

    /// The absolute path of a directory that is this plugin's own and outlives its versions.
    pub fn dataDirectory(self: Host, allocator: Allocator) ![]const u8 {
        var collector: Collector = .{ .allocator = allocator };
        self.raw.data_directory(self.raw, &collector.sink());
        const path = try collector.text();
        return if (path.len == 0) error.NoDataDirectory else path;
    }

    /// The absolute path of the folder with the files of the plugin's bundle, to be read; null where its library lies
    /// alone. What the plugin writes belongs into its data directory.
    pub fn bundleDirectory(self: Host, allocator: Allocator) !?[]const u8 {
        const table = interfaces.find(abi.Bundle, self.raw) orelse return null;
        var collector: Collector = .{ .allocator = allocator };
        table.directory(self.raw, &collector.sink());
        return try collector.text();
    }

    /// Tells the clients that subscribed to the resource.
    pub fn resourceUpdated(self: Host, uri: []const u8) void {
        self.raw.resource_updated(self.raw, .of(uri));
    }

    /// Whether the host has an optional interface: `mcp.abi.Store.name`. What needs one that an older host lacks fails.
    pub fn hasInterface(self: Host, name: [*:0]const u8) bool {
        return self.raw.get_interface(self.raw, name) != null;
    }

    /// The small values that the plugin keeps; in a call, that of the context.
    pub fn store(self: Host) !interfaces.Store {
        return .{ .host = self, .table = try interfaces.need(abi.Store, self) };
    }

    /// What grows: shown beside the host's own metrics, as mcp_plugin_NAME. `help` says in a line what it is. The same
    /// metric may be asked for again.
    pub fn counter(self: Host, name: []const u8, help: []const u8) !interfaces.Counter {
        return .{ .metric = try .declare(self, .counter, name, help, &.{}) };
    }

    /// What goes up and down.
    pub fn gauge(self: Host, name: []const u8, help: []const u8) !interfaces.Gauge {
        return .{ .metric = try .declare(self, .gauge, name, help, &.{}) };
    }

    /// How many values were how large. Bounds grow, 32 at most; none: those of Prometheus for seconds.
    pub fn histogram(self: Host, name: []const u8, help: []const u8, bounds: []const f64) !interfaces.Histogram {
        return .{ .metric = try .declare(self, .histogram, name, help, bounds) };
    }

    /// The URIs that clients are subscribed to now.
    pub fn subscriptions(self: Host, allocator: Allocator) ![]const []const u8 {
        const table = try interfaces.need(abi.Subscriptions, self);
        var collector: Collector = .{ .allocator = allocator };
        table.list(self.raw, &collector.sink());
        return std.json.parseFromSliceLeaky([]const []const u8, allocator, try collector.text(), .{});
    }
};

/// Why a configuration could not be read, the first time: `init` returns no more than an error's name. From any thread.
pub const Misfit = struct {
    stage: std.atomic.Value(enum(u8) { none, being_told, told }) = .init(.none),
    err: anyerror = error.Unexpected,
    buffer: [message_size]u8 = undefined,
    words: []const u8 = "",

    fn tell(self: *Misfit, comptime T: type, text: []const u8, err: anyerror) void {
        if (self.stage.cmpxchgStrong(.none, .being_told, .acquire, .monotonic) != null) return;
        var arena: std.heap.ArenaAllocator = .init(std.heap.c_allocator); // the author's may be too small for it
        defer arena.deinit();
        const given = std.json.parseFromSliceLeaky(std.json.Value, arena.allocator(), text, .{}) catch .null;
        const words = decode.explained(T, arena.allocator(), "the configuration", given, err) catch "out of memory";
        self.words = print(&self.buffer, "{s}", .{words});
        self.err = err;
        self.stage.store(.told, .release);
    }

    /// Null if the error is of something else.
    pub fn wordsOf(self: *const Misfit, err: anyerror) ?[]const u8 {
        return if (self.stage.load(.acquire) == .told and self.err == err) self.words else null;
    }
};

/// What is known of a call. The fields are named as the members of its JSON. What a client says of itself is not
/// proven.
pub const CallContext = struct {
    protocolVersion: []const u8 = "",
    client: ?struct { name: []const u8 = "", version: []const u8 = "" } = null,
    clientCapabilities: std.json.Value = .null,
    /// The Unix time in milliseconds at which the call will be cancelled.
    deadline: ?i64 = null,
    trace: std.json.Value = .null,
    /// The request's own _meta.
    meta: std.json.Value = .null,
};

/// Who the host has found to be calling. `id` is the same for all calls of one principal; `name` is for people.
pub const Principal = struct {
    id: []const u8,
    subject: []const u8 = "",
    name: []const u8 = "",
    email: []const u8 = "",
    groups: []const []const u8 = &.{},
    roles: []const []const u8 = &.{},
    scopes: []const []const u8 = &.{},
};

/// What the user did with a form.
pub fn Answer(comptime Form: type) type {
    return union(enum) { accepted: Form, declined, cancelled };
}

/// Why a handler ends its call.
pub const Failure = struct { code: i32 = -32603, message: []const u8 };

/// What the client is asked: JSON of an input request.
pub const Question = struct { name: []const u8, json: []const u8 };

pub const Context = struct {
    /// All that it gives is freed when the call has ended. Not for several threads at once.
    allocator: Allocator,
    host: Host,
    call: abi.CallId,
    /// The client's answers to what was asked before, by name.
    answers: ?std.json.ObjectMap = null,
    failure: ?Failure = null,
    question: ?Question = null,

    /// `done` must grow; `total` is 0 if it is unknown. Costs little if the client did not ask for it.
    pub fn progress(self: *Context, done: f64, total: f64, comptime format: []const u8, arguments: anytype) void {
        var buffer: [message_size]u8 = undefined;
        const message = print(&buffer, format, arguments);
        self.host.raw.progress(self.host.raw, self.call, done, total, .of(message));
    }

    /// To the host's log, and to the client if it wants to hear of it.
    pub fn log(self: *Context, level: abi.LogLevel, comptime format: []const u8, arguments: anytype) void {
        logCall(self.host.raw, self.call, level, format, arguments);
    }

    /// Why the call should end early, or .none.
    pub fn cancelReason(self: *const Context) abi.CancelReason {
        return self.host.raw.is_cancelled(self.host.raw, self.call);
    }

    pub fn cancelled(self: *const Context) bool {
        return self.cancelReason() != .none;
    }

    /// For loops: `try context.checkCancelled()`.
    pub fn checkCancelled(self: *const Context) error{Cancelled}!void {
        if (self.cancelled()) return error.Cancelled;
    }

    /// Sleeps, and ends early when the call is cancelled.
    pub fn sleep(self: *const Context, milliseconds: u64) error{Cancelled}!void {
        var left = milliseconds;
        while (left > 0) {
            try self.checkCancelled();
            const piece: u64 = @min(left, 10);
            const duration: std.c.timespec = .{ .sec = 0, .nsec = @intCast(piece * std.time.ns_per_ms) };
            _ = std.c.nanosleep(&duration, null);
            left -= piece;
        }
        try self.checkCancelled();
    }

    /// Who calls; null if nobody has proven who they are.
    pub fn caller(self: *Context) !?Principal {
        const table = interfaces.find(abi.Caller, self.host.raw) orelse return null;
        var collector: Collector = .{ .allocator = self.allocator };
        table.describe(self.host.raw, self.call, &collector.sink());
        const text = try collector.text();
        if (text.len == 0) return null;
        const Said = struct { principal: ?Principal = null };
        return (try std.json.parseFromSliceLeaky(Said, self.allocator, text, parse_options)).principal;
    }

    pub fn callContext(self: *Context) !CallContext {
        var collector: Collector = .{ .allocator = self.allocator };
        self.host.raw.call_context(self.host.raw, self.call, &collector.sink());
        return std.json.parseFromSliceLeaky(CallContext, self.allocator, try collector.text(), parse_options);
    }

    pub fn configuration(self: *Context, comptime T: type) !T {
        return self.host.configuration(T, self.allocator);
    }

    /// The small values that the plugin keeps. What cannot be done ends the call, in words.
    pub fn store(self: *Context) !interfaces.Store {
        const table = interfaces.find(abi.Store, self.host.raw) orelse
            return self.fail("{s}", .{comptime interfaces.missing(abi.Store)});
        return .{ .host = self.host, .table = table, .context = self };
    }

    /// Ends a tool with an error that the model reads: `return context.fail("there is no {s}", .{name})`. Of a resource, a
    /// prompt or a completion it is a JSON-RPC error with the code 1: hosts mask the words of an internal one.
    pub fn fail(self: *Context, comptime format: []const u8, arguments: anytype) Ending {
        return self.end(error.ToolError, 1, format, arguments);
    }

    /// Ends the call with a JSON-RPC error: what the caller did wrong as a program.
    pub fn refuse(self: *Context, code: i32, comptime format: []const u8, arguments: anytype) Ending {
        return self.end(error.ProtocolError, code, format, arguments);
    }

    /// Asks the user by a form, whose fields are those of the struct. The handler ends with this `try`, and is called
    /// anew with the answer: what it did before, it does again. `name` tells this question from others of the handler.
    pub fn ask(self: *Context, comptime Form: type, name: []const u8, message: []const u8) !Answer(Form) {
        if (self.answers) |answers| {
            if (answers.get(name)) |answer| return self.readAnswer(Form, answer);
        }
        const requested: content.Raw = .{ .json = comptime schema.of(Form, .form) };
        const json = try content.written(self.allocator, .{
            .method = "elicitation/create",
            .params = .{ .mode = "form", .message = content.Text{ .words = message }, .requestedSchema = requested },
        });
        self.question = .{ .name = try self.allocator.dupe(u8, name), .json = json };
        return error.InputRequired;
    }

    fn readAnswer(self: *Context, comptime Form: type, answer: std.json.Value) !Answer(Form) {
        const Given = struct { action: enum { accept, decline, cancel }, content: std.json.Value = .null };
        const given = try std.json.parseFromValueLeaky(Given, self.allocator, answer, parse_options);
        return switch (given.action) {
            .accept => .{
                .accepted = try decode.fromValue(Form, self.allocator, given.content, parse_options),
            },
            .decline => .declined,
            .cancel => .cancelled,
        };
    }

    fn end(self: *Context, how: Ending, code: i32, comptime format: []const u8, arguments: anytype) Ending {
        const message = std.fmt.allocPrint(self.allocator, format, arguments) catch "out of memory";
        self.failure = .{ .code = code, .message = message };
        return how;
    }
};

/// Longer messages of log and progress are cut.
const message_size = 4096;

fn print(buffer: *[message_size]u8, comptime format: []const u8, arguments: anytype) []const u8 {
    var writer: std.Io.Writer = .fixed(buffer);
    writer.print(format, arguments) catch return wholeCharacters(writer.buffered());
    return writer.buffered();
}

// Without the first bytes of a character that goes on behind the end.
fn wholeCharacters(text: []const u8) []const u8 {
    const most: usize = @min(text.len, 3);
    for (1..most + 1) |back| {
        const size = std.unicode.utf8ByteSequenceLength(text[text.len - back]) catch continue;
        return if (size > back) text[0 .. text.len - back] else text;
    }
    return text;
}

fn logCall(
    host: *const abi.Host,
    call: abi.CallId,
    level: abi.LogLevel,
    comptime format: []const u8,
    arguments: anytype,
) void {
    var buffer: [message_size]u8 = undefined;
    host.log(host, call, level, .of(print(&buffer, format, arguments)));
}

/// A sink that keeps what it is given.
pub const Collector = struct {
    allocator: Allocator,
    pieces: std.ArrayList(u8) = .empty,
    is_complete: bool = true,

    pub fn sink(self: *Collector) abi.Sink {
        return .{ .context = self, .write = write };
    }

    fn write(context: ?*anyopaque, piece: abi.String) callconv(.c) void {
        const self: *Collector = @ptrCast(@alignCast(context.?));
        self.pieces.appendSlice(self.allocator, piece.slice()) catch {
            self.is_complete = false;
        };
    }

    pub fn text(self: *Collector) error{OutOfMemory}![]const u8 {
        return if (self.is_complete) self.pieces.items else error.OutOfMemory;
    }
};
