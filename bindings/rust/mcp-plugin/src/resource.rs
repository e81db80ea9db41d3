use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{json, Map, Value};

use crate::base64::base64;
use crate::components::set_tags;
use crate::{Error, FromText, Json};

/// What is said of a resource, or of a template of them. [`resource`](macro@crate::resource) makes it of a method.
pub struct Resource {
    pub(crate) uri: String,
    pub(crate) members: Map<String, Value>,
}

impl Resource {
    /// A resource, or, where the URI has `{variables}` or the wildcard `*`, a template.
    pub fn new(uri: &str, name: &str) -> Self {
        let mut members = Map::new();
        let uri_name = if uri.contains(['{', '*']) { "uriTemplate" } else { "uri" };
        members.insert(uri_name.into(), uri.into());
        Self { uri: uri.into(), members }.with("name", name)
    }

    /// Any member of the protocol's `Resource` or `ResourceTemplate`.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.members.insert(member.into(), value.into());
        self
    }

    /// What it is, for the model.
    pub fn description(self, text: &str) -> Self {
        self.with("description", text)
    }

    /// Its name for people.
    pub fn title(self, text: &str) -> Self {
        self.with("title", text)
    }

    /// Words by which clients choose, as [`Tool::tags`](crate::Tool::tags).
    pub fn tags<'a>(mut self, tags: impl IntoIterator<Item = &'a str>) -> Self {
        set_tags(&mut self.members, tags);
        self
    }

    /// What kind of content it has, which contents have that say nothing else.
    pub fn mime_type(self, mime_type: &str) -> Self {
        self.with("mimeType", mime_type)
    }

    pub(crate) fn is_template(&self) -> bool {
        self.members.contains_key("uriTemplate")
    }

    // Of `{name}` with any operator, and of `{?one,another}`; outside of braces, `*` is one of that name.
    pub(crate) fn variables(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (i, piece) in self.uri.split(['{', '}']).enumerate() {
            if i % 2 == 0 {
                names.extend(piece.matches('*').map(Into::into));
            } else {
                let within = piece.trim_start_matches(['+', '#', '?', '/']).split(',');
                names.extend(within.map(|name| name.trim_end_matches('*').into()));
            }
        }
        names
    }
}

/// The URI that is read, and what the variables of its template stand for in it; or the arguments of a prompt.
pub struct Variables {
    pub(crate) uri: String,
    pub(crate) values: BTreeMap<String, String>,
}

impl Variables {
    /// The URI that is read; of a prompt, and of a completion, there is none.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The value of a variable, or of an argument.
    pub fn get<T: FromText>(&self, name: &str) -> Result<T, Error> {
        T::from_text(name, self.values.get(name).map(String::as_str))
    }
}

/// A part of what a resource contains; most have one.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContents(Map<String, Value>);

impl ResourceContents {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Map::from_iter([("text".into(), text.into().into())]))
    }

    /// Bytes.
    pub fn blob(data: impl AsRef<[u8]>) -> Self {
        Self(Map::from_iter([("blob".into(), base64(data.as_ref()).into())]))
    }

    /// The same with one more member, such as `mimeType`, or a `uri` of its own.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.0.insert(member.into(), value.into());
        self
    }
}

/// The result of a read of `uri`, of a resource of this kind of content.
pub(crate) fn result(uri: &str, mime_type: Option<&Value>, contents: Vec<ResourceContents>) -> Value {
    let contents = contents.into_iter().map(|ResourceContents(mut members)| {
        members.entry("uri").or_insert_with(|| uri.into());
        if let Some(mime_type) = mime_type {
            members.entry("mimeType").or_insert_with(|| mime_type.clone());
        }
        Value::Object(members)
    });
    json!({ "contents": contents.collect::<Vec<_>>() })
}

/// What a method with [`resource`](macro@crate::resource) may return: text, bytes, [`Json`], [`ResourceContents`] or
/// several of them, and a [`Result`] of these.
pub trait IntoContents {
    /// The contents that the client is sent.
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error>;
}

impl IntoContents for String {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        Ok(vec![ResourceContents::text(self)])
    }
}

impl IntoContents for &str {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        Ok(vec![ResourceContents::text(self)])
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        Ok(vec![ResourceContents::blob(self)])
    }
}

impl IntoContents for ResourceContents {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        Ok(vec![self])
    }
}

impl IntoContents for Vec<ResourceContents> {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        Ok(self)
    }
}

impl<T: Serialize + JsonSchema> IntoContents for Json<T> {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        let text = serde_json::to_string(&self.0)?;
        Ok(vec![ResourceContents::text(text).with("mimeType", "application/json")])
    }
}

impl<T: IntoContents, E: Into<Error>> IntoContents for Result<T, E> {
    fn into_contents(self) -> Result<Vec<ResourceContents>, Error> {
        self.map_err(Into::into)?.into_contents()
    }
}
