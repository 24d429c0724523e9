//! JSON text of answers, written from stored bytes and kept by the hash of what it tells of. What is kept never
//! changes: whoever asks for it has looked up before which hashes belong to the answer.

mod block_names;
mod criteria;
mod item_text;
mod json;
mod kept_texts;
mod log_page;
mod log_text;
mod log_walk;
mod output;
mod proof_text;
mod ready_answers;
mod ready_logs;

pub use block_names::BlockNames;
pub use criteria::LogCriteria;
pub use item_text::{MinedBlock, MinedTransaction, write_block, write_receipt, write_transaction};
pub use kept_texts::{KeptText, KeptTexts, TextKind, TextPlace};
pub use log_page::{LogPage, PageEnd};
pub use log_text::BlockLogs;
pub use log_walk::StoredBlock;
pub use output::Output;
pub use proof_text::proof_text;
pub use ready_answers::{Outcome, ReadyAnswers, Subject, Unknown};
pub use ready_logs::{ReadyLogs, SearchBounds};
