//! A value that a connection takes from an answer, to send it later.

use serde_json::Value;
use std::fmt;
use volley_protocol::Message;

/// The place of a value in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Take {
    /// The value in its JSON at this pointer (RFC 6901).
    Json(String),
    /// The first header of this name.
    Header(String),
    /// The last cookie of this name that it sets.
    Cookie(String),
}

impl Take {
    /// Reads `json /pointer`, `header NAME` or `cookie NAME`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(' ').map(|(kind, what)| (kind, what.trim())) {
            Some(("json", "")) => Ok(Self::Json(String::new())),
            Some(("json", pointer)) if pointer.starts_with('/') => Ok(Self::Json(pointer.into())),
            Some(("header", name)) if !name.is_empty() => Ok(Self::Header(name.into())),
            Some(("cookie", name)) if !name.is_empty() => Ok(Self::Cookie(name.into())),
            _ => Err(format!(
                "{text:?} takes nothing: it is \"json /POINTER\", \"header NAME\" or \
                 \"cookie NAME\""
            )),
        }
    }

    /// Whether the answer's body has to be inspected.
    pub(crate) fn needs_body(&self) -> bool {
        matches!(self, Self::Json(_))
    }

    /// The value. The error says why there is none.
    pub(crate) fn find(&self, answer: &Message<'_>) -> Result<Option<String>, String> {
        let found = match self {
            Self::Json(pointer) => json(&answer.body, pointer)?,
            Self::Header(name) => answer
                .headers
                .iter()
                .find(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()))
                .map(|(_, value)| value.trim_ascii().to_vec()),
            Self::Cookie(name) => answer
                .headers
                .iter()
                .rev()
                .filter(|(other, _)| other.eq_ignore_ascii_case(b"set-cookie"))
                .find_map(|(_, value)| cookie(value, name.as_bytes())),
        };
        found.map(String::from_utf8).transpose().map_err(|_| "is not UTF-8".into())
    }
}

/// The place as it is written.
impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(pointer) => write!(f, "json {pointer}"),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Cookie(name) => write!(f, "cookie {name}"),
        }
    }
}

fn json(body: &[u8], pointer: &str) -> Result<Option<Vec<u8>>, String> {
    let tree: Value = serde_json::from_slice(body)
        .map_err(|error| format!("is not there, as the body is no JSON: {error}"))?;
    let what = match tree.pointer(pointer) {
        None => return Ok(None),
        Some(Value::String(text)) => return Ok(Some(text.clone().into_bytes())),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => {
            return Ok(Some(value.to_string().into_bytes()));
        }
        Some(Value::Null) => "null",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
    };
    Err(format!("is {what}, not a string, a number or a boolean"))
}

/// The value of the cookie that a `Set-Cookie` sets, if it has this name.
fn cookie(set: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let pair = set.split(|&byte| byte == b';').next()?;
    let at = pair.iter().position(|&byte| byte == b'=')?;
    (pair[..at].trim_ascii() == name).then(|| pair[at + 1..].trim_ascii().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(text: &str, head: &str, body: &str) -> Result<Option<String>, String> {
        let evidence = format!("HTTP/1.1 200 OK\r\n{head}\r\n");
        let take = Take::parse(text).unwrap();
        assert_eq!(take.to_string(), text);
        take.find(&Message::of(evidence.as_bytes(), body.as_bytes()))
    }

    #[test]
    fn values_are_found_where_they_are_said_to_be() {
        let head = "Set-Cookie: sid=1; Path=/\r\nX-A:  b c \r\nset-cookie: sid=a=b\r\n\
            Set-Cookie: other=x\r\nX-a: d\r\n";
        let body = r#"{"a": {"b/c": ["x", 12, true, null, 1.5]}, "": "e"}"#;
        for (text, value) in [
            ("header x-a", "b c"),
            ("cookie sid", "a=b"),
            ("cookie other", "x"),
            ("json /a/b~1c/0", "x"),
            ("json /a/b~1c/1", "12"),
            ("json /a/b~1c/2", "true"),
            ("json /a/b~1c/4", "1.5"),
            ("json /", "e"),
        ] {
            assert_eq!(take(text, head, body), Ok(Some(value.into())), "{text}");
        }
        assert_eq!(take("json ", "", "\"all\""), Ok(Some("all".into())));
        for text in ["header x-b", "cookie SID", "cookie Path", "json /b"] {
            assert_eq!(take(text, head, body), Ok(None), "{text}");
        }
        let scalar = "not a string, a number or a boolean";
        for (text, words) in [
            ("json /a", format!("is an object, {scalar}")),
            ("json /a/b~1c", format!("is an array, {scalar}")),
            ("json /a/b~1c/3", format!("is null, {scalar}")),
        ] {
            assert_eq!(take(text, head, body), Err(words), "{text}");
        }
        let error = take("json /a", "", "<html>").unwrap_err();
        assert!(error.starts_with("is not there, as the body is no JSON: "), "{error}");
    }

    #[test]
    fn what_takes_nothing_is_refused() {
        for text in ["", "json", "json token", "header", "header ", "cookie", "body x", "xpath /a"]
        {
            let error = Take::parse(text).unwrap_err();
            assert!(error.contains(" takes nothing: it is \"json /POINTER\""), "{error}");
        }
    }
}
