//! JSON-RPC requests that are read, answered and written as bytes: what is cheaper to answer than the
//! JavaScript values between socket and store would be to make.
//!
//! Only the ordinary form of a request is understood here. Everything else, errors included, is
//! declined and left to the methods' own code, which is the only place that knows the rules.

mod brief_calls;
mod call_params;
mod front_answers;
mod kept_answers;
mod scan;
mod state_reads;

pub use brief_calls::{BriefCalls, CallKind, GasCaps};
pub use front_answers::{Answered, FrontAnswers, FrontMethod, Source};
pub use kept_answers::{KeptAnswers, Lookups};
pub use scan::Scanner;
pub use state_reads::{Outcome, Read, StateReads};
