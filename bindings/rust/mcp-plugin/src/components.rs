use serde_json::{json, Map, Value};

use crate::completion::{Completable, Completers};
use crate::tool::IntoToolResult;
use crate::{Context, Error, Host, IntoContents, IntoMessages, Prompt, Resource, ResourceContents, Tool, Variables};
use crate::{Message, ToolResult};

/// What a plugin says of itself. Each text but `name` and `version` may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// 1 to 128 characters of `A-Z a-z 0-9 _ . -`.
    pub name: &'static str,
    /// The plugin's own, for people.
    pub version: &'static str,
    /// The same for all versions and no other plugin's, such as `org.example.notes`.
    pub id: &'static str,
    /// Who makes it.
    pub vendor: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Where to read about it.
    pub url: &'static str,
    /// Whether there is one call at a time.
    pub serial: bool,
    /// Whether the library may leave the process when the plugin has been dropped: every thread that it has started has
    /// ended then. It matters only to a plugin that is served in the host's own process, where each version that stays
    /// takes a megabyte or so.
    pub unloads: bool,
}

/// What [`plugin`](macro@crate::plugin) makes of an `impl` block. One value serves all calls, from several threads at
/// once; it is dropped when the plugin is stopped, and then the threads that it has started should have ended.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// What it says of itself.
    const INFO: Info;

    /// Makes it. Opens no thread, socket or file: it may be wanted only to be looked at.
    fn create(host: &Host) -> Result<Self, Error>;

    /// Says what it exports; anew after [`Host::components_changed`].
    fn describe(&self, components: &mut Components<Self>) -> Result<(), Error>;

    /// It is going to be served, and opens what it needs.
    fn start(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Whether it is told of subscriptions, by the two below: never two at a time, and some 50 ms afterwards.
    const LISTENS: bool = false;

    /// Clients are subscribed to the resource now; first of all, to each that they are subscribed to already.
    fn on_subscribed(&self, _uri: &str) -> Result<(), Error> {
        Ok(())
    }

    /// No client is subscribed to the resource any more.
    fn on_unsubscribed(&self, _uri: &str) -> Result<(), Error> {
        Ok(())
    }
}

type Handler<P, Given, Returned> = Box<dyn Fn(&P, Given, &Context) -> Result<Returned, Error> + Send + Sync>;

pub(crate) struct Served<P, Given, Returned> {
    pub(crate) declaration: Map<String, Value>,
    pub(crate) key: String,
    pub(crate) handler: Handler<P, Given, Returned>,
}

/// What a plugin exports.
pub struct Components<P> {
    pub(crate) tools: Vec<Served<P, Value, ToolResult>>,
    pub(crate) resources: Vec<Served<P, Variables, Vec<ResourceContents>>>,
    pub(crate) resource_templates: Vec<Served<P, Variables, Vec<ResourceContents>>>,
    pub(crate) prompts: Vec<Served<P, Variables, Vec<Message>>>,
    pub(crate) completers: Completers<P>,
    pub(crate) instructions: String,
    pub(crate) capabilities: Map<String, Value>,
}

impl<P> Default for Components<P> {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            resources: Vec::new(),
            resource_templates: Vec::new(),
            prompts: Vec::new(),
            completers: Completers::new(),
            instructions: String::new(),
            capabilities: Map::new(),
        }
    }
}

impl<P> Components<P> {
    /// For the model: what all of it is for.
    pub fn instructions(&mut self, text: impl Into<String>) {
        self.instructions = text.into();
    }

    /// An extension that the server says it has. Its name is `PREFIX/NAME` with a domain of yours in reverse.
    pub fn extension(&mut self, name: &str, settings: Value) {
        self.capability("extensions", name, settings);
    }

    /// What the server says that it can do, without being an extension.
    pub fn experimental(&mut self, name: &str, settings: Value) {
        self.capability("experimental", name, settings);
    }

