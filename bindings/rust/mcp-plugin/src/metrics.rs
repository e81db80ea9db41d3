use crate::host::text_of;
use crate::{sys, Error, Host};

/// What is counted and measured is shown beside the host's own metrics, as `mcp_plugin_NAME`. Names are a lower-case
/// letter, and lower-case letters, digits and `_`; a counter's ends with `_total`, which is added where it is missing.
/// `help` says in a line what it is. The same metric may be asked for again.
impl Host {
    /// What grows.
    pub fn counter(&self, name: &str, help: &str) -> Result<Counter, Error> {
        self.metric(sys::MCP_METRIC_COUNTER, name, help, &[]).map(Counter)
    }

    /// What goes up and down.
    pub fn gauge(&self, name: &str, help: &str) -> Result<Gauge, Error> {
        self.metric(sys::MCP_METRIC_GAUGE, name, help, &[]).map(Gauge)
    }

    /// How many values were how large. `bounds` grow, 32 at most; without any they are those of Prometheus for seconds.
    pub fn histogram(&self, name: &str, help: &str, bounds: &[f64]) -> Result<Histogram, Error> {
        self.metric(sys::MCP_METRIC_HISTOGRAM, name, help, bounds).map(Histogram)
    }

    fn metric(&self, kind: i32, name: &str, help: &str, bounds: &[f64]) -> Result<Metric, Error> {
        let mut number = 0;
        let why = self.ask(|host, metrics: &sys::mcp_metrics| {
            let declare = metrics.declare?;
            let (name, help) = (sys::mcp_string::new(name), sys::mcp_string::new(help));
            let count = bounds.len() as u32;
            // SAFETY: it copies what it is given.
            Some(text_of(|error| number = unsafe { declare(host, kind, name, help, bounds.as_ptr(), count, error) }))
        })?;
        if number == 0 {
            return Err(Error::unexpected(why));
        }
        Ok(Metric { host: self.clone(), number })
    }
}

#[derive(Clone)]
struct Metric {
    host: Host,
    number: u32,
}

impl Metric {
    // What is wrong with it, the host leaves out and logs. It comes too late where the plugin has ended.
    fn record(
        &self,
        value: f64,
        labels: &[(&str, &str)],
        function: impl FnOnce(&sys::mcp_metrics) -> Option<sys::mcp_record_fn>,
    ) {
        let pair = |(name, value): &(&str, &str)| sys::mcp_label {
            name: sys::mcp_string::new(name),
            value: sys::mcp_string::new(value),
        };
        let labels = labels.iter().map(pair).collect::<Vec<_>>();
        let _ = self.host.ask(|host, metrics| {
            let record = function(metrics)?;
            // SAFETY: it copies what it is given.
            unsafe { record(host, self.number, labels.as_ptr(), labels.len() as u32, value) };
            Some(())
        });
    }
}

/// Made by [`Host::counter`]; for every thread, as the others are. Labels are names with values, 8 at most:
/// `&[("kind", "a")]`. Few values each: every combination is a series that is kept.
#[derive(Clone)]
pub struct Counter(Metric);

impl Counter {
    /// Adds what is not negative.
    pub fn add(&self, amount: f64, labels: &[(&str, &str)]) {
        self.0.record(amount, labels, |metrics| metrics.add);
    }
}

/// Made by [`Host::gauge`].
#[derive(Clone)]
pub struct Gauge(Metric);

impl Gauge {
    /// It has this value now.
    pub fn set(&self, value: f64, labels: &[(&str, &str)]) {
        self.0.record(value, labels, |metrics| metrics.set);
    }

    /// Adds any amount.
    pub fn add(&self, amount: f64, labels: &[(&str, &str)]) {
        self.0.record(amount, labels, |metrics| metrics.add);
    }
}

/// Made by [`Host::histogram`].
#[derive(Clone)]
pub struct Histogram(Metric);

impl Histogram {
    /// Adds a value.
    pub fn observe(&self, value: f64, labels: &[(&str, &str)]) {
        self.0.record(value, labels, |metrics| metrics.observe);
    }
}
