//! Receipt objects (rpc.md §3.4) as JSON text.

use rhizome_crypto::keccak256;
use rhizome_primitives::B256;
use rhizome_primitives::rlp::{Item, RlpError, list, write_bytes};

use crate::json::without_zeros;
use crate::log_text::LogWriter;
use crate::log_walk::{Items, read_log, transactions_of};
use crate::members::Members;
use crate::mined_block::{MinedBlock, Position};
use crate::transaction_text::{ADDRESS_LENGTH, Fields, MinedTransaction, Sender, to_sender};

/// Status of a transaction that succeeded, as its receipt has it.
const SUCCESS: &[u8] = &[1];

/// Bytes of the members of a receipt beside its logs, and a little more.
const MEMBERS: usize = 2048;

/// Writes a receipt object. @param receipts RLP list of the receipts of the block
pub fn write_receipt(transaction: &MinedTransaction<'_>, receipts: &[u8]) -> Result<Vec<u8>, RlpError> {
    let fields = transaction.fields()?;
    let mut list = Items::of(Item::read_only(receipts)?)?;
    let mut first_log = 0;
    for _ in 0..transaction.index {
        first_log += count_logs(list.nth(0)?.0)?;
    }
    let MinedTransaction { hash, sender, .. } = *transaction;
    let (receipt, encoding) = list.nth(0)?;
    let mut out = Vec::with_capacity(MEMBERS + 3 * encoding.len());
    let mut logs = LogWriter::in_receipt(transaction.block_hash, transaction.block_number);
    let subject = Subject { hash, sender, position: transaction.position(), fields };
    push_receipt(&mut out, &subject, receipt, first_log, &mut logs)?;
    Ok(out)
}

/// Writes the receipt objects of a block as a JSON array. @param receipts RLP list of them
pub fn write_receipts(block: &MinedBlock<'_>, receipts: &[u8]) -> Result<Vec<u8>, RlpError> {
    let mut out = Vec::with_capacity(MEMBERS + 5 * receipts.len());
    let mut list = Items::of(Item::read_only(receipts)?)?;
    let mut senders = block.senders.chunks_exact(ADDRESS_LENGTH);
    let mut transactions = transactions_of(block.body)?;
    let mut logs = LogWriter::in_receipt(block.hash, block.number);
    let (mut index, mut first_log) = (0, 0);
    out.push(b'[');
    while let Some((receipt, _)) = list.next()? {
        let (item, encoding) = transactions.nth(0)?;
        if index > 0 {
            out.push(b',');
        }
        let subject = Subject {
            hash: keccak256(encoding),
            sender: to_sender(senders.next().ok_or(RlpError::Truncated)?),
            position: block.position(index),
            fields: Fields::read(item, encoding)?,
        };
        first_log += push_receipt(&mut out, &subject, receipt, first_log, &mut logs)?;
        index += 1;
    }
    out.push(b']');
    Ok(out)
}

/// The transaction that a receipt is of.
struct Subject<'a> {
    hash: B256,
    sender: Sender,
    position: Position,
    fields: Fields<'a>,
}

/// Appends a receipt; returns how many logs it has. @param first_log index in the block of the first of them
fn push_receipt(
    out: &mut Vec<u8>,
    Subject { hash, sender, position, fields }: &Subject<'_>,
    receipt: Item<'_>,
    first_log: u64,
    writer: &mut LogWriter,
) -> Result<u64, RlpError> {
    let mut receipt = Items::of(receipt)?;
    let mut field = || Ok::<_, RlpError>(receipt.nth(0)?.0);
    let _post_state = field()?;
    let (cumulative_gas, bloom, logs) = (field()?.bytes()?, field()?.bytes()?, field()?);
    let (gas, status) = (field()?.bytes()?, field()?.bytes()?);

    out.push(b'{');
    let mut members = Members::new(out);
    members.data("transactionHash", hash.as_slice());
    members.number("transactionIndex", position.index);
    members.data("blockHash", position.block_hash.as_slice());
    members.number("blockNumber", position.block_number);
    members.quantity("cumulativeGasUsed", cumulative_gas);
    members.quantity("gasUsed", gas);
    // A creation shows its contract address also when it failed.
    let created = fields.receiver().is_none().then(|| contract_address(sender, fields.nonce));
    members.data_or_null("contractAddress", created.as_ref().map(|address| &address[..]));
    members.name("logs");
    out.push(b'[');
    let count = push_logs(out, writer, logs, fields.encoding, position.index, first_log)?;
    out.push(b']');
    let mut members = Members::new(out);
    members.data("from", sender);
    members.data_or_null("to", fields.receiver());
    members.plain("status", if status == SUCCESS { "\"0x1\"" } else { "\"0x0\"" });
    members.data("logsBloom", bloom);
    members.plain("type", "\"0x0\"");
    members.quantity("effectiveGasPrice", fields.gas_price);
    out.push(b'}');
    Ok(count)
}

/// Appends the logs of a transaction with commas between; returns how many there are.
pub(crate) fn push_logs(
    out: &mut Vec<u8>,
    writer: &mut LogWriter,
    logs: Item<'_>,
    transaction: &[u8],
    transaction_index: u64,
    first_log: u64,
) -> Result<u64, RlpError> {
    let mut logs = Items::of(logs)?;
    let mut count = 0;
    while let Some((log, _)) = logs.next()? {
        if count > 0 {
            out.push(b',');
        }
        writer.write(out, &read_log(log, transaction_index, first_log + count, transaction)?);
        count += 1;
    }
    Ok(count)
}

fn count_logs(receipt: Item<'_>) -> Result<u64, RlpError> {
    let mut logs = Items::of(Items::of(receipt)?.nth(3)?.0)?;
    let mut count = 0;
    while logs.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Address of the contract that a transaction creates: of its sender and its nonce as read.
fn contract_address(sender: &Sender, nonce: &[u8]) -> [u8; ADDRESS_LENGTH] {
    let mut payload = Vec::with_capacity(32);
    write_bytes(&mut payload, sender);
    write_bytes(&mut payload, without_zeros(nonce));
    let hash = keccak256(&list(&payload));
    let mut address = [0; ADDRESS_LENGTH];
    address.copy_from_slice(&hash[12..]);
    address
}
