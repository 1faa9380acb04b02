//! Chains: the requests with which each connection begins, and the values that it takes from the
//! answers.

use crate::dependent::Dependent;
use crate::entry::Entry;
use crate::file::{FileError, Request};
use crate::source::Source;
use crate::take::Take;
use crate::template::Names;
use std::sync::Arc;
use toml::Spanned;
use volley_protocol::{BodyRule, Content, Message, StatusRule};
use volley_protocol::{Expectation, Request as Rendered};

/// One `[[once]]` of the file.
#[derive(Debug)]
pub(crate) struct Once {
    pub(crate) entry: Entry,
    /// The values that are taken from its answer, by name.
    taken: Vec<(String, Take)>,
}

impl Once {
    /// The names of its values.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.taken.iter().map(|(name, _)| name)
    }

    /// The right answer, if the file has no rule: the command line's rules are about other
    /// requests.
    pub(crate) fn expectation(&self, status: StatusRule) -> Arc<Expectation> {
        let mut expectation = self.entry.expected.or(&Expectation::of_status(status));
        if expectation.body == BodyRule::Any && self.needs_body() {
            expectation.body = BodyRule::Holds(Arc::new(Content::new(&[], None, None)));
        }
        Arc::new(expectation)
    }

    fn needs_body(&self) -> bool {
        self.taken.iter().any(|(_, take)| take.needs_body())
    }
}

impl Source<'_> {
    /// The tables `[[once]]`, in their order. A later one may name the values that earlier ones
    /// take.
    pub(crate) fn once(
        &self,
        tables: &[Spanned<Request>],
        columns: &[String],
    ) -> Result<Vec<Once>, FileError> {
        let (mut all, mut taken) = (Vec::new(), Vec::new());
        for table in tables {
            let request = table.get_ref();
            let name = format!("{} {}", request.method(), request.path.get_ref());
            let entry = self.entry(table, name, Names { columns, taken: &taken })?;
            let mut own = Vec::new();
            for (name, take) in &request.take {
                let wrong = |what: &str| {
                    let what = format!("once.take.{name}: {what}");
                    self.wrong(take.span(), &what)
                };
                if !is_word(name) {
                    return Err(wrong("a name has letters, digits, _ and - only"));
                }
                if taken.contains(name) {
                    return Err(wrong("there is a value of this name already"));
                }
                if columns.contains(name) {
                    return Err(wrong("there is a column of this name"));
                }
                taken.push(name.clone());
                own.push((name.clone(), Take::parse(take.get_ref()).map_err(|what| wrong(&what))?));
            }
            let once = Once { entry, taken: own };
            if once.needs_body() && once.entry.expected.has_fixed_body() {
                let what = "once: what is taken from JSON may change, but `body`, `body_file` and \
                            `sha256` say all of it: leave them out";
                return Err(self.wrong(table.span(), what));
            }
            all.push(once);
        }
        Ok(all)
    }
}

fn is_word(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.bytes().all(is_letter)
}

/// The requests with which each connection begins: the same steps, drawn several times if they
/// depend on chance or a data file.
#[derive(Debug)]
pub struct Chain {
    steps: Vec<Step>,
    /// The requests of the first draw, then of the second, and so on.
    pub(crate) requests: Vec<Dependent>,
    /// The message number of the first of them.
    pub(crate) first_message: usize,
}

#[derive(Debug)]
struct Step {
    name: String,
    taken: Vec<Taken>,
}

#[derive(Debug)]
struct Taken {
    name: String,
    take: Take,
    /// The value becomes a part of a path.
    is_in_path: bool,
}

impl Chain {
    /// A chain without any requests yet.
    pub(crate) fn new(once: &[Once], entries: &[Entry]) -> Self {
        let all = once.iter().map(|once| &once.entry).chain(entries);
        let in_paths: Vec<usize> = all.flat_map(|entry| entry.path.template.taken()).collect();
        let mut nth = 0;
        let mut taken = |(name, take): &(String, Take)| {
            let is_in_path = in_paths.contains(&nth);
            nth += 1;
            Taken { name: name.clone(), take: take.clone(), is_in_path }
        };
        let step = |once: &Once| Step {
            name: once.entry.name.clone(),
            taken: once.taken.iter().map(&mut taken).collect(),
        };
        Self { steps: once.iter().map(step).collect(), requests: Vec::new(), first_message: 0 }
    }

    /// How many requests a connection sends.
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// How many draws there are; the nth connection takes the nth, and after the last the first
    /// again.
    pub fn draws(&self) -> usize {
        self.requests.len() / self.steps.len()
    }

    /// A request's number among the book's messages.
    pub fn message(&self, draw: usize, step: usize) -> usize {
        self.first_message + draw * self.steps.len() + step
    }

    /// A request with the values that its connection has taken before.
    pub fn request(&self, draw: usize, step: usize, values: &[String]) -> Rendered {
        self.requests[draw * self.steps.len() + step].with(values)
    }

    /// The method and path of a step, as they are written.
    pub fn name(&self, step: usize) -> &str {
        &self.steps[step].name
    }

    /// Adds the values from the answer to a step to `values`. The error names the missing one:
    /// `take.token: json /token is not in the answer to POST /login`.
    pub fn take(
        &self,
        step: usize,
        answer: &Message<'_>,
        values: &mut Vec<String>,
    ) -> Result<(), String> {
        let Step { name: of, taken } = &self.steps[step];
        for Taken { name, take, is_in_path } in taken {
            let wrong = |what: &str| format!("take.{name}: {take} of the answer to {of} {what}");
            let missing = || format!("take.{name}: {take} is not in the answer to {of}");
            let value = take.find(answer).map_err(|what| wrong(&what))?.ok_or_else(missing)?;
            let is_sound = |byte: u8| byte != 127 && byte >= b' ' && (byte > b' ' || !is_in_path);
            if !value.bytes().all(is_sound) {
                let place = if *is_in_path { "a path" } else { "a request" };
                return Err(wrong(&format!("is {value:?}, which {place} can't hold")));
            }
            values.push(value);
        }
        Ok(())
    }
}
