//! The contract between a plugin and mcp-plugin-host as `mcp/plugin.h` and the headers of optional interfaces beside it
//! say it, and nothing else. Names, threads and ownership are those of the headers, whose comments count. A function pointer
//! that the headers allow to be null, or that a side may not know, is an [`Option`].
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_void, CStr};
use core::mem::{offset_of, size_of};

/// The name of the one symbol that a plugin exports.
pub const MCP_PLUGIN_ENTRY_SYMBOL: &CStr = c"mcp_plugin_entry_v1";

/// One call in flight; 0 is never the id of a call.
pub type mcp_call_id = u64;

/// UTF-8 text of `size` bytes; where a header says so, any bytes. `data` may be null if `size` is 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcp_string {
    pub data: *const c_char,
    pub size: u64,
}

impl mcp_string {
    /// The same bytes, for as long as `text` lives.
    pub const fn new(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The same, for as long as `bytes` live.
    pub const fn of_bytes(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), size: bytes.len() as u64 }
    }
}

/// Where a function puts text that it returns. `write` copies, and joins what it is given.
#[repr(C)]
pub struct mcp_sink {
    pub context: *mut c_void,
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, text: mcp_string)>,
}

pub const MCP_OUTCOME_RESULT: i32 = 0;
pub const MCP_OUTCOME_ERROR: i32 = 1;
pub const MCP_OUTCOME_INPUT_REQUIRED: i32 = 2;

pub const MCP_CANCEL_NONE: i32 = 0;
pub const MCP_CANCEL_CLIENT: i32 = 1;
pub const MCP_CANCEL_DEADLINE: i32 = 2;
pub const MCP_CANCEL_SHUTDOWN: i32 = 3;
pub const MCP_CANCEL_RELOAD: i32 = 4;

pub const MCP_LOG_DEBUG: i32 = 0;
pub const MCP_LOG_INFO: i32 = 1;
pub const MCP_LOG_NOTICE: i32 = 2;
pub const MCP_LOG_WARNING: i32 = 3;
pub const MCP_LOG_ERROR: i32 = 4;
pub const MCP_LOG_CRITICAL: i32 = 5;
pub const MCP_LOG_ALERT: i32 = 6;
pub const MCP_LOG_EMERGENCY: i32 = 7;

pub const MCP_PLUGIN_SERIAL: u32 = 1;
pub const MCP_PLUGIN_NEVER_UNLOAD: u32 = 2;

/// What the host does for one plugin instance.
#[repr(C)]
pub struct mcp_host {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub complete:
        Option<unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id, outcome: i32, json: mcp_string)>,
    pub progress: Option<
        unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id, progress: f64, total: f64, message: mcp_string),
    >,
    pub log: Option<unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id, level: i32, message: mcp_string)>,
    pub is_cancelled: Option<unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id) -> i32>,
    pub call_context: Option<unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id, sink: *const mcp_sink)>,
    pub configuration: Option<unsafe extern "C" fn(host: *const mcp_host, sink: *const mcp_sink)>,
    pub data_directory: Option<unsafe extern "C" fn(host: *const mcp_host, sink: *const mcp_sink)>,
    pub components_changed: Option<unsafe extern "C" fn(host: *const mcp_host)>,
    pub resource_updated: Option<unsafe extern "C" fn(host: *const mcp_host, uri: mcp_string)>,
    pub get_interface: Option<unsafe extern "C" fn(host: *const mcp_host, name: *const c_char) -> *const c_void>,
}

/// What a plugin is: one constant table a library.
#[repr(C)]
pub struct mcp_plugin {
    pub size: u32,
    pub flags: u32,
    pub name: mcp_string,
    pub version: mcp_string,
    pub id: mcp_string,
    pub vendor: mcp_string,
    pub description: mcp_string,
    pub url: mcp_string,
    pub create: Option<unsafe extern "C" fn(host: *const mcp_host, error: *const mcp_sink) -> *mut c_void>,
    pub describe:
        Option<unsafe extern "C" fn(instance: *mut c_void, sink: *const mcp_sink, error: *const mcp_sink) -> i32>,
    pub start: Option<unsafe extern "C" fn(instance: *mut c_void, error: *const mcp_sink) -> i32>,
    pub invoke:
        Option<unsafe extern "C" fn(instance: *mut c_void, call: mcp_call_id, method: mcp_string, params: mcp_string)>,
    pub cancel: Option<unsafe extern "C" fn(instance: *mut c_void, call: mcp_call_id, reason: i32)>,
    pub stop: Option<unsafe extern "C" fn(instance: *mut c_void)>,
}

