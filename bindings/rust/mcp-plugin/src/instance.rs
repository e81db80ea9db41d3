//! One instance of a plugin: its calls, from the host's words to the author's methods and back.
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use serde_json::{json, Value};

use crate::components::Served;
use crate::context::CancelSignal;
use crate::{resource, sys, tool, Components, Context, Error, Host, Level, Plugin, Variables};

pub(crate) struct Instance<P> {
    plugin: P,
    host: Host,
    described: RwLock<Described<P>>,
    calls: Mutex<HashMap<u64, Arc<CancelSignal>>>,
}

/// What has been described last, and what before that said something else: the host calls by what it has read before
/// until it has taken what it has read last, and on if it refuses that.
type Generations<P> = [Arc<Components<P>>; 2];

struct Described<P> {
    generations: Generations<P>,
    text: String,
}

type Answer = (i32, Value);

impl<P: Plugin> Instance<P> {
    pub(crate) fn new(host: Host) -> Result<Self, Error> {
        // Where it fails, what its author has cloned of the host must not reach that any more.
        let plugin = caught(|| P::create(&host)).inspect_err(|_| host.close())?;
        Ok(Self {
            plugin,
            host,
            described: RwLock::new(Described { generations: Generations::default(), text: String::new() }),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn describe(&self) -> Result<String, Error> {
        let mut components = Components::default();
        caught(|| self.plugin.describe(&mut components))?;
        let description = components.description();
        if let Some(capabilities) = description.get("capabilities") {
            self.host.check_capabilities(&capabilities.to_string())?;
        }
        let text = description.to_string();
        let mut described = self.described.write().unwrap_or_else(PoisonError::into_inner);
        if described.text != text {
            described.generations.swap(0, 1);
            described.text.clone_from(&text); // it may be read once more as it is
        }
        let replaced = std::mem::replace(&mut described.generations[0], Arc::new(components));
        drop(described);
        drop(replaced); // what its handlers own is the author's
        Ok(text)
    }

    pub(crate) fn start(&self) -> Result<(), Error> {
        caught(|| self.plugin.start())
    }

    /// The host's listener is `listener`, which lives until it is told no more.
    pub(crate) fn listen(&self, listener: &sys::mcp_subscription_listener) -> Result<(), Error> {
        self.host.ask(|host, subscriptions: &sys::mcp_subscriptions| {
            // SAFETY: it copies what it is given.
            subscriptions.listen.map(|listen| unsafe { listen(host, listener) })
        })
    }

    pub(crate) fn tell(&self, told: impl FnOnce(&P) -> Result<(), Error>) {
        if let Err(error) = caught(|| told(&self.plugin)) {
            let words = format!("a method of on_subscribed or on_unsubscribed failed: {}", error.message());
            self.host.log(Level::Error, words);
        }
    }

    pub(crate) fn invoke(&self, call: u64, method: &str, params: &[u8]) {
        let signal = Arc::new(CancelSignal::default());
        self.calls().insert(call, signal.clone());
        // The host may have cancelled the call before it could be found here.
        if self.host.cancel_reason_of(call) != sys::MCP_CANCEL_NONE {
            signal.set();
        }
        let (outcome, json) = self.answer(call, method, params, signal).unwrap_or_else(Error::answer);
        self.calls().remove(&call);
        self.host.complete(call, outcome, &json.to_string());
    }

    pub(crate) fn cancel(&self, call: u64) {
        if let Some(signal) = self.calls().get(&call) {
            signal.set();
        }
    }

    /// Ends the plugin; what it drops may still reach the host.
    pub(crate) fn stop(self) {
        let Self { plugin, host, .. } = self;
        let _ = caught(|| {
            drop(plugin);
            Ok(())
        });
        host.close();
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<CancelSignal>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, call: u64, method: &str, params: &[u8], signal: Arc<CancelSignal>) -> Result<Answer, Error> {
        let mut params: Value =
            serde_json::from_slice(params).map_err(|error| Error::invalid_params(format!("params: {error}")))?;
        let context = Context::new(self.host.clone(), call, params["inputResponses"].take(), signal);
        let served = self.described.read().unwrap_or_else(PoisonError::into_inner).generations.clone();
        match method {
            "tools/call" => self.call_tool(&served, params, &context),
            "resources/read" => self.read_resource(&served, params, &context),
            "prompts/get" => self.get_prompt(&served, params, &context),
            "completion/complete" => self.complete(&served, params, &context),
            _ => Err(Error::protocol(-32601, format!("Unknown method: {method}"))),
        }
    }

    fn call_tool(&self, served: &Generations<P>, mut params: Value, context: &Context) -> Result<Answer, Error> {
        let name = text(&params, "name");
        let tool = find(served, |all| &all.tools, name)
            .ok_or_else(|| Error::invalid_params(format!("Unknown tool: {name}")))?;
        let arguments = match params["arguments"].take() {
            Value::Null => json!({}),
            arguments => arguments,
        };
        Ok(tool::answer(run(context, || (tool.handler)(&self.plugin, arguments, context))))
    }

    fn read_resource(&self, served: &Generations<P>, params: Value, context: &Context) -> Result<Answer, Error> {
        let uri = text(&params, "uri");
        let resource = match &params["uriTemplate"] {
            Value::String(template) => find(served, |all| &all.resource_templates, template),
            _ => find(served, |all| &all.resources, uri),
        };
        let resource = resource.ok_or_else(|| Error::resource_not_found(uri))?;
        let variables = Variables { uri: uri.into(), values: texts(&params["variables"]) };
        let contents = run(context, || (resource.handler)(&self.plugin, variables, context))?;
        let mime_type = resource.declaration.get("mimeType");
        Ok((sys::MCP_OUTCOME_RESULT, resource::result(uri, mime_type, contents)))
    }

    fn get_prompt(&self, served: &Generations<P>, params: Value, context: &Context) -> Result<Answer, Error> {
        let name = text(&params, "name");
        let prompt = find(served, |all| &all.prompts, name)
            .ok_or_else(|| Error::invalid_params(format!("Unknown prompt: {name}")))?;
        let arguments = Variables { uri: String::new(), values: texts(&params["arguments"]) };
        let messages = run(context, || (prompt.handler)(&self.plugin, arguments, context))?;
        let mut result = json!({ "messages": messages });
        if let Some(description) = prompt.declaration.get("description") {
            result["description"] = description.clone();
        }
        Ok((sys::MCP_OUTCOME_RESULT, result))
    }

    fn complete(&self, served: &Generations<P>, params: Value, context: &Context) -> Result<Answer, Error> {
        let (to, argument) = (&params["ref"], &params["argument"]);
        let (reference, key) =
            if to["type"] == "ref/prompt" { ("ref/prompt", "name") } else { ("ref/resource", "uri") };
        let place = (reference, text(to, key).to_owned(), text(argument, "name").to_owned());
        let chosen = Variables { uri: String::new(), values: texts(&params["context"]["arguments"]) };
        let components = served.iter().find(|all| all.has(reference, &place.1));
        let values = match components.and_then(|all| all.completers.get(&place)) {
            Some(complete) => run(context, || complete(&self.plugin, text(argument, "value"), &chosen, context))?,
            None => Vec::new(),
        };
        Ok((sys::MCP_OUTCOME_RESULT, json!({ "completion": { "values": values } })))
    }
}

fn text<'a>(params: &'a Value, member: &str) -> &'a str {
    params[member].as_str().unwrap_or_default()
}

fn texts(object: &Value) -> BTreeMap<String, String> {
    let members = object.as_object().into_iter().flatten();
    members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn find<'a, P, G, R>(
    served: &'a Generations<P>,
    list: impl Fn(&Components<P>) -> &[Served<P, G, R>],
    key: &str,
) -> Option<&'a Served<P, G, R>> {
    served.iter().find_map(|all| list(all).iter().find(|each| each.key == key))
}

/// What a handler returns, but for one that keeps its own question to itself: then nobody is asked, and whatever comes
/// of it is wrong.
fn run<T>(context: &Context, handler: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let result = caught(handler);
    let asks = result.as_ref().is_err_and(Error::is_input_required);
    if context.has_asked() && !asks {
        return Err(Error::internal(
            "The handler has kept the error by which it asks the client: pass it on with `?` (elicit, elicit_url, ask)",
        ));
    }
    result
}

/// A panic is an error with its words.
pub(crate) fn caught<T>(action: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|payload| Err(Error::internal(words_of(payload))))
}

fn words_of(payload: Box<dyn Any + Send>) -> String {
    let words = match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or("without words").into(),
    };
    format!("The plugin panicked: {words}")
}
