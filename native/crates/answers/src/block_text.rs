//! Block objects (rpc.md §3.3) as JSON text.

use rhizome_crypto::keccak256;
use rhizome_primitives::rlp::RlpError;

use crate::log_walk::transactions_of;
use crate::members::push_data;
use crate::mined_block::MinedBlock;
use crate::transaction_text::{ADDRESS_LENGTH, Fields, push_transaction, to_sender};

/// The members of a block object beside its transactions, each of the two JSON text of an object that is not empty.
pub struct BlockMembers<'a> {
    /// Text before the transactions.
    pub before: &'a str,
    /// Text after them.
    pub after: &'a str,
}

/// Writes a block object. @param full whether its transactions are objects, not hashes
pub fn write_block(
    block: &MinedBlock<'_>,
    full: bool,
    BlockMembers { before, after }: &BlockMembers<'_>,
) -> Result<Vec<u8>, RlpError> {
    let (Some(before), Some(after)) = (before.strip_suffix('}'), after.strip_prefix('{')) else {
        return Err(RlpError::WrongKind);
    };
    let per_transaction = if full { 4 * block.body.len() + 512 } else { block.body.len() };
    let mut out = Vec::with_capacity(before.len() + after.len() + per_transaction + 32);
    out.extend_from_slice(before.as_bytes());
    out.extend_from_slice(br#","transactions":["#);
    let mut senders = block.senders.chunks_exact(ADDRESS_LENGTH);
    let mut transactions = transactions_of(block.body)?;
    let mut index = 0;
    while let Some((item, encoding)) = transactions.next()? {
        if index > 0 {
            out.push(b',');
        }
        let hash = keccak256(encoding);
        if full {
            let sender = to_sender(senders.next().ok_or(RlpError::Truncated)?);
            let fields = Fields::read(item, encoding)?;
            push_transaction(&mut out, &hash, &sender, Some(block.position(index)), &fields);
        } else {
            push_data(&mut out, hash.as_slice());
        }
        index += 1;
    }
    out.extend_from_slice(b"],");
    out.extend_from_slice(after.as_bytes());
    Ok(out)
}
