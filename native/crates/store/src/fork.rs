//! A chain that goes on from a block of another network: what its states do not hold themselves is what the upstream
//! has at that block (src/fork/fork.md).
//!
//! A read that finds nothing here asks the upstream and waits for a thread of its own to answer: never a function of the
//! thread that waits. The answers stay in memory, bounded in bytes; keeping them on disk is for whoever answers.

use std::cell::Cell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, RwLock};
use rhizome_cache::ClockCache;
use rhizome_primitives::account::{Account, AccountRef, Balance, EMPTY_CODE_HASH};
use rhizome_primitives::block::{AncestorBlock, Ancestry};
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_trie::keccak256;

use crate::fork_guess::{self, MAX_ROUNDS};
use crate::reader::RootReader;

/// Something that the upstream is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// An account with its code.
    Account(AccountRef),
    /// A cell of an account.
    Cell(AccountRef, U256),
    /// The block of a height below the fork.
    Block(u64),
}

/// An account of the upstream.
#[derive(Clone, Debug, Default)]
pub struct UpstreamAccount {
    /// None where there is none.
    pub account: Option<Account>,
    /// Empty where there is none.
    pub code: Bytes,
    /// True when it has the contract marker.
    pub is_contract: bool,
}

/// An answer of the upstream.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Of [`Wanted::Account`], with the hash of its code.
    Account(Arc<UpstreamAccount>, B256),
    /// Of [`Wanted::Cell`]: bytes as stored, None where there is none.
    Cell(Option<Bytes>),
    /// Of [`Wanted::Block`].
    Block(Arc<AncestorBlock>),
}

impl Answer {
    /// An account.
    pub fn account(account: UpstreamAccount) -> Self {
        let hash = keccak256(&account.code);
        Self::Account(Arc::new(account), hash)
    }

    fn weight(&self) -> usize {
        match self {
            Self::Account(account, _) => size_of::<UpstreamAccount>() + account.code.len(),
            Self::Cell(value) => value.as_ref().map_or(0, |bytes| bytes.len()),
            Self::Block(block) => size_of::<AncestorBlock>() + 1024 + 128 * block.uncles.len(),
        }
    }
}

/// The block that a chain goes on from.
#[derive(Clone, Copy, Debug)]
pub struct ForkPoint {
    /// Height.
    pub number: u64,
    /// Hash of its parent.
    pub parent_hash: B256,
}

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForkStats {
    /// Reads that were answered from memory.
    pub hits: u64,
    /// Reads that waited for the upstream.
    pub misses: u64,
    /// Nanoseconds that threads waited, summed up.
    pub waited: u64,
    /// Bytes of answers in memory.
    pub bytes: usize,
}

/// Hands a wish to the thread that answers it. It must not wait.
type Ask = Box<dyn Fn(Wanted) + Send + Sync>;

struct Waiting {
    readers: usize,
    result: Option<Result<Answer, StateError>>,
}

thread_local! {
    /// False for a thread that must not wait for an upstream.
    static MAY_WAIT: Cell<bool> = const { Cell::new(true) };
}

/// The upstream as threads that execute see it.
pub struct Fork {
    /// The block that the chain goes on from.
    pub point: ForkPoint,
    ask: Ask,
    patience: Duration,
    answers: RwLock<ClockCache<Wanted, Answer>>,
    waiting: Mutex<HashMap<Wanted, Waiting>>,
    answered: Condvar,
    is_closed: AtomicBool,
    hits: AtomicU64,
    misses: AtomicU64,
    waited: AtomicU64,
}

impl Fork {
    /// `cache_bytes` bounds the answers in memory, `patience` the wait for one of them.
    pub fn new(point: ForkPoint, cache_bytes: usize, patience: Duration, ask: Ask) -> Self {
        Self {
            point,
            ask,
            patience,
            answers: RwLock::new(ClockCache::new(cache_bytes)),
            waiting: Mutex::default(),
            answered: Condvar::new(),
            is_closed: AtomicBool::new(false),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            waited: AtomicU64::new(0),
        }
    }

