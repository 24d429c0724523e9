//! Transactions and receipts (rpc.md §3.4) as JSON text.

use rhizome_crypto::keccak256;
use rhizome_primitives::B256;
use rhizome_primitives::rlp::{Item, RlpError, list, write_bytes};

use crate::json::{push_hex, push_number, push_number_bytes, without_zeros};
use crate::log_text::LogWriter;
use crate::log_walk::{Items, read_log, transactions_of};

/// Status of a transaction that succeeded, as its receipt has it.
const SUCCESS: &[u8] = &[1];

const ADDRESS_LENGTH: usize = 20;

/// A transaction of a block, and where the block is stored.
pub struct MinedTransaction<'a> {
    /// Hash of the transaction.
    pub hash: B256,
    /// Place in the block.
    pub index: usize,
    /// Hash of the block.
    pub block_hash: B256,
    /// Height.
    pub block_number: u64,
    /// RLP `[transactions, uncles]` of the block.
    pub body: &'a [u8],
    /// Sender; zeros for the reward transaction.
    pub sender: [u8; ADDRESS_LENGTH],
}

/// Fields of a transaction that are read here, as in its RLP.
struct Fields<'a> {
    nonce: &'a [u8],
    gas_price: &'a [u8],
    gas: &'a [u8],
    to: &'a [u8],
    value: &'a [u8],
    data: &'a [u8],
    v: &'a [u8],
    r: &'a [u8],
    s: &'a [u8],
    encoding: &'a [u8],
}

/// A block, as it is stored.
pub struct MinedBlock<'a> {
    /// Hash of the block.
    pub hash: B256,
    /// Height.
    pub number: u64,
    /// RLP `[transactions, uncles]`.
    pub body: &'a [u8],
    /// Senders of the transactions, 20 bytes each; zeros for the reward transaction.
    pub senders: &'a [u8],
}

impl<'a> MinedTransaction<'a> {
    fn fields(&self) -> Result<Fields<'a>, RlpError> {
        let (item, encoding) = transactions_of(self.body)?.nth(self.index)?;
        Fields::read(item, encoding)
    }
}

impl<'a> Fields<'a> {
    fn read(item: Item<'a>, encoding: &'a [u8]) -> Result<Self, RlpError> {
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
}

/// Writes members of an object one after the other.
struct Members<'o> {
    out: &'o mut Vec<u8>,
}

impl Members<'_> {
    fn name(&mut self, name: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn data(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(b"\"0x");
        push_hex(self.out, bytes);
        self.out.push(b'"');
    }

    fn data_or_null(&mut self, name: &str, bytes: Option<&[u8]>) {
        match bytes {
            Some(bytes) => self.data(name, bytes),
            None => self.plain(name, "null"),
        }
    }

    fn number(&mut self, name: &str, value: u64) {
        self.name(name);
        self.out.extend_from_slice(b"\"0x");
        push_number(self.out, value);
        self.out.push(b'"');
    }

    fn quantity(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        self.out.extend_from_slice(b"\"0x");
        push_number_bytes(self.out, bytes);
        self.out.push(b'"');
    }

    /// @param value JSON text
    fn plain(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.extend_from_slice(value.as_bytes());
    }
}

/// Writes a transaction object.
pub fn write_transaction(transaction: &MinedTransaction<'_>) -> Result<Vec<u8>, RlpError> {
    let fields = transaction.fields()?;
    let mut out = Vec::with_capacity(1024 + 2 * fields.data.len());
    push_transaction(&mut out, transaction, &fields);
    Ok(out)
}

/// Writes the transactions of a block into the text of its object, where those belong. @param full whether they are
/// objects, not hashes; `at`: where in the text the elements of their array stand
pub fn write_block(block: &MinedBlock<'_>, full: bool, text: &[u8], at: usize) -> Result<Vec<u8>, RlpError> {
    let (before, after) = text.split_at_checked(at).ok_or(RlpError::Truncated)?;
    let mut out = Vec::with_capacity(text.len() + if full { 512 } else { 0 } + 4 * block.body.len());
    out.extend_from_slice(before);
    let mut senders = block.senders.chunks_exact(ADDRESS_LENGTH);
    let mut transactions = transactions_of(block.body)?;
    let mut index = 0;
    while let Some((item, encoding)) = transactions.next()? {
        if index > 0 {
            out.push(b',');
        }
        let hash = keccak256(encoding);
        if full {
            let mut sender = [0; ADDRESS_LENGTH];
            sender.copy_from_slice(senders.next().ok_or(RlpError::Truncated)?);
            let MinedBlock { hash: block_hash, number: block_number, body, .. } = *block;
            let transaction = MinedTransaction { hash, index, block_hash, block_number, body, sender };
            push_transaction(&mut out, &transaction, &Fields::read(item, encoding)?);
        } else {
            out.extend_from_slice(b"\"0x");
            push_hex(&mut out, hash.as_slice());
            out.push(b'"');
        }
        index += 1;
    }
    out.extend_from_slice(after);
    Ok(out)
}

