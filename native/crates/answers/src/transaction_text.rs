//! Transaction objects (rpc.md §3.4) as JSON text.

use rhizome_crypto::keccak256;
use rhizome_primitives::B256;
use rhizome_primitives::rlp::{Item, RlpError};

use crate::log_walk::{Items, transactions_of};
use crate::members::Members;
use crate::mined_block::{MinedBlock, Position};

pub(crate) const ADDRESS_LENGTH: usize = 20;

/// Bytes of the members of a transaction beside its data, and a little more.
const MEMBERS: usize = 1024;

/// Address of a sender; zeros for the reward transaction.
pub type Sender = [u8; ADDRESS_LENGTH];

/// A transaction of a block, and where the block is stored.
pub struct MinedTransaction<'a> {
    /// Hash of the transaction.
    pub hash: B256,
    /// Index in the block.
    pub index: usize,
    /// Hash of the block.
    pub block_hash: B256,
    /// Height.
    pub block_number: u64,
    /// RLP `[transactions, uncles]` of the block.
    pub body: &'a [u8],
    /// Sender; zeros for the reward transaction.
    pub sender: Sender,
}

impl<'a> MinedTransaction<'a> {
    pub(crate) fn fields(&self) -> Result<Fields<'a>, RlpError> {
        let (item, encoding) = transactions_of(self.body)?.nth(self.index)?;
        Fields::read(item, encoding)
    }

    pub(crate) fn position(&self) -> Position {
        Position { block_hash: self.block_hash, block_number: self.block_number, index: self.index as u64 }
    }
}

/// Fields of a transaction that answers have, as in its RLP.
pub(crate) struct Fields<'a> {
    pub(crate) nonce: &'a [u8],
    pub(crate) gas_price: &'a [u8],
    gas: &'a [u8],
    to: &'a [u8],
    value: &'a [u8],
    data: &'a [u8],
    v: &'a [u8],
    r: &'a [u8],
    s: &'a [u8],
    pub(crate) encoding: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) fn read(item: Item<'a>, encoding: &'a [u8]) -> Result<Self, RlpError> {
        let mut items = Items::of(item)?;
        let mut field = || items.nth(0)?.0.bytes();
        Ok(Self {
            nonce: field()?,
            gas_price: field()?,
            gas: field()?,
            to: field()?,
            value: field()?,
            data: field()?,
            v: field()?,
            r: field()?,
            s: field()?,
            encoding,
        })
    }

    /// The address that it goes to; a creation has none.
    pub(crate) fn receiver(&self) -> Option<&'a [u8]> {
        Some(self.to).filter(|to| !to.is_empty())
    }
}

/// Writes a transaction object.
pub fn write_transaction(transaction: &MinedTransaction<'_>) -> Result<Vec<u8>, RlpError> {
    let fields = transaction.fields()?;
    let mut out = Vec::with_capacity(MEMBERS + 2 * fields.data.len());
    push_transaction(&mut out, &transaction.hash, &transaction.sender, Some(transaction.position()), &fields);
    Ok(out)
}

/// Writes the transaction object of an index of a block; `None` when the block has no transaction there.
pub fn write_transaction_at(block: &MinedBlock<'_>, index: usize) -> Result<Option<Vec<u8>>, RlpError> {
    let Some(sender) = block.senders.chunks_exact(ADDRESS_LENGTH).nth(index) else { return Ok(None) };
    let (item, encoding) = transactions_of(block.body)?.nth(index)?;
    let fields = Fields::read(item, encoding)?;
    let mut out = Vec::with_capacity(MEMBERS + 2 * fields.data.len());
    push_transaction(&mut out, &keccak256(encoding), &to_sender(sender), Some(block.position(index as u64)), &fields);
    Ok(Some(out))
}

/// Form of the transactions of a list.
#[derive(Clone, Copy)]
pub enum Listed {
    /// Pending: they have no position in the chain.
    Pending,
    /// Those of a simulated block, which nobody signed.
    Simulated {
        /// Hash of the block.
        block_hash: B256,
        /// Height.
        block_number: u64,
    },
}

/// Writes transaction objects as elements of a JSON array without its brackets. @param transactions RLP list of them
/// in canonical form; `senders`: 20 bytes each
pub fn write_transactions(transactions: &[u8], senders: &[u8], listed: Listed) -> Result<Vec<u8>, RlpError> {
    let mut out = Vec::with_capacity(MEMBERS + 3 * transactions.len());
    let mut senders = senders.chunks_exact(ADDRESS_LENGTH);
    let mut items = Items::of(Item::read_only(transactions)?)?;
    let mut index = 0;
    while let Some((item, encoding)) = items.next()? {
        if index > 0 {
            out.push(b',');
        }
        let mut fields = Fields::read(item, encoding)?;
        let position = match listed {
            Listed::Pending => None,
            Listed::Simulated { block_hash, block_number } => {
                // The encoding has the chain id there, as what a signer hashes.
                fields.v = &[];
                Some(Position { block_hash, block_number, index })
            }
        };
        let sender = to_sender(senders.next().ok_or(RlpError::Truncated)?);
        push_transaction(&mut out, &keccak256(encoding), &sender, position, &fields);
        index += 1;
    }
    Ok(out)
}

pub(crate) fn to_sender(bytes: &[u8]) -> Sender {
    let mut sender = [0; ADDRESS_LENGTH];
    sender.copy_from_slice(bytes);
    sender
}

pub(crate) fn push_transaction(
    out: &mut Vec<u8>,
    hash: &B256,
    sender: &Sender,
    position: Option<Position>,
    fields: &Fields<'_>,
) {
    out.push(b'{');
    let mut members = Members::new(out);
    members.data("hash", hash.as_slice());
    members.quantity("nonce", fields.nonce);
    members.data_or_null("blockHash", position.as_ref().map(|position| position.block_hash.as_slice()));
    members.number_or_null("blockNumber", position.map(|position| position.block_number));
    members.number_or_null("transactionIndex", position.map(|position| position.index));
    members.data("from", sender);
    members.data_or_null("to", fields.receiver());
    members.quantity("gas", fields.gas);
    members.quantity("gasPrice", fields.gas_price);
    members.quantity("value", fields.value);
    members.data("input", fields.data);
    members.quantity("v", fields.v);
    members.quantity("r", fields.r);
    members.quantity("s", fields.s);
    members.plain("type", "\"0x0\"");
    out.push(b'}');
}
