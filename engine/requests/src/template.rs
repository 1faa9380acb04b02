//! Text with fields: `{{column}}`, `{{taken}}`, `{{random LOW HIGH}}`, `{{hex N}}`.

use csv::StringRecord;
use rand::{Rng, RngExt};
use std::fmt::Write;

/// The most digits of a `{{hex N}}`.
const HEX_LIMIT: usize = 1024;

/// The names that fields may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names<'a> {
    /// The data file's columns; none if there is no data file.
    pub(crate) columns: &'a [String],
    /// The values that a connection takes from answers.
    pub(crate) taken: &'a [String],
}

/// A text whose fields are filled in for each request.
#[derive(Debug, Clone)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The value in this column of the row.
    Column(usize),
    /// The nth value that the connection has taken, and its name.
    Taken(usize, String),
    /// A whole number, both limits included.
    Random(i64, i64),
    /// This many hexadecimal digits.
    Hex(usize),
}

impl Template {
    /// Finds the fields.
    pub(crate) fn parse(text: &str, names: Names<'_>) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((inside, after)) = behind.split_once("}}") else {
                return Err(format!("there is a {{{{ without }}}}; {}", known(names)));
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(field(inside.trim(), names)?);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    /// The text with its fields filled in, except for those that a connection takes, which stay as
    /// they are written. `row` is given if a column is used.
    pub(crate) fn fill(&self, row: Option<&StringRecord>, random: &mut impl Rng) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Taken(_, name) => {
                    let _ = write!(text, "{{{{{name}}}}}");
                }
                Part::Column(index) => {
                    text.push_str(row.and_then(|row| row.get(*index)).unwrap_or_default());
                }
                Part::Random(low, high) => {
                    let _ = write!(text, "{}", random.random_range(*low..=*high));
                }
                Part::Hex(digits) => text
                    .extend((0..*digits).map(|_| {
                        char::from(b"0123456789abcdef"[random.random_range(0..16_usize)])
                    })),
            }
        }
        text
    }

    /// The text of a template that has only columns.
    pub(crate) fn of_row(&self, row: Option<&StringRecord>) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Column(index) => {
                row.and_then(|row| row.get(*index)).unwrap_or_default().to_owned()
            }
            _ => unreachable!("it has columns alone"),
        };
        self.0.iter().map(part).collect()
    }

    /// The same as a template, which keeps those fields.
    pub(crate) fn settle(&self, row: Option<&StringRecord>, random: &mut impl Rng) -> Self {
        let settle = |part: &Part| match part {
            Part::Taken(..) => part.clone(),
            part => Part::Text(Self(vec![part.clone()]).fill(row, random)),
        };
        Self(self.0.iter().map(settle).collect())
    }

    /// A settled template with the values that a connection has taken.
    pub(crate) fn with(&self, values: &[String]) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Taken(nth, _) => values[*nth].clone(),
            _ => unreachable!("it is settled"),
        };
        self.0.iter().map(part).collect()
    }

    /// Which of a connection's taken values it uses.
    pub(crate) fn taken(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|part| match part {
            Part::Taken(nth, _) => Some(*nth),
            _ => None,
        })
    }

    /// The columns whose values are filled in.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|part| match part {
            Part::Column(index) => Some(*index),
            _ => None,
        })
    }

    /// Whether it has random values that do not come from the data file.
    pub(crate) fn is_random(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Random(..) | Part::Hex(_)))
    }
}

fn field(inside: &str, names: Names<'_>) -> Result<Part, String> {
    let at = |names: &[String]| names.iter().position(|name| name == inside);
    if let Some(index) = at(names.columns) {
        return Ok(Part::Column(index));
    }
    if let Some(nth) = at(names.taken) {
        return Ok(Part::Taken(nth, inside.to_owned()));
    }
    let words: Vec<&str> = inside.split_whitespace().collect();
    let part = match words[..] {
        ["random", low, high] => match (low.parse(), high.parse()) {
            (Ok(low), Ok(high)) if low <= high => Some(Part::Random(low, high)),
            (Ok(low), Ok(high)) => {
                return Err(format!("in {{{{random {low} {high}}}}} the lower limit comes first"));
            }
            _ => None,
        },
        ["hex", digits] => match digits.parse() {
            Ok(digits @ 1..=HEX_LIMIT) => Some(Part::Hex(digits)),
            Ok(digits) => {
                return Err(format!(
                    "{{{{hex {digits}}}}} has from 1 to {HEX_LIMIT} digits, not {digits}"
                ));
            }
            Err(_) => None,
        },
        _ => None,
    };
    part.ok_or_else(|| {
        let shown: String = inside.chars().take(40).collect();
        format!("{{{{{shown}}}}} is not a field; {}", known(names))
    })
}

/// The existing kinds of fields.
fn known(names: Names<'_>) -> String {
    let mut text = "fields are ".to_owned();
    for name in names.columns.iter().chain(names.taken) {
        let _ = write!(text, "{{{{{name}}}}}, ");
    }
    text + "{{random LOW HIGH}} and {{hex N}}"
}
