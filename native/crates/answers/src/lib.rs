//! JSON text of answers, written from stored bytes and kept by the hash of what it tells of. What is kept never
//! changes: whoever asks for it has looked up before which hashes belong to the answer.

mod block_names;
mod criteria;
mod item_text;
mod json;
mod encoded_object_cache;
mod log_page;
mod log_text;
mod log_walk;
mod output;
mod proof_text;
mod encoded_answers;
mod encoded_logs;

pub use block_names::BlockNames;
pub use criteria::LogCriteria;
pub use item_text::{MinedBlock, MinedTransaction, write_block, write_receipt, write_transaction};
pub use encoded_object_cache::{EncodedObject, EncodedObjectCache, TextKind, ObjectBlock};
pub use log_page::{LogPage, PageEnd};
pub use log_text::BlockLogs;
pub use log_walk::StoredBlock;
pub use output::Output;
pub use proof_text::proof_text;
pub use encoded_answers::{Outcome, EncodedAnswers, Subject, Unknown};
pub use encoded_logs::{EncodedLogs, SearchBounds};
