//! JSON-RPC requests that are read, answered and written as bytes: reads of the state that are
//! cheaper than the JavaScript values between socket and store would be.
//!
//! Only the ordinary form of a request is understood here. Everything else, errors included, is
//! declined and left to the methods' own code, which is the only place that knows the rules.

pub mod scan;
pub mod state_reads;

mod output;

pub use scan::{Params, Request, Scanner};
pub use state_reads::{Outcome, Read, StateReads};
