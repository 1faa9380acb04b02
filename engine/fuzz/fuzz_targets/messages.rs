//! Any text as a line of the protocol: it is refused, or survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volley::drive::messages::{Command, Event};

fuzz_target!(|text: &str| {
    if let Ok(command) = Command::parse(text) {
        let again = serde_json::to_string(&command).expect("it can be written");
        assert_eq!(Command::parse(&again).expect("it can be read"), command);
    }
    if let Ok(event) = serde_json::from_str::<Event>(text) {
        let again = serde_json::to_string(&event).expect("it can be written");
        assert_eq!(serde_json::from_str::<Event>(&again).expect("it can be read"), event);
    }
});
