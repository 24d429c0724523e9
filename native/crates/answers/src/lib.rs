//! JSON text of answers, written from stored bytes and kept by the hash of what it describes. What is kept never
//! changes: whoever asks for it has looked up before which hashes belong to the answer.

mod block_names;
mod block_text;
mod criteria;
mod encoded_answers;
mod encoded_logs;
mod encoded_object_cache;
mod json;
mod log_page;
mod log_subscriptions;
mod log_terms;
mod log_text;
mod log_walk;
mod members;
mod mined_block;
mod output;
mod proof_text;
mod receipt_text;
mod simulated_logs;
mod transaction_text;

pub use block_names::{BlockNames, NamedBlock, NamedHead, TagDepths};
pub use block_text::{BlockMembers, write_block};
pub use criteria::LogCriteria;
pub use encoded_answers::{EncodedAnswers, Subject};
pub use encoded_logs::{EncodedLogs, SearchBounds};
pub use encoded_object_cache::{EncodedObject, EncodedObjectCache, ObjectBlock, TextKind};
pub use log_page::{LogPage, PageEnd};
pub use log_subscriptions::LogSubscriptions;
pub use log_terms::{TERM_LENGTH, log_terms};
pub use log_text::BlockLogs;
pub use log_walk::StoredBlock;
pub use mined_block::MinedBlock;
pub use output::Output;
pub use proof_text::proof_text;
pub use receipt_text::{write_receipt, write_receipts};
pub use simulated_logs::{SimulatedTransaction, write_simulated_logs};
pub use transaction_text::{
    Listed, MinedTransaction, Sender, write_transaction, write_transaction_at, write_transactions,
};
