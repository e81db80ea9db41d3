//! The optional interfaces of the host, as an author meets them.
use std::sync::Mutex;

use mcp_plugin::serde_json::json;
use mcp_plugin::testing::Harness;
use mcp_plugin::{plugin, sys, Components, Counter, Error, Gauge, Histogram, Host, Store};

struct Asking {
    host: Host,
    store: Store,
    served: Counter,
    open: Gauge,
    took: Histogram,
    heard: Mutex<Vec<String>>,
}

#[plugin(name = "asking", version = "1.0.0")]
impl Asking {
    fn new(host: &Host) -> Result<Self, Error> {
        Ok(Self {
            host: host.clone(),
            store: host.store()?,
            served: host.counter("served", "Served.")?,
            open: host.gauge("open", "Open.")?,
            took: host.histogram("took_seconds", "Took.", &[0.1, 1.0])?,
            heard: Mutex::default(),
        })
    }

    #[describe]
    fn more(&self, components: &mut Components<Self>) {
        components.extension("com.example/search", json!({ "languages": ["en"] }));
        components.experimental("drafts", json!({}));
    }

    #[on_subscribed]
    fn begin(&self, uri: &str) -> Result<(), Error> {
        if uri.is_empty() {
            return Err(Error::new("no inotify"));
        }
        self.heard.lock()?.push(format!("+{uri}"));
        Ok(())
    }

    #[on_subscribed]
    #[on_unsubscribed]
    fn count(&self, uri: &str) {
        assert_ne!(uri, "a://broken");
    }

    #[on_unsubscribed]
    fn end(&self, uri: &str) {
        self.heard.lock().unwrap().push(format!("-{uri}"));
    }

    #[tool]
    fn heard(&self) -> Result<String, Error> {
        Ok(format!("{} {:?}", self.heard.lock()?.join(" "), self.host.subscriptions()?))
    }

    #[tool]
    fn visit(&self, who: String) -> Result<String, Error> {
        let count = self.store.update(&who, |before| {
            let count =
                before.map_or(Ok(0), |before| String::from_utf8(before)?.parse::<u32>().map_err(Error::from))?;
            Ok((count + 1).to_string().into())
        })?;
        Ok(String::from_utf8(count)?)
    }

    #[tool]
    fn race(&self) -> Result<bool, Error> {
        assert!(self.store.put_if("k", "1", 0)?);
        let entry = self.store.find("k")?.expect("it has been put");
        self.store.put("k", "of somebody else")?;
        self.store.put_if("k", "2", entry.revision)
    }

    #[tool]
    fn bytes(&self) -> Result<String, Error> {
        self.store.put("b", [0, 0xFF])?;
        self.store.put("empty", "")?;
        let read = (self.store.get("b")?, self.store.get("empty")?, self.store.get("a")?, self.store.list("")?);
        assert_eq!(read, (Some(vec![0, 0xFF]), Some(vec![]), None, vec!["b".to_owned(), "empty".to_owned()]));
        Ok(format!("{} {}", self.store.erase("b")?, self.store.erase("b")?))
    }

    #[tool]
    fn again(&self) -> Result<String, Error> {
        self.host.store()?;
        Ok(self.host.has_interface(sys::MCP_STORE).to_string())
    }

    #[tool]
    fn refused(&self) -> Result<(), Error> {
        self.store.put("", "v")
    }

    #[tool]
    fn measure(&self, name: String) -> Result<(), Error> {
        self.served.add(1.0, &[]);
        self.served.add(2.0, &[("kind", "a"), ("by", "b")]);
        self.open.set(5.0, &[]);
        self.open.add(-1.0, &[]);
        self.took.observe(0.5, &[]);
        self.host.counter("served", "Served.")?.add(1.0, &[]);
        self.host.counter(&name, "Named by the caller.").map(|_| ())
    }
}

#[test]
fn subscriptions_are_told_and_can_be_asked_for() {
    let asking = Harness::<Asking>::new();
    asking.subscribe("a://x");
    asking.subscribe("a://y");
    asking.subscribe("a://y");
    asking.unsubscribe("a://x");
    assert_eq!(asking.call_tool("heard", json!({})).text(), r#"+a://x +a://y -a://x ["a://y"]"#);
    asking.subscribe("");
    asking.subscribe("a://broken");
    let failed = "a method of on_subscribed or on_unsubscribed failed: ";
    let [first, second] = asking.messages().try_into().expect("two failed");
    assert_eq!(first, format!("{failed}no inotify"));
    assert!(second.starts_with(&format!("{failed}The plugin panicked: ")), "{second}");
}

#[test]
fn a_store_keeps_values_by_their_revisions() {
    let asking = Harness::<Asking>::new();
    asking.store("ada", "40");
    for count in ["41", "42"] {
        assert_eq!(asking.call_tool("visit", json!({ "who": "ada" })).text(), count);
    }
    assert_eq!(asking.stored()["ada"], b"42");
    assert_eq!(asking.call_tool("race", json!({})).text(), "false");
    let asking = Harness::<Asking>::new();
    assert_eq!(asking.call_tool("bytes", json!({})).text(), "true false");
    assert_eq!(asking.call_tool("refused", json!({})).text(), "cannot keep \"\": a key is not empty");
}

#[test]
fn metrics_are_recorded_by_labels() {
    let asking = Harness::<Asking>::new();
    assert!(asking.call_tool("measure", json!({ "name": "named" })).ok());
    let series =
        [("open", 4.0), ("served_total", 2.0), ("served_total{by=\"b\",kind=\"a\"}", 2.0), ("took_seconds", 1.0)];
    assert_eq!(asking.metrics(), series.map(|(name, value)| (name.to_owned(), value)).into());
    let refused = asking.call_tool("measure", json!({ "name": "Not this" }));
    assert!(!refused.ok() && refused.text().contains("\"Not this\""), "{}", refused.text());
}

#[test]
fn capabilities_are_described() {
    let capabilities = json!({
        "extensions": { "com.example/search": { "languages": ["en"] } },
        "experimental": { "drafts": {} },
    });
    assert_eq!(Harness::<Asking>::new().description()["capabilities"], capabilities);
}

// What an author reads of a host that is older than what the plugin needs.
#[test]
fn an_older_host_is_named_to_whoever_needs_more() {
    let asking = Harness::<Asking>::new();
    assert_eq!(asking.call_tool("again", json!({})).text(), "true");
    asking.remove_interface(sys::MCP_STORE);
    let told = "the host does not have mcp.store/1, which mcp-plugin-host has from 0.1.0 on: update the host, or ask \
                Host::has_interface(c\"mcp.store/1\") beforehand";
    assert_eq!(asking.call_tool("again", json!({})).text(), told);
}
