use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{json, Map, Number, Value};

/// The JSON Schema of what `T` is read from: of the arguments of a tool.
pub fn input_schema<T: JsonSchema>() -> Value {
    schema_of::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The JSON Schema of a result `T`, as a tool's structured content has it: that of an object, which has `T` as its
/// member `result` where `T` is none: of an `Option`, where it is null. None where its type is not known.
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let mut schema = schema_of::<T>(SchemaSettings::draft2020_12().for_serialize());
    let names = schema.get("type")?.clone();
    if names == "object" {
        return Some(schema);
    }
    // References lead from the root.
    let definitions = schema.as_object_mut().and_then(|members| members.remove("$defs"));
    let mut root = if names.as_array().is_some_and(|names| names.contains(&json!("object"))) {
        schema["type"] = "object".into();
        json!({ "type": "object", "anyOf": [schema, with_result(json!({ "type": "null" }))] })
    } else {
        with_result(schema)
    };
    if let Some(definitions) = definitions {
        root["$defs"] = definitions;
    }
    Some(root)
}

fn with_result(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "result": schema }, "required": ["result"] })
}

/// The schema of a form, whose fields have one type each.
pub(crate) fn form<T: JsonSchema>() -> Value {
    let mut schema = input_schema::<T>();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(|fields| fields.values_mut()).filter_map(Value::as_object_mut) {
        remove_null(field);
        if let Some(choices) = take_choices(field) {
            field.extend([("type".into(), "string".into()), ("oneOf".into(), choices)]);
        }
        if let Some(items) = field.get_mut("items").and_then(Value::as_object_mut) {
            if let Some(choices) = take_choices(items) {
                items.insert("anyOf".into(), choices);
            }
        }
    }
    schema
}

// Of an Option: who leaves a field empty does not send it.
fn remove_null(field: &mut Map<String, Value>) {
    match field.get("anyOf").and_then(Value::as_array).cloned().as_deref() {
        Some([Value::Object(value), null]) if null["type"] == "null" => {
            field.remove("anyOf");
            for (keyword, said) in value {
                field.entry(keyword).or_insert_with(|| said.clone());
            }
        }
        _ => {}
    }
    if let Some(name) = field.get("type").and_then(Value::as_array).and_then(|names| names.first()).cloned() {
        field.insert("type".into(), name);
    }
    if let Some(values) = field.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if field.get("default").is_some_and(Value::is_null) {
        field.remove("default");
    }
}

// Of an enum whose variants have comments: a client shows the title of each.
fn take_choices(field: &mut Map<String, Value>) -> Option<Value> {
    let variants = field.get("oneOf")?.as_array()?;
    let choices = variants.iter().map(choices_of).collect::<Option<Vec<_>>>()?;
    field.remove("oneOf");
    Some(choices.concat().into())
}

// None where the variant is more than a name. Those without comments are in one enum.
fn choices_of(variant: &Value) -> Option<Vec<Value>> {
    let names = match variant.get("const") {
        Some(name) => std::slice::from_ref(name),
        None => variant.get("enum")?.as_array()?,
    };
    let title = variant.get("title").or(variant.get("description"));
    names
        .iter()
        .map(|name| name.is_string().then(|| json!({ "const": name, "title": title.unwrap_or(name) })))
        .collect()
}

// The names of Rust's types of numbers are no formats of JSON Schema, and their bounds are better said: the host refuses
// what is beyond them in clear words.
fn without_formats_of_numbers(schema: &mut Schema) {
    let Some(Value::String(format)) = schema.get("format") else { return };
    let bounds = match format.as_str() {
        "int32" => (Some(i32::MIN.into()), Some(i32::MAX.into())),
        "uint32" => (Some(0.into()), Some(u32::MAX.into())),
        // As f32::MAX is written: serde makes what is beyond it infinite.
        "float" => (Number::from_f64(-3.402_823_5e38), Number::from_f64(3.402_823_5e38)),
        "int8" | "uint8" | "int16" | "uint16" | "int64" | "uint64" | "int" | "uint" | "double" => (None, None),
        _ => return,
    };
    schema.remove("format");
    for (keyword, bound) in [("minimum", bounds.0), ("maximum", bounds.1)] {
        if let (Some(bound), None) = (bound, schema.get(keyword)) {
            schema.insert(keyword.into(), Value::Number(bound));
        }
    }
}

// Subschemas are where they are used, because not every client follows references.
fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.transforms.push(Box::new(RecursiveTransform(without_formats_of_numbers)));
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title"); // a Rust type's name says nothing to a model
    schema.into()
}