    /// Gives an answer to whoever waits for it, and keeps it.
    pub fn answer(&self, wanted: Wanted, answer: Answer) {
        let weight = answer.weight();
        self.answers.write().insert(wanted, answer.clone(), weight);
        self.settle(wanted, Ok(answer));
    }

    /// Says why there is no answer. The next read asks again.
    pub fn refuse(&self, wanted: Wanted, failure: StateError) {
        self.settle(wanted, Err(failure));
    }

    /// Says whether the calling thread may wait for an upstream: where it may not, a read of what is not here asks for it
    /// and ends with [`StateError::NotFetched`]. Every thread may unless it says so.
    pub fn let_this_thread_wait(may_wait: bool) {
        MAY_WAIT.set(may_wait);
    }

    /// Runs an execution that has no effect of its own, with what it reads fetched ahead: until it knows everything, it runs
    /// on guesses and its result is dropped. In a thread that may not wait it asks for all that the first such run wants;
    /// then the execution ends with [`StateError::NotFetched`], and is to be run again.
    pub fn fetching_ahead<T>(&self, mut run: impl FnMut() -> T) -> T {
        if fork_guess::is_guessing() {
            return run();
        }
        for _ in 0..MAX_ROUNDS {
            let (result, guessed) = fork_guess::run_guessing(&mut run);
            if guessed.is_empty() {
                return result;
            }
            drop(result);
            if !MAY_WAIT.get() || !self.wait_for_all(&guessed) {
                break;
            }
        }
        run()
    }

    /// Waits until all of these were answered or refused; false when that takes too long.
    fn wait_for_all(&self, wanted: &HashSet<Wanted>) -> bool {
        let began = Instant::now();
        let until = began + self.patience;
        let mut all = self.waiting.lock();
        let is_settled = loop {
            let is_open = |one| all.get(one).is_some_and(|waiting: &Waiting| waiting.result.is_none());
            if !wanted.iter().any(is_open) {
                break true;
            }
            if self.is_closed.load(Ordering::Relaxed) || self.answered.wait_until(&mut all, until).timed_out() {
                break false;
            }
        };
        self.waited.fetch_add(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        is_settled
    }

    /// Nothing is answered any more: whoever waits gets an error.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let _waiting = self.waiting.lock();
        self.answered.notify_all();
    }

