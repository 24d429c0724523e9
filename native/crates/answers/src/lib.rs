//! JSON text of answers, written from stored bytes and kept by the hash of what it tells of. What is kept never
//! changes: whoever asks for it has looked up before which hashes belong to the answer.

mod criteria;
mod json;
mod kept_texts;
mod log_page;
mod log_text;
mod log_walk;

pub use criteria::LogCriteria;
pub use kept_texts::{KeptTexts, TextKind};
pub use log_page::{LogPage, PageEnd};
pub use log_text::BlockLogs;
pub use log_walk::StoredBlock;
