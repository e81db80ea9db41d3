use serde::Serialize;
use serde_json::{json, Map, Value};

use crate::components::set_tags;
use crate::{Content, Error};

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

impl Message {
    /// Text that the user says.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, content: Content::text(text) }
    }

    /// Text that the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: Content::text(text) }
    }
}

/// An argument of a prompt.
#[derive(Clone, Serialize)]
pub struct PromptArgument {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    required: bool,
}

impl PromptArgument {
    /// `description` may be empty.
    pub fn new(name: &str, description: &str, required: bool) -> Self {
        Self { name: name.into(), description: description.into(), required }
    }
}

/// What is said of a prompt. [`prompt`](macro@crate::prompt) makes it of a method.
pub struct Prompt {
    pub(crate) members: Map<String, Value>,
    arguments: Vec<PromptArgument>,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: &str) -> Self {
        Self { members: Map::from_iter([("name".into(), name.into())]), arguments: Vec::new() }
    }

    /// Any member of the protocol's `Prompt`.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.members.insert(member.into(), value.into());
        self
    }

    /// What it is for.
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

    /// The next of its arguments.
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        let arguments = json!(self.arguments);
        self.with("arguments", arguments)
    }

    pub(crate) fn argument_names(&self) -> Vec<String> {
        self.arguments.iter().map(|argument| argument.name.clone()).collect()
    }

    pub(crate) fn name(&self) -> &str {
        self.members["name"].as_str().unwrap_or_default()
    }
}

/// What a method with [`prompt`](macro@crate::prompt) may return: text, which the user says, a [`Message`] or several,
/// and a [`Result`] of these.
pub trait IntoMessages {
    /// The messages that the client is sent.
    fn into_messages(self) -> Result<Vec<Message>, Error>;
}

impl IntoMessages for String {
    fn into_messages(self) -> Result<Vec<Message>, Error> {
        Ok(vec![Message::user(self)])
    }
}

impl IntoMessages for Message {
    fn into_messages(self) -> Result<Vec<Message>, Error> {
        Ok(vec![self])
    }
}

impl IntoMessages for Vec<Message> {
    fn into_messages(self) -> Result<Vec<Message>, Error> {
        Ok(self)
    }
}

impl<T: IntoMessages, E: Into<Error>> IntoMessages for Result<T, E> {
    fn into_messages(self) -> Result<Vec<Message>, Error> {
        self.map_err(Into::into)?.into_messages()
    }
}