/// The type of the entry symbol.
pub type mcp_plugin_entry_v1_fn = unsafe extern "C" fn() -> *const mcp_plugin;

/// The name of the optional interface that tells who calls: `mcp/caller.h`.
pub const MCP_CALLER: &CStr = c"mcp.caller/1";

/// What `get_interface` returns for [`MCP_CALLER`].
#[repr(C)]
pub struct mcp_caller {
    pub size: u32,
    pub reserved: u32,
    pub describe: Option<unsafe extern "C" fn(host: *const mcp_host, call: mcp_call_id, sink: *const mcp_sink)>,
}

/// The name of the optional interface that tells where the files of a bundle are: `mcp/bundle.h`.
pub const MCP_BUNDLE: &CStr = c"mcp.bundle/1";

/// What `get_interface` returns for [`MCP_BUNDLE`].
#[repr(C)]
pub struct mcp_bundle {
    pub size: u32,
    pub reserved: u32,
    pub directory: Option<unsafe extern "C" fn(host: *const mcp_host, sink: *const mcp_sink)>,
}

/// The name of the optional interface that tells what the host is and serves: `mcp/server_info.h`.
pub const MCP_SERVER_INFO: &CStr = c"mcp.server-info/1";

/// What `get_interface` returns for [`MCP_SERVER_INFO`].
#[repr(C)]
pub struct mcp_server_info {
    pub size: u32,
    pub reserved: u32,
    pub describe: Option<unsafe extern "C" fn(host: *const mcp_host, sink: *const mcp_sink)>,
}

/// The name of the optional interface that tells which resources clients are subscribed to: `mcp/subscriptions.h`.
pub const MCP_SUBSCRIPTIONS: &CStr = c"mcp.subscriptions/1";

/// What the plugin gives to be told.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcp_subscription_listener {
    pub size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub subscribed: Option<unsafe extern "C" fn(context: *mut c_void, uri: mcp_string)>,
    pub unsubscribed: Option<unsafe extern "C" fn(context: *mut c_void, uri: mcp_string)>,
}

/// What `get_interface` returns for [`MCP_SUBSCRIPTIONS`].
#[repr(C)]
pub struct mcp_subscriptions {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(host: *const mcp_host, sink: *const mcp_sink)>,
    pub listen: Option<unsafe extern "C" fn(host: *const mcp_host, listener: *const mcp_subscription_listener)>,
}

/// The name of the optional interface that keeps small values: `mcp/store.h`.
pub const MCP_STORE: &CStr = c"mcp.store/1";

pub const MCP_STORE_DONE: i32 = 0;
pub const MCP_STORE_ABSENT: i32 = 1;
pub const MCP_STORE_CHANGED: i32 = 2;
pub const MCP_STORE_INVALID: i32 = 3;
pub const MCP_STORE_FULL: i32 = 4;
pub const MCP_STORE_FAILED: i32 = 5;

pub const MCP_STORE_ANY: u64 = u64::MAX;

/// What `get_interface` returns for [`MCP_STORE`].
#[repr(C)]
pub struct mcp_store {
    pub size: u32,
    pub reserved: u32,
    pub get: Option<
        unsafe extern "C" fn(
            host: *const mcp_host,
            key: mcp_string,
            value: *const mcp_sink,
            revision: *mut u64,
            error: *const mcp_sink,
        ) -> i32,
    >,
    pub put: Option<
        unsafe extern "C" fn(
            host: *const mcp_host,
            key: mcp_string,
            value: mcp_string,
            if_revision: u64,
            revision: *mut u64,
            error: *const mcp_sink,
        ) -> i32,
    >,
    pub erase: Option<
        unsafe extern "C" fn(host: *const mcp_host, key: mcp_string, if_revision: u64, error: *const mcp_sink) -> i32,
    >,
    pub list: Option<
        unsafe extern "C" fn(
            host: *const mcp_host,
            prefix: mcp_string,
            keys: *const mcp_sink,
            error: *const mcp_sink,
        ) -> i32,
    >,
}

