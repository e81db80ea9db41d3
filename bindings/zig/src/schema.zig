//! The JSON Schema of a Zig type, made when the plugin is compiled.
//!
//! A struct is an object: a field with a default need not be given, and an optional one has the default null. What else is
//! to be said of its fields is in a declaration `schema` of the struct, by keywords of JSON Schema:
//!
//!     const Resize = struct {
//!         width: u16,
//!         height: u16 = 600,
//!
//!         pub const schema = .{
//!             .width = .{ .description = "In pixels", .minimum = 1, .maximum = 2000 },
//!         };
//!     };
const std = @import("std");
const json = @import("json.zig");

/// What a schema is for. Tools take no arguments that they do not know.
pub const Use = enum { input, output, form };

const keywords = [_][]const u8{
    "title",     "description", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength",   "pattern", "format",  "minItems",         "maxItems",         "uniqueItems",
    "examples",
};

pub fn of(comptime T: type, comptime use: Use) []const u8 {
    comptime {
        @setEvalBranchQuota(100_000);
        return objectOf(T, use).text();
    }
}

fn objectOf(comptime T: type, comptime use: Use) json.Object {
    var schema: json.Object = .{};
    if (T == std.json.Value) return schema;
    switch (@typeInfo(T)) {
        .bool => schema.set("type", "\"boolean\""),
        .int => |int| addInteger(&schema, T, int),
        .float => schema.set("type", "\"number\""),
        .@"enum" => |info| {
            schema.set("type", "\"string\"");
            schema.set("enum", json.value(info.field_names));
        },
        .optional => |optional| return objectOf(optional.child, use),
        .pointer => |pointer| if (json.isText(pointer)) {
            schema.set("type", "\"string\"");
        } else if (pointer.size == .slice) {
            schema.set("type", "\"array\"");
            schema.set("items", itemOf(pointer.child, use));
        } else {
            @compileError(@typeName(T) ++ " has no JSON Schema; use a slice");
        },
        .array => |array| {
            schema.set("type", "\"array\"");
            schema.set("items", itemOf(array.child, use));
            schema.set("minItems", json.value(array.len));
            schema.set("maxItems", json.value(array.len));
        },
        .@"struct" => |info| if (info.is_tuple)
            @compileError(@typeName(T) ++ " is a tuple, which has no JSON Schema; use a struct whose fields have names, " ++
                "or an array")
        else
            addStruct(&schema, T, use),
        else => @compileError(@typeName(T) ++ " has no JSON Schema"),
    }
    return schema;
}

// Of a list: a null, which a struct would leave out, is written there.
fn itemOf(comptime T: type, comptime use: Use) []const u8 {
    const own = of(T, use);
    return if (@typeInfo(T) == .optional) "{\"anyOf\":[" ++ own ++ ",{\"type\":\"null\"}]}" else own;
}

// With the bounds of the type, so that the host refuses what it cannot hold. JSON has no numbers beyond 64 bits.
fn addInteger(comptime schema: *json.Object, comptime T: type, comptime int: std.lang.Type.Int) void {
    schema.set("type", "\"integer\"");
    if (int.signedness == .unsigned) schema.set("minimum", "0");
    if (int.bits >= 64) return;
    if (int.signedness == .signed) schema.set("minimum", json.value(std.math.minInt(T)));
    schema.set("maximum", json.value(std.math.maxInt(T)));
}

fn addStruct(comptime schema: *json.Object, comptime T: type, comptime use: Use) void {
    const info = @typeInfo(T).@"struct";
    var properties: json.Object = .{};
    var required: []const []const u8 = &.{};
    checkNames(T);
    for (info.field_names, info.field_types, info.field_attrs) |name, Field, attributes| {
        const default = attributes.defaultValue(Field);
        if (@typeInfo(Field) == .optional and default == null and use != .output)
            @compileError(@typeName(T) ++ "." ++ name ++ ": an optional field needs the default null");
        properties.set(name, fieldSchema(T, name, Field, default, use));
        if (isRequired(Field, default, use)) required = required ++ .{name};
    }
    schema.set("type", "\"object\"");
    schema.set("properties", properties.text());
    if (required.len > 0) schema.set("required", json.value(required));
    if (use == .input) schema.set("additionalProperties", "false");
}

// A null is left out where a struct is returned.
fn isRequired(comptime Field: type, comptime default: ?Field, comptime use: Use) bool {
    if (@typeInfo(Field) == .optional) return false;
    return use == .output or default == null;
}

fn fieldSchema(
    comptime T: type,
    comptime name: []const u8,
    comptime Field: type,
    comptime default: ?Field,
    comptime use: Use,
) []const u8 {
    var schema = objectOf(Field, use);
    const said = wordsOn(T, name);
    for (@typeInfo(@TypeOf(said)).@"struct".field_names) |keyword| {
        if (!contains(&keywords, keyword))
            @compileError(@typeName(T) ++ ".schema." ++ name ++ ": there is no keyword " ++ keyword);
        schema.set(keyword, json.value(@field(said, keyword)));
    }
    if (use != .output) {
        if (default) |given| {
            if (@typeInfo(Field) != .optional or given != null) schema.set("default", json.value(given));
        }
    }
    return schema.text();
}

// What the struct says of a field, a struct of keywords.
fn wordsOn(comptime T: type, comptime name: []const u8) WordsOn(T, name) {
    return if (isSaid(T, name)) @field(T.schema, name) else .{};
}

fn WordsOn(comptime T: type, comptime name: []const u8) type {
    return if (isSaid(T, name)) @TypeOf(@field(T.schema, name)) else @TypeOf(.{});
}

/// What the struct says that a field means.
pub fn descriptionOf(comptime T: type, comptime name: []const u8) []const u8 {
    const said = wordsOn(T, name);
    return if (@hasField(@TypeOf(said), "description")) said.description else "";
}

fn isSaid(comptime T: type, comptime name: []const u8) bool {
    return @hasDecl(T, "schema") and @hasField(@TypeOf(T.schema), name);
}

/// Refuses to compile where `schema` is about a field that the struct does not have.
pub fn checkNames(comptime T: type) void {
    if (!@hasDecl(T, "schema")) return;
    for (@typeInfo(@TypeOf(T.schema)).@"struct".field_names) |name| {
        if (!@hasField(T, name)) @compileError(@typeName(T) ++ ".schema." ++ name ++ ": there is no field " ++ name);
    }
}

fn contains(comptime names: []const []const u8, comptime name: []const u8) bool {
    for (names) |each| if (std.mem.eql(u8, each, name)) return true;
    return false;
}
