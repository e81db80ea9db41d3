//! What handlers return, and how it is written as MCP's results.
const std = @import("std");
const isText = @import("json.zig").isText;
const schema = @import("schema.zig");

const Allocator = std.mem.Allocator;
const json_options: std.json.Stringify.Options = .{ .emit_null_optional_fields = false };

/// Bytes of a kind: "image/png".
pub const Media = struct { data: []const u8, mime_type: []const u8 };

pub const ResourceLink = struct { uri: []const u8, name: []const u8 };

/// One block of content.
pub const Content = union(enum) {
    text: []const u8,
    image: Media,
    audio: Media,
    resource_link: ResourceLink,

    pub fn jsonStringify(self: Content, json: anytype) !void {
        switch (self) {
            .text => |words| try json.write(.{ .type = .text, .text = Text{ .words = words } }),
            .image, .audio => |media| try json.write(.{
                .type = @as([]const u8, @tagName(self)),
                .mimeType = media.mime_type,
                .data = Base64{ .data = media.data },
            }),
            .resource_link => |link| try json.write(.{
                .type = .resource_link,
                .uri = Text{ .words = link.uri },
                .name = Text{ .words = link.name },
            }),
        }
    }
};

/// Complete control of a tool's result.
pub const Result = struct {
    content: []const Content = &.{},
    structured: ?std.json.Value = null,
    is_error: bool = false,
};

/// A message of a prompt.
pub const Message = struct {
    role: enum { user, assistant } = .user,
    content: Content,
};

/// The content of a resource that is no text.
pub const Blob = struct { data: []const u8 };

/// The schema of what a tool that returns T answers with, or null if that is content alone.
pub fn outputSchema(comptime T: type) ?[]const u8 {
    comptime {
        if (isContent(T)) return null;
        const own = schema.of(T, .output);
        if (isObject(T)) return own;
        const required = if (@typeInfo(T) == .optional) "" else ",\"required\":[\"result\"]";
        return "{\"type\":\"object\",\"properties\":{\"result\":" ++ own ++ "}" ++ required ++ "}";
    }
}

fn isContent(comptime T: type) bool {
    return T == void or T == []const u8 or T == Content or T == []const Content or T == Result or T == std.json.Value;
}

fn isObject(comptime T: type) bool {
    return @typeInfo(T) == .@"struct";
}

/// The result of tools/call. error.NotFinite: it has a float that JSON cannot say.
pub fn toolResult(allocator: Allocator, comptime T: type, value: T) error{ OutOfMemory, NotFinite }![]const u8 {
    return switch (T) {
        void => result(allocator, .{}),
        []const u8 => result(allocator, .{ .content = &.{.{ .text = value }} }),
        Content => result(allocator, .{ .content = &.{value} }),
        []const Content => result(allocator, .{ .content = value }),
        Result => {
            if (value.structured) |structured| try checkFinite(std.json.Value, structured);
            return result(allocator, value);
        },
        else => {
            try checkFinite(T, value);
            return structuredResult(allocator, T, value);
        },
    };
}

pub fn toolError(allocator: Allocator, message: []const u8) ![]const u8 {
    return result(allocator, .{ .content = &.{.{ .text = message }}, .is_error = true });
}

fn result(allocator: Allocator, given: Result) ![]const u8 {
    return written(allocator, .{
        .content = given.content,
        .structuredContent = given.structured,
        .isError = if (given.is_error) true else @as(?bool, null),
    });
}

// The value as structured content, and as text for clients that know no other.
fn structuredResult(allocator: Allocator, comptime T: type, value: T) ![]const u8 {
    const words = switch (@typeInfo(T)) {
        .@"enum" => @tagName(value),
        else => try written(allocator, Plain(T){ .value = value }),
    };
    const content: []const Content = &.{.{ .text = words }};
    if (T == std.json.Value)
        return result(allocator, .{ .content = content, .structured = if (value == .object) value else null });
    if (comptime isObject(T))
        return written(allocator, .{ .content = content, .structuredContent = Plain(T){ .value = value } });
    const object: Plain(struct { result: T }) = .{ .value = .{ .result = value } };
    return written(allocator, .{ .content = content, .structuredContent = object });
}

// Before it is written, because std.json would write NaN and inf, and no error of a value's own leads out of it.
fn checkFinite(comptime T: type, value: T) error{NotFinite}!void {
    if (T == std.json.Value) return switch (value) {
        .float => |number| checkFinite(f64, number),
        .array => |list| checkFinite([]const T, list.items),
        .object => |object| checkFinite([]const T, object.values()),
        else => {},
    };
    switch (@typeInfo(T)) {
        .float => if (!std.math.isFinite(value)) return error.NotFinite,
        .optional => |optional| if (value) |given| try checkFinite(optional.child, given),
        .pointer => |pointer| if (!comptime isText(pointer)) {
            for (value) |item| try checkFinite(pointer.child, item);
        },
        .array => |array| for (value) |item| try checkFinite(array.child, item),
        .@"struct" => |info| if (!@hasDecl(T, "jsonStringify")) {
            inline for (info.field_names, info.field_types) |name, Field| try checkFinite(Field, @field(value, name));
        },
        else => {},
    }
}

