//! What [`crate::fast_path`] takes and gives.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Request that a method makes of the fast path, with its parameters.
        #[napi(string_enum = "camelCase")]
        pub enum FastMethod { $($(#[$doc])* $name,)* }

        impl From<FastMethod> for rhizome_rpc::FastMethod {
            fn from(method: FastMethod) -> Self {
                match method { $(FastMethod::$name => Self::$name,)* }
            }
        }
    };
}

rhizome_rpc::fast_methods!(define);

/// A name that requests call a method by.
#[napi(object)]
pub struct MethodName {
    /// The name.
    pub name: String,
    /// Number of the method in records, below 2^15.
    pub index: u32,
    /// Part of it that is answered from the bytes of requests.
    pub fast: Option<FastMethod>,
    /// True when responses to parameters hold as long as the head does.
    pub is_cached: bool,
    /// True when responses report reverts, in one of two forms.
    pub reports_reverts: bool,
}

/// Most gas of calls, and how deep tags are.
#[napi(object)]
pub struct FastLimits {
    /// Most gas of a call.
    pub call_gas: BigInt,
    /// Most gas of an estimate.
    pub estimate_gas: BigInt,
    /// Blocks between the head and `safe`.
    pub safe_depth: i64,
    /// Blocks between the head and `finalized`.
    pub finalized_depth: i64,
}

/// Lookups of cached responses that found one and that did not, and the bytes that are kept.
#[napi(object)]
pub struct ResponseCacheStats {
    /// Found.
    pub hits: i64,
    /// Executed in the fast path, as there was none.
    pub misses: i64,
    /// Bytes held.
    pub bytes: i64,
}

/// Calls and estimates that were executed by the fast path, and their gas.
#[napi(object)]
pub struct FastCallStats {
    /// Begun.
    pub attempts: i64,
    /// Of these, left to a worker in the end.
    pub failures: i64,
    /// Gas of all of them.
    pub gas: i64,
    /// Gas of those that a worker executed once more.
    pub wasted_gas: i64,
}
