//! JSON text of answers, written from stored bytes and kept by the hash of what it tells of. What is kept never
//! changes: whoever asks for it has looked up before which hashes belong to the answer.

mod block_names;
mod criteria;
mod encoded_answers;
mod encoded_logs;
mod encoded_object_cache;
mod item_text;
mod json;
mod log_page;
mod log_text;
mod log_walk;
mod output;
mod proof_text;

pub use block_names::BlockNames;
pub use criteria::LogCriteria;
pub use encoded_answers::{EncodedAnswers, Outcome, Subject, Unknown};
pub use encoded_logs::{EncodedLogs, SearchBounds};
pub use encoded_object_cache::{EncodedObject, EncodedObjectCache, ObjectBlock, TextKind};
pub use item_text::{MinedBlock, MinedTransaction, write_block, write_receipt, write_transaction};
pub use log_page::{LogPage, PageEnd};
pub use log_text::BlockLogs;
pub use log_walk::StoredBlock;
pub use output::Output;
pub use proof_text::proof_text;