    /// Counts since the start.
    pub fn stats(&self) -> ForkStats {
        ForkStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            waited: self.waited.load(Ordering::Relaxed),
            bytes: self.answers.read().bytes(),
        }
    }

    fn settle(&self, wanted: Wanted, result: Result<Answer, StateError>) {
        let mut all = self.waiting.lock();
        match all.get_mut(&wanted) {
            // Whoever did not wait finds it among the answers; the next read gets a refusal.
            Some(waiting) if waiting.readers == 0 && result.is_ok() => {
                all.remove(&wanted);
            }
            Some(waiting) => waiting.result = Some(result),
            None => {}
        }
        self.answered.notify_all();
    }

    fn fetch(&self, wanted: Wanted) -> Result<Answer, StateError> {
        if let Some(answer) = self.answers.read().get(&wanted) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(answer.clone());
        }
        if fork_guess::is_guessing() {
            return self.guess(wanted);
        }
        if !MAY_WAIT.get() {
            return self.ask_without_waiting(wanted);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let began = Instant::now();
        let result = self.wait_for(wanted, began + self.patience);
        self.waited.fetch_add(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        result
    }

    /// Asks for something and takes it as absent meanwhile. A block cannot be: its hash would be wrong for certain.
    fn guess(&self, wanted: Wanted) -> Result<Answer, StateError> {
        match self.ask_without_waiting(wanted) {
            Err(StateError::NotFetched) => {}
            known => return known,
        }
        let is_enough = !fork_guess::record(wanted);
        match wanted {
            _ if is_enough => Err(StateError::NotFetched),
            Wanted::Account(_) => Ok(Answer::Account(Arc::default(), EMPTY_CODE_HASH)),
            Wanted::Cell(..) => Ok(Answer::Cell(None)),
            Wanted::Block(_) => Err(StateError::NotFetched),
        }
    }

    /// The answer that came after its reader had looked and before the reader locked `waiting`: nobody asks twice.
    fn came_meanwhile(&self, wanted: &Wanted) -> Option<Answer> {
        self.answers.read().get(wanted).cloned()
    }

    fn ask_without_waiting(&self, wanted: Wanted) -> Result<Answer, StateError> {
        let mut all = self.waiting.lock();
        match all.entry(wanted) {
            Entry::Occupied(waiting) => match &waiting.get().result {
                None => Err(StateError::NotFetched),
                Some(result) => {
                    let result = result.clone();
                    if waiting.get().readers == 0 {
                        waiting.remove();
                    }
                    result
                }
            },
            Entry::Vacant(vacant) => {
                if let Some(answer) = self.came_meanwhile(&wanted) {
                    return Ok(answer);
                }
                vacant.insert(Waiting { readers: 0, result: None });
                self.misses.fetch_add(1, Ordering::Relaxed);
                (self.ask)(wanted);
                Err(StateError::NotFetched)
            }
        }
    }

    fn wait_for(&self, wanted: Wanted, until: Instant) -> Result<Answer, StateError> {
        let mut all = self.waiting.lock();
        let is_first = !all.contains_key(&wanted);
        if is_first && let Some(answer) = self.came_meanwhile(&wanted) {
            return Ok(answer);
        }
        all.entry(wanted).or_insert(Waiting { readers: 0, result: None }).readers += 1;
        if is_first {
            (self.ask)(wanted);
        }
        let result = loop {
            if let Some(result) = all.get(&wanted).and_then(|waiting| waiting.result.clone()) {
                break result;
            }
            if self.is_closed.load(Ordering::Relaxed) {
                let reason = "the node stops: the network that it is a fork of is not asked any more";
                break Err(StateError::Upstream(reason.into()));
            }
            if self.answered.wait_until(&mut all, until).timed_out() {
                let seconds = self.patience.as_secs();
                let reason = format!("the network that this chain is a fork of did not answer within {seconds} s");
                break Err(StateError::Upstream(reason));
            }
        };
        if let Some(waiting) = all.get_mut(&wanted) {
            waiting.readers -= 1;
            if waiting.readers == 0 {
                all.remove(&wanted);
            }
        }
        result
    }

    fn account(&self, id: &AccountRef) -> Result<(Arc<UpstreamAccount>, B256), StateError> {
        match id {
            AccountRef::Address(_) => match self.fetch(Wanted::Account(*id))? {
                Answer::Account(account, hash) => Ok((account, hash)),
                other => Err(unexpected(&other)),
            },
            // JSON-RPC cannot name the other two. The sender of rewards sends one transaction in each block; what a
            // miner without an address has nobody can see.
            AccountRef::RemascSender => {
                let account = Account { nonce: U256::from(self.point.number), balance: Balance::ZERO, flags: 0 };
                Ok((
                    Arc::new(UpstreamAccount { account: Some(account), ..UpstreamAccount::default() }),
                    EMPTY_CODE_HASH,
                ))
            }
            AccountRef::NoAddress => Ok((Arc::default(), EMPTY_CODE_HASH)),
        }
    }

    fn cell(&self, id: &AccountRef, slot: &U256) -> Result<Option<Bytes>, StateError> {
        match self.fetch(Wanted::Cell(*id, *slot))? {
            Answer::Cell(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    fn block(&self, number: u64) -> Result<Arc<AncestorBlock>, StateError> {
        match self.fetch(Wanted::Block(number))? {
            Answer::Block(block) => Ok(block),
            other => Err(unexpected(&other)),
        }
    }
}

fn unexpected(answer: &Answer) -> StateError {
    StateError::Store(format!("an answer of another kind: {answer:?}"))
}

/// Reads the state under a root of the fork: what was written here, else what the upstream has.
pub(crate) struct ForkReader {
    local: RootReader,
    fork: Arc<Fork>,
}

impl ForkReader {
    pub(crate) fn new(local: RootReader, fork: Arc<Fork>) -> Self {
        Self { local, fork }
    }

    /// True when the account was deleted here, so that nothing of the upstream's is left.
    fn is_wiped(&self, account: &AccountRef) -> Result<bool, StateError> {
        self.local.is_account_masked(account)
    }
}

impl StateReader for ForkReader {
    fn account(&self, account: &AccountRef) -> Result<Option<Account>, StateError> {
        if let Some(found) = self.local.account(account)? {
            return Ok(Some(found));
        }
        if self.is_wiped(account)? {
            return Ok(None);
        }
        Ok(self.fork.account(account)?.0.account)
    }

    fn code_info(&self, account: &AccountRef) -> Result<Option<(B256, u32)>, StateError> {
        if let Some(info) = self.local.code_info(account)? {
            return Ok(Some(info));
        }
        if self.local.is_code_masked(account)? || self.is_wiped(account)? {
            return Ok(None);
        }
        let (upstream, hash) = self.fork.account(account)?;
        Ok((!upstream.code.is_empty()).then(|| (hash, upstream.code.len() as u32)))
    }

    fn code(&self, account: &AccountRef) -> Result<Bytes, StateError> {
        if self.local.code_info(account)?.is_some() {
            return self.local.code(account);
        }
        if self.local.is_code_masked(account)? || self.is_wiped(account)? {
            return Ok(Bytes::new());
        }
        Ok(self.fork.account(account)?.0.code.clone())
    }

    fn is_contract(&self, account: &AccountRef) -> Result<bool, StateError> {
        if self.local.is_contract(account)? {
            return Ok(true);
        }
        Ok(!self.is_wiped(account)? && self.fork.account(account)?.0.is_contract)
    }

    fn storage(&self, account: &AccountRef, slot: &U256) -> Result<Option<Bytes>, StateError> {
        if let Some(value) = self.local.storage(account, slot)? {
            return Ok(Some(value));
        }
        if self.local.is_cell_masked(account, slot)? || self.is_wiped(account)? {
            return Ok(None);
        }
        // A contract that was created here has none.
        let is_absent = self.fork.account(account)?.0.account.is_none();
        if is_absent && !fork_guess::was_guessed(&Wanted::Account(*account)) {
            return Ok(None);
        }
        self.fork.cell(account, slot)
    }

    fn storage_cells(
        &self,
        account: &AccountRef,
        after: Option<&U256>,
        limit: usize,
    ) -> Result<Vec<(U256, Bytes)>, StateError> {
        if self.is_wiped(account)? || self.fork.account(account)?.0.account.is_none() {
            return self.local.storage_cells(account, after, limit);
        }
        Err(StateError::Unlisted)
    }
}

/// The branch below a block of the fork: its own blocks, then those of the upstream.
pub(crate) struct ForkBranch<L> {
    fork: Arc<Fork>,
    /// The blocks from the fork on.
    local: L,
    /// Height of the block at depth 0; None where it is not known.
    tip: Option<u64>,
    failure: Mutex<Option<StateError>>,
}

impl<L: Ancestry> ForkBranch<L> {
    pub(crate) fn new(fork: Arc<Fork>, local: L, parent_hash: &B256) -> Self {
        let tip = match local.ancestor(0) {
            Some(parent) => Some(parent.number),
            // Calls at the block of the fork itself stand on its parent.
            None if *parent_hash == fork.point.parent_hash => fork.point.number.checked_sub(1),
            None => None,
        };
        Self { fork, local, tip, failure: Mutex::default() }
    }
}

impl<L: Ancestry> Ancestry for ForkBranch<L> {
    fn ancestor(&self, depth: u64) -> Option<Arc<AncestorBlock>> {
        let number = self.tip?.checked_sub(depth)?;
        if number >= self.fork.point.number {
            return self.local.ancestor(depth);
        }
        match self.fork.block(number) {
            Ok(block) => Some(block),
            // A run on guesses is dropped, and what it wanted is asked for.
            Err(StateError::NotFetched) if fork_guess::is_guessing() => None,
            Err(error) => {
                *self.failure.lock() = Some(error);
                None
            }
        }
    }

    fn ancestor_hash(&self, depth: u64) -> Option<B256> {
        let number = self.tip?.checked_sub(depth)?;
        if number + 1 == self.fork.point.number {
            return Some(self.fork.point.parent_hash);
        }
        self.ancestor(depth).map(|block| block.hash)
    }

    fn failure(&self) -> Option<StateError> {
        self.failure.lock().clone().or_else(|| self.local.failure())
    }
}
