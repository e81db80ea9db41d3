//! The C table of a plugin. Used by what [`plugin`](macro@crate::plugin) makes; not for authors.
use std::ffi::c_void;
use std::mem::size_of;
use std::time::Duration;

use crate::convert::from_json;
use crate::host::{bytes_of, write};
use crate::instance::{caught, Instance};
use crate::{sys, Error, Host, Info, Plugin, Resource};

pub use serde_json::Value;

/// A table that may be a `static`.
#[repr(transparent)]
pub struct Table(sys::mcp_plugin);

// SAFETY: it is never written, and points to constants.
unsafe impl Sync for Table {}

impl Table {
    /// What the entry symbol returns.
    pub const fn as_ptr(&'static self) -> *const sys::mcp_plugin {
        &self.0
    }
}

/// The table of the plugin `P`.
///
/// Unless its author says otherwise it is never unloaded: safe code may leave threads behind, and what is gone must not
/// be run.
pub const fn table<P: Plugin>() -> Table {
    let Info { name, version, id, vendor, description, url, serial, unloads } = P::INFO;
    Table(sys::mcp_plugin {
        size: size_of::<sys::mcp_plugin>() as u32,
        flags: if unloads { 0 } else { sys::MCP_PLUGIN_NEVER_UNLOAD } | if serial { sys::MCP_PLUGIN_SERIAL } else { 0 },
        name: sys::mcp_string::new(name),
        version: sys::mcp_string::new(version),
        id: sys::mcp_string::new(id),
        vendor: sys::mcp_string::new(vendor),
        description: sys::mcp_string::new(description),
        url: sys::mcp_string::new(url),
        create: Some(create::<P>),
        describe: Some(describe::<P>),
        start: Some(start::<P>),
        invoke: Some(invoke::<P>),
        cancel: Some(cancel::<P>),
        stop: Some(stop::<P>),
    })
}

/// The same time, if it may be a tool's limit: in a constant the compiler says so if it may not.
pub const fn timeout(time: Duration) -> Duration {
    const MAX: u128 = 365 * 24 * 3600 * 1000;
    assert!(matches!(time.as_millis(), 1..=MAX), "a timeout is from 1 ms to 365 days");
    time
}

/// The arguments of a tool as the type that its method takes. What a schema cannot say is for the model to mend, too.
pub fn arguments<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Error> {
    from_json(arguments).map_err(|error| Error::new(format!("arguments: {error}")))
}

/// The same resource, if each of these parameters of its method is a variable of its URI.
pub fn with_variables(resource: Resource, parameters: &[&str]) -> Result<Resource, Error> {
    let variables = resource.variables();
    match parameters.iter().find(|name| !variables.iter().any(|variable| variable == *name)) {
        Some(name) => {
            Err(Error::new(format!("the parameter {name:?} is no variable of its resource's URI {:?}", resource.uri)))
        }
        None => Ok(resource),
    }
}

/// [`Parameters`](crate::Parameters), by whatever name.
pub trait All {
    /// What they hold.
    type Arguments;
}

impl<T> All for crate::Parameters<T> {
    type Arguments = T;
}

/// What `new` of a plugin may return: it, or a [`Result`] of it.
pub trait IntoPlugin<P> {
    /// As a result.
    fn into_plugin(self) -> Result<P, Error>;
}

impl<P: Plugin> IntoPlugin<P> for P {
    fn into_plugin(self) -> Result<P, Error> {
        Ok(self)
    }
}

impl<P: Plugin, E: Into<Error>> IntoPlugin<P> for Result<P, E> {
    fn into_plugin(self) -> Result<P, Error> {
        self.map_err(Into::into)
    }
}

/// What other methods of a plugin that may fail return: nothing, or a [`Result`] of it.
pub trait IntoDone {
    /// As a result.
    fn into_done(self) -> Result<(), Error>;
}

