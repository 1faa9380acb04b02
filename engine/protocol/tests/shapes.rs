//! JSON is compared with a shape as it is read; here also with a tree, by the rules as they are
//! written.

use proptest::prelude::*;
use serde_json::{Map, Value};
use volley_protocol::JsonShape;

/// Whether a value has a shape.
fn fits(shape: &Value, value: &Value) -> bool {
    match (shape, value) {
        (Value::String(types), _) => {
            types == "any" || types.split('|').any(|name| name == type_of(value))
        }
        (Value::Array(shapes), Value::Array(values)) => {
            shapes.iter().all(|shape| values.iter().all(|value| fits(shape, value)))
        }
        (Value::Object(shapes), Value::Object(values)) => {
            shapes.iter().all(|(key, shape)| match (key.strip_suffix('?'), values) {
                (Some(key), values) => values.get(key).is_none_or(|value| fits(shape, value)),
                (None, values) => values.get(key).is_some_and(|value| fits(shape, value)),
            })
        }
        _ => false,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c/~", "é", ""]).prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_map(Value::from),
        "[a\"\\\\\n\u{1}é😀]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// The shape of a value, unless chance selects another.
fn shape_of(value: &Value, chance: &mut impl Iterator<Item = u8>) -> Value {
    let any_types = ["any", "null", "string|null", "number", "boolean|number|string"];
    let drawn = chance.next().unwrap_or_default();
    if drawn.is_multiple_of(16) {
        return any_types[usize::from(drawn / 16) % any_types.len()].into();
    }
    match value {
        Value::Array(values) => {
            values.iter().take(1).map(|first| shape_of(first, chance)).collect()
        }
        Value::Object(values) => {
            let mut shapes = Map::new();
            for (key, value) in values {
                match chance.next().unwrap_or_default() % 8 {
                    0 => {}
                    1 => drop(shapes.insert(format!("{key}?"), shape_of(value, chance))),
                    _ => drop(shapes.insert(key.clone(), shape_of(value, chance))),
                }
            }
            match drawn {
                200.. => drop(shapes.insert("z".into(), "any".into())),
                190.. => drop(shapes.insert("z?".into(), "null".into())),
                _ => {}
            }
            shapes.into()
        }
        _ if drawn.is_multiple_of(4) => format!("null|{}", type_of(value)).into(),
        _ => type_of(value).into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_has_a_shape_if_and_only_if_its_tree_has(
        value in value(),
        other in value(),
        chance in prop::collection::vec(any::<u8>(), 64),
    ) {
        let shape = shape_of(&value, &mut chance.into_iter());
        // Two keys for one, as in {"a": ..., "a?": ...}, can't come from a tree's keys.
        let read = JsonShape::parse(&shape.to_string()).unwrap();
        for value in [&value, &other] {
            for json in [value.to_string(), format!("{value:#}\n")] {
                let misfit = read.misfit(json.as_bytes());
                prop_assert_eq!(misfit.is_none(), fits(&shape, value), "{} {}: {:?}", shape, json, misfit);
                if let Some(words) = misfit {
                    prop_assert!(is_true(&words, value), "{} of {}", words, json);
                }
            }
        }
    }

    #[test]
    fn what_is_no_json_has_no_shape(value in value(), cut in any::<prop::sample::Index>()) {
        let json = value.to_string();
        let at = cut.index(json.len());
        let cut = &json.as_bytes()[..at];
        let is_json = serde_json::from_slice::<Value>(cut).is_ok();
        let read = JsonShape::parse("\"any\"").unwrap();
        prop_assert_eq!(read.misfit(cut).is_none(), is_json);
    }
}

/// `/a/0 is a string, expected number`: there is a string at `/a/0`.
fn is_true(words: &str, value: &Value) -> bool {
    let (found, _) = words.split_once(", expected ").unwrap();
    let (place, what) = found.rsplit_once(" is ").unwrap();
    let pointer = if place == "the body" { "" } else { place };
    let what = what.trim_start_matches("an ").trim_start_matches("a ");
    value.pointer(pointer).map_or("missing", type_of) == what
}
