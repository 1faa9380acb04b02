//! Copies of values from one Lua state to another.

use mlua::{BString, IntoLua, Lua, Value};

/// Tables deeper than this are assumed to contain themselves.
const DEEPEST: usize = 200;

/// A copy that belongs to no state.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Transfer {
    Nil,
    Boolean(bool),
    Number(f64),
    String(BString),
    /// Keys and values.
    Table(Vec<(Self, Self)>),
}

impl Transfer {
    /// Copies a value. The error is wrk's message about values that cannot leave their state.
    pub(super) fn take(value: &Value) -> Result<Self, String> {
        Self::take_at(value, 0)
    }

    fn take_at(value: &Value, depth: usize) -> Result<Self, String> {
        Ok(match value {
            Value::Nil => Self::Nil,
            Value::Boolean(truth) => Self::Boolean(*truth),
            Value::Integer(number) => Self::Number(*number as f64),
            Value::Number(number) => Self::Number(*number),
            Value::String(text) => Self::String(text.as_bytes().to_vec().into()),
            Value::Table(_) if depth == DEEPEST => {
                return Err(format!(
                    "cannot transfer a table of more than {DEEPEST} levels to thread"
                ));
            }
            Value::Table(table) => {
                let mut pairs = Vec::new();
                for pair in table.pairs::<Value, Value>() {
                    let (key, value) = pair.map_err(|error| error.to_string())?;
                    pairs
                        .push((Self::take_at(&key, depth + 1)?, Self::take_at(&value, depth + 1)?));
                }
                Self::Table(pairs)
            }
            other => return Err(format!("cannot transfer '{}' to thread", name_of(other))),
        })
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::LightUserData(_) | Value::UserData(_) | Value::Error(_) => "userdata",
        // mlua has no type for LuaJIT's 64-bit integers and C objects.
        Value::Other(_) => "cdata",
        value => value.type_name(),
    }
}

impl IntoLua for Transfer {
    fn into_lua(self, lua: &Lua) -> mlua::Result<Value> {
        match self {
            Self::Nil => Ok(Value::Nil),
            Self::Boolean(truth) => Ok(Value::Boolean(truth)),
            Self::Number(number) => Ok(Value::Number(number)),
            Self::String(text) => text.into_lua(lua),
            Self::Table(pairs) => {
                let table = lua.create_table()?;
                for (key, value) in pairs {
                    table.raw_set(key, value)?;
                }
                Ok(Value::Table(table))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leaves() -> impl Strategy<Value = Transfer> {
        prop_oneof![
            any::<bool>().prop_map(Transfer::Boolean),
            // A key has only one sign of zero.
            any::<f64>()
                .prop_filter("a key", |n| !n.is_nan() && *n != 0.0)
                .prop_map(Transfer::Number),
            proptest::collection::vec(any::<u8>(), 0..20).prop_map(|b| Transfer::String(b.into())),
        ]
    }

    fn tables() -> impl Strategy<Value = Transfer> {
        leaves().prop_recursive(6, 60, 6, |inner| {
            proptest::collection::vec((leaves(), inner), 0..6).prop_map(table)
        })
    }

    /// If keys are equal, the last one holds.
    fn table(pairs: Vec<(Transfer, Transfer)>) -> Transfer {
        let mut kept: Vec<(Transfer, Transfer)> = Vec::new();
        for (key, value) in pairs {
            kept.retain(|(other, _)| *other != key);
            kept.push((key, value));
        }
        Transfer::Table(kept)
    }

    /// A table has no order.
    fn sorted(value: Transfer) -> Transfer {
        let Transfer::Table(pairs) = value else { return value };
        let mut pairs: Vec<_> =
            pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect();
        pairs.sort_by_key(|(key, _)| format!("{key:?}"));
        Transfer::Table(pairs)
    }

    proptest! {
        #[test]
        fn what_arrives_is_what_left(sent in tables()) {
            let (from, to) = (Lua::new(), Lua::new());
            let left = Transfer::take(&from.pack(sent.clone()).unwrap()).unwrap();
            let arrived = Transfer::take(&to.pack(left).unwrap()).unwrap();
            prop_assert_eq!(sorted(arrived), sorted(sent));
        }
    }

    #[test]
    fn what_belongs_to_its_state_stays_there() {
        let lua = Lua::new();
        for (code, name) in [
            ("return print", "function"),
            ("return {{print}}", "function"),
            ("return {[print] = 1}", "function"),
            ("return coroutine.create(print)", "thread"),
            ("return newproxy()", "userdata"),
            ("return 1LL", "cdata"),
        ] {
            let refused = Transfer::take(&lua.load(code).eval().unwrap()).unwrap_err();
            assert_eq!(refused, format!("cannot transfer '{name}' to thread"), "{code}");
        }
    }

    #[test]
    fn a_table_that_contains_itself_is_refused() {
        let lua = Lua::new();
        let endless = lua.load("local t = {} t.t = t return t").eval().unwrap();
        let refused = Transfer::take(&endless).unwrap_err();
        assert_eq!(refused, "cannot transfer a table of more than 200 levels to thread");
    }
}
