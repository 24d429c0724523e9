//! Reads of accounts, code and cells.

use std::sync::Arc;

use rhizome_answers::{BlockNames, Output};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Address, B256, U256, hex};
use rhizome_store::StateStore;

use crate::scan::Scanner;

/// The newest block, which is also that of a request that names none.
pub(crate) const LATEST: &[u8] = b"latest";

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Balance of an account: address, and the block or nothing.
    Balance,
    /// Nonce of an account: address, and the block or nothing.
    TransactionCount,
    /// Code of an account: address, block.
    Code,
    /// A cell as a word: address, slot, block.
    Cell,
    /// A cell as it is stored, `0x0` where there is none: address, slot, block.
    CellBytes,
}

/// What came of a request or of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// So many bytes of answer were written.
    Answered(usize),
    /// It names blocks that are not known here: see [`StateReads::unknown_blocks`].
    UnknownBlocks,
    /// It is not ordinary, not all of it is in memory, its answer does not fit, or it is wrong.
    Declined,
}

/// How far one read came.
enum Step {
    Done,
    UnknownBlock,
}

/// Answers reads of the state from memory: never from the disk, so that the thread that has the
/// sockets can ask. Which state a name of a block stands for is told by the caller, until the head changes.
pub struct StateReads {
    store: Arc<StateStore>,
    methods: Vec<(Vec<u8>, Read)>,
    roots: BlockNames,
    unknown: Vec<Vec<u8>>,
}

impl StateReads {
    /// `methods`: names that are answered, and what each reads.
    pub fn new(store: Arc<StateStore>, methods: Vec<(Vec<u8>, Read)>) -> Self {
        Self { store, methods, roots: BlockNames::default(), unknown: Vec::new() }
    }

    /// Says which state the name of a block stands for, as it is written in requests, without quotes.
    pub fn name_block(&mut self, name: &[u8], root: B256) {
        self.roots.set(name, root);
    }

    /// Forgets what the names of blocks stand for.
    pub fn forget_blocks(&mut self) {
        self.roots.forget();
    }

    /// The names for which the last call gave [`Outcome::UnknownBlocks`].
    pub fn unknown_blocks(&self) -> &[Vec<u8>] {
        &self.unknown
    }

    /// Answers one request of the method at `place`. `id` is JSON text, `params` that of an array.
    pub fn answer(&mut self, place: usize, id: &[u8], params: &[u8], out: &mut [u8]) -> Outcome {
        self.unknown.clear();
        let mut output = Output::new(out);
        match self.answer_params(place, id, params, &mut output) {
            Some(Step::Done) => Outcome::Answered(output.length()),
            Some(Step::UnknownBlock) => Outcome::UnknownBlocks,
            None => Outcome::Declined,
        }
    }

    fn answer_params(&mut self, place: usize, id: &[u8], params: &[u8], output: &mut Output<'_>) -> Option<Step> {
        let read = self.methods.get(place)?.1;
        let mut scanner = Scanner::new(params);
        let params = scanner.params()?;
        scanner.token().is_none().then_some(())?;
        self.answer_read(read, id, params.texts(), output)
    }

    /// Answers a batch of reads. The places of their methods go to `places`, as many as there are
    /// requests; a batch with more than fit there is declined.
    pub fn answer_batch(&mut self, body: &[u8], places: &mut Vec<u8>, most: usize, out: &mut [u8]) -> Outcome {
        self.unknown.clear();
        places.clear();
        let mut output = Output::new(out);
        match self.answer_requests(body, places, most, &mut output) {
            None => Outcome::Declined,
            Some(()) if self.unknown.is_empty() => Outcome::Answered(output.length()),
            Some(()) => Outcome::UnknownBlocks,
        }
    }

    fn answer_requests(
        &mut self,
        body: &[u8],
        places: &mut Vec<u8>,
        most: usize,
        output: &mut Output<'_>,
    ) -> Option<()> {
        let mut scanner = Scanner::new(body);
        if scanner.token()? != b'[' {
            return None;
        }
        output.put(b"[")?;
        loop {
            let request = scanner.request()?;
            let place = self.methods.iter().position(|(name, _)| name == request.method)?;
            if places.len() == most {
                return None;
            }
            places.push(u8::try_from(place).ok()?);
            self.answer_read(self.methods[place].1, request.id, request.params.texts(), output)?;
            match scanner.token()? {
                b',' => output.put(b",")?,
                // Whatever follows the array is ignored, as the reference does (rpc.md §11).
                b']' => return output.put(b"]"),
                _ => return None,
            }
        }
    }

    fn answer_read(&mut self, read: Read, id: &[u8], params: &[&[u8]], output: &mut Output<'_>) -> Option<Step> {
        let (account, slot, block) = match (read, params) {
            (Read::Balance | Read::TransactionCount, [account]) => (account, None, LATEST),
            (Read::Balance | Read::TransactionCount | Read::Code, [account, block]) => (account, None, *block),
            (Read::Cell | Read::CellBytes, [account, slot, block]) => (account, Some(*slot), *block),
            _ => return None,
        };
        let account = parse_address(account)?;
        let slot = slot.map_or(Some(U256::ZERO), parse_slot)?;
        let Some(root) = self.roots.get(block) else {
            if !self.unknown.iter().any(|name| name == block) {
                self.unknown.push(block.to_vec());
            }
            return Some(Step::UnknownBlock);
        };
        output.put_head(id)?;
        output.put_result()?;
        output.put(b"\"")?;
        put_value(&self.store.memory_reader(root), read, &account, &slot, output)?;
        output.put(br#""}"#)?;
        Some(Step::Done)
    }
}

/// None when it is not in memory, cannot be read, or is nothing that an ordinary state has.
fn put_value(
    state: &impl StateReader,
    read: Read,
    account: &AccountRef,
    slot: &U256,
    output: &mut Output<'_>,
) -> Option<()> {
    match read {
        Read::Balance => {
            let balance = state.account(account).ok()?.unwrap_or_default().balance;
            // Below zero: the method's own code knows how that is written.
            if balance.bit(255) { None } else { output.put_quantity(balance) }
        }
        Read::TransactionCount => output.put_quantity(state.account(account).ok()?.unwrap_or_default().nonce),
        Read::Code => output.put_data(&state.code(account).ok()?),
        Read::Cell => output.put_word(&state.storage(account, slot).ok()?.unwrap_or_default()),
        Read::CellBytes => match state.storage(account, slot).ok()? {
            Some(bytes) if !bytes.is_empty() => output.put_data(&bytes),
            _ => output.put(b"0x0"),
        },
    }
}

fn parse_address(text: &[u8]) -> Option<AccountRef> {
    let digits = text.strip_prefix(b"0x").filter(|digits| digits.len() == 40)?;
    let mut address = Address::ZERO;
    hex::decode_to_slice(digits, address.as_mut_slice()).ok()?;
    Some(address.into())
}

/// `0x` and 1 to 64 digits.
fn parse_slot(text: &[u8]) -> Option<U256> {
    let digits = text.strip_prefix(b"0x")?;
    if !(1..=64).contains(&digits.len()) {
        return None;
    }
    let mut padded = [b'0'; 64];
    padded[64 - digits.len()..].copy_from_slice(digits);
    let mut word = B256::ZERO;
    hex::decode_to_slice(padded, word.as_mut_slice()).ok()?;
    Some(word.into())
}
