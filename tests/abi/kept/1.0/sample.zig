//! What sample.c is, in Zig, which declares the contract itself.
const std = @import("std");

const Text = extern struct {
    data: ?[*]const u8 = null,
    size: u64 = 0,

    fn of(words: []const u8) Text {
        return .{ .data = words.ptr, .size = words.len };
    }

    fn slice(text: Text) []const u8 {
        return if (text.data) |data| data[0..@intCast(text.size)] else "";
    }
};

const Sink = extern struct {
    context: ?*anyopaque,
    write: *const fn (context: ?*anyopaque, text: Text) callconv(.c) void,
};

const Host = extern struct {
    size: u32,
    reserved: u32,
    context: ?*anyopaque,
    complete: *const fn (host: *const Host, call: u64, outcome: i32, json: Text) callconv(.c) void,
    progress: *const fn (host: *const Host, call: u64, progress: f64, total: f64, message: Text) callconv(.c) void,
    log: *const fn (host: *const Host, call: u64, level: i32, message: Text) callconv(.c) void,
    is_cancelled: *const fn (host: *const Host, call: u64) callconv(.c) i32,
    call_context: *const fn (host: *const Host, call: u64, sink: *const Sink) callconv(.c) void,
    configuration: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,
    data_directory: *const fn (host: *const Host, sink: *const Sink) callconv(.c) void,
    components_changed: *const fn (host: *const Host) callconv(.c) void,
    resource_updated: *const fn (host: *const Host, uri: Text) callconv(.c) void,
    get_interface: *const fn (host: *const Host, name: [*:0]const u8) callconv(.c) ?*const anyopaque,
};

const Caller = extern struct {
    size: u32,
    reserved: u32,
    describe: *const fn (host: *const Host, call: u64, sink: *const Sink) callconv(.c) void,
};

const Plugin = extern struct {
    size: u32,
    flags: u32,
    name: Text,
    version: Text,
    id: Text,
    vendor: Text = .{},
    description: Text = .{},
    url: Text = .{},
    create: *const fn (host: *const Host, reason: *const Sink) callconv(.c) ?*anyopaque,
    describe: *const fn (sample: *anyopaque, sink: *const Sink, reason: *const Sink) callconv(.c) i32,
    start: *const fn (sample: *anyopaque, reason: *const Sink) callconv(.c) i32,
    invoke: *const fn (sample: *anyopaque, call: u64, method: Text, params: Text) callconv(.c) void,
    cancel: *const fn (sample: *anyopaque, call: u64, reason: i32) callconv(.c) void,
    stop: *const fn (sample: *anyopaque) callconv(.c) void,
};

const Sample = struct {
    host: *const Host,
    started: bool = false,
    waiting: u64 = 0, // the one call that waits to be cancelled, or 0
};

/// What a host writes into a sink, cut off where there is no more room.
const Written = struct {
    text: [4096]u8 = undefined,
    size: usize = 0,

    fn append(context: ?*anyopaque, piece: Text) callconv(.c) void {
        const written: *Written = @ptrCast(@alignCast(context));
        const size = @min(piece.slice().len, written.text.len - written.size);
        @memcpy(written.text[written.size..][0..size], piece.slice()[0..size]);
        written.size += size;
    }

    fn sink(written: *Written) Sink {
        return .{ .context = written, .write = append };
    }

    fn put(written: *Written, words: []const u8) void {
        append(written, .of(words));
    }
};

fn sampleAt(instance: *anyopaque) *Sample {
    return @ptrCast(@alignCast(instance));
}

fn create(host: *const Host, reason: *const Sink) callconv(.c) ?*anyopaque {
    const sample = std.heap.c_allocator.create(Sample) catch {
        reason.write(reason.context, .of("out of memory"));
        return null;
    };
    sample.* = .{ .host = host };
    return sample;
}

fn describe(_: *anyopaque, sink: *const Sink, _: *const Sink) callconv(.c) i32 {
    sink.write(sink.context, .of("{\"tools\":[{\"name\":\"known\",\"inputSchema\":{\"type\":\"object\"}},"));
    sink.write(sink.context, .of("{\"name\":\"wait\",\"inputSchema\":{\"type\":\"object\"}}]}"));
    return 0;
}

fn start(instance: *anyopaque, _: *const Sink) callconv(.c) i32 {
    sampleAt(instance).started = true;
    return 0;
}

fn tellWhatIsKnown(sample: *Sample, call: u64) void {
    const host = sample.host;
    const callers: *const Caller = @ptrCast(@alignCast(host.get_interface(host, "mcp.caller/1").?));
    var result: Written = .{};
    const sink = result.sink();
    result.put("{\"content\":[],\"structuredContent\":{\"context\":");
    host.call_context(host, call, &sink);
    result.put(",\"caller\":");
    callers.describe(host, call, &sink);
    result.put(if (sample.started) ",\"started\":true}}" else ",\"started\":false}}");
    host.complete(host, call, 0, .of(result.text[0..result.size]));
}

/// The call may be cancelled before invoke has come to know of it, and while it does.
fn endWaiting(sample: *Sample, call: u64) void {
    if (@cmpxchgStrong(u64, &sample.waiting, call, 0, .seq_cst, .seq_cst) != null) return;
    const host = sample.host;
    var buffer: [64]u8 = undefined;
    const reason = host.is_cancelled(host, call);
    const pattern = "{{\"code\":-32603,\"message\":\"cancelled {d}\"}}";
    const message = std.fmt.bufPrint(&buffer, pattern, .{reason}) catch unreachable;
    host.complete(host, call, 1, .of(message));
}

fn invoke(instance: *anyopaque, call: u64, _: Text, params: Text) callconv(.c) void {
    const sample = sampleAt(instance);
    if (std.mem.find(u8, params.slice(), "\"wait\"") == null) return tellWhatIsKnown(sample, call);
    @atomicStore(u64, &sample.waiting, call, .seq_cst);
    if (sample.host.is_cancelled(sample.host, call) != 0) endWaiting(sample, call);
}

fn cancel(instance: *anyopaque, call: u64, _: i32) callconv(.c) void {
    endWaiting(sampleAt(instance), call);
}

fn stop(instance: *anyopaque) callconv(.c) void {
    std.heap.c_allocator.destroy(sampleAt(instance));
}

const plugin: Plugin = .{
    .size = @sizeOf(Plugin),
    .flags = 1, // MCP_PLUGIN_SERIAL
    .name = .of("kept"),
    .version = .of("1.0.0"),
    .id = .of("test.kept.zig"),
    .create = create,
    .describe = describe,
    .start = start,
    .invoke = invoke,
    .cancel = cancel,
    .stop = stop,
};

export fn mcp_plugin_entry_v1() *const Plugin {
    return &plugin;
}
