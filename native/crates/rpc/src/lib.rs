//! JSON-RPC requests that are read, answered and written as bytes: what is cheaper to answer than the
//! JavaScript values between socket and store would be to make.
//!
//! Only the ordinary form of a request is understood here. Everything else, errors included, is
//! declined and left to the methods' own code, which is the only place that knows the rules.

mod call_params;
mod fast_calls;
mod fast_path;
mod response_cache;
mod scan;
mod state_reads;

pub use fast_calls::{CallKind, FastCalls, GasCaps};
pub use fast_path::{Answered, FastPath, FrontMethod, Source};
pub use response_cache::{Lookups, ResponseCache};
pub use scan::Scanner;
pub use state_reads::{Outcome, Read, StateReads};
