use serde::Serialize;
use serde_json::{json, Value};

use crate::base64::base64;

/// A piece of a tool's result, or of a prompt's message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(Value);

impl Content {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(json!({ "type": "text", "text": text.into() }))
    }

    /// A picture.
    pub fn image(data: impl AsRef<[u8]>, mime_type: &str) -> Self {
        Self(json!({ "type": "image", "data": base64(data.as_ref()), "mimeType": mime_type }))
    }

    /// Sound.
    pub fn audio(data: impl AsRef<[u8]>, mime_type: &str) -> Self {
        Self(json!({ "type": "audio", "data": base64(data.as_ref()), "mimeType": mime_type }))
    }

    /// A resource that may be read.
    pub fn resource_link(uri: &str, name: &str) -> Self {
        Self(json!({ "type": "resource_link", "uri": uri, "name": name }))
    }

    /// The text of a resource.
    pub fn embedded_text(uri: &str, mime_type: &str, text: impl Into<String>) -> Self {
        let resource = json!({ "uri": uri, "mimeType": mime_type, "text": text.into() });
        Self(json!({ "type": "resource", "resource": resource }))
    }

    /// The bytes of a resource.
    pub fn embedded_blob(uri: &str, mime_type: &str, data: impl AsRef<[u8]>) -> Self {
        let resource = json!({ "uri": uri, "mimeType": mime_type, "blob": base64(data.as_ref()) });
        Self(json!({ "type": "resource", "resource": resource }))
    }

    /// The same with one more member, or another value of it, such as `annotations` or `_meta`.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.0[member] = value.into();
        self
    }
}
