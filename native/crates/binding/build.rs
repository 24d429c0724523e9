//! Links the addon against the host Node.

fn main() {
    napi_build::setup();
}
