//! Plugins for mcp-plugin-host in Zig: docs/zig.md of mcp-plugin-host shows how.
pub const abi = @import("abi.zig");
pub const schema = @import("schema.zig");

pub const plugin = @import("plugin.zig").plugin;

const component = @import("component.zig");
pub const tool = component.tool;
pub const resource = component.resource;
pub const resourceTemplate = component.resourceTemplate;
pub const prompt = component.prompt;
pub const Annotations = component.Annotations;

const context = @import("context.zig");
pub const Context = context.Context;
pub const Host = context.Host;
pub const CallContext = context.CallContext;
pub const Principal = context.Principal;
pub const Answer = context.Answer;

pub const interfaces = @import("interfaces.zig");
pub const Store = interfaces.Store;
pub const Counter = interfaces.Counter;
pub const Gauge = interfaces.Gauge;
pub const Histogram = interfaces.Histogram;

const content = @import("content.zig");
pub const Content = content.Content;
pub const Media = content.Media;
pub const ResourceLink = content.ResourceLink;
pub const Result = content.Result;
pub const Message = content.Message;
pub const Blob = content.Blob;

pub const testing = @import("testing.zig");
