//! Log objects (rpc.md §3.4, §8.1) as JSON text.

use rhizome_crypto::keccak256;
use rhizome_primitives::rlp::RlpError;
use rhizome_primitives::{B256, hex};
use smallvec::SmallVec;

use crate::criteria::LogCriteria;
use crate::json::{push_hex, push_number};
use crate::log_walk::{StoredBlock, WalkedLog, walk_logs};

/// Digits of an address and of a topic.
const ADDRESS_DIGITS: usize = 40;
const TOPIC_DIGITS: usize = 64;

/// End of the text of a log; the text for logs that were taken back differs here only.
const END_PRESENT: &[u8] = br#"],"removed":false}"#;
const END_REMOVED: &[u8] = br#"],"removed":true}"#;
/// The logs of a receipt do not say it.
const END_IN_RECEIPT: &[u8] = b"]}";

/// Writes logs of one block. What those of the block and of a transaction have in common is made once.
pub(crate) struct LogWriter {
    block: Vec<u8>,
    transaction: Vec<u8>,
    transaction_index: Option<u64>,
    end: &'static [u8],
}

/// Offset of the digits of the address of a log, from the start of its text.
pub(crate) type AddressOffset = u16;

impl LogWriter {
    /// @param removed whether the block left the chain
    pub(crate) fn new(block: &StoredBlock<'_>, removed: bool) -> Self {
        Self::ending(block.hash, block.number, end_of_log(removed))
    }

    /// For logs that were not taken back.
    pub(crate) fn present(block_hash: B256, block_number: u64) -> Self {
        Self::ending(block_hash, block_number, END_PRESENT)
    }

    /// For the logs inside a receipt.
    pub(crate) fn in_receipt(block_hash: B256, block_number: u64) -> Self {
        Self::ending(block_hash, block_number, END_IN_RECEIPT)
    }