fn push_transaction(out: &mut Vec<u8>, transaction: &MinedTransaction<'_>, fields: &Fields<'_>) {
    out.push(b'{');
    let mut members = Members { out };
    members.data("hash", transaction.hash.as_slice());
    members.quantity("nonce", fields.nonce);
    members.data("blockHash", transaction.block_hash.as_slice());
    members.number("blockNumber", transaction.block_number);
    members.number("transactionIndex", transaction.index as u64);
    members.data("from", &transaction.sender);
    members.data_or_null("to", receiver(fields));
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

/// Writes a receipt object. @param receipts RLP list of the receipts of the block
pub fn write_receipt(transaction: &MinedTransaction<'_>, receipts: &[u8]) -> Result<Vec<u8>, RlpError> {
    let fields = transaction.fields()?;
    let mut list = Items::of(Item::read_only(receipts)?)?;
    let mut log_index = 0;
    for _ in 0..transaction.index {
        log_index += count_logs(list.nth(0)?.0)?;
    }
    let mut receipt = Items::of(list.nth(0)?.0)?;
    let mut field = || Ok::<_, RlpError>(receipt.nth(0)?.0);
    let _post_state = field()?;
    let (cumulative_gas, bloom, logs) = (field()?.bytes()?, field()?.bytes()?, field()?);
    let (gas, status) = (field()?.bytes()?, field()?.bytes()?);

    let mut out = Vec::with_capacity(2048 + 2 * receipts.len() / (transaction.index + 1));
    out.push(b'{');
    let mut members = Members { out: &mut out };
    members.data("transactionHash", transaction.hash.as_slice());
    members.number("transactionIndex", transaction.index as u64);
    members.data("blockHash", transaction.block_hash.as_slice());
    members.number("blockNumber", transaction.block_number);
    members.quantity("cumulativeGasUsed", cumulative_gas);
    members.quantity("gasUsed", gas);
    // A creation shows its contract address also when it failed.
    let created = fields.to.is_empty().then(|| contract_address(&transaction.sender, fields.nonce));
    members.data_or_null("contractAddress", created.as_ref().map(|address| &address[..]));
    members.name("logs");
    write_logs(&mut out, transaction, fields.encoding, logs, log_index)?;
    let mut members = Members { out: &mut out };
    members.data("from", &transaction.sender);
    members.data_or_null("to", receiver(&fields));
    members.plain("status", if status == SUCCESS { "\"0x1\"" } else { "\"0x0\"" });
    members.data("logsBloom", bloom);
    members.plain("type", "\"0x0\"");
    members.quantity("effectiveGasPrice", fields.gas_price);
    out.push(b'}');
    Ok(out)
}

fn write_logs(
    out: &mut Vec<u8>,
    transaction: &MinedTransaction<'_>,
    encoding: &[u8],
    logs: Item<'_>,
    first_index: u64,
) -> Result<(), RlpError> {
    let mut writer = LogWriter::in_receipt(transaction.block_hash, transaction.block_number);
    let mut logs = Items::of(logs)?;
    let mut log_index = first_index;
    out.push(b'[');
    while let Some((log, _)) = logs.next()? {
        if log_index > first_index {
            out.push(b',');
        }
        writer.write(out, &read_log(log, transaction.index as u64, log_index, encoding)?);
        log_index += 1;
    }
    out.push(b']');
    Ok(())
}

fn count_logs(receipt: Item<'_>) -> Result<u64, RlpError> {
    let mut logs = Items::of(Items::of(receipt)?.nth(3)?.0)?;
    let mut count = 0;
    while logs.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

fn receiver<'a>(fields: &Fields<'a>) -> Option<&'a [u8]> {
    Some(fields.to).filter(|to| !to.is_empty())
}

/// Address of the contract that a transaction creates: of its sender and its nonce as read.
fn contract_address(sender: &[u8; 20], nonce: &[u8]) -> [u8; 20] {
    let mut payload = Vec::with_capacity(32);
    write_bytes(&mut payload, sender);
    write_bytes(&mut payload, without_zeros(nonce));
    let hash = keccak256(&list(&payload));
    let mut address = [0; 20];
    address.copy_from_slice(&hash[12..]);
    address
}
