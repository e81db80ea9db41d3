//! What a plugin can ask of the host besides serving calls: small values that it keeps, metrics, which resources clients are
//! subscribed to. From any thread, until the state's deinit returns. A host that is older than one of them is
//! error.HostTooOld. The words of an error are in the host's log, or, of a store that a Context gave, in what the client
//! reads.
const std = @import("std");
const abi = @import("abi.zig");
const Collector = @import("context.zig").Collector;
const Context = @import("context.zig").Context;
const Host = @import("context.zig").Host;

const Allocator = std.mem.Allocator;

/// The table of an optional interface, or null where the host is older than that.
pub fn find(comptime Table: type, host: *const abi.Host) ?*const Table {
    const table: *const Table = @ptrCast(@alignCast(host.get_interface(host, Table.name) orelse return null));
    return if (table.size >= Table.first_version) table else null;
}

pub fn missing(comptime Table: type) []const u8 {
    return "the host does not have " ++ Table.name ++ ", which mcp-plugin-host has from 0.1.0 on: update the host, or ask " ++
        "Host.hasInterface beforehand";
}

pub fn need(comptime Table: type, host: Host) error{HostTooOld}!*const Table {
    return find(Table, host.raw) orelse {
        host.log(.@"error", "{s}", .{missing(Table)});
        return error.HostTooOld;
    };
}

/// A sink that keeps the beginning of what it is given.
const Words = struct {
    buffer: [1024]u8 = undefined,
    size: usize = 0,

    fn sink(self: *Words) abi.Sink {
        return .{ .context = self, .write = write };
    }

    fn write(context: ?*anyopaque, piece: abi.String) callconv(.c) void {
        const self: *Words = @ptrCast(@alignCast(context.?));
        const kept = piece.slice()[0..@min(piece.slice().len, self.buffer.len - self.size)];
        @memcpy(self.buffer[self.size..][0..kept.len], kept);
        self.size += kept.len;
    }

    fn text(self: *const Words) []const u8 {
        return self.buffer[0..self.size];
    }
};

/// Small values that outlive the instance, its process and the host; all instances of the plugin have the same ones. A
/// function returns when what it has done will last. Keys are texts of 1 to 256 bytes without control characters, values any
/// bytes, 32768 at most.
pub const Store = struct {
    host: Host,
    table: *const abi.Store,
    context: ?*Context = null,

    /// A value, and the number that it has until the next one is put, which has another.
    pub const Entry = struct { value: []const u8, revision: u64 };

    /// Null if there is no such key.
    pub fn get(self: Store, allocator: Allocator, key: []const u8) !?[]const u8 {
        const entry = try self.find(allocator, key) orelse return null;
        return entry.value;
    }

    pub fn put(self: Store, key: []const u8, value: []const u8) !void {
        _ = try self.putIf(key, value, abi.Store.any);
    }

    /// False if there was no such key.
    pub fn erase(self: Store, key: []const u8) !bool {
        var why: Words = .{};
        const status = self.table.erase(self.host.raw, .of(key), abi.Store.any, &why.sink());
        return self.isDone(status, "erase", key, why.text());
    }

    /// The keys that begin so, in the order of their bytes.
    pub fn list(self: Store, allocator: Allocator, prefix: []const u8) ![]const []const u8 {
        var keys: Collector = .{ .allocator = allocator };
        var why: Words = .{};
        const status = self.table.list(self.host.raw, .of(prefix), &keys.sink(), &why.sink());
        _ = try self.isDone(status, "list", prefix, why.text());
        return std.json.parseFromSliceLeaky([]const []const u8, allocator, try keys.text(), .{});
    }

    /// The value with its revision. Where others may put meanwhile, what follows from it is put with `putIf`.
    pub fn find(self: Store, allocator: Allocator, key: []const u8) !?Entry {
        var value: Collector = .{ .allocator = allocator };
        var why: Words = .{};
        var revision: u64 = 0;
        const status = self.table.get(self.host.raw, .of(key), &value.sink(), &revision, &why.sink());
        if (!try self.isDone(status, "read", key, why.text())) return null;
        return .{ .value = try value.text(), .revision = revision };
    }

    /// Puts the value if the key still has this revision; 0: if there is no such key. False: it has another one.
    pub fn putIf(self: Store, key: []const u8, value: []const u8, revision: u64) !bool {
        var why: Words = .{};
        const status = self.table.put(self.host.raw, .of(key), .of(value), revision, null, &why.sink());
        return self.isDone(status, "keep", key, why.text());
    }

    fn isDone(self: Store, status: abi.StoreStatus, comptime what: []const u8, key: []const u8, why: []const u8) !bool {
        switch (status) {
            .done => return true,
            .absent, .changed => return false,
            else => {},
        }
        const words = "cannot " ++ what ++ " \"{s}\": {s}";
        if (self.context) |context| return context.fail(words, .{ key, why });
        self.host.log(.@"error", words, .{ key, why });
        return error.StoreFailed;
    }
};

/// Grows. Labels are a struct of texts: `.{ .kind = "a" }`, or `.{}`. Few values each, because every combination of them is a
/// series that is kept.
pub const Counter = struct {
    metric: Metric,

    pub fn add(self: Counter, amount: f64, labels: anytype) void {
        self.metric.record(self.metric.table.add, amount, labels);
    }
};

/// Goes up and down.
pub const Gauge = struct {
    metric: Metric,

    pub fn set(self: Gauge, value: f64, labels: anytype) void {
        self.metric.record(self.metric.table.set, value, labels);
    }

    pub fn add(self: Gauge, amount: f64, labels: anytype) void {
        self.metric.record(self.metric.table.add, amount, labels);
    }
};

/// How many values were how large.
pub const Histogram = struct {
    metric: Metric,

    pub fn observe(self: Histogram, value: f64, labels: anytype) void {
        self.metric.record(self.metric.table.observe, value, labels);
    }
};

pub const Metric = struct {
    host: Host,
    table: *const abi.Metrics,
    number: u32,

    pub fn declare(host: Host, kind: abi.MetricKind, name: []const u8, help: []const u8, bounds: []const f64) !Metric {
        const table = try need(abi.Metrics, host);
        var why: Words = .{};
        const count: u32 = @intCast(bounds.len);
        const number = table.declare(host.raw, kind, .of(name), .of(help), bounds.ptr, count, &why.sink());
        if (number != 0) return .{ .host = host, .table = table, .number = number };
        host.log(.@"error", "{s}", .{why.text()});
        return error.MetricRefused;
    }

    // What is wrong with it, the host leaves out and logs.
    fn record(self: Metric, function: abi.Metrics.Record, value: f64, labels: anytype) void {
        const names = @typeInfo(@TypeOf(labels)).@"struct".field_names;
        if (names.len > 8) @compileError("a metric has 8 labels at most");
        var all: [names.len]abi.Label = undefined;
        inline for (names, 0..) |name, i| all[i] = .{ .name = .of(name), .value = .of(@field(labels, name)) };
        function(self.host.raw, self.number, &all, names.len, value);
    }
};