    fn ending(block_hash: B256, block_number: u64, end: &'static [u8]) -> Self {
        let mut text = Vec::with_capacity(128);
        text.extend_from_slice(br#"","blockNumber":"0x"#);
        push_number(&mut text, block_number);
        text.extend_from_slice(br#"","blockHash":"0x"#);
        push_hex(&mut text, block_hash.as_slice());
        text.extend_from_slice(br#"","transactionHash":"0x"#);
        Self { block: text, transaction: Vec::with_capacity(128), transaction_index: None, end }
    }

    /// Appends a log.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>, log: &WalkedLog<'_>) -> AddressOffset {
        if self.transaction_index != Some(log.transaction_index) {
            self.transaction_index = Some(log.transaction_index);
            self.transaction.clear();
            push_hex(&mut self.transaction, keccak256(log.transaction).as_slice());
            self.transaction.extend_from_slice(br#"","transactionIndex":"0x"#);
            push_number(&mut self.transaction, log.transaction_index);
            self.transaction.extend_from_slice(br#"","address":"0x"#);
        }
        let start = out.len();
        out.extend_from_slice(br#"{"logIndex":"0x"#);
        push_number(out, log.log_index);
        out.extend_from_slice(&self.block);
        out.extend_from_slice(&self.transaction);
        let address = out.len() - start;
        push_hex(out, log.address);
        out.extend_from_slice(br#"","data":"0x"#);
        push_hex(out, log.data);
        out.extend_from_slice(br#"","topics":["#);
        for (position, topic) in log.topics.iter().enumerate() {
            out.extend_from_slice(if position == 0 { br#""0x"# } else { br#","0x"# });
            push_hex(out, topic);
            out.push(b'"');
        }
        out.extend_from_slice(self.end);
        // Everything before it is of bounded length.
        address as AddressOffset
    }
}

/// All logs of a block as text, ready to be copied.
pub struct BlockLogs {
    /// Objects with commas between.
    text: Box<[u8]>,
    logs: Box<[KeptLog]>,
}

struct KeptLog {
    /// Offset at which the text of the log ends.
    end: u32,
    address: AddressOffset,
    topics: u8,
}

impl BlockLogs {
    /// Writes the logs of a block; `None` when one has an address or a topic of unusual length, which has no position
    /// in a text that is searched by offsets.
    pub(crate) fn write(block: &StoredBlock<'_>) -> Result<Option<Self>, RlpError> {
        let mut writer = LogWriter::new(block, false);
        let (mut text, mut logs, mut is_regular) = (Vec::new(), Vec::new(), true);
        walk_logs(block, |log| {
            is_regular &= log.address.len() * 2 == ADDRESS_DIGITS
                && log.topics.len() <= usize::from(u8::MAX)
                && log.topics.iter().all(|topic| topic.len() * 2 == TOPIC_DIGITS);
            if !text.is_empty() {
                text.push(b',');
            }
            let address = writer.write(&mut text, &log);
            logs.push(KeptLog { end: text.len() as u32, address, topics: log.topics.len() as u8 });
        })?;
        is_regular &= u32::try_from(text.len()).is_ok();
        Ok(is_regular.then(|| Self { text: text.into(), logs: logs.into() }))
    }

    /// Bytes held.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + self.logs.len() * size_of::<KeptLog>() + size_of::<Self>()
    }

    /// Number of logs.
    pub(crate) fn count(&self) -> usize {
        self.logs.len()
    }

    /// Bytes of the text of all of them.
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    /// Appends the logs that match, with commas between and before them when `out` is not empty; returns how many.
    pub(crate) fn append(&self, out: &mut Vec<u8>, criteria: &LogCriteria, removed: bool) -> u32 {
        let matcher = criteria.digits();
        if matcher.takes_all() && !removed {
            self.append_run(out, 0, self.text.len());
            return self.logs.len() as u32;
        }
        let mut count = 0;
        let mut start = 0;
        // Logs that follow one another are copied at once.
        let mut run = None;
        for log in &self.logs {
            let end = log.end as usize;
            let text = &self.text[start..end];
            if !log.matches(text, criteria) {
                if let Some(first) = run.take() {
                    self.append_run(out, first, start - 1);
                }
            } else if removed {
                separate(out);
                out.extend_from_slice(&text[..text.len() - END_PRESENT.len()]);
                out.extend_from_slice(END_REMOVED);
                count += 1;
            } else {
                run.get_or_insert(start);
                count += 1;
            }
            // The comma belongs to neither.
            start = end + 1;
        }
        if let Some(first) = run {
            self.append_run(out, first, self.text.len());
        }
        count
    }

    /// Visits the logs.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(LogParts<'_>)) {
        let mut start = 0;
        for log in &self.logs {
            let end = log.end as usize;
            let text = &self.text[start..end];
            let address: [u8; ADDRESS_DIGITS / 2] = decode(log.address(text));
            let topics: SmallVec<[[u8; TOPIC_DIGITS / 2]; 4]> =
                (0..usize::from(log.topics)).map(|position| decode(log.topic(text, position))).collect();
            let topics: SmallVec<[&[u8]; 4]> = topics.iter().map(|topic| &topic[..]).collect();
            let text = &text[..text.len() - END_PRESENT.len()];
            visit(LogParts { text, address: &address, topics: &topics });
            // The comma belongs to neither.
            start = end + 1;
        }
    }

    fn append_run(&self, out: &mut Vec<u8>, start: usize, end: usize) {
        if start < end {
            separate(out);
            out.extend_from_slice(&self.text[start..end]);
        }
    }
}

/// A log that is kept as text.
pub(crate) struct LogParts<'a> {
    /// The object up to its end, which [`end_of_log`] gives.
    pub(crate) text: &'a [u8],
    pub(crate) address: &'a [u8],
    pub(crate) topics: &'a [&'a [u8]],
}

impl KeptLog {
    fn matches(&self, text: &[u8], criteria: &LogCriteria) -> bool {
        criteria.digits().matches(self.address(text), usize::from(self.topics), |position| self.topic(text, position))
    }

    /// Digits of the address.
    fn address<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let start = usize::from(self.address);
        &text[start..start + ADDRESS_DIGITS]
    }

    /// Digits of a topic.
    fn topic<'a>(&self, text: &'a [u8], position: usize) -> &'a [u8] {
        let count = usize::from(self.topics);
        // `"0x…"`, with a comma after all but the last.
        let topics = text.len() - END_PRESENT.len() - (TOPIC_DIGITS + 5) * count + usize::from(count > 0);
        let start = topics + (TOPIC_DIGITS + 5) * position + 3;
        &text[start..start + TOPIC_DIGITS]
    }
}

/// Begins another element of an array.
pub(crate) fn separate(out: &mut Vec<u8>) {
    if !out.is_empty() {
        out.push(b',');
    }
}

/// End of the text of a log, with the member that says whether it was taken back.
pub(crate) fn end_of_log(removed: bool) -> &'static [u8] {
    if removed { END_REMOVED } else { END_PRESENT }
}

/// Bytes of digits that were written here.
fn decode<const LENGTH: usize>(digits: &[u8]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    // Every digit is one, and there are as many as needed.
    let _ = hex::decode_to_slice(digits, &mut bytes);
    bytes
}
