//! The command exports the functions of `LuaJIT`: modules in C that a script loads are linked with
//! them.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic");
}