/// The name of the optional interface that counts and measures: `mcp/metrics.h`.
pub const MCP_METRICS: &CStr = c"mcp.metrics/1";

pub const MCP_METRIC_COUNTER: i32 = 0;
pub const MCP_METRIC_GAUGE: i32 = 1;
pub const MCP_METRIC_HISTOGRAM: i32 = 2;

/// A label of a series.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcp_label {
    pub name: mcp_string,
    pub value: mcp_string,
}

/// One of the functions of [`mcp_metrics`] that record.
pub type mcp_record_fn =
    unsafe extern "C" fn(host: *const mcp_host, metric: u32, labels: *const mcp_label, label_count: u32, value: f64);

/// What `get_interface` returns for [`MCP_METRICS`].
#[repr(C)]
pub struct mcp_metrics {
    pub size: u32,
    pub reserved: u32,
    pub declare: Option<
        unsafe extern "C" fn(
            host: *const mcp_host,
            kind: i32,
            name: mcp_string,
            help: mcp_string,
            bounds: *const f64,
            bound_count: u32,
            error: *const mcp_sink,
        ) -> u32,
    >,
    pub add: Option<mcp_record_fn>,
    pub set: Option<mcp_record_fn>,
    pub observe: Option<mcp_record_fn>,
}

/// The name of the optional interface that adds to the server's capabilities: `mcp/capabilities.h`.
pub const MCP_CAPABILITIES: &CStr = c"mcp.capabilities/1";

/// What `get_interface` returns for [`MCP_CAPABILITIES`].
#[repr(C)]
pub struct mcp_capabilities {
    pub size: u32,
    pub reserved: u32,
    pub check: Option<unsafe extern "C" fn(host: *const mcp_host, json: mcp_string, error: *const mcp_sink) -> i32>,
}

// The layout that has been released, on every 64-bit system. tests/layout.rs compares it with what a C compiler says.
macro_rules! layout {
    ($type:ident: $size:literal, $($member:ident: $offset:literal),+) => {
        const _: () = {
            assert!(size_of::<$type>() == $size);
            $(assert!(offset_of!($type, $member) == $offset);)+
        };
    };
}

#[cfg(target_pointer_width = "64")]
mod layout {
    use super::*;

    layout!(mcp_string: 16, data: 0, size: 8);
    layout!(mcp_sink: 16, context: 0, write: 8);
    layout!(mcp_host: 96, size: 0, reserved: 4, context: 8, complete: 16, progress: 24, log: 32, is_cancelled: 40,
        call_context: 48, configuration: 56, data_directory: 64, components_changed: 72, resource_updated: 80,
        get_interface: 88);
    layout!(mcp_plugin: 152, size: 0, flags: 4, name: 8, version: 24, id: 40, vendor: 56, description: 72, url: 88,
        create: 104, describe: 112, start: 120, invoke: 128, cancel: 136, stop: 144);
    layout!(mcp_caller: 16, size: 0, reserved: 4, describe: 8);
    layout!(mcp_bundle: 16, size: 0, reserved: 4, directory: 8);
    layout!(mcp_server_info: 16, size: 0, reserved: 4, describe: 8);
    layout!(mcp_subscription_listener: 32, size: 0, reserved: 4, context: 8, subscribed: 16, unsubscribed: 24);
    layout!(mcp_subscriptions: 24, size: 0, reserved: 4, list: 8, listen: 16);
    layout!(mcp_store: 40, size: 0, reserved: 4, get: 8, put: 16, erase: 24, list: 32);
    layout!(mcp_label: 32, name: 0, value: 16);
    layout!(mcp_metrics: 40, size: 0, reserved: 4, declare: 8, add: 16, set: 24, observe: 32);
    layout!(mcp_capabilities: 16, size: 0, reserved: 4, check: 8);
}
