//! What a plugin can ask of the host besides serving calls, as tests/integration/plugins/interfaces.cpp has it in C++.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

use mcp_plugin::serde_json::{json, Value};
use mcp_plugin::{plugin, Components, Counter, Error, Gauge, Histogram, Host, Store};
use serde::Deserialize;

#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    extension: BTreeMap<String, Value>,
}

struct Interfaces {
    host: Host,
    configuration: Configuration,
    is_drafting: AtomicBool,
    store: Store,
    served: Counter,
    took: Histogram,
    mood: Gauge,
    heard: Mutex<Vec<String>>,
}

#[plugin(name = "interfaces", version = "1.0.0")]
impl Interfaces {
    fn new(host: &Host) -> Result<Self, Error> {
        Ok(Self {
            host: host.clone(),
            configuration: host.configuration_as()?,
            is_drafting: true.into(),
            store: host.store()?,
            served: host.counter("served", "Calls, by kind.")?,
            took: host.histogram("took_seconds", "Time of a call.", &[0.1, 1.0])?,
            mood: host.gauge("mood", "How it is.")?,
            heard: Mutex::default(),
        })
    }

    #[describe]
    fn capabilities(&self, components: &mut Components<Self>) {
        for (name, settings) in &self.configuration.extension {
            components.extension(name, settings.clone());
        }
        if self.is_drafting.load(Ordering::Relaxed) {
            components.experimental("drafts", json!({ "version": 1 }));
        }
    }

    #[on_subscribed]
    fn begin_to_watch(&self, uri: &str) -> Result<(), Error> {
        self.heard.lock()?.push(format!("+{uri}"));
        Ok(())
    }

    #[on_unsubscribed]
    fn end_to_watch(&self, uri: &str) -> Result<(), Error> {
        self.heard.lock()?.push(format!("-{uri}"));
        Ok(())
    }

    /// A resource.
    #[resource(uri = "interfaces://one")]
    fn one(&self) -> &'static str {
        "one"
    }

    /// Any number of them.
    #[resource(uri = "interfaces://items/{name}")]
    fn item(&self, name: String) -> String {
        name
    }

    /// What clients are subscribed to.
    #[tool]
    fn subscriptions(&self) -> Result<String, Error> {
        Ok(self.host.subscriptions()?.join(" "))
    }

    /// What it has been told of that.
    #[tool]
    fn heard(&self) -> Result<String, Error> {
        Ok(self.heard.lock()?.join(" "))
    }

    /// Counts.
    #[tool]
    fn visit(
        &self,
        /** Who */
        who: String,
    ) -> Result<String, Error> {
        let count = self.store.update(&who, |before| {
            let count: u32 = match before {
                Some(before) => String::from_utf8(before)?.parse()?,
                None => 0,
            };
            Ok((count + 1).to_string().into())
        })?;
        Ok(String::from_utf8(count)?)
    }

    /// Puts more than it may.
    #[tool]
    fn flood_store(&self) -> String {
        let puts = |kept: &u32| self.store.put(&format!("flood/{kept}"), "x".repeat(10_000)).err();
        let (kept, error) = (0..).find_map(|kept| Some((kept, puts(&kept)?))).expect("there is a limit");
        format!("{kept} kept; {error}")
    }

    /// Counts and measures.
    #[tool]
    fn count(
        &self,
        /** Which */
        kind: String,
    ) {
        self.served.add(1.0, &[("kind", &kind)]);
        self.took.observe(0.5, &[]);
        self.mood.set(-1.5, &[]);
    }

    /// Records more series than it may.
    #[tool]
    fn flood_metrics(&self) {
        for i in 0..100_000 {
            self.served.add(1.0, &[("kind", &i.to_string())]);
        }
    }

    /// Asks for what the host refuses.
    #[tool]
    fn invalid(&self) -> Result<String, Error> {
        let key = self.store.put("", "v").err().map(|error| error.to_string());
        let metric = self.host.counter("Not a name", "").err().map(|error| error.to_string());
        Ok(format!("{}\n{}", key.unwrap_or_default(), metric.unwrap_or_default()))
    }

    /// Withdraws its experimental capability.
    #[tool]
    fn withdraw(&self) {
        self.is_drafting.store(false, Ordering::Relaxed);
        self.host.components_changed();
    }
}
