//! The logs in the stored receipts of a block.

use rhizome_primitives::B256;
use rhizome_primitives::rlp::{Item, RlpError};
use smallvec::SmallVec;

/// Fields of a receipt before its logs: post state, cumulative gas, bloom.
const FIELDS_BEFORE_LOGS: usize = 3;

/// A block as the chain store has it.
#[derive(Clone, Copy)]
pub struct StoredBlock<'a> {
    /// Hash of the block.
    pub hash: B256,
    /// Height.
    pub number: u64,
    /// RLP list of the receipts, one per transaction.
    pub receipts: &'a [u8],
    /// RLP `[transactions, uncles]`; transactions in the form that their hash is of.
    pub body: &'a [u8],
}

/// A log, and where it stands.
pub(crate) struct WalkedLog<'a> {
    pub(crate) transaction_index: u64,
    /// Position in the block.
    pub(crate) log_index: u64,
    /// RLP of the transaction.
    pub(crate) transaction: &'a [u8],
    pub(crate) address: &'a [u8],
    pub(crate) topics: SmallVec<[&'a [u8]; 4]>,
    pub(crate) data: &'a [u8],
}

/// Visits the logs of a block in their order.
pub(crate) fn walk_logs<'a>(block: &StoredBlock<'a>, visit: impl FnMut(WalkedLog<'a>)) -> Result<(), RlpError> {
    let mut transactions = transactions_of(block.body)?;
    walk(block.receipts, || Ok(transactions.next()?.ok_or(RlpError::Truncated)?.1), visit)
}

/// The same of the receipts of a block alone: the logs come without the RLP of their transactions.
pub(crate) fn walk_receipts<'a>(receipts: &'a [u8], visit: impl FnMut(WalkedLog<'a>)) -> Result<(), RlpError> {
    walk(receipts, || Ok(&[]), visit)
}

fn walk<'a>(
    receipts: &'a [u8],
    mut next_transaction: impl FnMut() -> Result<&'a [u8], RlpError>,
    mut visit: impl FnMut(WalkedLog<'a>),
) -> Result<(), RlpError> {
    let mut receipts = Items::of(Item::read_only(receipts)?)?;
    let (mut transaction_index, mut log_index) = (0, 0);
    while let Some((receipt, _)) = receipts.next()? {
        let transaction = next_transaction()?;
        let mut fields = Items::of(receipt)?;
        for _ in 0..FIELDS_BEFORE_LOGS {
            fields.next()?;
        }
        let (logs, _) = fields.next()?.ok_or(RlpError::Truncated)?;
        let mut logs = Items::of(logs)?;
        while let Some((log, _)) = logs.next()? {
            visit(read_log(log, transaction_index, log_index, transaction)?);
            log_index += 1;
        }
        transaction_index += 1;
    }
    Ok(())
}

/// A log of its item: address, topics, data.
pub(crate) fn read_log<'a>(
    log: Item<'a>,
    transaction_index: u64,
    log_index: u64,
    transaction: &'a [u8],
) -> Result<WalkedLog<'a>, RlpError> {
    let mut parts = Items::of(log)?;
    let mut part = || parts.next()?.map(|(item, _)| item).ok_or(RlpError::Truncated);
    let address = part()?.bytes()?;
    let mut list = Items::of(part()?)?;
    let data = part()?.bytes()?;
    let mut topics = SmallVec::new();
    while let Some((topic, _)) = list.next()? {
        topics.push(topic.bytes()?);
    }
    Ok(WalkedLog { transaction_index, log_index, transaction, address, topics, data })
}

/// The transactions of a stored body.
pub(crate) fn transactions_of(body: &[u8]) -> Result<Items<'_>, RlpError> {
    Items::of(Items::of(Item::read_only(body)?)?.nth(0)?.0)
}

/// The items of a list one after the other, each with its encoding.
pub(crate) struct Items<'a> {
    left: &'a [u8],
}

impl<'a> Items<'a> {
    pub(crate) fn of(list: Item<'a>) -> Result<Self, RlpError> {
        match list {
            Item::List(left) => Ok(Self { left }),
            Item::Bytes(_) => Err(RlpError::WrongKind),
        }
    }

    /// The item after so many others.
    pub(crate) fn nth(&mut self, index: usize) -> Result<(Item<'a>, &'a [u8]), RlpError> {
        for _ in 0..index {
            self.next()?;
        }
        self.next()?.ok_or(RlpError::Truncated)
    }

    pub(crate) fn next(&mut self) -> Result<Option<(Item<'a>, &'a [u8])>, RlpError> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let (item, rest) = Item::read(self.left)?;
        let encoding = &self.left[..self.left.len() - rest.len()];
        self.left = rest;
        Ok(Some((item, encoding)))
    }
}