/// The result of resources/read; T is []const u8 or Blob.
pub fn resourceResult(
    allocator: Allocator,
    uri: []const u8,
    mime_type: ?[]const u8,
    comptime T: type,
    value: T,
) ![]const u8 {
    return switch (T) {
        []const u8 => written(allocator, .{ .contents = .{
            .{ .uri = uri, .mimeType = mime_type, .text = Text{ .words = value } },
        } }),
        Blob => written(allocator, .{ .contents = .{
            .{ .uri = uri, .mimeType = mime_type, .blob = Base64{ .data = value.data } },
        } }),
        else => @compileError("a resource is []const u8 or mcp.Blob, not " ++ @typeName(T)),
    };
}

/// The result of prompts/get; T is []const u8, which is one message of the user, or []const Message.
pub fn promptResult(allocator: Allocator, comptime T: type, value: T) ![]const u8 {
    return switch (T) {
        []const u8 => promptResult(allocator, []const Message, &.{.{ .content = .{ .text = value } }}),
        []const Message => written(allocator, .{ .messages = value }),
        else => @compileError("a prompt is []const u8 or []const mcp.Message, not " ++ @typeName(T)),
    };
}

/// The result of completion/complete.
pub fn completionResult(allocator: Allocator, values: []const []const u8) ![]const u8 {
    const all = try allocator.alloc(Text, values.len);
    for (all, values) |*text, words| text.* = .{ .words = words };
    return written(allocator, .{ .completion = .{ .values = all } });
}

pub fn written(allocator: Allocator, value: anytype) ![]const u8 {
    return std.json.Stringify.valueAlloc(allocator, value, json_options);
}

/// JSON that is ready.
pub const Raw = struct {
    json: []const u8,

    pub fn jsonStringify(self: Raw, json: anytype) !void {
        try json.print("{s}", .{self.json});
    }
};

const Base64 = struct {
    data: []const u8,

    pub fn jsonStringify(self: Base64, json: anytype) !void {
        try json.beginWriteRaw();
        try json.writer.writeByte('"');
        try std.base64.standard.Encoder.encodeWriter(json.writer, self.data);
        try json.writer.writeByte('"');
        json.endWriteRaw();
    }
};

// A value as its schema says it, with each text in it as a Text.
fn Plain(comptime T: type) type {
    return struct {
        value: T,

        pub fn jsonStringify(self: @This(), json: anytype) !void {
            try writePlain(T, self.value, json);
        }
    };
}

fn writePlain(comptime T: type, value: T, json: anytype) !void {
    switch (@typeInfo(T)) {
        .optional => |optional| if (value) |given|
            try writePlain(optional.child, given, json)
        else
            try json.write(null),
        .pointer => |pointer| if (comptime isText(pointer))
            try json.write(Text{ .words = value })
        else
            try writeList(pointer.child, value, json),
        .array => |array| try writeList(array.child, &value, json),
        // std.json would give an f32 the digits of an f64. In full, more than 64 bits may have thousands of digits.
        .float => try json.print(if (@bitSizeOf(T) > 64) "{e}" else "{}", .{value}),
        .@"struct" => if (@hasDecl(T, "jsonStringify"))
            try json.write(value)
        else
            try writeFields(T, value, json),
        else => try json.write(value),
    }
}

fn writeList(comptime T: type, items: []const T, json: anytype) !void {
    try json.beginArray();
    for (items) |item| try writePlain(T, item, json);
    try json.endArray();
}

fn writeFields(comptime T: type, value: T, json: anytype) !void {
    const info = @typeInfo(T).@"struct";
    try json.beginObject();
    inline for (info.field_names, info.field_types) |name, Field| {
        const field = @field(value, name);
        const is_left_out = @typeInfo(Field) == .optional and field == null;
        if (!is_left_out) {
            try json.objectField(name);
            try writePlain(Field, field, json);
        }
    }
    try json.endObject();
}

/// Where a text is no UTF-8, it has U+FFFD; std.json would make an array of it.
pub const Text = struct {
    words: []const u8,

    pub fn jsonStringify(self: Text, json: anytype) !void {
        if (std.unicode.utf8ValidateSlice(self.words)) return json.write(self.words);
        try json.beginWriteRaw();
        try json.writer.writeByte('"');
        var rest = self.words;
        while (rest.len > 0) {
            const size = validSize(rest);
            try std.json.Stringify.encodeJsonStringChars(rest[0..size], .{}, json.writer);
            if (size == 0) try json.writer.writeAll("\u{fffd}");
            rest = rest[@max(size, 1)..];
        }
        try json.writer.writeByte('"');
        json.endWriteRaw();
    }

    // Of the character at the beginning; 0 if there is none.
    fn validSize(bytes: []const u8) usize {
        const size = std.unicode.utf8ByteSequenceLength(bytes[0]) catch return 0;
        if (size > bytes.len or !std.unicode.utf8ValidateSlice(bytes[0..size])) return 0;
        return size;
    }
};
