//! Version and target of this addon's build.

use napi_derive::napi;

/// A build of the native core. It has no date and no path, so that equal builds report the same.
#[napi(object)]
pub struct BuildInfo {
    /// Version of the native core.
    pub version: String,
    /// Target triple that it was built for.
    pub target: String,
    /// `release`, or `debug` for the developers' profile.
    pub profile: String,
    /// Compiler and its version: `rustc 1.95.0`.
    pub compiler: String,
}

/// Returns how this addon was built.
#[napi]
pub fn build_info() -> BuildInfo {
    BuildInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: env!("RHIZOME_TARGET").to_owned(),
        profile: env!("RHIZOME_PROFILE").to_owned(),
        compiler: env!("RHIZOME_RUSTC").to_owned(),
    }
}
