//! What a body must contain that changes from answer to answer.

use crate::shape::JsonShape;
use memchr::memmem::Finder;
use regex::bytes::Regex;

/// What a body must contain; all of it is required. The rules look at the bytes as they came: a
/// request for compression excludes such a rule ([`Expectation::suits`]).
///
/// [`Expectation::suits`]: crate::Expectation::suits
#[derive(Debug, Clone)]
pub struct Content {
    texts: Vec<Finder<'static>>,
    pattern: Option<Pattern>,
    shape: Option<JsonShape>,
}

/// A regular expression, for bytes.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// The error is one line.
    pub fn parse(text: &str) -> Result<Self, String> {
        Regex::new(text).map(Self).map_err(|error| {
            let words = error.to_string();
            let last = words.lines().last().unwrap_or_default();
            let what = last.strip_prefix("error: ").unwrap_or(last);
            format!("{text:?} is no regular expression: {what}")
        })
    }
}

/// Patterns are equal if they are written alike.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Content {
    /// `texts`: all have to occur. `pattern`: matches somewhere. `shape`: that of the body, which
    /// is JSON.
    pub fn new(texts: &[String], pattern: Option<Pattern>, shape: Option<JsonShape>) -> Self {
        let texts = texts.iter().map(|text| Finder::new(text.as_bytes()).into_owned()).collect();
        Self { texts, pattern, shape }
    }

    /// Whether a request's header asks for bodies in a coding that the rules cannot read: any
    /// `Accept-Encoding` except `identity` alone.
    pub(crate) fn is_hidden_by(name: &str, value: &str) -> bool {
        let is_wanted = |coding: &str| {
            let (coding, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = weight.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok());
            let coding = coding.trim();
            !coding.is_empty()
                && !coding.eq_ignore_ascii_case("identity")
                && weight.is_none_or(|weight| weight > 0.0)
        };
        name.eq_ignore_ascii_case("accept-encoding") && value.split(',').any(is_wanted)
    }

    /// The first rule that a body breaks, as a message.
    pub(crate) fn missing(&self, body: &[u8]) -> Option<String> {
        let missing = |text: &&Finder<'_>| text.find(body).is_none();
        if let Some(text) = self.texts.iter().find(missing) {
            let text = String::from_utf8_lossy(text.needle());
            return Some(format!("body_contains: {text:?} is not in the body"));
        }
        if let Some(Pattern(pattern)) = &self.pattern
            && !pattern.is_match(body)
        {
            let pattern = pattern.as_str();
            return Some(format!("body_matches: nothing in the body matches {pattern:?}"));
        }
        let wrong = self.shape.as_ref()?.misfit(body)?;
        Some(format!("json: {wrong}"))
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        let needles = |content: &Self| -> Vec<Vec<u8>> {
            content.texts.iter().map(|text| text.needle().to_vec()).collect()
        };
        needles(self) == needles(other)
            && self.pattern == other.pattern
            && self.shape == other.shape
    }
}

impl Eq for Content {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_hide_bodies() {
        for (name, value, hides) in [
            ("Accept-Encoding", "gzip", true),
            ("accept-encoding", "identity, br;q=0.5", true),
            ("Accept-Encoding", "*", true),
            ("Accept-Encoding", "identity", false),
            ("Accept-Encoding", "identity;q=1, gzip;q=0, *; q=0.0", false),
            ("Accept-Encoding", "", false),
            ("Accept", "gzip", false),
        ] {
            assert_eq!(Content::is_hidden_by(name, value), hides, "{name}: {value}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_said_in_a_line() {
        let wrong = |text| Pattern::parse(text).unwrap_err();
        assert_eq!(wrong("a("), "\"a(\" is no regular expression: unclosed group");
        let large = wrong("(?:x{1000}){1000}");
        assert!(large.contains("no regular expression: ") && !large.contains('\n'), "{large}");
    }

    #[test]
    fn rules_are_equal_if_they_are_written_alike() {
        let content = |pattern| {
            let shape = serde_json::from_str("{\"a\": \"any\"}").unwrap();
            let pattern = Some(Pattern::parse(pattern).unwrap());
            Content::new(&["a".into()], pattern, Some(shape))
        };
        assert_eq!(content("a+"), content("a+"));
        assert_ne!(content("a+"), content("a*"));
    }
}
