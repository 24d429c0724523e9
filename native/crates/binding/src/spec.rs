//! The network of an object of the core.

use std::sync::Arc;

use napi_derive::napi;

use crate::errors::{Result, invalid};

/// Constants and activation heights of a network.
#[napi]
pub struct ChainSpec {
    pub(crate) inner: Arc<rhizome_primitives::spec::ChainSpec>,
}

#[napi]
impl ChainSpec {
    /// Parses the JSON document of `toNativeSpec` in `src/config/networkSpec.ts`.
    #[napi(constructor, catch_unwind)]
    pub fn new(json: String) -> Result<Self> {
        let inner = rhizome_primitives::spec::ChainSpec::from_json(&json).map_err(invalid)?;
        Ok(Self { inner: Arc::new(inner) })
    }
}