impl IntoDone for () {
    fn into_done(self) -> Result<(), Error> {
        Ok(())
    }
}

impl<E: Into<Error>> IntoDone for Result<(), E> {
    fn into_done(self) -> Result<(), Error> {
        self.map_err(Into::into)
    }
}

// The functions of the table. SAFETY of all of them: the host keeps to the contract, by which `instance` is what create
// returned, and everything else that it gives is valid until the function returns.

unsafe fn instance_of<'a, P: Plugin>(instance: *mut c_void) -> &'a Instance<P> {
    unsafe { &*instance.cast() }
}

// 0, or 1 and the reason.
unsafe fn told(result: Result<(), Error>, error: *const sys::mcp_sink) -> i32 {
    match result {
        Ok(()) => 0,
        Err(reason) => {
            unsafe { write(error, reason.message()) };
            1
        }
    }
}

unsafe extern "C" fn create<P: Plugin>(host: *const sys::mcp_host, error: *const sys::mcp_sink) -> *mut c_void {
    let instance = unsafe { Host::new(host) }.and_then(Instance::<P>::new);
    match instance {
        Ok(instance) => Box::into_raw(Box::new(instance)).cast(),
        Err(reason) => {
            unsafe { write(error, reason.message()) };
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn describe<P: Plugin>(
    instance: *mut c_void,
    sink: *const sys::mcp_sink,
    error: *const sys::mcp_sink,
) -> i32 {
    let description = unsafe { instance_of::<P>(instance) }.describe();
    unsafe { told(description.map(|description| write(sink, &description)), error) }
}

unsafe extern "C" fn start<P: Plugin>(instance: *mut c_void, error: *const sys::mcp_sink) -> i32 {
    let started = unsafe { instance_of::<P>(instance) }.start();
    unsafe { told(started.and_then(|()| listen::<P>(instance)), error) }
}

// The host tells no more before it calls stop, so the instance is there whenever it does.
fn listen<P: Plugin>(instance: *mut c_void) -> Result<(), Error> {
    if !P::LISTENS {
        return Ok(());
    }
    unsafe { instance_of::<P>(instance) }.listen(&sys::mcp_subscription_listener {
        size: size_of::<sys::mcp_subscription_listener>() as u32,
        reserved: 0,
        context: instance,
        subscribed: Some(subscribed::<P>),
        unsubscribed: Some(unsubscribed::<P>),
    })
}

unsafe extern "C" fn subscribed<P: Plugin>(instance: *mut c_void, uri: sys::mcp_string) {
    let uri = String::from_utf8_lossy(unsafe { bytes_of(&uri) });
    unsafe { instance_of::<P>(instance) }.tell(|plugin| plugin.on_subscribed(&uri));
}

unsafe extern "C" fn unsubscribed<P: Plugin>(instance: *mut c_void, uri: sys::mcp_string) {
    let uri = String::from_utf8_lossy(unsafe { bytes_of(&uri) });
    unsafe { instance_of::<P>(instance) }.tell(|plugin| plugin.on_unsubscribed(&uri));
}

unsafe extern "C" fn invoke<P: Plugin>(
    instance: *mut c_void,
    call: sys::mcp_call_id,
    method: sys::mcp_string,
    params: sys::mcp_string,
) {
    let method = String::from_utf8_lossy(unsafe { bytes_of(&method) });
    unsafe { instance_of::<P>(instance) }.invoke(call, &method, unsafe { bytes_of(&params) });
}

unsafe extern "C" fn cancel<P: Plugin>(instance: *mut c_void, call: sys::mcp_call_id, _reason: i32) {
    unsafe { instance_of::<P>(instance) }.cancel(call);
}

unsafe extern "C" fn stop<P: Plugin>(instance: *mut c_void) {
    let instance = unsafe { Box::from_raw(instance.cast::<Instance<P>>()) };
    let _ = caught(|| {
        instance.stop();
        Ok(())
    });
}
