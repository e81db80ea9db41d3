use std::ffi::{c_void, CStr};
use std::mem::{offset_of, size_of};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{sys, Error};

// Where a function in a table of the host's ends.
macro_rules! end_of {
    ($table:ty, $function:ident) => {
        offset_of!($table, $function) + size_of::<Option<fn()>>()
    };
}

/// How severe a log message is, by RFC 5424.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Level {
    Debug = sys::MCP_LOG_DEBUG,
    Info = sys::MCP_LOG_INFO,
    Notice = sys::MCP_LOG_NOTICE,
    Warning = sys::MCP_LOG_WARNING,
    Error = sys::MCP_LOG_ERROR,
    Critical = sys::MCP_LOG_CRITICAL,
    Alert = sys::MCP_LOG_ALERT,
    Emergency = sys::MCP_LOG_EMERGENCY,
}

/// What the host does for the plugin. Cheap to clone, and for every thread. One that outlives the plugin does nothing
/// any more, so that a thread that was not joined does no harm.
#[derive(Clone)]
pub struct Host(Arc<RwLock<Option<Table>>>);

// The host's functions, all of them there: `Host::new` has looked.
#[derive(Clone, Copy)]
struct Table(*const sys::mcp_host);

// SAFETY: by the contract every function of the table may be called from any thread, and the table is never written.
unsafe impl Send for Table {}
unsafe impl Sync for Table {}

impl Host {
    /// `table` stays valid until `close` has returned.
    ///
    /// # Safety
    /// It is what a host gave to `create`.
    pub(crate) unsafe fn new(table: *const sys::mcp_host) -> Result<Self, Error> {
        // SAFETY: the size comes first in every version of the table.
        if (unsafe { (*table).size } as usize) < end_of!(sys::mcp_host, get_interface) {
            return Err(Error::new("the host lacks functions that this plugin needs: update the host"));
        }
        Ok(Self(Arc::new(RwLock::new(Some(Table(table))))))
    }

    /// From now on nothing reaches the host. Waits for what is on its way there.
    pub(crate) fn close(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    // What `call` returns, which is given the table; nothing once the plugin has ended.
    fn with<T>(&self, call: impl FnOnce(&sys::mcp_host) -> Option<T>) -> Option<T> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `close` waits for the lock, and the table is valid until it has returned.
        table.and_then(|table| call(unsafe { &*table.0 }))
    }

    /// The plugin's configuration: the content of NAME.json beside NAME.so, or an empty object. It never changes while
    /// a plugin lives; a changed file starts it anew.
    pub fn configuration(&self) -> Value {
        let text = self.with(|host| host.configuration.map(|write| text_of(|sink| unsafe { write(host, sink) })));
        serde_json::from_str(&text.unwrap_or_default()).unwrap_or_else(|_| Value::Object(Map::new()))
    }

    /// The configuration as a type of the plugin's. The error says what is wrong with the file.
    pub fn configuration_as<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_value(self.configuration()).map_err(|error| Error::new(format!("the configuration: {error}")))
    }

    /// A directory that is this plugin's own and outlives its versions, made on first use; none if it cannot be made.
    pub fn data_directory(&self) -> Option<PathBuf> {
        let text = self.with(|host| host.data_directory.map(|write| text_of(|sink| unsafe { write(host, sink) })))?;
        (!text.is_empty()).then(|| text.into())
    }

    /// The folder with the files of the plugin's bundle, to be read; none where its library lies alone. What it writes
    /// belongs into [`data_directory`](Self::data_directory).
    pub fn bundle_directory(&self) -> Option<PathBuf> {
        let text = self.with(|host| {
            let bundle = interface::<sys::mcp_bundle>(host)?;
            bundle.directory.map(|write| text_of(|sink| unsafe { write(host, sink) }))
        })?;
        (!text.is_empty()).then(|| text.into())
    }

    /// What the plugin exports has changed: it will be described again soon.
    pub fn components_changed(&self) {
        self.with(|host| host.components_changed.map(|call| unsafe { call(host) }));
    }

    /// The content of a resource has changed: tells the clients that subscribed to it.
    pub fn resource_updated(&self, uri: &str) {
        self.with(|host| host.resource_updated.map(|call| unsafe { call(host, sys::mcp_string::new(uri)) }));
    }

    /// Writes to the host's log. What belongs to a call says [`Context::log`](crate::Context::log), which its client
    /// hears, too.
    pub fn log(&self, level: Level, message: impl AsRef<str>) {
        self.log_of(0, level, message.as_ref());
    }

    /// What the host says of itself, if it does: `mcp/server_info.h`.
    pub fn server_info(&self) -> Option<Value> {
        let text = self.with(|host| {
            let info = interface::<sys::mcp_server_info>(host)?;
            info.describe.map(|write| text_of(|sink| unsafe { write(host, sink) }))
        })?;
        serde_json::from_str(&text).ok()
    }

    /// Whether the host has an optional interface: `host.has_interface(sys::MCP_STORE)`. What needs one that an older host
    /// lacks fails.
    pub fn has_interface(&self, name: &CStr) -> bool {
        self.with(|host| table_of(host, name)).is_some()
    }

    /// The URIs that clients are subscribed to now, as they are read. `#[on_subscribed]` is told of changes.
    pub fn subscriptions(&self) -> Result<Vec<String>, Error> {
        let uris = self.ask(|host, subscriptions: &sys::mcp_subscriptions| {
            subscriptions.list.map(|write| text_of(|sink| unsafe { write(host, sink) }))
        })?;
        Ok(serde_json::from_str(&uris)?)
    }
}

