//! JSON-RPC bodies that are parsed, answered and written as bytes. One grammar reads every body (`envelope.rs`); what
//! is cheaper to answer than the JavaScript values between socket and store would be to make is answered here.
//!
//! Of parameters only the ordinary form is understood. Everything else, errors included, is declined and left to the
//! methods' own code, which is the only place that knows the rules.

mod account_memo;
mod call_params;
mod envelope;
mod fast_calls;
mod fast_methods;
mod fast_path;
mod json;
mod json_depth;
mod json_string;
mod plain_params;
mod response_cache;
mod state_reads;

pub use envelope::{
    BATCH_BEGIN, BATCH_END, Envelope, Fault, INVALID, NO_METHOD, REQUEST, REQUEST_WORDS, Shape, UNKNOWN_METHOD,
};
pub use fast_calls::{CallKind, CallStats, FastCalls, GasCaps};
pub use fast_methods::FastMethod;
pub use fast_path::{
    ANSWERED, AnnouncedHead, Answered, CACHEABLE, CACHED, FastPath, MethodName, OTHER_FORM, TOO_LONG, WAITS,
};
pub use response_cache::{Lookups, ResponseCache};
pub use state_reads::{Read, StateReads};
