use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{sys, Error, Host, Level};

/// Why a call should end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The client cancelled it, or went away.
    Client,
    /// Its time is up.
    Deadline,
    /// The host is stopping.
    Shutdown,
    /// The plugin was replaced or removed.
    Reload,
}

/// Who calls, as the client says of itself.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Client {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What is known of a call.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallContext {
    /// The revision of the protocol that the client speaks.
    pub protocol_version: String,
    /// The client, if it has said.
    pub client: Option<Client>,
    /// What the client can do, as the protocol says it.
    pub client_capabilities: Value,
    /// When the call will be cancelled, in milliseconds of Unix time; it may take any time without.
    pub deadline: Option<u64>,
    /// `{"traceparent", "tracestate"?, "baggage"?}`, to be passed on as headers of these names.
    pub trace: Option<Value>,
    /// The request's own `_meta`.
    pub meta: Option<Value>,
}

/// A call in progress: what a method with a parameter `&Context` is given. It may be used from several threads.
pub struct Context {
    pub(crate) host: Host,
    pub(crate) call: u64,
    pub(crate) answers: Value,
    asked: Mutex<HashSet<String>>,
    signal: Arc<CancelSignal>,
}

/// Set when its call is cancelled, which wakes who sleeps.
#[derive(Default)]
pub(crate) struct CancelSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl CancelSignal {
    pub(crate) fn set(&self) {
        *locked(&self.is_set) = true;
        self.changed.notify_all();
    }

    // Whether it is set before the time is over.
    fn wait(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(locked(&self.is_set), time, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// `answers` are the params' "inputResponses", or null.
    pub(crate) fn new(host: Host, call: u64, answers: Value, signal: Arc<CancelSignal>) -> Self {
        Self { host, call, answers, asked: Mutex::default(), signal }
    }

    /// The host, for what belongs to no call: configuration, data directory, what has changed.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Tells the client how far the call is. `progress` must grow; without a `total` nobody knows how much there is to
    /// do. Costs nearly nothing where the client did not ask for it.
    pub fn progress(&self, progress: f64, total: impl Into<Option<f64>>, message: impl AsRef<str>) {
        self.host.progress_of(self.call, progress, total.into().unwrap_or(0.0), message.as_ref());
    }

    /// Writes to the host's log, and to the client if it wants to hear of it.
    pub fn log(&self, level: Level, message: impl AsRef<str>) {
        self.host.log_of(self.call, level, message.as_ref());
    }

    /// A log message of the level info.
    pub fn info(&self, message: impl AsRef<str>) {
        self.log(Level::Info, message);
    }

    /// Whether the call should end early.
    pub fn cancelled(&self) -> bool {
        self.cancel_reason().is_some()
    }

    /// Why the call should end early, if it should.
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        match self.host.cancel_reason_of(self.call) {
            sys::MCP_CANCEL_NONE => None,
            sys::MCP_CANCEL_DEADLINE => Some(CancelReason::Deadline),
            sys::MCP_CANCEL_SHUTDOWN => Some(CancelReason::Shutdown),
            sys::MCP_CANCEL_RELOAD => Some(CancelReason::Reload),
            _ => Some(CancelReason::Client),
        }
    }

    /// Fails if the call should end early, in words that say why: `context.check_cancelled()?`.
    pub fn check_cancelled(&self) -> Result<(), Error> {
        let Some(reason) = self.cancel_reason() else { return Ok(()) };
        Err(Error::new(match reason {
            CancelReason::Client => "The call was cancelled by the client.",
            CancelReason::Deadline => "The call was cancelled, because it took too long.",
            CancelReason::Shutdown => "The call was cancelled, because the server is stopping.",
            CancelReason::Reload => "The call was cancelled, because the plugin was replaced or removed.",
        }))
    }

    /// Waits, and fails as soon as the call should end early.
    pub fn sleep(&self, time: Duration) -> Result<(), Error> {
        self.signal.wait(time);
        self.check_cancelled()
    }

    /// What is known of the call.
    pub fn call_context(&self) -> CallContext {
        serde_json::from_str(&self.host.context_of(self.call)).unwrap_or_default()
    }

    /// Who the host has found to be calling, `{"id", "name"?, "roles"?, ...}` as `mcp/caller.h` says; none if nobody has
    /// proven who they are.
    pub fn principal(&self) -> Option<Value> {
        let mut caller: Value = serde_json::from_str(&self.host.caller_of(self.call)).ok()?;
        caller.get_mut("principal").map(Value::take)
    }

    // Whether the client is being asked for what its handler should have been left for.
    pub(crate) fn has_asked(&self) -> bool {
        !locked(&self.asked).is_empty()
    }

    pub(crate) fn note_asked(&self, key: &str) {
        locked(&self.asked).insert(key.into());
    }
}
