//! Compares JSON with a shape while it is read.

use super::{Field, JsonShape, Kind, Type};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write};

impl JsonShape {
    /// Where JSON has another shape, or why it is not JSON, as a message:
    /// `/items/3/id is a string, expected number`. If a key occurs twice, both values have to be
    /// right.
    pub fn misfit(&self, json: &[u8]) -> Option<String> {
        if json.is_empty() {
            return Some("the body is empty".into());
        }
        let text = match str::from_utf8(json) {
            Ok(text) => text,
            Err(error) => {
                return Some(format!("byte {} of the body is not UTF-8", error.valid_up_to()));
            }
        };
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut wrong = Wrong::default();
        let fits = Fit { shape: self, wrong: &mut wrong }.deserialize(&mut reader);
        let error = fits.and_then(|()| reader.end()).err()?;
        Some(wrong.words().unwrap_or_else(|| format!("the body is no JSON: {error}")))
    }
}

/// What is wrong and where, if anything is.
#[derive(Default)]
struct Wrong {
    /// What is wrong with the value that the path leads to.
    what: Option<String>,
    /// Keys and numbers of elements, the innermost first.
    path: Vec<String>,
}

impl Wrong {
    fn words(&self) -> Option<String> {
        let what = self.what.as_ref()?;
        let mut words = String::new();
        for step in self.path.iter().rev() {
            // As in a JSON pointer (RFC 6901).
            let _ = write!(words, "/{}", step.replace('~', "~0").replace('/', "~1"));
        }
        let place = if words.is_empty() { "the body" } else { &words };
        Some(format!("{place} {what}"))
    }

    /// Adds the step to an error within a part.
    fn within<T, E>(
        &mut self,
        result: Result<T, E>,
        step: impl FnOnce() -> String,
    ) -> Result<T, E> {
        if result.is_err() && self.what.is_some() {
            self.path.push(step());
        }
        result
    }
}

/// One value that is read, and the shape that it should have.
struct Fit<'a> {
    shape: &'a JsonShape,
    wrong: &'a mut Wrong,
}

impl Fit<'_> {
    /// A value without parts.
    fn take<E: Error>(self, got: Type) -> Result<(), E> {
        match &self.shape.0 {
            Kind::Types(types) if types.contains(&got) => Ok(()),
            _ => Err(self.refuse(got.name())),
        }
    }

    fn refuse<E: Error>(self, got: &str) -> E {
        let article = match got {
            "object" | "array" => "an ",
            "null" => "",
            _ => "a ",
        };
        self.wrong.what = Some(format!("is {article}{got}, expected {}", self.shape));
        E::custom("another shape")
    }
}

impl<'de> DeserializeSeed<'de> for Fit<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.shape.0 {
            Kind::Any => deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ()),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Fit<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.shape, f)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.take(Type::Boolean)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.take(Type::Number)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.take(Type::Number)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.take(Type::Number)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.take(Type::String)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.take(Type::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Kind::Array(shape) = &self.shape.0 else { return Err(self.refuse("array")) };
        let Some(shape) = shape else {
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        for number in 0.. {
            let element = elements.next_element_seed(Fit { shape, wrong: self.wrong });
            if self.wrong.within(element, || format!("{number}"))?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Kind::Object(fields) = &self.shape.0 else { return Err(self.refuse("object")) };
        let mut seen = vec![false; fields.len()];
        while let Some(known) = entries.next_key_seed(Key(fields))? {
            let Some(at) = known else {
                entries.next_value::<IgnoredAny>()?;
                continue;
            };
            seen[at] = true;
            let Field { key, shape, .. } = &fields[at];
            let value = entries.next_value_seed(Fit { shape, wrong: self.wrong });
            self.wrong.within(value, || key.clone())?;
        }
        let is_missing = |(field, seen): &(&Field, bool)| !seen && !field.is_optional;
        match fields.iter().zip(seen).find(is_missing) {
            None => Ok(()),
            Some((field, _)) => {
                self.wrong.what = Some(format!("is missing, expected {}", field.shape));
                self.wrong.path.push(field.key.clone());
                Err(A::Error::custom("a key is missing"))
            }
        }
    }
}

/// A key, and the fields that it may belong to: finds the right one.
struct Key<'a>(&'a [Field]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|field| field.key == key))
    }
}
