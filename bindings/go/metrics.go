package mcp

import "errors"

// What a plugin counts and measures is shown beside the host's own metrics, as mcp_plugin_NAME. A name is a lower-case
// letter, and lower-case letters, digits and _; a counter's ends with _total, which is added where it is missing. help
// says in a line what it is. The same metric may be asked for again. Any goroutine may record, until the plugin is
// stopped; it costs about as much as a lock.

// Label is one of those by which a metric has several series, 8 at most. Give it few values: every combination of them is
// a series that is kept.
type Label struct{ Name, Value string }

// Counter grows.
type Counter struct{ metric }

// Gauge goes up and down.
type Gauge struct{ metric }

// Histogram is how many values were how large.
type Histogram struct{ metric }

type metric struct {
	host   host
	number uint32
}

// Counter declares one; an error if the host is older than that, or refuses the name.
func (p *Plugin) Counter(name, help string) (*Counter, error) {
	metric, err := p.metric(metricCounter, name, help, nil)
	return &Counter{metric}, err
}

// Gauge declares one.
func (p *Plugin) Gauge(name, help string) (*Gauge, error) {
	metric, err := p.metric(metricGauge, name, help, nil)
	return &Gauge{metric}, err
}

// Histogram declares one. bounds grow, 32 at most; without any they are those of Prometheus for seconds.
func (p *Plugin) Histogram(name, help string, bounds ...float64) (*Histogram, error) {
	metric, err := p.metric(metricHistogram, name, help, bounds)
	return &Histogram{metric}, err
}

func (p *Plugin) metric(kind int, name, help string, bounds []float64) (metric, error) {
	if err := p.need(InterfaceMetrics); err != nil {
		return metric{p.host, 0}, err
	}
	number, why := p.host.declare(kind, name, help, bounds)
	if number == 0 {
		return metric{p.host, 0}, errors.New(why)
	}
	return metric{p.host, number}, nil
}

// Add adds an amount that is not negative.
func (c *Counter) Add(amount float64, labels ...Label) { c.record(recordAdd, amount, labels) }

// Set says what it is now.
func (g *Gauge) Set(value float64, labels ...Label) { g.record(recordSet, value, labels) }

// Add adds any amount.
func (g *Gauge) Add(amount float64, labels ...Label) { g.record(recordAdd, amount, labels) }

// Observe adds a value.
func (h *Histogram) Observe(value float64, labels ...Label) { h.record(recordObserve, value, labels) }

// record leaves it to the host to log what is wrong.
func (m metric) record(how int, value float64, labels []Label) {
	m.host.record(how, m.number, labels[:min(len(labels), maxLabels)], value)
}
