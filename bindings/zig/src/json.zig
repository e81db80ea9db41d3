//! JSON of what is known when the plugin is compiled. What is known later is written by std.json.
const std = @import("std");

pub fn string(comptime text: []const u8) []const u8 {
    comptime {
        @setEvalBranchQuota(1000 + 100 * text.len);
        var json: []const u8 = "\"";
        for (text) |byte| {
            json = json ++ switch (byte) {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\n' => "\\n",
                '\t' => "\\t",
                0...8, 11...31 => std.fmt.comptimePrint("\\u{x:0>4}", .{byte}),
                else => &[1]u8{byte},
            };
        }
        return json ++ "\"";
    }
}

pub fn value(comptime v: anytype) []const u8 {
    comptime {
        const T = @TypeOf(v);
        return switch (@typeInfo(T)) {
            .null => "null",
            .bool => if (v) "true" else "false",
            .int, .comptime_int, .float, .comptime_float => std.fmt.comptimePrint("{d}", .{v}),
            .optional => if (v) |given| value(given) else "null",
            .@"enum", .enum_literal => string(@tagName(v)),
            .array => list(&v),
            .pointer => |pointer| if (isText(pointer)) string(v) else if (pointer.size == .one) value(v.*) else list(v),
            .@"struct" => |info| if (info.is_tuple) list(v) else structValue(v),
            else => @compileError(@typeName(T) ++ " has no form in JSON"),
        };
    }
}

pub fn isText(comptime pointer: std.lang.Type.Pointer) bool {
    return switch (pointer.size) {
        .slice => pointer.child == u8,
        .one => switch (@typeInfo(pointer.child)) {
            .array => |array| array.child == u8,
            else => false,
        },
        else => false,
    };
}

fn list(comptime items: anytype) []const u8 {
    comptime {
        var all: []const []const u8 = &.{};
        for (0..items.len) |i| all = all ++ .{value(items[i])};
        return arrayOf(all);
    }
}

fn structValue(comptime v: anytype) []const u8 {
    comptime {
        var object: Object = .{};
        for (@typeInfo(@TypeOf(v)).@"struct".field_names) |name| {
            if (@typeInfo(@TypeOf(@field(v, name))) == .optional and @field(v, name) == null) continue;
            object.set(name, value(@field(v, name)));
        }
        return object.text();
    }
}

/// An array of values that are JSON already.
pub fn arrayOf(comptime items: []const []const u8) []const u8 {
    comptime {
        var json: []const u8 = "";
        for (items) |item| json = json ++ (if (json.len == 0) "" else ",") ++ item;
        return "[" ++ json ++ "]";
    }
}

/// An object whose members' values are JSON already, in the order in which they were set first.
pub const Object = struct {
    members: []const Member = &.{},

    const Member = struct { name: []const u8, json: []const u8 };

    pub fn set(comptime self: *Object, comptime name: []const u8, comptime json: []const u8) void {
        var members: []const Member = &.{};
        var is_new = true;
        for (self.members) |member| {
            const is_it = std.mem.eql(u8, member.name, name);
            if (is_it) is_new = false;
            members = members ++ .{if (is_it) Member{ .name = name, .json = json } else member};
        }
        self.members = if (is_new) members ++ .{Member{ .name = name, .json = json }} else members;
    }

    /// Nothing for an empty text.
    pub fn setText(comptime self: *Object, comptime name: []const u8, comptime words: []const u8) void {
        if (words.len > 0) self.set(name, string(words));
    }

    pub fn text(comptime self: Object) []const u8 {
        comptime {
            var json: []const u8 = "";
            for (self.members) |member|
                json = json ++ (if (json.len == 0) "" else ",") ++ string(member.name) ++ ":" ++ member.json;
            return "{" ++ json ++ "}";
        }
    }
};
