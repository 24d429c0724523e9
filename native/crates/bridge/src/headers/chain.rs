//! Adds headers to the store: acceptance rules and the choice of the best chain (bridge.md §3.2).

use rhizome_primitives::bridge_spec::BitcoinNetwork;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::{B256, b256};

use super::throws;
use crate::storage::Frame;
use rhizome_bitcoin::BlockHeader;
use rhizome_bitcoin::difficulty::{DifficultyError, check_difficulty, check_hash, work};
use rhizome_bitcoin::stored_header::StoredHeader;

/// Heights of the main network at which only one block is accepted.
const FIXED_BLOCKS: &[(i32, B256)] = &[
    (91_722, b256!("00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e")),
    (91_812, b256!("00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f")),
    (91_842, b256!("00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec")),
    (91_880, b256!("00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721")),
    (200_000, b256!("000000000000034a7dedef4a161fa058a2d67a173a90155f3a2fe6fc132e0ebf")),
];

/// A received header with its hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    pub(crate) header: BlockHeader,
    pub(crate) hash: B256,
}

impl Received {
    pub(crate) fn new(header: BlockHeader) -> Self {
        Self { hash: header.hash(), header }
    }
}

/// The best chain while a call adds headers to it.
pub(crate) struct Chain {
    head: StoredHeader,
    head_hash: B256,
}

/// Reason why a look-up during the check of a difficulty aborted the check.
enum Stopped {
    Refused(DifficultyError),
    Store(ContractError),
}

impl From<DifficultyError> for Stopped {
    fn from(error: DifficultyError) -> Self {
        Self::Refused(error)
    }
}

impl Chain {
    /// Opens the store.
    pub(crate) fn open(frame: &mut Frame<'_>) -> Result<Self, ContractError> {
        let head = frame.open_headers()?;
        Ok(Self { head_hash: head.hash(), head })
    }

    /// Height of the head.
    pub(crate) const fn height(&self) -> i32 {
        self.head.height
    }

    /// Adds a header on top of a stored one. A header that is stored already changes nothing.
    ///
    /// # Errors
    /// [`ContractError::Failed`] for a refused header.
    pub(crate) fn add(
        &mut self,
        frame: &mut Frame<'_>,
        parent: &StoredHeader,
        received: &Received,
    ) -> Result<(), ContractError> {
        if received.hash == self.head_hash || frame.header(received.hash)?.is_some() {
            return Ok(());
        }
        let bitcoin = &frame.bridge().bitcoin;
        check_hash(bitcoin, &received.header, received.hash).map_err(throws)?;
        let stored = |hash| frame.header(hash).map_err(Stopped::Store);
        check_difficulty(bitcoin, parent, &received.header, stored).map_err(|stopped| match stopped {
            Stopped::Refused(error) => throws(error),
            Stopped::Store(error) => error,
        })?;
        let height = parent.height.wrapping_add(1);
        let fixed = FIXED_BLOCKS.iter().find(|(fixed, _)| *fixed == height);
        if bitcoin.network == BitcoinNetwork::Main && fixed.is_some_and(|(_, hash)| *hash != received.hash) {
            return Err(throws("another block than the known one of this height"));
        }
        let work = work(bitcoin, &received.header).map_err(throws)?;
        let chain_work = parent.chain_work.checked_add(work).ok_or_else(|| throws("the work does not fit"))?;
        let new = StoredHeader { chain_work, height, header: *received.header.as_bytes() };
        self.connect(frame, parent, new, received.hash)
    }

    fn connect(
        &mut self,
        frame: &mut Frame<'_>,
        parent: &StoredHeader,
        new: StoredHeader,
        hash: B256,
    ) -> Result<(), ContractError> {
        let extends = *parent == self.head;
        if !extends {
            let overtakes = new.chain_work > self.head.chain_work;
            let split = split(frame, &self.head, &new)?;
            if !overtakes {
                return frame.put_header(&new, hash);
            }
            if split.at == self.head {
                return Err(throws("the branch starts at the head"));
            }
            // Written before the header: they stay even if its work does not fit the stored form.
            for header in split.branch {
                frame.set_best_hash_at(header.height, header.hash());
            }
        }
        frame.put_header(&new, hash)?;
        frame.set_head(&new, hash)?;
        (self.head, self.head_hash) = (new, hash);
        Ok(())
    }
}

/// The point at which a branch leaves the best chain.
struct Split {
    /// The last common header.
    at: StoredHeader,
    /// The headers of the branch above it.
    branch: Vec<StoredHeader>,
}

/// The split between the head's chain and that of a new header.
fn split(frame: &mut Frame<'_>, head: &StoredHeader, new: &StoredHeader) -> Result<Split, ContractError> {
    let (mut best, mut side) = (head.clone(), new.clone());
    let mut branch = Vec::new();
    while best != side {
        let of_best = best.height > side.height;
        let parent = if of_best { best.parent() } else { side.parent() };
        let below = frame.header(parent)?.ok_or_else(|| throws("the Bitcoin chain has a gap"))?;
        if of_best {
            best = below;
        } else {
            branch.push(std::mem::replace(&mut side, below));
        }
    }
    Ok(Split { at: best, branch })
}