// For a call; SAFETY of all of them: the functions may be called from any thread, and copy what they are given.
impl Host {
    pub(crate) fn complete(&self, call: u64, outcome: i32, json: &str) {
        self.with(|host| host.complete.map(|end| unsafe { end(host, call, outcome, sys::mcp_string::new(json)) }));
    }

    pub(crate) fn log_of(&self, call: u64, level: Level, message: &str) {
        self.with(|host| host.log.map(|log| unsafe { log(host, call, level as i32, sys::mcp_string::new(message)) }));
    }

    pub(crate) fn progress_of(&self, call: u64, progress: f64, total: f64, message: &str) {
        let message = sys::mcp_string::new(message);
        self.with(|host| host.progress.map(|tell| unsafe { tell(host, call, progress, total, message) }));
    }

    pub(crate) fn cancel_reason_of(&self, call: u64) -> i32 {
        let reason = self.with(|host| host.is_cancelled.map(|ask| unsafe { ask(host, call) }));
        reason.unwrap_or(sys::MCP_CANCEL_SHUTDOWN)
    }

    pub(crate) fn context_of(&self, call: u64) -> String {
        let text = self.with(|host| host.call_context.map(|write| text_of(|sink| unsafe { write(host, call, sink) })));
        text.unwrap_or_default()
    }

    pub(crate) fn caller_of(&self, call: u64) -> String {
        let text = self.with(|host| {
            let caller = interface::<sys::mcp_caller>(host)?;
            caller.describe.map(|write| text_of(|sink| unsafe { write(host, call, sink) }))
        });
        text.unwrap_or_default()
    }

    /// Whether the host would take this as the capabilities that a plugin adds; the error is in its words.
    pub(crate) fn check_capabilities(&self, json: &str) -> Result<(), Error> {
        let mut status = 0;
        let why = self.ask(|host, capabilities: &sys::mcp_capabilities| {
            let check = capabilities.check?;
            Some(text_of(|error| status = unsafe { check(host, sys::mcp_string::new(json), error) }))
        })?;
        if status == 0 {
            Ok(())
        } else {
            Err(Error::new(why))
        }
    }

    /// What `ask` makes of an interface, and nothing where the host's is older than that.
    pub(crate) fn ask<I: Interface, T>(&self, ask: impl FnOnce(&sys::mcp_host, &I) -> Option<T>) -> Result<T, Error> {
        self.with(|host| interface(host).and_then(|table| ask(host, table))).ok_or_else(|| {
            let name = I::NAME.to_string_lossy();
            let is_over = self.0.read().unwrap_or_else(PoisonError::into_inner).is_none();
            Error::unexpected(if is_over {
                format!("{name} cannot be asked any more: the plugin has ended")
            } else {
                format!(
                    "the host does not have {name}, which mcp-plugin-host has from 0.1.0 on: update the host, or ask \
                     Host::has_interface(c\"{name}\") beforehand"
                )
            })
        })
    }
}

/// The table of an optional interface.
///
/// # Safety
/// It is the one that the headers have for the name, and so begins with its size.
pub(crate) unsafe trait Interface {
    const NAME: &'static CStr;
    /// How large its first version is, which is all that is used of it. What was appended later, an older host lacks.
    const FIRST_VERSION: usize;
}

// SAFETY of all of them: as mcp-plugin-sys says it.
unsafe impl Interface for sys::mcp_caller {
    const NAME: &'static CStr = sys::MCP_CALLER;
    const FIRST_VERSION: usize = end_of!(sys::mcp_caller, describe);
}
unsafe impl Interface for sys::mcp_bundle {
    const NAME: &'static CStr = sys::MCP_BUNDLE;
    const FIRST_VERSION: usize = end_of!(sys::mcp_bundle, directory);
}
unsafe impl Interface for sys::mcp_server_info {
    const NAME: &'static CStr = sys::MCP_SERVER_INFO;
    const FIRST_VERSION: usize = end_of!(sys::mcp_server_info, describe);
}
unsafe impl Interface for sys::mcp_subscriptions {
    const NAME: &'static CStr = sys::MCP_SUBSCRIPTIONS;
    const FIRST_VERSION: usize = end_of!(sys::mcp_subscriptions, listen);
}
unsafe impl Interface for sys::mcp_store {
    const NAME: &'static CStr = sys::MCP_STORE;
    const FIRST_VERSION: usize = end_of!(sys::mcp_store, list);
}
unsafe impl Interface for sys::mcp_metrics {
    const NAME: &'static CStr = sys::MCP_METRICS;
    const FIRST_VERSION: usize = end_of!(sys::mcp_metrics, observe);
}
unsafe impl Interface for sys::mcp_capabilities {
    const NAME: &'static CStr = sys::MCP_CAPABILITIES;
    const FIRST_VERSION: usize = end_of!(sys::mcp_capabilities, check);
}

