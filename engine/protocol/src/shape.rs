//! The shape of JSON: the types of its values, whatever the values are.
//!
//! A body is compared with it as it is read, without a tree. Below `any`, and for keys that a shape
//! does not list, values are skipped, so the depth of reading is that of the shape.

mod fit;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Which JSON is right.
///
/// It is written as JSON or TOML: a string names the types of a value (`string`, `number`,
/// `boolean`, `null`, or several with `|` between them; `any` is all), an object the required keys
/// (`"key?"` is optional; other keys are always allowed), `[shape]` an array whose elements are all
/// alike, `[]` any array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonShape(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Any,
    /// At least one type.
    Types(Vec<Type>),
    Object(Vec<Field>),
    Array(Option<Box<JsonShape>>),
}

/// A value without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    String,
    Number,
    Boolean,
    Null,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    key: String,
    is_optional: bool,
    shape: JsonShape,
}

impl Type {
    fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        let all = [Self::String, Self::Number, Self::Boolean, Self::Null];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

impl JsonShape {
    /// Reads a shape that is written as JSON. The error is one line.
    pub fn parse(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    /// The types in `number` or `string|null`. The error is one line.
    fn of_types(text: &str) -> Result<Self, String> {
        let names: Vec<&str> = text.split('|').map(str::trim).collect();
        if names == ["any"] {
            return Ok(Self(Kind::Any));
        }
        let types = names.into_iter().map(|name| {
            Type::from_name(name).ok_or_else(|| {
                format!(
                    "{name:?} is no type of JSON: there are string, number, boolean and null, \
                         several with | between them, or any"
                )
            })
        });
        Ok(Self(Kind::Types(types.collect::<Result<_, _>>()?)))
    }
}

/// The expectation, as in `expected string|null`.
impl fmt::Display for JsonShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Any => f.write_str("any value"),
            Kind::Object(_) => f.write_str("an object"),
            Kind::Array(_) => f.write_str("an array"),
            Kind::Types(types) => {
                let names: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
                f.write_str(&names.join("|"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for JsonShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

/// Reads a shape, from JSON or TOML.
struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = JsonShape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a shape: a type in a string, an object of shapes, or an array of one")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<JsonShape, E> {
        JsonShape::of_types(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<JsonShape, A::Error> {
        let element = elements.next_element()?.map(Box::new);
        if elements.next_element::<JsonShape>()?.is_some() {
            let what = "an array has one shape for all of its elements, or none for any";
            return Err(A::Error::custom(what));
        }
        Ok(JsonShape(Kind::Array(element)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<JsonShape, A::Error> {
        let mut fields: Vec<Field> = Vec::new();
        while let Some((key, shape)) = entries.next_entry::<String, JsonShape>()? {
            let (key, is_optional) = match key.strip_suffix('?') {
                Some(key) => (key.to_owned(), true),
                None => (key, false),
            };
            if fields.iter().any(|field| field.key == key) {
                return Err(A::Error::custom(format!("the key {key:?} is listed twice")));
            }
            fields.push(Field { key, is_optional, shape });
        }
        // TOML does not keep the order, so no message depends on it.
        fields.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(JsonShape(Kind::Object(fields)))
    }
}
