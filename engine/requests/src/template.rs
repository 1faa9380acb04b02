//! Text with fields: `{{column}}`, `{{random LOW HIGH}}`, `{{hex N}}`.

use csv::StringRecord;
use rand::{Rng, RngExt};
use std::fmt::Write;

/// The most digits of a `{{hex N}}`.
const HEX_LIMIT: usize = 1024;

/// A text whose fields are filled in for each request.
#[derive(Debug)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The value in this column of the row.
    Column(usize),
    /// A whole number, both limits included.
    Random(i64, i64),
    /// This many hexadecimal digits.
    Hex(usize),
}

impl Template {
    /// Finds the fields. `columns` are the data file's, none if there is no such file.
    pub(crate) fn parse(text: &str, columns: &[String]) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let Some((inside, after)) = behind.split_once("}}") else {
                return Err(format!("there is a {{{{ without }}}}; {}", known(columns)));
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            parts.push(field(inside.trim(), columns)?);
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self(parts))
    }

    /// The text with its fields filled in. `row` is there if a column is used.
    pub(crate) fn fill(&self, row: Option<&StringRecord>, random: &mut impl Rng) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(part) => text.push_str(part),
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

    /// The columns whose values are filled in.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.0.iter().filter_map(|part| match part {
            Part::Column(index) => Some(*index),
            _ => None,
        })
    }

    /// Whether something is drawn that does not come from the data file.
    pub(crate) fn is_random(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Random(..) | Part::Hex(_)))
    }
}

fn field(inside: &str, columns: &[String]) -> Result<Part, String> {
    if let Some(index) = columns.iter().position(|column| column == inside) {
        return Ok(Part::Column(index));
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
        format!("{{{{{shown}}}}} is not a field; {}", known(columns))
    })
}

/// Which fields there are.
fn known(columns: &[String]) -> String {
    let mut text = "fields are ".to_owned();
    for column in columns {
        let _ = write!(text, "{{{{{column}}}}}, ");
    }
    text + "{{random LOW HIGH}} and {{hex N}}"
}