fn table_of(host: &sys::mcp_host, name: &CStr) -> Option<*const c_void> {
    let table = unsafe { host.get_interface?(host, name.as_ptr()) };
    (!table.is_null()).then_some(table)
}

fn interface<I: Interface>(host: &sys::mcp_host) -> Option<&I> {
    let table = table_of(host, I::NAME)?;
    // SAFETY: by the trait it begins with its size; and it is valid as long as the host's own.
    unsafe { (*table.cast::<u32>() as usize >= I::FIRST_VERSION).then(|| &*table.cast()) }
}

/// What is written into the sink that `write` is given, as text.
pub(crate) fn text_of(write: impl FnOnce(*const sys::mcp_sink)) -> String {
    String::from_utf8_lossy(&written(write)).into_owned()
}

/// What is written into the sink that `write` is given.
pub(crate) fn written(write: impl FnOnce(*const sys::mcp_sink)) -> Vec<u8> {
    unsafe extern "C" fn append(bytes: *mut c_void, text: sys::mcp_string) {
        // SAFETY: the context below, which nobody else uses meanwhile; a text is valid until this returns.
        unsafe { (*bytes.cast::<Vec<u8>>()).extend_from_slice(bytes_of(&text)) };
    }
    let mut bytes = Vec::new();
    write(&sys::mcp_sink { context: (&raw mut bytes).cast(), write: Some(append) });
    bytes
}

/// # Safety
/// What `text` points to is valid for as long as `text` is borrowed.
pub(crate) unsafe fn bytes_of(text: &sys::mcp_string) -> &[u8] {
    if text.data.is_null() {
        return &[];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(text.data.cast(), text.size as usize) }
}

/// # Safety
/// `sink` was given by a host and is still valid.
pub(crate) unsafe fn write(sink: *const sys::mcp_sink, text: &str) {
    // SAFETY: as above; it copies.
    unsafe {
        if let Some(write) = (*sink).write {
            write((*sink).context, sys::mcp_string::new(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The table of an interface as a later version of this crate has it.
    #[repr(C)]
    struct Grown {
        first: sys::mcp_capabilities,
        later: Option<fn()>,
    }

    // SAFETY: it begins with what the headers have.
    unsafe impl Interface for Grown {
        const NAME: &'static CStr = sys::MCP_CAPABILITIES;
        const FIRST_VERSION: usize = sys::mcp_capabilities::FIRST_VERSION;
    }

    static GROWN: Grown = Grown { first: sys::mcp_capabilities { size: 16, reserved: 0, check: None }, later: None };

    static BUNDLE: sys::mcp_bundle = sys::mcp_bundle { size: 16, reserved: 0, directory: Some(directory) };

    unsafe extern "C" fn directory(_: *const sys::mcp_host, sink: *const sys::mcp_sink) {
        unsafe { write(sink, "/bundles/notes") };
    }

    unsafe extern "C" fn get_interface(_: *const sys::mcp_host, name: *const std::ffi::c_char) -> *const c_void {
        if unsafe { CStr::from_ptr(name) } == sys::MCP_BUNDLE {
            return (&raw const BUNDLE).cast();
        }
        (&raw const GROWN).cast()
    }

    fn host_of_size(size: u32) -> sys::mcp_host {
        sys::mcp_host {
            size,
            reserved: 0,
            context: std::ptr::null_mut(),
            complete: None,
            progress: None,
            log: None,
            is_cancelled: None,
            call_context: None,
            configuration: None,
            data_directory: None,
            components_changed: None,
            resource_updated: None,
            get_interface: Some(get_interface),
        }
    }

    #[test]
    fn a_host_is_refused_only_for_what_its_first_version_has() {
        // The size of the first release, whatever has been appended since.
        let host = host_of_size(96);
        let host = unsafe { Host::new(&host) }.expect("it has all that is used");
        host.ask(|_, _: &Grown| Some(())).expect("its first version is enough");
        let older = host_of_size(88);
        assert!(unsafe { Host::new(&older) }.is_err());
        let sizes = [
            sys::mcp_caller::FIRST_VERSION,
            sys::mcp_bundle::FIRST_VERSION,
            sys::mcp_server_info::FIRST_VERSION,
            sys::mcp_subscriptions::FIRST_VERSION,
            sys::mcp_store::FIRST_VERSION,
            sys::mcp_metrics::FIRST_VERSION,
            sys::mcp_capabilities::FIRST_VERSION,
        ];
        assert_eq!(sizes, [16, 16, 16, 24, 40, 40, 16]);
    }

    #[test]
    fn a_bundle_has_its_folder() {
        let host = host_of_size(96);
        let host = unsafe { Host::new(&host) }.expect("it has all that is used");
        assert_eq!(host.bundle_directory(), Some("/bundles/notes".into()));
    }
}
