//! Links the addon against the host Node.js, and passes on the build's metadata for `build_info`.

use std::env;
use std::process::Command;

fn main() {
    napi_build::setup();
    println!("cargo:rustc-env=RHIZOME_TARGET={}", variable("TARGET"));
    println!("cargo:rustc-env=RHIZOME_PROFILE={}", variable("PROFILE"));
    println!("cargo:rustc-env=RHIZOME_RUSTC={}", compiler());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| "unknown".to_owned())
}

/// Name and version of the compiler, without the commit and date that follow them.
fn compiler() -> String {
    let output = Command::new(variable("RUSTC")).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let words: Vec<String> = text.unwrap_or_default().split_whitespace().take(2).map(str::to_owned).collect();
    if words.len() == 2 { words.join(" ") } else { "rustc unknown".to_owned() }
}
