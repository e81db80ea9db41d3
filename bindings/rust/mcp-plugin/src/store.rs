use crate::host::{text_of, written};
use crate::{sys, Error, Host};

/// The small values that a plugin keeps, and that outlive its instances, its process and the host; all instances of the
/// plugin have the same ones. For every thread. A method returns when what it has done will last, and fails where it
/// cannot.
#[derive(Clone)]
pub struct Store(Host);

/// A value, and the number that it has until the next one is put, which has another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Entry {
    pub value: Vec<u8>,
    pub revision: u64,
}

impl Host {
    /// Fails where the host is older than that.
    pub fn store(&self) -> Result<Store, Error> {
        self.ask(|_, _: &sys::mcp_store| Some(Store(self.clone())))
    }
}

impl Store {
    /// Nothing if there is no such key.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.find(key)?.map(|entry| entry.value))
    }

    /// Keys are texts of 1 to 256 bytes without control characters, values any bytes, 32768 at most.
    pub fn put(&self, key: &str, value: impl AsRef<[u8]>) -> Result<(), Error> {
        self.put_if(key, value, sys::MCP_STORE_ANY).map(|_| ())
    }

    /// False if there was no such key.
    pub fn erase(&self, key: &str) -> Result<bool, Error> {
        let status = self.ask("erase", key, |host, store, error| {
            let erase = store.erase?;
            Some(unsafe { erase(host, sys::mcp_string::new(key), sys::MCP_STORE_ANY, error) })
        })?;
        Ok(status == sys::MCP_STORE_DONE)
    }

    /// The keys that begin so, in the order of their bytes.
    pub fn list(&self, prefix: &str) -> Result<Vec<String>, Error> {
        let mut keys = String::new();
        self.ask("list", prefix, |host, store, error| {
            let list = store.list?;
            let mut status = 0;
            keys = text_of(|sink| status = unsafe { list(host, sys::mcp_string::new(prefix), sink, error) });
            Some(status)
        })?;
        Ok(serde_json::from_str(&keys)?)
    }

    /// Puts what `change` makes of the value, or of nothing where there is none, and returns it. Nothing that others put
    /// meanwhile is lost: `change` is called again then.
    pub fn update(
        &self,
        key: &str,
        mut change: impl FnMut(Option<Vec<u8>>) -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<u8>, Error> {
        loop {
            let (value, revision) = match self.find(key)? {
                Some(Entry { value, revision }) => (Some(value), revision),
                None => (None, 0),
            };
            let next = change(value)?;
            if self.put_if(key, &next, revision)? {
                return Ok(next);
            }
        }
    }

    /// The value with its revision.
    pub fn find(&self, key: &str) -> Result<Option<Entry>, Error> {
        let mut entry = Entry { value: Vec::new(), revision: 0 };
        let status = self.ask("read", key, |host, store, error| {
            let get = store.get?;
            let mut status = 0;
            let revision = &raw mut entry.revision;
            entry.value =
                written(|value| status = unsafe { get(host, sys::mcp_string::new(key), value, revision, error) });
            Some(status)
        })?;
        Ok((status == sys::MCP_STORE_DONE).then_some(entry))
    }

    /// Puts the value if the key still has this revision; 0: if there is no such key. False: it has another one.
    pub fn put_if(&self, key: &str, value: impl AsRef<[u8]>, revision: u64) -> Result<bool, Error> {
        let value = sys::mcp_string::of_bytes(value.as_ref());
        let status = self.ask("keep", key, |host, store, error| {
            let put = store.put?;
            Some(unsafe { put(host, sys::mcp_string::new(key), value, revision, std::ptr::null_mut(), error) })
        })?;
        Ok(status == sys::MCP_STORE_DONE)
    }

    // The status, unless it is an error. SAFETY of what `ask` calls: the functions may be called from any thread, and copy
    // what they are given.
    fn ask(
        &self,
        what: &str,
        key: &str,
        ask: impl FnOnce(&sys::mcp_host, &sys::mcp_store, *const sys::mcp_sink) -> Option<i32>,
    ) -> Result<i32, Error> {
        let (status, why) = self.0.ask(|host, store: &sys::mcp_store| {
            let mut status = None;
            let why = text_of(|error| status = ask(host, store, error));
            status.map(|status| (status, why))
        })?;
        match status {
            sys::MCP_STORE_DONE | sys::MCP_STORE_ABSENT | sys::MCP_STORE_CHANGED => Ok(status),
            _ => Err(Error::unexpected(format!("cannot {what} \"{key}\": {why}"))),
        }
    }
}
