//! Scripts as wrk would run them: what they see, what they give, how they fail.

mod errors;
mod hooks;
mod requests;
mod shipped;
mod threads;

use super::*;

fn setting() -> Setting {
    Setting {
        scheme: "http".into(),
        host: "localhost".into(),
        port: Some("8080".into()),
        path: "/index?a=b".into(),
        headers: Vec::new(),
        tells_time: false,
    }
}

/// A state in which this text was run.
fn script(text: &str) -> Script {
    scripts(text, &setting())
}

fn scripts(text: &str, setting: &Setting) -> Script {
    let script = Script::new(setting).unwrap();
    script.lua.load(text).set_name("@script.lua").exec().unwrap();
    script
}

/// One that went through `init`.
fn ready(text: &str) -> Script {
    let script = script(text);
    script.init::<&str>(&[]).unwrap();
    script
}

impl Script {
    /// What an expression is worth, as text.
    fn eval(&self, expression: &str) -> String {
        self.lua.load(format!("return tostring(({expression}))")).eval().unwrap()
    }

    fn next(&self) -> String {
        let mut bytes = b"left over".to_vec();
        self.request(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}