    fn capability(&mut self, group: &str, name: &str, settings: Value) {
        self.capabilities.entry(group).or_insert_with(|| json!({}))[name] = settings;
    }

    /// A tool, whose handler is given the arguments as JSON; [`serde_json::from_value`] makes a type of them.
    pub fn tool<R: IntoToolResult>(
        &mut self,
        tool: Tool,
        handler: impl Fn(&P, Value, &Context) -> R + Send + Sync + 'static,
    ) {
        self.tools.push(Served {
            key: tool.name().into(),
            declaration: tool.0,
            handler: Box::new(move |plugin, arguments, context| handler(plugin, arguments, context).into_tool_result()),
        });
    }

    /// A resource, or a template of them, whose handler is given the variables.
    pub fn resource<R: IntoContents>(
        &mut self,
        resource: Resource,
        handler: impl Fn(&P, Variables, &Context) -> R + Send + Sync + 'static,
    ) -> Completable<'_, P> {
        let (key, parameters) = (resource.uri.clone(), resource.variables());
        let list = if resource.is_template() { &mut self.resource_templates } else { &mut self.resources };
        list.push(Served {
            key: resource.uri,
            declaration: resource.members,
            handler: Box::new(move |plugin, variables, context| handler(plugin, variables, context).into_contents()),
        });
        Completable { reference: "ref/resource", key, parameters, completers: &mut self.completers }
    }

    /// A prompt, whose handler is given the arguments.
    pub fn prompt<R: IntoMessages>(
        &mut self,
        prompt: Prompt,
        handler: impl Fn(&P, Variables, &Context) -> R + Send + Sync + 'static,
    ) -> Completable<'_, P> {
        let (key, parameters) = (prompt.name().to_owned(), prompt.argument_names());
        self.prompts.push(Served {
            key: key.clone(),
            declaration: prompt.members,
            handler: Box::new(move |plugin, arguments, context| handler(plugin, arguments, context).into_messages()),
        });
        Completable { reference: "ref/prompt", key, parameters, completers: &mut self.completers }
    }

    /// Whether there is the prompt or the template that a `ref` of this type names.
    pub(crate) fn has(&self, reference: &str, key: &str) -> bool {
        if reference == "ref/prompt" {
            self.prompts.iter().any(|each| each.key == key)
        } else {
            self.resource_templates.iter().any(|each| each.key == key)
        }
    }

    /// As `describe` of the contract says it.
    pub(crate) fn description(&self) -> Value {
        fn list<P, G, R>(description: &mut Map<String, Value>, name: &str, served: &[Served<P, G, R>]) {
            if !served.is_empty() {
                let all = served.iter().map(|each| each.declaration.clone().into()).collect();
                description.insert(name.into(), Value::Array(all));
            }
        }
        let mut description = Map::new();
        list(&mut description, "tools", &self.tools);
        list(&mut description, "resources", &self.resources);
        list(&mut description, "resourceTemplates", &self.resource_templates);
        list(&mut description, "prompts", &self.prompts);
        if !self.completers.is_empty() {
            description.insert("completions".into(), true.into());
        }
        if !self.instructions.is_empty() {
            description.insert("instructions".into(), self.instructions.clone().into());
        }
        if !self.capabilities.is_empty() {
            description.insert("capabilities".into(), self.capabilities.clone().into());
        }
        description.into()
    }
}

/// Puts them where a client reads them, and the host.
pub(crate) fn set_tags<'a>(members: &mut Map<String, Value>, tags: impl IntoIterator<Item = &'a str>) {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let checked = |tag: &'a str| {
        let is_tag = (1..=128).contains(&tag.len()) && tag.chars().all(is_allowed);
        assert!(is_tag, "the tag {tag:?} is not 1 to 128 characters of A-Z a-z 0-9 _ . -");
        tag
    };
    let tags = tags.into_iter().map(checked).collect::<Vec<_>>();
    members.entry("_meta").or_insert_with(|| json!({}))["mcp-plugin-host/tags"] = json!(tags);
}
