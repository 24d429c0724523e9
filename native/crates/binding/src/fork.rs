//! The upstream of a fork: wishes of reads go out to the thread that asks it, its answers come in.

use std::sync::Arc;
use std::time::Duration;

use napi::Status;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, Bytes, U256};
use rhizome_store::{Answer, Fork, ForkPoint, StateStore as Store, UpstreamAccount, Wanted};

use crate::byte_array::Uint8Array;
use crate::bytes;
use crate::errors::{Code, Result, error, invalid};
use crate::store::{AncestorMetadata, StateStore, ancestor_block};

/// Something that the upstream is asked for: an account, a cell of it, or the block of a height.
#[napi(object)]
pub struct ForkWanted {
    /// `0x` and 40 digits; absent for a block.
    pub address: Option<String>,
    /// `0x` and 64 digits; only for a cell.
    pub slot: Option<String>,
    /// Height; only for a block.
    pub number: Option<i64>,
}

/// An account of the upstream.
#[napi(object)]
pub struct ForkAccount {
    /// False where there is none.
    pub exists: bool,
    /// Big-endian.
    pub nonce: Uint8Array,
    /// Wei, big-endian.
    pub balance: Uint8Array,
    /// Empty where there is none.
    pub code: Uint8Array,
    /// True when it has the contract marker.
    pub contract: bool,
}

/// The block that a chain goes on from, and the limits of reads of its upstream.
#[napi(object)]
pub struct ForkOptions {
    /// Height.
    pub number: i64,
    /// Hash of its parent.
    pub parent_hash: Uint8Array,
    /// Bytes of answers in memory.
    pub cache_bytes: i64,
    /// Milliseconds that a read waits for an answer.
    pub patience: u32,
}

/// Counts since the start.
#[napi(object)]
pub struct ForkStats {
    /// Reads that were answered from memory.
    pub hits: i64,
    /// Reads that waited for the upstream.
    pub misses: i64,
    /// Seconds that threads waited, summed up.
    pub waited: f64,
    /// Bytes of answers in memory.
    pub bytes: i64,
}

/// Called with each wish.
type Ask = ThreadsafeFunction<ForkWanted, (), ForkWanted, Status, false, true>;

impl From<Wanted> for ForkWanted {
    fn from(wanted: Wanted) -> Self {
        let none = Self { address: None, slot: None, number: None };
        match wanted {
            Wanted::Account(account) => Self { address: Some(hex_of(&account)), ..none },
            Wanted::Cell(account, slot) => {
                Self { address: Some(hex_of(&account)), slot: Some(format!("{slot:#066x}")), ..none }
            }
            Wanted::Block(number) => Self { number: Some(number as i64), ..none },
        }
    }
}

fn hex_of(account: &AccountRef) -> String {
    format!("{:#x}", account.address())
}

fn wanted(value: &ForkWanted) -> Result<Wanted> {
    if let Some(number) = value.number {
        return Ok(Wanted::Block(u64::try_from(number).map_err(invalid)?));
    }
    let address: Address =
        value.address.as_deref().ok_or_else(|| invalid("neither address nor number"))?.parse().map_err(invalid)?;
    match &value.slot {
        None => Ok(Wanted::Account(address.into())),
        Some(slot) => Ok(Wanted::Cell(address.into(), slot.parse::<U256>().map_err(invalid)?)),
    }
}

#[napi]
impl StateStore {
    /// Has everything that the states of this store do not hold read from an upstream. To be called before anything is
    /// read from the store. `ask` is called in the thread that calls this; it keeps no thread alive.
    #[napi(catch_unwind)]
    pub fn attach_fork(
        &self,
        options: ForkOptions,
        #[napi(ts_arg_type = "(wanted: ForkWanted) => void")] ask: Ask,
    ) -> Result<()> {
        let point = ForkPoint {
            number: u64::try_from(options.number).map_err(invalid)?,
            parent_hash: bytes::hash("parentHash", &options.parent_hash)?,
        };
        let cache_bytes = usize::try_from(options.cache_bytes).map_err(invalid)?;
        let patience = Duration::from_millis(u64::from(options.patience));
        let ask = Box::new(move |wanted: Wanted| {
            ask.call(wanted.into(), ThreadsafeFunctionCallMode::NonBlocking);
        });
        if self.inner.attach_fork(Arc::new(Fork::new(point, cache_bytes, patience, ask))) {
            return Ok(());
        }
        Err(invalid("the store has an upstream already"))
    }

    /// Gives an account to the reads that wait for it.
    #[napi(catch_unwind)]
    pub fn fork_account(&self, of: ForkWanted, account: ForkAccount) -> Result<()> {
        let state = Account {
            nonce: bytes::uint("nonce", &account.nonce)?,
            balance: bytes::uint("balance", &account.balance)?.into(),
            flags: 0,
        };
        let upstream = UpstreamAccount {
            account: account.exists.then_some(state),
            code: Bytes::copy_from_slice(&account.code),
            is_contract: account.contract,
        };
        self.upstream()?.answer(wanted(&of)?, Answer::account(upstream));
        Ok(())
    }

    /// Gives a cell, bytes as stored, none where it is absent.
    #[napi(catch_unwind)]
    pub fn fork_cell(&self, of: ForkWanted, value: Uint8Array) -> Result<()> {
        let value = (!value.is_empty()).then(|| Bytes::copy_from_slice(&value));
        self.upstream()?.answer(wanted(&of)?, Answer::Cell(value));
        Ok(())
    }

    /// Gives a block.
    #[napi(catch_unwind)]
    pub fn fork_block(&self, metadata: AncestorMetadata) -> Result<()> {
        let block = ancestor_block(&metadata)?;
        self.upstream()?.answer(Wanted::Block(block.number), Answer::Block(Arc::new(block)));
        Ok(())
    }

    /// Says in a sentence why there is no answer, and whether a later read may get one.
    #[napi(catch_unwind)]
    pub fn fork_refusal(&self, of: ForkWanted, reason: String, is_final: bool) -> Result<()> {
        let failure = if is_final { StateError::NeverGiven(reason) } else { StateError::Upstream(reason) };
        self.upstream()?.refuse(wanted(&of)?, failure);
        Ok(())
    }

    /// Counts since the start; null where the chain is no fork.
    #[napi(catch_unwind)]
    pub fn fork_stats(&self) -> Option<ForkStats> {
        let stats = self.inner.fork()?.stats();
        Some(ForkStats {
            hits: stats.hits as i64,
            misses: stats.misses as i64,
            waited: stats.waited as f64 / 1e9,
            bytes: stats.bytes as i64,
        })
    }

    /// Says whether the calling thread may wait for an upstream; where it may not, reads end with `NotFetched`.
    #[napi(catch_unwind)]
    pub fn may_wait_for_fork(&self, may_wait: bool) {
        Fork::let_this_thread_wait(may_wait);
    }

    /// Nothing is answered any more: reads that wait fail.
    #[napi(catch_unwind)]
    pub fn close_fork(&self) {
        if let Some(fork) = self.inner.fork() {
            fork.close();
        }
    }

    fn upstream(&self) -> Result<&Arc<Fork>> {
        self.inner.fork().ok_or_else(|| error(Code::InvalidArgument, "the store has no upstream"))
    }
}

/// Runs an execution without an effect of its own, on a fork with what it reads fetched ahead.
pub(crate) fn fetching_ahead<T>(store: &Store, mut run: impl FnMut() -> T) -> T {
    match store.fork() {
        None => run(),
        Some(fork) => fork.fetching_ahead(run),
    }
}
